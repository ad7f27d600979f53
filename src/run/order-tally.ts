// Counts the orders of a run: how they ended, how long they rested, and the queue ahead of them. Memory does
// not grow with each order.
import type { ReportOrder } from './report-order.ts';
import { fine } from './rounding.ts';

/** Lower edges, dollars, of the queue groups: others' stake ahead of an order. */
export const QUEUES = [0, 1, 100, 500, 2000, 10_000] as const;

/** Count of each duration in whole milliseconds. */
export type MsCounts = ReadonlyMap<number, number>;

export const countMs = (counts: Map<number, number>, ms: number, times = 1): unknown =>
  counts.set(ms, (counts.get(ms) ?? 0) + times);

/** The duration of a rank, 1 being the shortest. Undefined: there are fewer. */
export function msOfRank(counts: MsCounts, rank: number): number | undefined {
  let left = rank;
  for (const [ms, count] of [...counts].sort(([a], [b]) => a - b)) if ((left -= count) <= 0) return ms;
  return undefined;
}

export type OrderCounts = {
  readonly all: number;
  /** How many were cancelled or edited. */
  readonly cancelled: number;
  /** Resting times of the orders that ended. */
  readonly lives: MsCounts;
  /**
   * Orders by their queue when they rested, where known, in the order of QUEUES. `filled`: those that filled
   * at all.
   */
  readonly byQueue: readonly { readonly orders: number; readonly filled: number }[];
};

export class OrderTally {
  #all = 0;
  #cancelled = 0;
  #lifetimes = new Map<number, number>();
  readonly #byQueue = QUEUES.map(() => ({ orders: 0, filled: 0 }));
  readonly #mostLifetimes: number;
  #isCoarse = false;

  /**
   * @param mostLifetimes how many different lifetimes are kept to the millisecond; with more, all are kept to
   *   1 %
   */
  constructor(mostLifetimes = Number.POSITIVE_INFINITY) {
    this.#mostLifetimes = mostLifetimes;
  }

  /** Counts an order that rested and ended, or was open at the end of the run. */
  addOrder({
    end,
    fromMs,
    toMs,
    queuePlaced,
    filled,
  }: Pick<ReportOrder, 'end' | 'fromMs' | 'toMs' | 'queuePlaced' | 'filled'>): void {
    this.#all += 1;
    if (end === 'cancelled' || end === 'edited') this.#cancelled += 1;
    if (end !== 'open') this.#addLifetime(Math.round(toMs - fromMs));
    const queue =
      queuePlaced === undefined ? undefined : this.#byQueue[QUEUES.findLastIndex((from) => queuePlaced >= from * 1e6)];
    if (queue === undefined) return;
    queue.orders += 1;
    if (filled > 0) queue.filled += 1;
  }

  #addLifetime(ms: number): void {
    countMs(this.#lifetimes, this.#isCoarse ? coarse(ms) : ms);
    if (this.#isCoarse || this.#lifetimes.size <= this.#mostLifetimes) return;
    this.#isCoarse = true;
    const lifetimes = new Map<number, number>();
    for (const [lifetime, count] of this.#lifetimes) countMs(lifetimes, coarse(lifetime), count);
    this.#lifetimes = lifetimes;
  }

  get counts(): OrderCounts {
    return { all: this.#all, cancelled: this.#cancelled, lives: this.#lifetimes, byQueue: this.#byQueue };
  }
}

/** Rounds to 1 % or closer. */
const coarse = (ms: number): number => (ms <= 0 ? ms : Math.round(Math.exp(Math.round(Math.log(ms) * 100) / 100)));

export const NO_ORDERS: OrderCounts = new OrderTally().counts;

/** Merges the counts of several runs. */
export function mergedOrders(runs: readonly OrderCounts[]): OrderCounts {
  const lifetimes = new Map<number, number>();
  for (const run of runs) for (const [ms, count] of run.lives) countMs(lifetimes, ms, count);
  return {
    all: runs.reduce((sum, { all }) => sum + all, 0),
    cancelled: runs.reduce((sum, { cancelled }) => sum + cancelled, 0),
    lives: lifetimes,
    byQueue: QUEUES.map((_, queue) => ({
      orders: runs.reduce((sum, { byQueue }) => sum + (byQueue[queue]?.orders ?? 0), 0),
      filled: runs.reduce((sum, { byQueue }) => sum + (byQueue[queue]?.filled ?? 0), 0),
    })),
  };
}

export type OrderFigures = {
  readonly orders: number;
  /**
   * Orders by others' stake ahead when they rested. `from`: lower edge, dollars. `filled`: share that filled
   * at all; null: no orders.
   */
  readonly byQueue: readonly {
    readonly from: number;
    readonly orders: number;
    readonly filled: number | null;
  }[];
  /** Cancels and edits per fill. Null: nothing filled. */
  readonly cancelsPerFill: number | null;
  /** Median lifetime of ended orders, ms. Null: none ended. */
  readonly medianLifeMs: number | null;
};

export function orderFigures({ all, cancelled, lives, byQueue }: OrderCounts, fills: number): OrderFigures {
  const ended = [...lives.values()].reduce((sum, count) => sum + count, 0);
  return {
    orders: all,
    byQueue: byQueue.map(({ orders, filled }, queue) => ({
      from: QUEUES[queue] ?? 0,
      orders,
      filled: orders === 0 ? null : fine(filled / orders),
    })),
    cancelsPerFill: fills === 0 ? null : fine(cancelled / fills),
    medianLifeMs: msOfRank(lives, Math.floor(ended / 2) + 1) ?? null,
  };
}
