// Computes how a strategy quoted: quote time, distance from the fair price, fills, and permits used
// (figures.md, "A run").
import { DISTANCES, NO_QUOTES, NO_TAKES, PHASES, distanceBucket, phaseOf } from '../domain/index.ts';
import type { Phase, QuoteTimes } from '../domain/index.ts';
import type { FillSums } from './fill-figures.ts';
import { ownPriceOf, perPlaceOf } from './fill-figures.ts';
import type { FillRate, FillRateFit } from './fill-rate.ts';
import { fillRateFit, FITS_APART } from './fill-rate.ts';
import { orderFigures } from './order-tally.ts';
import type { OrderFigures } from './order-tally.ts';
import type { RunFill } from './run-fill.ts';
import { dollars, fine } from './rounding.ts';
import type { PermitFacts, PhaseFacts, RunFacts } from './run-facts.ts';
import { mergedPhase, mergedQuotes } from './run-facts.ts';
import { SILENCE_MS } from './time-axis.ts';

const HOUR_MS = 3_600_000;

/** The fill rate of one phase in one league. */
export type LeagueFillRate = {
  readonly phase: Phase;
  readonly league: string;
  readonly quoteHours: number;
  readonly fills: number;
  readonly fillRate: readonly FillRate[];
  readonly fillRateFit: FillRateFit;
};

export type Quoting = {
  /** Two-sided share of the time in which a market had any quote. Null: nothing rested. */
  readonly twoSided: number | null;
  /** Share of the quote time at the best price of its side. */
  readonly atBest: number | null;
  /**
   * Distance from the fair price, as probability, over quote time weighted by payout; the median is exact to
   * the bucket.
   */
  readonly meanDistance: number | null;
  readonly medianDistance: number | null;
  /** Distances over quote time without weights. */
  readonly plainMeanDistance: number | null;
  readonly plainMedianDistance: number | null;
  readonly quoteHours: number;
  readonly fillRate: readonly FillRate[];
  /** Fit of the only phase and league; with several, each in `byLeague` has its own. */
  readonly fillRateFit: FillRateFit;
  /** Pre-match first. */
  readonly byLeague: readonly LeagueFillRate[];
} & OrderFigures;

/** Quoting figures of the given phases together. */
export function quotingOf(
  { phases, fills }: Pick<RunFacts, 'phases' | 'fills'>,
  included: readonly Phase[] = PHASES,
): Quoting {
  const { quotes, orders } = mergedPhase(included.map((phase) => phases[phase]));
  const own = fills.filter((fill) => included.includes(phaseOf(fill)));
  const all = mergedQuotes(Object.values(quotes));
  const byLeague = included.flatMap((phase) => leaguesIn(phase, phases[phase], own));
  const [only] = byLeague;
  return {
    ...quoteShares(all),
    fillRate: fillRateOf(all, own),
    fillRateFit: only === undefined ? fillRateFit([], NO_TAKES) : byLeague.length > 1 ? FITS_APART : only.fillRateFit,
    byLeague,
    ...orderFigures(orders, own.length),
  };
}

function leaguesIn(phase: Phase, { quotes, takes }: PhaseFacts, fills: readonly RunFill[]): readonly LeagueFillRate[] {
  const inPhase = Map.groupBy(
    fills.filter((fill) => phaseOf(fill) === phase),
    ({ league }) => league,
  );
  const leagues = [...new Set([...Object.keys(quotes), ...inPhase.keys()])].sort();
  return leagues.map((league) => {
    const own = inPhase.get(league) ?? [];
    const times = quotes[league] ?? NO_QUOTES;
    const fillRate = fillRateOf(times, own);
    return {
      phase,
      league,
      quoteHours: fine(times.ms / HOUR_MS),
      fills: own.length,
      fillRate,
      fillRateFit: fillRateFit(fillRate, takes[league] ?? NO_TAKES),
    };
  });
}

function fillRateOf({ byDistance }: QuoteTimes, fills: readonly RunFill[]): readonly FillRate[] {
  const counts = new Array<number>(DISTANCES.length + 1).fill(0);
  for (const fill of fills) {
    if (fill.f0 === undefined) continue;
    const bucket = distanceBucket(fill.f0 - ownPriceOf(fill));
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  return byDistance.map((quoteMs, bucket): FillRate => ({
    from: bucket === 0 ? null : (DISTANCES[bucket - 1] ?? 0),
    to: DISTANCES[bucket] ?? null,
    quoteHours: fine(quoteMs / HOUR_MS),
    fills: counts[bucket] ?? 0,
    rate: quoteMs === 0 ? null : fine((counts[bucket] ?? 0) / (quoteMs / HOUR_MS)),
  }));
}

/** Shares and distances over the time in which something rested. */
export function quoteShares({
  ms,
  marketMs,
  twoSidedMs,
  bestMs,
  pricedMs,
  distanceMs,
  byDistance,
  weighted,
}: QuoteTimes): Omit<Quoting, keyof OrderFigures | 'fillRate' | 'fillRateFit' | 'byLeague'> {
  const share = (part: number, whole: number): number | null => (whole === 0 ? null : fine(part / whole));
  return {
    twoSided: share(twoSidedMs, marketMs),
    atBest: share(bestMs, ms),
    meanDistance: share(weighted.distanceMs, weighted.pricedMs),
    medianDistance: medianDistance(weighted.byDistance, weighted.pricedMs),
    plainMeanDistance: share(distanceMs, pricedMs),
    plainMedianDistance: medianDistance(byDistance, pricedMs),
    quoteHours: fine(ms / HOUR_MS),
  };
}

/** Median distance, interpolated as if quote time were spread evenly within its bucket. */
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

export type Permits = {
  readonly place: number;
  readonly cancel: number;
  /**
   * Dollars per place permit; a partly known sum is divided by its own share of the permits (`perPlaceOf`).
   * Null: no permit was used, or nothing is known. `clvPerPlace`: fills before the start per permit used
   * there.
   */
  readonly pnlPerPlace: number | null;
  readonly spreadPerPlace: number | null;
  readonly clvPerPlace: number | null;
  /** Mean time that a slot waited for its request, ms. */
  readonly meanWaitMs: number | null;
  /** Value × waiting time, dollars × seconds (trade.md, "Value and staleness"). */
  readonly staleness: number;
  /** Mean value of the needs that waited for a permit, dollars: what one more permit would have brought. */
  readonly shadowPrice: number | null;
};

/** @param early place permits used for games before their start */
export function permitFigures(
  { place, cancel, served, waitedMs, staleness, scarce }: PermitFacts,
  sums: FillSums,
  early: number,
): Permits {
  const { identity, unpriced, spread, clv } = sums;
  const settled = {
    fills: identity.fills + unpriced.fills,
    payout: identity.payout + unpriced.payout,
    money: identity.pnl + unpriced.pnl,
  };
  const fineOr = (value: number | null): number | null => (value === null ? null : fine(value));
  return {
    place: fine(place),
    cancel: fine(cancel),
    pnlPerPlace: fineOr(perPlaceOf(place, settled, sums)),
    spreadPerPlace: fineOr(perPlaceOf(place, spread, sums)),
    clvPerPlace: fineOr(perPlaceOf(early, clv, sums.early)),
    meanWaitMs: served === 0 ? null : Math.round(waitedMs / served),
    staleness: dollars(staleness),
    shadowPrice: scarce.count === 0 ? null : dollars(scarce.value / scarce.count),
  };
}

/**
 * Inventory figures. The account has one result and one set of limits: per phase these are null, unless the
 * other phase is empty.
 */
export type Inventory = {
  /**
   * Largest difference of payoffs of all markets together, and its mean over the time of the curve, dollars.
   */
  readonly most: number;
  readonly mean: number;
  /** Lowest worst case of resting orders and positions together, dollars, 0 or below. */
  readonly worst: number | null;
  readonly maxDrawdown: number | null;
  /** Share of the wanting time in which a limit (orders, losses, credit) kept a quote away. */
  readonly atLimits: number | null;
  /** Share of the wanted time that a control held back, by control. */
  readonly heldBack: Readonly<Record<string, number>> | null;
};

type InventoryFacts = Pick<RunFacts, 'curve' | 'mostHeld' | 'maxDrawdown' | 'worst' | 'heldBack' | 'atLimits'>;

export const inventoryFigures = ({
  curve,
  mostHeld,
  maxDrawdown,
  worst,
  heldBack,
  atLimits,
}: InventoryFacts): Inventory => ({
  ...heldIn(
    curve.map(({ t, inventory }) => ({ t, inventory })),
    mostHeld?.all,
  ),
  worst: inCents(worst),
  maxDrawdown: inCents(maxDrawdown),
  atLimits: fine(atLimits),
  heldBack,
});

/** Inventory in the games of one phase. `isOnly`: nothing happened in the other phase. */
export function inventoryOfPhase(facts: InventoryFacts, phase: Phase, isOnly: boolean): Inventory {
  if (isOnly) return inventoryFigures(facts);
  const curve = facts.curve.map(({ t, inventory, inPlay }) => ({
    t,
    inventory: phase === 'inplay' ? inPlay : inventory - inPlay,
  }));
  return { ...heldIn(curve, facts.mostHeld?.[phase]), worst: null, maxDrawdown: null, atLimits: null, heldBack: null };
}

type Held = { readonly t: number; readonly inventory: number };

const heldIn = (curve: readonly Held[], most = 0): Pick<Inventory, 'most' | 'mean'> => ({
  most: inCents(curve.reduce((largest, { inventory }) => Math.max(largest, inventory), most)),
  mean: inCents(meanInventory(curve)),
});

/**
 * Time-weighted mean: each point holds until the next. Long silences (between games, between runs) are left
 * out.
 */
function meanInventory(curve: readonly Held[]): number {
  let [sum, countedMs] = [0, 0];
  for (const [index, { t, inventory }] of curve.entries()) {
    const ms = (curve[index + 1]?.t ?? t) - t;
    if (ms > SILENCE_MS) continue;
    sum += inventory * ms;
    countedMs += ms;
  }
  return countedMs === 0 ? (curve[0]?.inventory ?? 0) : sum / countedMs;
}

const inCents = (amount: number): number => Math.round(100 * amount) / 100 + 0;
