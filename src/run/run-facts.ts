// The facts of one run as plain values: every figure of a report is computed from them (figures.md). Money is
// micro-dollars, times are Unix ms, prices probabilities of the side that is backed.
import { DISTANCES, eachPhase, MARKET_TYPES, PHASES } from '../domain/index.ts';
import type { QuotePoint } from '../measure/index.ts';
import type { Market, Phase, QuoteTimes, TakeCounts } from '../domain/index.ts';
import type { OrderCounts } from './order-tally.ts';
import { mergedOrders, NO_ORDERS } from './order-tally.ts';
import type { RiskPeak } from './game-risks.ts';
import { shortfallOf } from './game-risks.ts';
import type { RunFill } from './run-fill.ts';

export type PermitFacts = {
  /** Place permits used. A request with orders of both phases is split between them. */
  readonly place: number;
  readonly cancel: number;
  /** Slots served, their total waiting time, ms, and value × waiting time, micro-dollars × seconds. */
  readonly served: number;
  readonly waitedMs: number;
  readonly staleness: number;
  /** Number and total value, micro-dollars, of the needs that waited while few permits were left. */
  readonly scarce: { readonly count: number; readonly value: number };
};

export type CurvePoint = {
  readonly t: number;
  /** Marked result, dollars. All other fields are dollars as well. */
  readonly marked: number;
  readonly worst: number;
  /** Sum over markets of the payoff difference between the two sides. */
  readonly inventory: number;
  /** The part of it that is in games in play. */
  readonly inPlay: number;
};

/** Requests in an interval that begins at `t`. */
export type RequestCount = { readonly t: number; readonly place: number; readonly cancel: number };

/** How a market was quoted, step by step. */
export type QuotePath = {
  readonly market: Market;
  readonly eventName: string;
  readonly points: readonly QuotePoint[];
};

/** Facts that are counted separately before the start of games and in play. */
export type PhaseFacts = {
  /** Orders that rested in this phase. */
  readonly orders: OrderCounts;
  /** Quote times by league. */
  readonly quotes: Readonly<Record<string, QuoteTimes>>;
  readonly takes: Readonly<Record<string, TakeCounts>>;
  readonly permits: PermitFacts;
};

export type RunFacts = {
  readonly fills: readonly RunFill[];
  readonly phases: Readonly<Record<Phase, PhaseFacts>>;
  readonly curve: readonly CurvePoint[];
  /** Place and cancel requests over time. */
  readonly requests: readonly RequestCount[];
  /**
   * Largest inventory, dollars, also between points of the curve. Absent: the maximum of the curve is used.
   */
  readonly mostHeld?: Readonly<Record<'all' | Phase, number>>;
  /** Dollars; the worst is 0 or below. */
  readonly maxDrawdown: number;
  readonly worst: number;
  /** Share of the wanted time for which a control kept slots empty, by control. */
  readonly heldBack: Readonly<Record<string, number>>;
  /** Share of the wanting time in which a limit kept a slot empty. */
  readonly atLimits: number;
  /** Each game with fills, when it could lose most. */
  readonly risks: readonly RiskPeak[];
};

export const NO_PERMITS: PermitFacts = {
  place: 0,
  cancel: 0,
  served: 0,
  waitedMs: 0,
  staleness: 0,
  scarce: { count: 0, value: 0 },
};
export const NO_PHASE: PhaseFacts = { orders: NO_ORDERS, quotes: {}, takes: {}, permits: NO_PERMITS };

/** Facts of an empty run. */
export const NO_FACTS: RunFacts = {
  fills: [],
  phases: eachPhase(() => NO_PHASE),
  curve: [],
  requests: [],
  maxDrawdown: 0,
  worst: 0,
  heldBack: {},
  atLimits: 0,
  risks: [],
};

const sumOf = <Item>(all: readonly Item[], valueOf: (item: Item) => number): number =>
  all.reduce((sum, item) => sum + valueOf(item), 0);

const summed = (all: readonly (readonly number[])[]): readonly number[] =>
  Array.from({ length: DISTANCES.length + 1 }, (_, bucket) => sumOf(all, (counts) => counts[bucket] ?? 0));

export function mergedQuotes(all: readonly QuoteTimes[]): QuoteTimes {
  const times = (name: Exclude<keyof QuoteTimes, 'byDistance' | 'weighted' | 'byType'>): number =>
    sumOf(all, (quotes) => quotes[name]);
  return {
    ms: times('ms'),
    marketMs: times('marketMs'),
    twoSidedMs: times('twoSidedMs'),
    bestMs: times('bestMs'),
    pricedMs: times('pricedMs'),
    distanceMs: times('distanceMs'),
    byDistance: summed(all.map((quotes) => quotes.byDistance)),
    weighted: {
      pricedMs: sumOf(all, ({ weighted }) => weighted.pricedMs),
      distanceMs: sumOf(all, ({ weighted }) => weighted.distanceMs),
      byDistance: summed(all.map(({ weighted }) => weighted.byDistance)),
    },
    // one without them makes the sum unknown
    ...(all.some(({ byType }) => byType === undefined) ? {} : { byType: mergedTypes(all) }),
  };
}

const mergedTypes = (all: readonly QuoteTimes[]): NonNullable<QuoteTimes['byType']> =>
  Object.fromEntries(
    MARKET_TYPES.flatMap((type) => {
      const times = all.flatMap(({ byType }) => byType?.[type] ?? []);
      if (times.length === 0) return [];
      return [
        [
          type,
          { ms: summed(times.map(({ ms }) => ms)), distanceMs: summed(times.map(({ distanceMs }) => distanceMs)) },
        ],
      ];
    }),
  );

export const mergedTakes = (all: readonly TakeCounts[]): TakeCounts => ({
  ms: sumOf(all, ({ ms }) => ms),
  byReach: summed(all.map(({ byReach }) => byReach)),
});

/** Rounds away the error of split requests: a third and two thirds are one permit. */
const whole = (permits: number): number => Math.round(permits * 1e6) / 1e6;

export const mergedPermits = (all: readonly PermitFacts[]): PermitFacts => ({
  place: whole(sumOf(all, ({ place }) => place)),
  cancel: whole(sumOf(all, ({ cancel }) => cancel)),
  served: sumOf(all, ({ served }) => served),
  waitedMs: sumOf(all, ({ waitedMs }) => waitedMs),
  staleness: sumOf(all, ({ staleness }) => staleness),
  scarce: {
    count: sumOf(all, ({ scarce }) => scarce.count),
    value: sumOf(all, ({ scarce }) => scarce.value),
  },
});

/** Merges several runs, or both phases. */
export function mergedPhase(all: readonly PhaseFacts[]): PhaseFacts {
  const byLeague = <Part>(
    partsOf: (facts: PhaseFacts) => Readonly<Record<string, Part>>,
    merged: (parts: readonly Part[]) => Part,
  ): Readonly<Record<string, Part>> => {
    const leagues = [...new Set(all.flatMap((facts) => Object.keys(partsOf(facts))))].sort();
    return Object.fromEntries(
      leagues.map((league) => [
        league,
        merged(
          all.flatMap((facts) => {
            const part = partsOf(facts)[league];
            return part === undefined ? [] : [part];
          }),
        ),
      ]),
    );
  };
  return {
    orders: mergedOrders(all.map(({ orders }) => orders)),
    quotes: byLeague(({ quotes }) => quotes, mergedQuotes),
    takes: byLeague(({ takes }) => takes, mergedTakes),
    permits: mergedPermits(all.map(({ permits }) => permits)),
  };
}

/** Both phases together. */
export const wholePhase = ({ phases }: Pick<RunFacts, 'phases'>): PhaseFacts =>
  mergedPhase(PHASES.map((phase) => phases[phase]));

/** Length of the run, ms. */
const durationOf = ({ curve }: RunFacts): number => (curve.at(-1)?.t ?? 0) - (curve[0]?.t ?? 0);

/** Joins the curves: each begins with the result of the one before. */
function chained(curves: readonly (readonly CurvePoint[])[]): readonly CurvePoint[] {
  let base = 0;
  return curves.flatMap((curve) => {
    const from = base;
    base += curve.at(-1)?.marked ?? 0;
    return curve.map((point) => ({ ...point, marked: Math.round(100 * (point.marked + from)) / 100 }));
  });
}

/** The largest fall from a peak, dollars. */
export function fallOf(curve: readonly CurvePoint[]): number {
  let [peak, fall] = [0, 0];
  for (const { marked } of curve) {
    peak = Math.max(peak, marked);
    fall = Math.max(fall, peak - marked);
  }
  return fall;
}

/** The largest inventories of several runs, where all of them know theirs. */
export function mostHeldOf(runs: readonly RunFacts['mostHeld'][]): Pick<RunFacts, 'mostHeld'> {
  const known = runs.filter((run) => run !== undefined);
  const largest = (name: 'all' | Phase): number => Math.max(...known.map((run) => run[name]));
  return known.length < runs.length || known.length === 0
    ? {}
    : { mostHeld: { all: largest('all'), prematch: largest('prematch'), inplay: largest('inplay') } };
}

/** The largest peak of each game: several runs may hold fills in one. */
export function mergedRisks(all: readonly RiskPeak[]): readonly RiskPeak[] {
  const worst = all.toSorted((a, b) => shortfallOf(b) - shortfallOf(a));
  return [...new Map(worst.map((peak) => [peak.game, peak])).values()];
}

/** Merges several runs that follow each other. */
export function mergedFacts(runs: readonly RunFacts[]): RunFacts {
  const [only] = runs;
  if (only !== undefined && runs.length === 1) return only;
  const controls = new Set(runs.flatMap(({ heldBack }) => Object.keys(heldBack)));
  const durations = sumOf(runs, durationOf);
  /** Mean of a share, weighted by the length of each run. */
  const weighed = (share: (run: RunFacts) => number): number =>
    sumOf(runs, (run) => (share(run) * durationOf(run)) / Math.max(1, durations));
  const curve = chained(runs.map((run) => run.curve));
  return {
    fills: runs.flatMap(({ fills }) => fills),
    phases: eachPhase((phase) => mergedPhase(runs.map(({ phases }) => phases[phase]))),
    curve,
    requests: runs.flatMap(({ requests }) => requests),
    ...mostHeldOf(runs.map(({ mostHeld }) => mostHeld)),
    maxDrawdown: Math.max(fallOf(curve), ...runs.map((run) => run.maxDrawdown)),
    worst: runs.reduce((worst, run) => Math.min(worst, run.worst), 0),
    heldBack: Object.fromEntries([...controls].map((name) => [name, weighed(({ heldBack }) => heldBack[name] ?? 0)])),
    atLimits: weighed(({ atLimits }) => atLimits),
    risks: mergedRisks(runs.flatMap(({ risks }) => risks)),
  };
}
