// The figures of one fill and their sums (figures.md, "One fill"). Probabilities are of the side that was
// backed, money is micro-dollars. A figure that cannot be known is undefined and counted separately, never
// guessed.
import { MARKOUT_SECONDS } from '../domain/index.ts';
import type { MarkoutSeconds } from '../domain/index.ts';
import type { RunFill } from './run-fill.ts';
import { dollars } from './rounding.ts';

/** The inputs of the figures of one fill. */
export type FillPrices = Pick<
  RunFill,
  'risk' | 'payout' | 'isInPlay' | 'f0' | 'fc' | 'later' | 'profit' | 'commission'
>;

/** Own price as probability: what a unit of payout costs. */
export const ownPriceOf = ({ risk, payout }: Pick<FillPrices, 'risk' | 'payout'>): number => risk / payout;

/** Spread captured + drift to the close + luck + commission = P&L. */
export type Identity = {
  readonly spread: number;
  readonly drift: number;
  readonly luck: number;
  /** 0 or below. */
  readonly commission: number;
  readonly pnl: number;
};

/** The parts of the P&L. Undefined until all are known, or when a price never existed. */
export function identityOf(fill: FillPrices): Identity | undefined {
  const { f0, fc, profit, payout, commission } = fill;
  if (f0 === undefined || fc === undefined || profit === undefined) return undefined;
  const spread = spreadOf(fill) ?? 0;
  const drift = Math.round(payout * (fc - f0));
  return { spread, drift, luck: profit - spread - drift, commission: 0 - commission, pnl: profit - commission };
}

/** Payout × (fair price − own price). */
export const spreadOf = ({ risk, payout, f0 }: FillPrices): number | undefined =>
  f0 === undefined ? undefined : Math.round(payout * f0 - risk);

/** Value of the fill at the close less its cost. In play the close is nearly the outcome: see `edgeOf`. */
export const closeOf = ({ risk, payout, fc }: Pick<FillPrices, 'risk' | 'payout' | 'fc'>): number | undefined =>
  fc === undefined ? undefined : Math.round(payout * fc - risk);

/**
 * Closing line value: micro-dollars, points of probability, and per cent of the own price. Undefined for
 * fills in play.
 */
export function clvOf(
  fill: FillPrices,
): { readonly money: number; readonly points: number; readonly percent: number } | undefined {
  const { fc, isInPlay } = fill;
  const money = isInPlay ? undefined : closeOf(fill);
  if (fc === undefined || money === undefined) return undefined;
  const c = ownPriceOf(fill);
  return { money, points: fc - c, percent: 100 * (fc / c - 1) };
}

/** Closing line value of fills, dollars. Null: none of them has a close. */
export function clvSum(fills: readonly FillPrices[]): number | null {
  let micros: number | null = null;
  for (const fill of fills) {
    const clv = clvOf(fill);
    if (clv !== undefined) micros = (micros ?? 0) + clv.money;
  }
  return micros === null ? null : dollars(micros);
}

/** Value of the fill `seconds` later less its cost. */
export function markoutOf({ risk, payout, later }: FillPrices, seconds: MarkoutSeconds): number | undefined {
  const price = later[MARKOUT_SECONDS.indexOf(seconds)];
  return price === undefined ? undefined : Math.round(payout * price - risk);
}

/** Markout at which the edge of a fill in play is measured. */
export const EDGE_SECONDS: MarkoutSeconds = 300;

/** Value of a fill beyond its stake: by the close before the start, by the price 300 s later in play. */
export const edgeOf = (fill: FillPrices): number | undefined =>
  fill.isInPlay ? markoutOf(fill, EDGE_SECONDS) : clvOf(fill)?.money;

/** The edge of a fill per unit of payout: points of probability. */
const edgePointsOf = (fill: FillPrices): number | undefined => {
  const price = fill.isInPlay ? fill.later[MARKOUT_SECONDS.indexOf(EDGE_SECONDS)] : fill.fc;
  return price === undefined ? undefined : price - ownPriceOf(fill);
};

/** Number and payout of the fills with a figure known: the base of a partly known figure. */
export type Known = { readonly fills: number; readonly payout: number };
type Money = Known & { readonly money: number };
/**
 * Sums for means in points (price then − own price). `points`: over fills. `stakePoints`: stake × points, and
 * `risk` their stakes. The mean by payout is `money` over `payout`.
 */
type Weighted = Money & { readonly points: number; readonly risk: number; readonly stakePoints: number };
/** Payout, stake and number of the fills with a value above 0. */
type Close = Weighted & { readonly above: number; readonly stakeAbove: number; readonly plainAbove: number };

/** Sums over fills. Each carries the count and payout of the fills it covers. */
export type FillSums = {
  readonly fills: number;
  readonly risk: number;
  readonly payout: number;
  /** Parts of the fills with all parts known: they sum to `pnl`. */
  readonly identity: Identity & Known;
  /** Settled fills without f0 or fc, and their P&L. */
  readonly unpriced: Known & { readonly pnl: number };
  /** Number of fills that are not settled yet. */
  readonly open: number;
  /** Spread captured by all fills with f0, settled or not. */
  readonly spread: Money;
  /** Fills before the start, whether their close is known or not. */
  readonly early: Known;
  readonly clv: Close;
  /** Edge of each fill, by the figure of its phase (`edgeOf`). */
  readonly edge: Weighted;
  readonly markouts: Readonly<Record<MarkoutSeconds, Weighted>>;
};
type Writable<T> = { -readonly [Key in keyof T]: T[Key] extends object ? Writable<T[Key]> : T[Key] };
export type GrowingSums = Writable<FillSums>;

const eachMarkout = <T>(create: () => T): Record<MarkoutSeconds, T> =>
  Object.fromEntries(MARKOUT_SECONDS.map((seconds) => [seconds, create()])) as Record<MarkoutSeconds, T>;

export const noFillSums = (): GrowingSums => ({
  fills: 0,
  risk: 0,
  payout: 0,
  open: 0,
  identity: { spread: 0, drift: 0, luck: 0, commission: 0, pnl: 0, fills: 0, payout: 0 },
  unpriced: { fills: 0, payout: 0, pnl: 0 },
  spread: { fills: 0, payout: 0, money: 0 },
  early: { fills: 0, payout: 0 },
  clv: { ...noWeighted(), above: 0, stakeAbove: 0, plainAbove: 0 },
  edge: noWeighted(),
  markouts: eachMarkout(noWeighted),
});

const noWeighted = () => ({ fills: 0, payout: 0, money: 0, points: 0, risk: 0, stakePoints: 0 });

export function sumsOf(fills: Iterable<FillPrices>): FillSums {
  const sums = noFillSums();
  for (const fill of fills) addFill(sums, fill, 1);
  return sums;
}

/** Adds a fill to the sums; `sign` −1 removes it again. */
export function addFill(sums: GrowingSums, fill: FillPrices, sign: 1 | -1): void {
  const { payout } = fill;
  const count = (known: { fills: number; payout: number }): void => {
    known.fills += sign;
    known.payout += sign * payout;
  };
  count(sums);
  sums.risk += sign * fill.risk;
  if (!fill.isInPlay) count(sums.early);
  const parts = identityOf(fill);
  if (fill.profit === undefined) sums.open += sign;
  else if (parts === undefined) {
    count(sums.unpriced);
    sums.unpriced.pnl += sign * (fill.profit - fill.commission);
  } else {
    count(sums.identity);
    for (const part of IDENTITY_PARTS) sums.identity[part] += sign * parts[part];
  }
  const add = (known: { fills: number; payout: number; money: number }, money: number | undefined): void => {
    if (money === undefined) return;
    count(known);
    known.money += sign * money;
  };
  add(sums.spread, spreadOf(fill));
  addWeighted(sums.edge, fill, edgeOf(fill), edgePointsOf(fill), sign);
  const value = clvOf(fill);
  addWeighted(sums.clv, fill, value?.money, value?.points, sign);
  if (value !== undefined && value.points > 0) {
    sums.clv.above += sign * payout;
    sums.clv.stakeAbove += sign * fill.risk;
    sums.clv.plainAbove += sign;
  }
  addMarkouts(sums, fill, 0, sign);
}

/** Adds a value of a fill to a sum with its weights. Undefined values are not known. */
function addWeighted(
  sum: Writable<Weighted>,
  { risk, payout }: FillPrices,
  money: number | undefined,
  points: number | undefined,
  sign: 1 | -1,
): void {
  if (money === undefined || points === undefined) return;
  sum.fills += sign;
  sum.payout += sign * payout;
  sum.money += sign * money;
  sum.points += sign * points;
  sum.risk += sign * risk;
  // whole micro-dollars: removing a fill leaves no rest
  sum.stakePoints += sign * Math.round(risk * points);
}

export const IDENTITY_PARTS = ['spread', 'drift', 'luck', 'commission', 'pnl'] as const;

/** Adds the markouts after the first `from`. Returns how many are known: they become known in order. */
function addMarkouts(sums: GrowingSums, fill: FillPrices, from: number, sign: 1 | -1): number {
  let known = from;
  for (const [index, seconds] of MARKOUT_SECONDS.entries()) {
    const money = index < from ? undefined : markoutOf(fill, seconds);
    if (money === undefined) continue;
    known = index + 1;
    addWeighted(sums.markouts[seconds], fill, money, (fill.later[index] ?? 0) - ownPriceOf(fill), sign);
  }
  return known;
}

/** Adds the markouts of a fill that became known after the first `from`, and with them its edge in play. */
export function addLateMarkouts(sums: GrowingSums, fill: FillPrices, from: number): number {
  const known = addMarkouts(sums, fill, from, 1);
  const edgeAt = MARKOUT_SECONDS.indexOf(EDGE_SECONDS);
  if (fill.isInPlay && from <= edgeAt && known > edgeAt)
    addWeighted(sums.edge, fill, edgeOf(fill), edgePointsOf(fill), 1);
  return known;
}

/** Adds two objects of sums field by field. */
export function addedSums<T extends object>(a: T, b: T): T {
  const other = b as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(a).map(([key, value]: [string, unknown]) => {
      const second = other[key];
      return [key, typeof value === 'number' ? value + Number(second) : addedSums(value as object, second as object)];
    }),
  ) as T;
}

/**
 * A mean by three weights. `payout`: by what a fill pays if it wins, stake included, so a favourite counts like an underdog
 * that pays as much. `stake`: by the stake; a favourite needs more of it for the same payout. `plain`: each fill once.
 * Null: nothing is known.
 */
export type ByWeight = Readonly<Record<'payout' | 'stake' | 'plain', number | null>>;

const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

/** The mean of price then − own price, in points of probability. */
export const pointsByWeight = ({ fills, payout, money, points, risk, stakePoints }: Weighted): ByWeight => ({
  payout: shareOf(money, payout),
  stake: shareOf(stakePoints, risk),
  plain: shareOf(points, fills),
});

/** The share of the fills that are above the close. */
export const aboveByWeight = ({ fills, payout, above, risk, stakeAbove, plainAbove }: FillSums['clv']): ByWeight => ({
  payout: shareOf(above, payout),
  stake: shareOf(stakeAbove, risk),
  plain: shareOf(plainAbove, fills),
});

/** CLV ratios: weighted by payout, and by plain count. Null: no fills. */
export function clvRatios(clv: FillSums['clv']): {
  readonly points: number | null;
  readonly share: number | null;
  readonly plainPoints: number | null;
  readonly plainShare: number | null;
} {
  const [points, share] = [pointsByWeight(clv), aboveByWeight(clv)];
  return { points: points.payout, share: share.payout, plainPoints: points.plain, plainShare: share.plain };
}

/**
 * Dollars per place permit. A sum over a part of the fills is divided by the permits times its share of the
 * payout. Null: no permit was used, or nothing is known of the fills.
 */
export function perPlaceOf(place: number, sum: Money, all: Known): number | null {
  if (place === 0) return null;
  if (all.fills === 0) return 0;
  if (sum.fills === 0 || sum.payout === 0) return null;
  return sum.money / 1e6 / (place * (sum.payout / all.payout));
}
