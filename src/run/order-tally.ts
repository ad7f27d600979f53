// The orders of a run, counted: how they ended, how long they rested, and what stood before them in the queue. However many there
// are, what is kept of them does not grow with each.
import type { ReportOrder } from './report-order.ts';
import { fine } from './rounding.ts';

/** Edges of others' stake ahead, dollars, that orders are counted by. */
export const QUEUES = [0, 1, 100, 500, 2000, 10_000] as const;

/** How often each number of whole milliseconds was seen. */
export type MsCounts = ReadonlyMap<number, number>;

export const countMs = (counts: Map<number, number>, ms: number, times = 1): unknown =>
  counts.set(ms, (counts.get(ms) ?? 0) + times);

/** The one of this rank, from 1 for the shortest; undefined: there are fewer. */
export function msOfRank(counts: MsCounts, rank: number): number | undefined {
  let left = rank;
  for (const [ms, count] of [...counts].sort(([a], [b]) => a - b)) if ((left -= count) <= 0) return ms;
  return undefined;
}

export type OrderCounts = {
  readonly all: number;
  /** Of them cancelled or edited. */
  readonly cancelled: number;
  /** For how long those that ended had rested. */
  readonly lives: MsCounts;
  /** By the queue that they came to rest in, where that is known, as QUEUES has them; `filled`: those that filled at all. */
  readonly byQueue: readonly { readonly orders: number; readonly filled: number }[];
};

export class OrderTally {
  #all = 0;
  #cancelled = 0;
  #lives = new Map<number, number>();
  readonly #byQueue = QUEUES.map(() => ({ orders: 0, filled: 0 }));
  readonly #mostLives: number;
  #isCoarse = false;

  /** `mostLives`: so many different times are told apart to the millisecond, then to 1 %. */
  constructor(mostLives = Number.POSITIVE_INFINITY) {
    this.#mostLives = mostLives;
  }

  /** One that rested, and is over, or was open when the run was. */
  add({
    end,
    fromMs,
    toMs,
    queuePlaced,
    filled,
  }: Pick<ReportOrder, 'end' | 'fromMs' | 'toMs' | 'queuePlaced' | 'filled'>): void {
    this.#all += 1;
    if (end === 'cancelled' || end === 'edited') this.#cancelled += 1;
    if (end !== 'open') this.#addLife(Math.round(toMs - fromMs));
    const queue =
      queuePlaced === undefined ? undefined : this.#byQueue[QUEUES.findLastIndex((from) => queuePlaced >= from * 1e6)];
    if (queue === undefined) return;
    queue.orders += 1;
    if (filled > 0) queue.filled += 1;
  }

  #addLife(ms: number): void {
    countMs(this.#lives, this.#isCoarse ? coarse(ms) : ms);
    if (this.#isCoarse || this.#lives.size <= this.#mostLives) return;
    this.#isCoarse = true;
    const lives = new Map<number, number>();
    for (const [one, count] of this.#lives) countMs(lives, coarse(one), count);
    this.#lives = lives;
  }

  get counts(): OrderCounts {
    return { all: this.#all, cancelled: this.#cancelled, lives: this.#lives, byQueue: this.#byQueue };
  }
}

/** To 1 % or closer. */
const coarse = (ms: number): number => (ms <= 0 ? ms : Math.round(Math.exp(Math.round(Math.log(ms) * 100) / 100)));

export const NO_ORDERS: OrderCounts = new OrderTally().counts;

/** Of several runs. */
export function mergedOrders(runs: readonly OrderCounts[]): OrderCounts {
  const lives = new Map<number, number>();
  for (const run of runs) for (const [ms, count] of run.lives) countMs(lives, ms, count);
  return {
    all: runs.reduce((sum, { all }) => sum + all, 0),
    cancelled: runs.reduce((sum, { cancelled }) => sum + cancelled, 0),
    lives,
    byQueue: QUEUES.map((_, queue) => ({
      orders: runs.reduce((sum, { byQueue }) => sum + (byQueue[queue]?.orders ?? 0), 0),
      filled: runs.reduce((sum, { byQueue }) => sum + (byQueue[queue]?.filled ?? 0), 0),
    })),
  };
}

export type OrderFigures = {
  readonly orders: number;
  /** By others' stake ahead when they came to rest, dollars, from; `filled`: the share of them that filled at all, null: of none. */
  readonly byQueue: readonly {
    readonly from: number;
    readonly orders: number;
    readonly filled: number | null;
  }[];
  /** Taken back or moved, for each fill; null: nothing filled. */
  readonly cancelsPerFill: number | null;
  /** Of those that are over; null: none is. */
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
