// Fills of former runs, as the ledger shows them at the start, that this run does not hold. A fill that the
// exchange lists becomes a position and leaves here. A fill that it does not list was graded while no run was
// active: it is looked up, by reference or by txID, a few per minute.
import type {
  Answer,
  FormerPlay,
  GameId,
  Market,
  MarketEnd,
  MarketId,
  Micros,
  OrderRef,
  Position,
  Read,
  TxId,
} from '../domain/index.ts';
import { applyFill, FLAT, isOnTeams, minus, negative, plus, profitAt, swappedPlace, ZERO } from '../domain/index.ts';
import type { FillNews } from './fill.ts';

/**
 * The most look-ups per minute: an exchange that does not answer must not be asked for all again and again.
 */
const MOST_LOOK_UPS = 20;
const LOOK_UP_EVERY_MS = 60_000;

export type FormerPorts = {
  readonly now: () => number;
  readonly sendRead: (read: Read) => void;
  /** Receives what became of fills in the current step. */
  readonly news: FillNews[];
  readonly isOurs: (ref: OrderRef) => boolean;
  /**
   * Charges the commission of a play's profit in its market, or (`by` -1) takes it back. Returns the change,
   * micro-dollars.
   */
  readonly charge: (market: MarketId, profit: Micros, by: 1 | -1) => Micros;
};

/** The positions of this run, and the listed fills in games that are not known. */
type Held = {
  readonly fillOf: (txId: TxId) => unknown;
  readonly elsewhere: ReadonlyMap<TxId, unknown>;
};

export class FormerFills {
  /** What fills settled in this run brought after commission. */
  settled = ZERO;
  readonly #ports: FormerPorts;
  readonly #waiting = new Map<TxId, FormerPlay>();
  #positions: readonly { readonly market: Market; readonly position: Position }[] | undefined;
  #knownAtBoot: readonly TxId[] = [];
  #nextTurn = 0;
  #lookUpFrom = Number.NEGATIVE_INFINITY;

  constructor(ports: FormerPorts) {
    this.#ports = ports;
  }

  applyBoot(plays: readonly FormerPlay[]): void {
    for (const play of plays) this.#waiting.set(play.txId, play);
    this.#knownAtBoot = plays.map(({ txId }) => txId);
    this.#positions = undefined;
  }

  /** The number of fills known by former runs that this run holds. */
  countHeld(held: Held): number {
    return this.#knownAtBoot.filter((txId) => held.fillOf(txId) !== undefined || held.elsewhere.has(txId)).length;
  }

  has(txId: TxId): boolean {
    return this.#waiting.has(txId);
  }

  holds(market: MarketId): boolean {
    return this.positions().some((entry) => entry.market.id === market);
  }

  waitsFor(gameId: GameId): boolean {
    return this.positions().some(({ market }) => market.gameId === gameId);
  }

  positions(): readonly { readonly market: Market; readonly position: Position }[] {
    if (this.#positions !== undefined) return this.#positions;
    const sums = new Map<MarketId, { readonly market: Market; readonly position: Position }>();
    for (const { market, side, risk, win } of this.#waiting.values()) {
      const former = sums.get(market.id)?.position ?? FLAT;
      sums.set(market.id, { market, position: applyFill(former, side, risk, win) });
    }
    return (this.#positions = [...sums.values()]);
  }

  /** Housekeeping, with what the account holds as far as this run knows. */
  housekeep(isAccountRead: boolean, held: Held): void {
    for (const txId of this.#waiting.keys()) if (held.fillOf(txId) !== undefined) this.#drop(txId);
    if (!isAccountRead || this.#waiting.size === 0) return;
    const { now } = this.#ports;
    if (now() < this.#lookUpFrom) return;
    const unlisted = [...this.#waiting.values()].filter(({ txId }) => !held.elsewhere.has(txId));
    if (unlisted.length === 0) return;
    this.#lookUpFrom = now() + LOOK_UP_EVERY_MS;
    const asked = new Set<string>();
    for (let left = Math.min(MOST_LOOK_UPS, unlisted.length); left > 0; left--) {
      const play = unlisted[this.#nextTurn++ % unlisted.length];
      if (play === undefined) continue;
      const { ref, txId, market } = play;
      const isOwn = ref !== undefined && this.#ports.isOurs(ref);
      // one look-up by reference covers all fills of the order
      if (asked.has(isOwn ? ref : txId)) continue;
      asked.add(isOwn ? ref : txId);
      this.#ports.sendRead(isOwn ? { what: 'reference', ref, gameId: market.gameId } : { what: 'play', txId });
    }
  }

  /** Applies the answer to one of these look-ups. */
  applyAnswer(read: Read, answer: Answer): void {
    if (answer.type === 'reference') for (const { txId, profit } of answer.trail.graded) this.#settle(txId, profit);
    else if (answer.type === 'play' && read.what === 'play' && answer.play.graded)
      this.#settle(read.txId, answer.play.profit);
  }

  /**
   * Settles the fills of a game by the result that an operator gave. Returns what this settled, with what
   * each fill brought.
   */
  settleGame(
    gameId: GameId,
    endIn: (market: Market) => MarketEnd | undefined,
  ): readonly { readonly play: FormerPlay; readonly brought: Micros }[] {
    const plays = [...this.#waiting.values()].filter(({ market }) => market.gameId === gameId);
    return plays.flatMap((play) => {
      const end = endIn(play.market);
      if (end === undefined) return [];
      const brought = profitAt(play, end);
      this.#settle(play.txId, brought);
      return [{ play, brought }];
    });
  }

  /** Reverses an operator settlement: the fill waits for its game again. */
  unsettle(play: FormerPlay, brought: Micros): void {
    const commission = this.#ports.charge(play.market.id, brought, -1);
    this.settled = minus(minus(this.settled, brought), commission);
    this.#ports.news.push({ type: 'Unsettled', txId: play.txId });
    this.addFill(play);
  }

  /** Home and away of a game changed places: each fill stays on its team. */
  swapTeams(gameId: GameId): void {
    for (const [txId, play] of this.#waiting) {
      if (play.market.gameId !== gameId || !isOnTeams(play.market.type)) continue;
      const moved = swappedPlace(play);
      this.#waiting.set(txId, moved);
      this.#ports.news.push({ type: 'FillMoved', txId, market: moved.market.id, side: moved.side });
    }
    this.#positions = undefined;
  }

  /** Adds a fill that waits for its game. */
  addFill(play: FormerPlay): void {
    this.#waiting.set(play.txId, play);
    this.#positions = undefined;
  }

  #settle(txId: TxId, profit: Micros | undefined): void {
    const play = this.#waiting.get(txId);
    if (play === undefined) return;
    const brought = profit ?? negative(play.risk);
    this.#drop(txId);
    const commission = this.#ports.charge(play.market.id, brought, 1);
    this.settled = minus(plus(this.settled, brought), commission);
    this.#ports.news.push({ type: 'Settled', txId, profit: brought, commission, isReported: profit !== undefined });
  }

  #drop(txId: TxId): void {
    this.#waiting.delete(txId);
    this.#positions = undefined;
  }
}
