// What is known of one run, as plain values: every figure of a report is made from it (REPORT.md). Money is micro-dollars, times
// are Unix ms, prices probabilities of the side that is backed.
import type { Market } from '../domain/index.ts';
import type { OrderCounts } from './order-tally.ts';
import { mergedOrders, NO_ORDERS } from './order-tally.ts';
import type { ReportFill } from './report-fill.ts';

/** Edges of the distances from fair, as probabilities, that quotes and fills are counted by. */
export const DISTANCES = [0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05] as const;

/** For how long offers rested, ms. An offer of one side of one market counts by itself. */
export type QuoteTimes = {
  /** Offers, each for as long as it rested. */
  readonly ms: number;
  /** Markets with an offer on some side; with one on both. */
  readonly marketMs: number;
  readonly twoSidedMs: number;
  /** Offers at the best price of their side, or better. */
  readonly bestMs: number;
  /** Offers while there was a fair price; the sum of distance × ms; by distance, as DISTANCES has them: below 0 first. */
  readonly pricedMs: number;
  readonly distanceMs: number;
  readonly byDistance: readonly number[];
};

/** The bucket of a distance: 0 below the first edge. */
export const distanceBucket = (distance: number): number => {
  const above = DISTANCES.findIndex((edge) => distance < edge);
  return above === -1 ? DISTANCES.length : above;
};

export type PermitFacts = {
  readonly place: number;
  readonly cancel: number;
  /** Slots that were served, how long they had waited in all, ms, and value × time of it, micro-dollars × seconds. */
  readonly served: number;
  readonly waitedMs: number;
  readonly staleness: number;
  /** What each was worth that had to wait while few permits were left, micro-dollars: summed up. */
  readonly scarce: { readonly count: number; readonly value: number };
};

export type CurvePoint = {
  readonly t: number;
  /** Dollars, from here on. */
  readonly marked: number;
  readonly worst: number;
  /** Of all markets, what they pay more on one side than on the other. */
  readonly inventory: number;
};

/** Requests of a stretch of time that begins at `t`. */
export type RequestCount = { readonly t: number; readonly place: number; readonly cancel: number };

/** How a market was quoted, step by step: probabilities of its first side; null: nobody, or nothing. */
export type QuotePath = {
  readonly market: Market;
  readonly eventName: string;
  readonly points: readonly {
    readonly t: number;
    readonly fair: number | null;
    /** What the others offered on the first side, and across: the second side's as its complement. */
    readonly others: readonly [number | null, number | null];
    readonly own: readonly [number | null, number | null];
  }[];
};

export type RunFacts = {
  readonly fills: readonly ReportFill[];
  readonly orders: OrderCounts;
  readonly quotes: QuoteTimes;
  readonly permits: PermitFacts;
  readonly curve: readonly CurvePoint[];
  /** Place and cancel requests in time. */
  readonly requests: readonly RequestCount[];
  /** Dollars; the worst is 0 or below. */
  readonly maxDrawdown: number;
  readonly worst: number;
  /** Share of the wanted time for which a control kept slots empty, by control. */
  readonly heldBack: Readonly<Record<string, number>>;
  /** Share of the time with something wanted, in which a limit kept a slot empty. */
  readonly atLimits: number;
};

/** Of a run in which nothing happened. */
export const NO_FACTS: RunFacts = {
  ...{
    fills: [],
    orders: NO_ORDERS,
    curve: [],
    requests: [],
    maxDrawdown: 0,
    worst: 0,
    heldBack: {},
    atLimits: 0,
  },
  quotes: {
    ...{ ms: 0, marketMs: 0, twoSidedMs: 0, bestMs: 0, pricedMs: 0, distanceMs: 0 },
    byDistance: new Array<number>(DISTANCES.length + 1).fill(0),
  },
  permits: { place: 0, cancel: 0, served: 0, waitedMs: 0, staleness: 0, scarce: { count: 0, value: 0 } },
};

/** How long it ran, ms. */
const durationOf = ({ curve }: RunFacts): number => (curve.at(-1)?.t ?? 0) - (curve[0]?.t ?? 0);

/** Each begins with what the one before ended with. */
function chained(curves: readonly (readonly CurvePoint[])[]): readonly CurvePoint[] {
  let base = 0;
  return curves.flatMap((curve) => {
    const from = base;
    base += curve.at(-1)?.marked ?? 0;
    return curve.map((point) => ({ ...point, marked: Math.round(100 * (point.marked + from)) / 100 }));
  });
}

/** The largest fall from a peak, dollars. */
function fallOf(curve: readonly CurvePoint[]): number {
  let [peak, fall] = [0, 0];
  for (const { marked } of curve) {
    peak = Math.max(peak, marked);
    fall = Math.max(fall, peak - marked);
  }
  return fall;
}

/** Of several runs, one behind the other. */
export function mergedFacts(runs: readonly RunFacts[]): RunFacts {
  const [only] = runs;
  if (only !== undefined && runs.length === 1) return only;
  const sum = (of: (run: RunFacts) => number): number => runs.reduce((all, run) => all + of(run), 0);
  const times = (name: Exclude<keyof QuoteTimes, 'byDistance'>): number => sum(({ quotes }) => quotes[name]);
  const controls = new Set(runs.flatMap(({ heldBack }) => Object.keys(heldBack)));
  const durations = sum(durationOf);
  /** Each for as long as it ran. */
  const weighed = (share: (run: RunFacts) => number): number =>
    sum((run) => (share(run) * durationOf(run)) / Math.max(1, durations));
  const curve = chained(runs.map((run) => run.curve));
  return {
    fills: runs.flatMap(({ fills }) => fills),
    orders: mergedOrders(runs.map(({ orders }) => orders)),
    quotes: {
      ...{ ms: times('ms'), marketMs: times('marketMs'), twoSidedMs: times('twoSidedMs') },
      ...{ bestMs: times('bestMs'), pricedMs: times('pricedMs'), distanceMs: times('distanceMs') },
      byDistance: Array.from({ length: DISTANCES.length + 1 }, (_, bucket) =>
        sum(({ quotes }) => quotes.byDistance[bucket] ?? 0),
      ),
    },
    permits: {
      ...{ place: sum(({ permits }) => permits.place), cancel: sum(({ permits }) => permits.cancel) },
      ...{ served: sum(({ permits }) => permits.served), waitedMs: sum(({ permits }) => permits.waitedMs) },
      staleness: sum(({ permits }) => permits.staleness),
      scarce: {
        count: sum(({ permits }) => permits.scarce.count),
        value: sum(({ permits }) => permits.scarce.value),
      },
    },
    curve,
    requests: runs.flatMap(({ requests }) => requests),
    maxDrawdown: Math.max(fallOf(curve), ...runs.map((run) => run.maxDrawdown)),
    worst: runs.reduce((worst, run) => Math.min(worst, run.worst), 0),
    heldBack: Object.fromEntries(
      [...controls].map((name) => [name, weighed(({ heldBack }) => heldBack[name] ?? 0)]),
    ),
    atLimits: weighed(({ atLimits }) => atLimits),
  };
}
