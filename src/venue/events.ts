// The venue's outgoing events. They are collected while an operation runs and sent when it ends: first the
// changes for the recorder, then games, each account's records in order, and every changed side once.
import type { GameId, Micros, OrderId } from '../domain/index.ts';
import type { VenueAccount, SideBook, VenueGame, MatchedPlay, VenueOrder } from './records.ts';

export type GameMessageType = 'marketOpen' | 'marketClosed';

/** One state change of an order, or one fill, as its owner sees it. The amounts are those at that moment. */
export class PositionRecord {
  readonly order: VenueOrder;
  readonly play: MatchedPlay | undefined;
  /** False for a take, where nothing of the taker's order rests. */
  readonly rests: boolean;
  readonly offered: number;
  readonly filled: number;
  readonly remaining: number;

  constructor(
    order: VenueOrder,
    play: MatchedPlay | undefined,
    rests: boolean,
    offered: number,
    filled: number,
    remaining: number,
  ) {
    this.order = order;
    this.play = play;
    this.rests = rests;
    this.offered = offered;
    this.filled = filled;
    this.remaining = remaining;
  }

  /** The resting amounts. Undefined for a take, where nothing of the taker's order rests. */
  get unmatched(): { readonly offered: number; readonly filled: number; readonly remaining: number } | undefined {
    return this.rests ? { offered: this.offered, filled: this.filled, remaining: this.remaining } : undefined;
  }
}

/** The receiver of the venue's events. */
export type VenueSink = {
  readonly sideChanged: (side: SideBook) => void;
  readonly gameChanged: (game: VenueGame, messageType: GameMessageType | undefined) => void;
  readonly position: (account: VenueAccount, record: PositionRecord) => void;
};

export const SILENT: VenueSink = { sideChanged: () => {}, gameChanged: () => {}, position: () => {} };

/**
 * The amount that accounts matched of a recorded offer, and the most that the recording had shown as taken by
 * then.
 */
export type UsedOffer = {
  readonly id: OrderId;
  readonly game: GameId;
  readonly used: Micros;
  readonly mostTaken: Micros;
};

/**
 * The persistent state that one operation changed, to be stored as a whole or not at all. Internal accounts
 * are left out.
 */
export type VenueChanges = {
  readonly accounts: ReadonlySet<VenueAccount>;
  readonly games: ReadonlySet<VenueGame>;
  readonly forgotten: readonly GameId[];
  readonly orders: ReadonlySet<VenueOrder>;
  readonly plays: ReadonlySet<MatchedPlay>;
  readonly used: ReadonlySet<UsedOffer>;
};
export type VenueRecorder = (changes: VenueChanges) => void;

export class EventQueue {
  recorder: VenueRecorder | undefined;
  #sides: SideBook[] = [];
  readonly #games = new Map<VenueGame, GameMessageType | undefined>();
  #records: PositionRecord[] = [];
  readonly #changed = {
    accounts: new Set<VenueAccount>(),
    games: new Set<VenueGame>(),
    forgotten: [] as GameId[],
    orders: new Set<VenueOrder>(),
    plays: new Set<MatchedPlay>(),
    used: new Set<UsedOffer>(),
  };
  /** Spare lists, swapped with the current ones on each flush so that no new list is allocated. */
  #spareRecords: PositionRecord[] = [];
  #spareSides: SideBook[] = [];
  #anyChange = false;
  #flushing = false;

  side(side: SideBook): void {
    side.book.game.changes += 1;
    if (side.isReported) return;
    side.isReported = true;
    this.#sides.push(side);
  }

  game(game: VenueGame, messageType: GameMessageType | undefined): void {
    game.changes += 1;
    this.#games.set(game, messageType ?? this.#games.get(game));
    this.gameKept(game);
  }

  record(record: PositionRecord): void {
    // the venue's own traders have no client
    if (!record.order.account.internal) this.#records.push(record);
  }

  gameKept(game: VenueGame): void {
    if (this.recorder === undefined) return;
    this.#changed.games.add(game);
    this.#anyChange = true;
  }

  gameForgotten(id: GameId): void {
    if (this.recorder === undefined) return;
    this.#changed.forgotten.push(id);
    this.#anyChange = true;
  }

  accountKept(account: VenueAccount): void {
    if (this.recorder === undefined || account.internal) return;
    this.#changed.accounts.add(account);
    this.#anyChange = true;
  }

  orderKept(order: VenueOrder): void {
    if (this.recorder === undefined || order.account.internal) return;
    this.#changed.orders.add(order);
    this.#anyChange = true;
  }

  playKept(play: MatchedPlay): void {
    if (this.recorder === undefined || play.order.account.internal) return;
    this.#changed.plays.add(play);
    this.#anyChange = true;
  }

  /** Whether a recorder stores the venue's state. */
  get isKept(): boolean {
    return this.recorder !== undefined;
  }

  offerUsed(offer: UsedOffer): void {
    this.#changed.used.add(offer);
    this.#anyChange = true;
  }

  flush(sink: VenueSink): void {
    if (this.#anyChange) this.#keep();
    // a receiver may act on an event; the events of that action are sent after the current ones have reached
    // every receiver
    if (this.#flushing) return;
    this.#flushing = true;
    try {
      while (this.#games.size + this.#records.length + this.#sides.length > 0) this.#send(sink);
    } finally {
      this.#flushing = false;
    }
  }

  #send(sink: VenueSink): void {
    if (this.#games.size > 0) {
      const games = [...this.#games];
      this.#games.clear();
      for (const [game, messageType] of games) sink.gameChanged(game, messageType);
    }
    if (this.#records.length > 0) {
      const records = this.#records;
      this.#records = this.#spareRecords;
      for (const record of records) sink.position(record.order.account, record);
      // popped: setting the length would give its room away
      while (records.length > 0) records.pop();
      this.#spareRecords = records;
    }
    if (this.#sides.length > 0) {
      const sides = this.#sides;
      this.#sides = this.#spareSides;
      for (const side of sides) {
        side.isReported = false;
        sink.sideChanged(side);
      }
      while (sides.length > 0) sides.pop();
      this.#spareSides = sides;
    }
  }

  #keep(): void {
    const changed = this.#changed;
    this.#anyChange = false;
    this.recorder?.(changed);
    const { accounts, games, orders, plays, used } = changed;
    for (const kind of [accounts, games, orders, plays, used]) kind.clear();
    changed.forgotten.length = 0;
  }
}
