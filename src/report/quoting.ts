// How a strategy quoted: for how long and how far from the fair price, what that filled, and what permits it cost (REPORT.md,
// "A run").
import type { GroupSums } from './attribution.ts';
import { addToGroup, noSums } from './attribution.ts';
import { ownPriceOf } from './fill-figures.ts';
import { orderFigures } from './order-tally.ts';
import type { OrderFigures } from './order-tally.ts';
import { dollars, fine } from './rounding.ts';
import type { PermitFacts, QuoteTimes, RunFacts } from './run-facts.ts';
import { distanceBucket, DISTANCES } from './run-facts.ts';
import { SILENCE_MS } from './time-axis.ts';

const HOUR_MS = 3_600_000;

export type FillRate = {
  /** Distance from fair, as probability: from (null: below 0) to (null: any further). */
  readonly from: number | null;
  readonly to: number | null;
  readonly quoteHours: number;
  readonly fills: number;
  /** Fills per hour of one quote; null where none rested. */
  readonly rate: number | null;
};

/** λ(δ) = a · exp(−k δ) fills an hour of one quote, δ in points of probability; `error`: one deviation of k. Null: too little filled. */
export type FillRateFit = { readonly a: number; readonly k: number; readonly error: number } | null;

export type Quoting = {
  /** Share of the time with any offer in a market in which both of its sides had one; null: nothing rested. */
  readonly twoSided: number | null;
  /** Share of the quote time at the best price of its side. */
  readonly atBest: number | null;
  /** From the fair price, as probability: mean over quote time; median to the bucket. */
  readonly meanDistance: number | null;
  readonly medianDistance: number | null;
  readonly quoteHours: number;
  readonly fillRate: readonly FillRate[];
  readonly fillRateFit: FillRateFit;
} & OrderFigures;

export function quotingOf({ quotes, orders, fills }: RunFacts): Quoting {
  const { byDistance } = quotes;
  const counts = new Array<number>(DISTANCES.length + 1).fill(0);
  for (const fill of fills) {
    if (fill.f0 === undefined) continue;
    const bucket = distanceBucket(fill.f0 - ownPriceOf(fill));
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  const fillRate = byDistance.map((of, bucket): FillRate => ({
    from: bucket === 0 ? null : (DISTANCES[bucket - 1] ?? 0),
    to: DISTANCES[bucket] ?? null,
    quoteHours: fine(of / HOUR_MS),
    fills: counts[bucket] ?? 0,
    rate: of === 0 ? null : fine((counts[bucket] ?? 0) / (of / HOUR_MS)),
  }));
  return {
    ...quoteShares(quotes),
    ...{ fillRate, fillRateFit: fitOf(fillRate), ...orderFigures(orders, fills.length) },
  };
}

/** Of the time in which something rested. */
export function quoteShares({
  ms,
  marketMs,
  twoSidedMs,
  bestMs,
  pricedMs,
  distanceMs,
  byDistance,
}: QuoteTimes): Pick<Quoting, 'twoSided' | 'atBest' | 'meanDistance' | 'medianDistance' | 'quoteHours'> {
  const share = (part: number, of: number): number | null => (of === 0 ? null : fine(part / of));
  return {
    ...{ twoSided: share(twoSidedMs, marketMs), atBest: share(bestMs, ms) },
    ...{
      meanDistance: share(distanceMs, pricedMs),
      medianDistance: medianDistance(byDistance, pricedMs),
      quoteHours: fine(ms / HOUR_MS),
    },
  };
}

/** Within its bucket, as if quote time were spread evenly there. */
function medianDistance(byDistance: readonly number[], pricedMs: number): number | null {
  if (pricedMs === 0) return null;
  let before = 0;
  for (const [bucket, ms] of byDistance.entries()) {
    if (before + ms >= pricedMs / 2) {
      const from = DISTANCES[bucket - 1] ?? 0;
      const to = bucket === 0 ? 0 : (DISTANCES[bucket] ?? from);
      return fine(ms === 0 ? from : from + ((pricedMs / 2 - before) / ms) * (to - from));
    }
    before += ms;
  }
  return fine(DISTANCES.at(-1) ?? 0);
}

const MOST_TURNS = 100;

/**
 * Poisson regression of fills on the distance, with quote time as exposure (Newton's method): where time was quoted and nothing
 * filled tells as much as where something did. Counts that scatter more than Poisson's make the error larger in proportion.
 */
function fitOf(rates: readonly FillRate[]): FillRateFit {
  const points = rates.flatMap(({ from, to, fills, quoteHours }) =>
    from === null || to === null || quoteHours === 0
      ? []
      : [{ x: 100 * ((from + to) / 2), n: fills, hours: quoteHours }],
  );
  const all = points.reduce((sum, { n }) => sum + n, 0);
  if (points.length < 3 || points.filter(({ n }) => n > 0).length < 3) return null;
  let level = Math.log(all / points.reduce((sum, { hours }) => sum + hours, 0));
  let slope = 0;
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const expected = points.map(({ x, n, hours }) => ({ x, n, mean: hours * Math.exp(level + slope * x) }));
    const sum = (of: (one: (typeof expected)[number]) => number): number =>
      expected.reduce((so, one) => so + of(one), 0);
    const [w, wx, wxx] = [
      sum(({ mean }) => mean),
      sum(({ mean, x }) => mean * x),
      sum(({ mean, x }) => mean * x * x),
    ];
    const [off, offX] = [sum(({ n, mean }) => n - mean), sum(({ n, mean, x }) => (n - mean) * x)];
    const determinant = w * wxx - wx * wx;
    const by = (w * offX - wx * off) / determinant;
    const up = (wxx * off - wx * offX) / determinant;
    if (!Number.isFinite(by) || !Number.isFinite(up)) return null;
    // a step that leaps goes half as far, or the exponentials run away
    const far = Math.max(1, Math.abs(up) / 2, Math.abs(by) / 2);
    level += up / far;
    slope += by / far;
    if (Math.abs(by) > 1e-10 || Math.abs(up) > 1e-10) continue;
    const scatter = sum(({ n, mean }) => (n - mean) ** 2 / mean) / (points.length - 2);
    const error = Math.sqrt((w / determinant) * Math.max(1, scatter));
    return { a: fine(Math.exp(level)), k: fine(0 - slope), error: fine(error) };
  }
  return null;
}

export type Permits = {
  readonly place: number;
  readonly cancel: number;
  /** Dollars per place permit; null where none was used, or nothing is known of it. */
  readonly pnlPerPlace: number | null;
  readonly spreadPerPlace: number | null;
  readonly clvPerPlace: number | null;
  /** Mean time that a slot waited for its request, ms. */
  readonly meanWaitMs: number | null;
  /** Value × time of what waited (DOMAIN.md, "Value and staleness"), dollars × seconds. */
  readonly staleness: number;
  /** What the mean need was worth that had to wait for a permit, dollars: what one more permit would have brought. */
  readonly shadowPrice: number | null;
};

export function permitsOf({ permits, fills }: RunFacts): Permits {
  const sums = noSums();
  for (const fill of fills) addToGroup(sums, fill, 1);
  return permitFigures(permits, sums);
}

/** `money`: of all fills. */
export function permitFigures(
  { place, cancel, served, waitedMs, staleness, scarce }: PermitFacts,
  { known, ...money }: GroupSums,
): Permits {
  const perPlace = (count: number, sum: number): number | null =>
    place === 0 || count === 0 ? null : fine(sum / 1e6 / place);
  return {
    ...{ place, cancel },
    pnlPerPlace: perPlace(known.parts + money.unpriced, money.pnl + money.unpricedPnl),
    spreadPerPlace: perPlace(known.captured, money.captured),
    clvPerPlace: perPlace(known.clv, money.clv),
    meanWaitMs: served === 0 ? null : Math.round(waitedMs / served),
    staleness: dollars(staleness),
    shadowPrice: scarce.count === 0 ? null : dollars(scarce.value / scarce.count),
  };
}

export type Inventory = {
  /** Largest difference of payoffs of all markets together, and its mean over the time of the curve, dollars. */
  readonly most: number;
  readonly mean: number;
  /** Worst case of all that rested and was held at some time, dollars, 0 or below. */
  readonly worst: number;
  readonly maxDrawdown: number;
  /** Share of the time with something wanted, in which a limit (orders, losses, credit) kept a quote away. */
  readonly atLimits: number;
  /** Share of the wanted time that a control held back, by control. */
  readonly heldBack: Readonly<Record<string, number>>;
};

export function inventoryFigures({
  curve,
  maxDrawdown,
  worst,
  heldBack,
  atLimits,
}: Pick<RunFacts, 'curve' | 'maxDrawdown' | 'worst' | 'heldBack' | 'atLimits'>): Inventory {
  return {
    most: curve.reduce((most, { inventory }) => Math.max(most, inventory), 0),
    mean: inCents(meanInventory(curve)),
    worst: inCents(worst),
    maxDrawdown: inCents(maxDrawdown),
    atLimits: fine(atLimits),
    heldBack,
  };
}

/** Each point holds until the next; nothing is said of long silences, between games and between runs. */
function meanInventory(curve: RunFacts['curve']): number {
  let [sum, lived] = [0, 0];
  for (const [index, { t, inventory }] of curve.entries()) {
    const ms = (curve[index + 1]?.t ?? t) - t;
    if (ms > SILENCE_MS) continue;
    sum += inventory * ms;
    lived += ms;
  }
  return lived === 0 ? (curve[0]?.inventory ?? 0) : sum / lived;
}

const inCents = (amount: number): number => Math.round(100 * amount) / 100 + 0;
