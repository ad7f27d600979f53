// What was matched on the account and waits for its game: plays by txID, positions by market, and what settled games
// brought. Invariants: a play counts once; one whose player mode is not known hedges nothing (DESIGN rule 9).
import type {
  AmericanOdds,
  DrawRule,
  FinalScore,
  GameId,
  Market,
  MarketId,
  Micros,
  OrderId,
  OrderRef,
  Position,
  Side,
  TxId,
} from '../domain/index.ts';
import { applyFill, FLAT, forgetOldest, resultFor } from '../domain/index.ts';

/** A matched play of the account whose order this run does not know. */
export type StrayPlay = {
  readonly txId: TxId;
  readonly market: Market;
  readonly side: Side;
  readonly risk: Micros;
  readonly odds: AmericanOdds;
  readonly ref: OrderRef | undefined;
  readonly orderId: OrderId | undefined;
};

export type BookedPlay = {
  readonly market: Market;
  readonly side: Side;
  readonly risk: Micros;
  readonly win: Micros;
  readonly ref: OrderRef | undefined;
  /** It fills an order of ours that is known. */
  readonly owned: boolean;
  /**
   * Monotonic ms at which its order was sent, which tells its mode; +∞ for an order of another mode, and for one of
   * somebody else, of which nothing tells it.
   */
  readonly sentAt: number;
};

/** txIDs are remembered this long (by count), for late and doubled events. */
const REMEMBERED_FILLS = 20_000;

export class Plays {
  readonly positions = new Map<MarketId, { readonly market: Market; position: Position }>();
  /** What settled games brought, below 0 what they cost. */
  realized = 0 as Micros;
  /** Told of markets whose position changed. */
  readonly #touch: (market: Market) => void;
  readonly #open = new Map<TxId, BookedPlay>();
  readonly #openIn = new Map<GameId, Set<TxId>>();
  /** Stakes of plays in games that are not known: each may be lost whole. */
  readonly #elsewhere = new Map<TxId, { readonly gameId: GameId; readonly risk: Micros }>();
  #stakedElsewhere = 0;
  /** Plays that may be in another player mode than the bot trades in, by market. */
  readonly #unsure = new Map<MarketId, Map<TxId, BookedPlay>>();
  /** Orders sent before then, monotonic ms, went to the mode of the bot. */
  #modeSureUntil = Number.NEGATIVE_INFINITY;
  readonly #seen = new Set<TxId>();

  constructor(touch: (market: Market) => void) {
    this.#touch = touch;
  }

  /** What plays in games that are not known may lose. */
  get stakedElsewhere(): Micros {
    return this.#stakedElsewhere as Micros;
  }

  /** Every play that waits for its game. */
  get open(): Iterable<BookedPlay> {
    return this.#open.values();
  }

  /** Plays that wait for the game. */
  openIn(gameId: GameId): Iterable<TxId> {
    return this.#openIn.get(gameId) ?? NONE;
  }

  /** The reference under which a play can be looked up. */
  refOf(txId: TxId): OrderRef | undefined {
    return this.#open.get(txId)?.ref;
  }

  /** It is counted, in its market. */
  knows(txId: TxId): boolean {
    return (this.#seen.has(txId) || this.#open.has(txId)) && !this.#elsewhere.has(txId);
  }

  positionIn(market: MarketId): Position {
    return this.positions.get(market)?.position ?? FLAT;
  }

  /** What is held for certain in the mode of the bot: whatever may be in the other one hedges nothing here. */
  surePositionIn(market: MarketId): Position {
    let position = this.positionIn(market);
    for (const play of this.unsureIn(market)) position = without(position, play);
    return position;
  }

  /** Plays whose mode is not known: each may be lost whole, in either. */
  unsureIn(market: MarketId): Iterable<BookedPlay> {
    return this.#unsure.get(market)?.values() ?? NOTHING;
  }

  /** The account was in the mode of the bot at this monotonic time; an order keeps the mode it was placed in. */
  applyModeSure(at: number): void {
    this.#modeSureUntil = at;
    for (const plays of this.#unsure.values())
      for (const [txId, play] of plays) if (play.sentAt < at) this.#makeSure(txId, play);
  }

  /** The mode of something that was sent then is known. */
  isModeSure(sentAt: number): boolean {
    return sentAt < this.#modeSureUntil;
  }

  /** Some play hedges nothing until the mode is confirmed. */
  get awaitsMode(): boolean {
    return this.#unsure.size > 0;
  }

  /** True when this txID was not counted before, in a market or elsewhere. */
  isNews(txId: TxId): boolean {
    // a play that waits for its game is listed at every census, however long ago it was made
    if (this.#seen.has(txId) || this.#open.has(txId)) return false;
    this.#seen.add(txId);
    forgetOldest(this.#seen, REMEMBERED_FILLS);
    return true;
  }

  /** Call it once for a txID: when `isNews`, or when its game became known. */
  book(txId: TxId, play: BookedPlay): void {
    const { market, side, risk, win, sentAt } = play;
    this.#open.set(txId, play);
    const inGame = this.#openIn.get(market.gameId);
    if (inGame === undefined) this.#openIn.set(market.gameId, new Set([txId]));
    else inGame.add(txId);
    const position = applyFill(this.positionIn(market.id), side, risk, win);
    this.positions.set(market.id, { market, position });
    this.#touch(market);
    if (sentAt < this.#modeSureUntil) return;
    const unsure = this.#unsure.get(market.id);
    if (unsure === undefined) this.#unsure.set(market.id, new Map([[txId, play]]));
    else unsure.set(txId, play);
  }

  /** Its order turned out to be one of ours: that tells its mode. False: it fills an order already. */
  applyOwner(
    txId: TxId,
    { ref, modeAt: sentAt }: { readonly ref: OrderRef; readonly modeAt: number },
  ): boolean {
    const play = this.#open.get(txId);
    if (play === undefined || play.owned) return false;
    // a reference of ours told the mode from the start
    const owned = { ...play, owned: true, ref, sentAt: play.ref === ref ? play.sentAt : sentAt };
    this.#open.set(txId, owned);
    const unsure = this.#unsure.get(play.market.id);
    if (unsure?.has(txId) !== true) return true;
    if (this.isModeSure(owned.sentAt)) this.#makeSure(txId, owned);
    else unsure.set(txId, owned);
    return true;
  }

  /** Those that fill an order of ours. */
  ownedBy(ref: OrderRef, gameId: GameId): readonly TxId[] {
    return [...this.openIn(gameId)].filter((txId) => {
      const play = this.#open.get(txId);
      return play?.owned === true && play.ref === ref;
    });
  }

  /** What they were taken to fill they did not: it was this order of ours, or (undefined) one that is not known yet. */
  applyMoved(
    txIds: Iterable<TxId>,
    owner: { readonly ref: OrderRef; readonly modeAt: number } | undefined,
  ): void {
    for (const txId of txIds) {
      const play = this.#open.get(txId);
      if (play === undefined) continue;
      const moved = { ...play, ref: owner?.ref, sentAt: owner?.modeAt ?? play.sentAt };
      this.#open.set(txId, moved);
      const unsure = this.#unsure.get(play.market.id);
      if (unsure?.has(txId) === true) unsure.set(txId, moved);
    }
  }

  /** A play in a game that is not known: all of its stake may be lost. */
  applyElsewhere(txId: TxId, gameId: GameId, risk: Micros): void {
    // listed at every census, also when its txID was forgotten
    if (this.#elsewhere.has(txId) || !this.isNews(txId)) return;
    this.#elsewhere.set(txId, { gameId, risk });
    this.#stakedElsewhere += risk;
  }

  /** It waits in a game that is not known. */
  isElsewhere(txId: TxId): boolean {
    return this.#elsewhere.has(txId);
  }

  /** The game of a play became known; false when it did not wait for one. */
  leaveElsewhere(txId: TxId): boolean {
    this.#stakedElsewhere -= this.#elsewhere.get(txId)?.risk ?? 0;
    return this.#elsewhere.delete(txId);
  }

  /**
   * The final score settled a play: it leaves the position. `profit`: what it brought, when that is told; what is not told
   * is not guessed, and the worst is booked.
   */
  applySettled(txId: TxId, profit: Micros | undefined): void {
    const play = this.#open.get(txId);
    const risk = (play ?? this.#elsewhere.get(txId))?.risk;
    if (risk === undefined) return;
    this.realized = (this.realized + (profit ?? 0 - risk)) as Micros;
    this.leaveElsewhere(txId);
    if (play === undefined) return;
    const { market } = play;
    this.#open.delete(txId);
    const inGame = this.#openIn.get(market.gameId);
    inGame?.delete(txId);
    if (inGame?.size === 0) this.#openIn.delete(market.gameId);
    this.#makeSure(txId, play);
    const position = without(this.positionIn(market.id), play);
    if (position.staked > 0) this.positions.set(market.id, { market, position });
    else this.positions.delete(market.id);
    this.#touch(market);
  }

  /** Booked before anybody knew whose it is, and nothing of this bot's after all: it leaves the position. False: there is no such play. */
  leave(txId: TxId): boolean {
    if (this.#open.get(txId)?.owned !== false) return false;
    this.applySettled(txId, 0 as Micros);
    return true;
  }

  /** Some play waits for this game, known or not. */
  waitsFor(gameId: GameId): boolean {
    if (this.#openIn.has(gameId)) return true;
    for (const one of this.#elsewhere.values()) if (one.gameId === gameId) return true;
    return false;
  }

  /**
   * An operator knows the final score: every open play of the game is settled by it. Returns how many. Of a game that is not
   * known nobody can tell what the score means: its plays go, and nothing is booked.
   */
  settleGame(gameId: GameId, score: FinalScore, draw: DrawRule): number {
    const unknown = [...this.#elsewhere].flatMap(([txId, one]) => (one.gameId === gameId ? [txId] : []));
    for (const txId of unknown) this.leaveElsewhere(txId);
    const ids = [...this.openIn(gameId)];
    for (const txId of ids) {
      const play = this.#open.get(txId);
      if (play === undefined) continue;
      this.applySettled(txId, profitOf(play, score, draw));
    }
    return ids.length + unknown.length;
  }

  #makeSure(txId: TxId, { market }: BookedPlay): void {
    const unsure = this.#unsure.get(market.id);
    if (unsure?.delete(txId) !== true) return;
    if (unsure.size === 0) this.#unsure.delete(market.id);
    this.#touch(market);
  }
}

/** What a play brings by a final score; a half result wins or loses half. */
export function profitOf(
  { market, side, risk, win }: Pick<BookedPlay, 'market' | 'side' | 'risk' | 'win'>,
  score: FinalScore,
  draw: DrawRule,
): Micros {
  const share = resultFor(market, side, score, draw);
  return (share >= 0 ? share * win : share * risk) as Micros;
}

const without = (position: Position, { side, risk, win }: BookedPlay): Position =>
  applyFill(position, side, (0 - risk) as Micros, (0 - win) as Micros);

const NOTHING: readonly BookedPlay[] = [];
const NONE: readonly TxId[] = [];
