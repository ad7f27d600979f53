// What the venue tells the outside. Events are collected while an operation runs and go out when it ends: first games,
// then each account's records in order, then every changed side once.
import type { MatchedPlay, VenueOrder } from './order.ts';
import type { Account } from './account.ts';
import type { SideBook, VenueGame } from './market-book.ts';

export type GameMessageType = 'marketOpen' | 'marketClosed';

/** One state change of an order or one fill, as its owner sees it. The numbers are those of that moment. */
export type PositionRecord = {
  readonly order: VenueOrder;
  /** Undefined for a take: nothing of the taker's rests. */
  readonly unmatched:
    { readonly offered: number; readonly filled: number; readonly remaining: number } | undefined;
  readonly play: MatchedPlay | undefined;
};

export type VenueSink = {
  readonly sideChanged: (side: SideBook) => void;
  readonly gameChanged: (game: VenueGame, messageType: GameMessageType | undefined) => void;
  readonly position: (account: Account, record: PositionRecord) => void;
};

export const SILENT: VenueSink = { sideChanged: () => {}, gameChanged: () => {}, position: () => {} };

export class EventQueue {
  readonly #sides = new Set<SideBook>();
  readonly #games = new Map<VenueGame, GameMessageType | undefined>();
  readonly #records: PositionRecord[] = [];

  side(side: SideBook): void {
    this.#sides.add(side);
  }

  game(game: VenueGame, messageType: GameMessageType | undefined): void {
    this.#games.set(game, messageType ?? this.#games.get(game));
  }

  record(record: PositionRecord): void {
    // nobody listens to the venue's own traders
    if (!record.order.account.exempt) this.#records.push(record);
  }

  flush(sink: VenueSink): void {
    if (this.#games.size > 0) {
      const games = [...this.#games];
      this.#games.clear();
      for (const [game, messageType] of games) sink.gameChanged(game, messageType);
    }
    if (this.#records.length > 0) {
      for (const record of this.#records.splice(0)) sink.position(record.order.account, record);
    }
    if (this.#sides.size > 0) {
      const sides = [...this.#sides];
      this.#sides.clear();
      for (const side of sides) sink.sideChanged(side);
    }
  }
}
