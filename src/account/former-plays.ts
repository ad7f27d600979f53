// Fills of former runs, as the ledger knows them at the start, that this run does not hold (yet). Those that the exchange
// lists become positions like all others and leave here. Those that it does not list were graded while no run looked: they
// are looked up, of own orders by the reference, of others by the txID, a few a minute.
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

/** Look-ups of one minute: an exchange that does not tell is not asked for all of them again and again. */
const LOOKED_UP = 20;
const LOOK_UP_EVERY_MS = 60_000;

export type FormerPorts = {
  readonly now: () => number;
  readonly sendRead: (read: Read) => void;
  /** What became of fills, for the step in work. */
  readonly news: FillNews[];
  readonly isOurs: (ref: OrderRef) => boolean;
  /** What the exchange keeps more of a market in which a play brought so much, or did not after all. */
  readonly charge: (market: MarketId, profit: Micros, by: 1 | -1) => Micros;
};

/** What this run counts in positions, and what the account lists of games that are not known. */
type Held = {
  readonly fillOf: (txId: TxId) => unknown;
  readonly elsewhere: ReadonlyMap<TxId, unknown>;
};

export class FormerPlays {
  /** What those settled in this run brought after commission. */
  settled = ZERO;
  readonly #ports: FormerPorts;
  readonly #waiting = new Map<TxId, FormerPlay>();
  #positions: readonly { readonly market: Market; readonly position: Position }[] | undefined;
  #known: readonly TxId[] = [];
  #turn = 0;
  #lookUpFrom = Number.NEGATIVE_INFINITY;

  constructor(ports: FormerPorts) {
    this.#ports = ports;
  }

  applyBoot(plays: readonly FormerPlay[]): void {
    for (const play of plays) this.#waiting.set(play.txId, play);
    this.#known = plays.map(({ txId }) => txId);
    this.#positions = undefined;
  }

  /** How many of those that former runs knew this run holds. */
  countHeld(held: Held): number {
    return this.#known.filter((txId) => held.fillOf(txId) !== undefined || held.elsewhere.has(txId)).length;
  }

  has(txId: TxId): boolean {
    return this.#waiting.has(txId);
  }

  holds(market: MarketId): boolean {
    return this.positions().some((one) => one.market.id === market);
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

  /** At every sweep, with what the account holds as this run knows it. */
  sweep(isAccountRead: boolean, held: Held): void {
    for (const txId of this.#waiting.keys()) if (held.fillOf(txId) !== undefined) this.#drop(txId);
    if (!isAccountRead || this.#waiting.size === 0) return;
    const { now } = this.#ports;
    if (now() < this.#lookUpFrom) return;
    const gone = [...this.#waiting.values()].filter(({ txId }) => !held.elsewhere.has(txId));
    if (gone.length === 0) return;
    this.#lookUpFrom = now() + LOOK_UP_EVERY_MS;
    const asked = new Set<string>();
    for (let left = Math.min(LOOKED_UP, gone.length); left > 0; left--) {
      const play = gone[this.#turn++ % gone.length];
      if (play === undefined) continue;
      const { ref, txId, market } = play;
      const isOurs = ref !== undefined && this.#ports.isOurs(ref);
      // one look-up by a reference tells of all that filled it
      if (asked.has(isOurs ? ref : txId)) continue;
      asked.add(isOurs ? ref : txId);
      this.#ports.sendRead(isOurs ? { what: 'reference', ref, gameId: market.gameId } : { what: 'play', txId });
    }
  }

  /** One of these look-ups was answered. */
  applyAnswer(read: Read, answer: Answer): void {
    if (answer.type === 'reference') for (const { txId, profit } of answer.trail.graded) this.#settle(txId, profit);
    else if (answer.type === 'play' && read.what === 'play' && answer.play.graded)
      this.#settle(read.txId, answer.play.profit);
  }

  /** An operator knows how a game ended. Returns what this settled, and what each brought. */
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

  /** An operator takes that back. */
  unsettle(play: FormerPlay, brought: Micros): void {
    const commission = this.#ports.charge(play.market.id, brought, -1);
    this.settled = minus(minus(this.settled, brought), commission);
    this.#ports.news.push({ type: 'Unsettled', txId: play.txId });
    this.add(play);
  }

  /** Home and away of a game changed places: each play stays on its team. */
  swapTeams(gameId: GameId): void {
    for (const [txId, play] of this.#waiting) {
      if (play.market.gameId !== gameId || !isOnTeams(play.market.type)) continue;
      const moved = swappedPlace(play);
      this.#waiting.set(txId, moved);
      this.#ports.news.push({ type: 'FillMoved', txId, market: moved.market.id, side: moved.side });
    }
    this.#positions = undefined;
  }

  /** It waits for its game. */
  add(play: FormerPlay): void {
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
    this.#ports.news.push({ type: 'Settled', txId, profit: brought, commission, isTold: profit !== undefined });
  }

  #drop(txId: TxId): void {
    this.#waiting.delete(txId);
    this.#positions = undefined;
  }
}
