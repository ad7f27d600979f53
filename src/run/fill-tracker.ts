// Follows fills while a run goes on: the fair price when each filled, the prices so many seconds later, and the close. It is
// told the time and asks for prices, ten times a second at most; the newest one that was known *before* a moment is the price
// of that moment.
import type { CommissionRule, GameId, Market, MarketId, Micros, Side, TxId } from '../domain/index.ts';
import { commissionsOf, NO_COMMISSION, ofSide } from '../domain/index.ts';
import type { FillPrices } from './fill-figures.ts';
import { MARKOUT_SECONDS } from './fill-figures.ts';

/** A fill as it is told when it happens; whoever follows it may tell more. */
export type NewFill = Pick<FillPrices, 'risk' | 'payout' | 'isInPlay'> & {
  readonly txId: TxId;
  readonly market: Market;
  readonly side: Side;
  /** Unix ms. */
  readonly t: number;
  /** What its market then paid by either side. */
  readonly position?: { readonly first: Micros; readonly second: Micros };
};
export type TrackedFill<Fill extends NewFill = NewFill> = Fill & FillPrices;

type Following<Fill extends NewFill> = Fill & { -readonly [K in keyof FillPrices]: FillPrices[K] };

export const NO_MARKOUTS: readonly never[] = Object.freeze([]);

export type PricePorts = {
  /** The newest good consensus of a market, as probability of its first side. */
  readonly fairOf: (id: MarketId) => number | undefined;
  /** The same strictly before a Unix ms, of the last seconds. */
  readonly fairBefore: (id: MarketId, t: number) => number | undefined;
  readonly gameOf: (id: GameId) => GameTimes | undefined;
};
type GameTimes = { readonly start: number; readonly live: boolean };

/** Its fills close with the last price, and no more with that of the start. */
export const isInPlay = (game: GameTimes | undefined, t: number): boolean =>
  game !== undefined && (game.live || t >= game.start);

/**
 * News of a fill, and the book without what filled it, are on their way at the same time, and either may come first: the price
 * from so long before the news is that from before the cause. Less, and it is the price of after; more, and what moved the price
 * right before is left out. With a latency of 80 ms, 30 ms more or less, the spread captured of a run of 3,608 fills was 732 dollars
 * with 0, 968 with 25, 1,041 with 50 and 1,105 with 500; at the venue it was 953.
 */
export const CAUSE_MS = 25;

/** Fills may be many, and frames come faster. */
const LOOK_EVERY_MS = 100;

export class FillTracker<Fill extends NewFill = NewFill> {
  /** By txID, oldest first; at most `most` that are done with. */
  readonly #fills = new Map<TxId, Following<Fill>>();
  /** Those that wait for a time or for the close, by market: they may be very many. */
  readonly #open = new Map<MarketId, Set<Following<Fill>>>();
  /** Those of them that wait for a time; and for the close. */
  readonly #young = new Set<Following<Fill>>();
  readonly #unclosed = new Map<MarketId, Set<Following<Fill>>>();
  /** As of the step before, of the markets that are followed. */
  readonly #before = new Map<MarketId, number | undefined>();
  /** What the exchange keeps of winnings. */
  commission: CommissionRule = NO_COMMISSION;
  /** Fills that count and are settled; and markets of which they have become others, or other ones. */
  readonly #settledIn = new Map<MarketId, Set<Following<Fill>>>();
  readonly #unshared = new Set<MarketId>();
  /** Fills of which something became known since the last look. */
  readonly #changed = new Set<Following<Fill>>();
  readonly #most: number;
  readonly #isCounted: (fill: Fill) => boolean;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** `isCounted`: of the run that is told of; others have no part in what the exchange keeps of its winnings. */
  constructor(most = Number.POSITIVE_INFINITY, isCounted: (fill: Fill) => boolean = () => true) {
    this.#most = most;
    this.#isCounted = isCounted;
  }

  /** In the order in which they came. */
  get fills(): Iterable<TrackedFill<Fill>> {
    this.shareCommission();
    return this.#fills.values();
  }

  /** Those of which something became known since it was asked last. */
  takeChanged(): readonly TrackedFill<Fill>[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }

  /** At every step, before its fills; `t`: Unix ms. */
  advance(t: number, prices: PricePorts): void {
    const isDue = t >= this.#lookedAt + LOOK_EVERY_MS || t < this.#lookedAt;
    if (this.#open.size === 0 || !isDue) return;
    this.#lookedAt = t;
    for (const fill of this.#young) this.#advanceMarkouts(fill, t);
    for (const [id, fills] of this.#unclosed) this.#advanceCloses(id, fills, t, prices);
    for (const id of this.#before.keys()) this.#before.set(id, prices.fairOf(id));
  }

  #advanceMarkouts(fill: Following<Fill>, t: number): void {
    const price = this.#before.get(fill.market.id);
    for (const seconds of MARKOUT_SECONDS.slice(fill.later.length)) {
      if (t < fill.t + seconds * 1000) return;
      // `concat` leaves no room for more, as a spread does
      fill.later = fill.later.concat([ofSide(fill.side, price)]);
      this.#changed.add(fill);
    }
    this.#young.delete(fill);
    this.#leaveIfDone(fill);
  }

  #advanceCloses(id: MarketId, fills: Set<Following<Fill>>, t: number, prices: PricePorts): void {
    const [first] = fills;
    const price = this.#before.get(id);
    if (first === undefined || price === undefined) return;
    if (!isInPlay(prices.gameOf(first.market.gameId), t)) return;
    this.#unclosed.delete(id);
    for (const fill of fills) {
      fill.fc = ofSide(fill.side, price);
      this.#changed.add(fill);
      this.#leaveIfDone(fill);
    }
  }

  has(txId: TxId): boolean {
    return this.#fills.has(txId);
  }

  /** A fill that has the keys of its prices already stays one flat object. */
  apply(fill: Fill & Partial<FillPrices>, prices: PricePorts): void {
    if (this.#fills.has(fill.txId)) return;
    const { market, side, t } = fill;
    const followed: Following<Fill> = {
      ...fill,
      f0: ofSide(side, prices.fairBefore(market.id, t - CAUSE_MS)),
      fc: undefined,
      later: NO_MARKOUTS,
      profit: undefined,
      commission: 0,
    };
    this.#fills.set(fill.txId, followed);
    this.#young.add(followed);
    this.#wait(followed);
    this.#before.set(market.id, prices.fairOf(market.id));
    this.#changed.add(followed);
    if (this.#fills.size <= this.#most) return;
    const [oldest] = this.#fills.values();
    if (oldest === undefined) return;
    this.#fills.delete(oldest.txId);
    dropOf(this.#settledIn, oldest.market.id, oldest);
    this.#leave(oldest);
  }

  /** Home and away of its game changed places: it is on the same team, whose prices are those of another side now. */
  move(txId: TxId, market: Market, side: Side, prices: Pick<PricePorts, 'fairOf'>): void {
    const fill = this.#fills.get(txId);
    if (fill === undefined) return;
    const { id } = fill.market;
    const { position } = fill;
    const moved = position === undefined ? {} : { position: { first: position.second, second: position.first } };
    for (const waiting of [this.#open, this.#unclosed, this.#settledIn]) {
      if (waiting.get(id)?.has(fill) !== true) continue;
      dropOf(waiting, id, fill);
      setOf(waiting, market.id).add(fill);
    }
    Object.assign(fill, { market, side, ...moved });
    if (!this.#open.has(id)) this.#before.delete(id);
    if (this.#open.has(market.id)) this.#before.set(market.id, prices.fairOf(market.id));
    this.#changed.add(fill);
  }

  /** Its game was settled; undefined: that was taken back. A fill in play closes with the last price of its market. */
  settle(txId: TxId, profit: number | undefined): void {
    const fill = this.#fills.get(txId);
    if (fill === undefined) return;
    fill.profit = profit;
    this.#noteSettled(fill);
    const last = this.#before.get(fill.market.id);
    if (fill.isInPlay && fill.fc === undefined && last !== undefined) fill.fc = ofSide(fill.side, last);
    this.#changed.add(fill);
    if (profit === undefined) this.#wait(fill);
    this.#leaveIfDone(fill);
  }

  #noteSettled(fill: Following<Fill>): void {
    if (this.commission.share === 0 || !this.#isCounted(fill)) return;
    const { id } = fill.market;
    if (fill.profit === undefined) dropOf(this.#settledIn, id, fill);
    else setOf(this.#settledIn, id).add(fill);
    fill.commission = 0;
    this.#unshared.add(id);
  }

  /**
   * What is kept of a market is borne by the fills that won there, by what they won, whichever was settled first. It is worked out
   * when it is asked for: a market may settle in a thousand steps. Returns the fills that bear something else now.
   */
  shareCommission(): readonly TrackedFill<Fill>[] {
    const changed: Following<Fill>[] = [];
    for (const id of this.#unshared) {
      const fills = [...(this.#settledIn.get(id) ?? [])];
      const kept = commissionsOf(
        this.commission,
        fills.map(({ profit }) => profit ?? 0),
      );
      for (const [index, fill] of fills.entries()) {
        if (fill.commission === kept[index]) continue;
        fill.commission = kept[index] ?? 0;
        changed.push(fill);
      }
    }
    this.#unshared.clear();
    return changed;
  }

  #wait(fill: Following<Fill>): void {
    const { id } = fill.market;
    setOf(this.#open, id).add(fill);
    if (fill.fc === undefined && !fill.isInPlay) setOf(this.#unclosed, id).add(fill);
  }

  #leaveIfDone(fill: Following<Fill>): void {
    if (this.#young.has(fill)) return;
    if (fill.fc !== undefined || fill.profit !== undefined) this.#leave(fill);
  }

  #leave(fill: Following<Fill>): void {
    const { id } = fill.market;
    this.#young.delete(fill);
    for (const waiting of [this.#open, this.#unclosed]) dropOf(waiting, id, fill);
    if (!this.#open.has(id)) this.#before.delete(id);
  }
}

function setOf<Key, Value>(sets: Map<Key, Set<Value>>, key: Key): Set<Value> {
  let set = sets.get(key);
  if (set === undefined) sets.set(key, (set = new Set()));
  return set;
}

function dropOf<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const set = sets.get(key);
  set?.delete(value);
  if (set?.size === 0) sets.delete(key);
}
