// The models of the sports and their constants, each with its source.
import type { DrawRule, Period } from '../domain/index.ts';
import type { Endings } from './runs-game.ts';

/** A sport with a model. `other`: any sport whose settings give the deviations of margin and total. */
export type ModelSport =
  'basketball' | 'football' | 'college football' | 'hockey' | 'soccer' | 'baseball' | 'tennis' | 'other';

/** Every sport with a model. */
export const MODEL_SPORTS: readonly ModelSport[] = [
  ...(['basketball', 'football', 'college football', 'hockey', 'soccer', 'baseball', 'tennis', 'other'] as const),
];

/** The names of the parameters of a sport. */
export type ParameterNames = {
  /** Those that a model cannot do without. */
  readonly required: readonly string[];
  /** Those for which the sport has a constant. */
  readonly optional: readonly string[];
};
const POINTS: ParameterNames = { required: ['margin', 'total'], optional: ['marginDeviation', 'totalDeviation'] };

/** The parameters of each sport, by name. */
export const PARAMETERS: Readonly<Record<ModelSport, ParameterNames>> = {
  basketball: POINTS,
  football: POINTS,
  'college football': POINTS,
  hockey: { required: ['home', 'away'], optional: ['emptyNet'] },
  soccer: { required: ['home', 'away'], optional: ['rho'] },
  baseball: { required: ['home', 'away'], optional: ['r'] },
  tennis: { required: ['serve', 'return', 'bestOf'], optional: [] },
  other: { required: [...POINTS.required, ...POINTS.optional], optional: [] },
};

/** What a level score does to a moneyline of the whole game, as in the table of sports. */
export const DRAWS: Readonly<Record<ModelSport, DrawRule>> = {
  basketball: 'impossible',
  football: 'push',
  'college football': 'impossible',
  hockey: 'impossible',
  soccer: 'both-lose',
  baseball: 'impossible',
  tennis: 'impossible',
  other: 'push',
};

export type NormalConstants = {
  /** Points. */
  readonly marginDeviation: number;
  readonly totalDeviation: number;
  readonly correlation: number;
  /** By the size of the margin; 1 beyond the end. */
  readonly marginWeights: readonly number[];
};

/** How much more often an NFL game ends with a margin of 0, 1, 2 … than a normal distribution says. */
const FOOTBALL_MARGINS = [
  ...[0.07, 0.64, 0.68, 2.14, 0.72, 0.63, 1.07, 1.47, 0.68, 0.26, 0.93, 0.42, 0.38, 0.48, 1.21],
  ...[0.42, 0.65, 0.99, 0.78, 0.38, 0.82, 1.07, 0.48, 0.65, 1.27, 0.8, 0.76, 0.93, 1.55],
];

export const NORMAL: Readonly<Record<'basketball' | 'football' | 'college football', NormalConstants>> = {
  basketball: { marginDeviation: 12.6, totalDeviation: 18.4, correlation: 0, marginWeights: [] },
  football: { marginDeviation: 11.5, totalDeviation: 13.1, correlation: 0.05, marginWeights: FOOTBALL_MARGINS },
  'college football': {
    marginDeviation: 11.5,
    totalDeviation: 13.1,
    correlation: 0.05,
    marginWeights: FOOTBALL_MARGINS,
  },
};

/** Dixon and Coles: closing odds of 400 games. */
export const SOCCER_RHO = -0.09;
/**
 * Of one-goal leads in hockey, the share that an empty net makes two. Between quoted puck lines of 3,484 NHL games of
 * 2023–26, which say .22, and the margins of 691 games, which say .08 (docs/prices/how-well-hockey.md).
 */
export const EMPTY_NET = 0.18;
/** Leads of two grow so many times as often: margins of 691 NHL games of 2025–26, 23 % of them three goals. */
export const EMPTY_NET_OF_TWO = 2.1;
/**
 * Baseball: 14,769 games of 2014–19. With these endings home wins by one in 31.2 % of its wins (counted: 31.2 %)
 * and away in 24.3 % (24.5 %).
 */
export const RUNS = { r: 4, endings: { notBatted: 0.2, longer: { home: 0.1, away: 0.6 } } satisfies Endings };

/** The share of what is expected and of its variance in a part of the game. */
export type Share = { readonly mean: number; readonly variance: number };

/** Of margin and total. */
export type Shares = Share & {
  /** Of the total, where it differs from the margin. */
  readonly total?: Share;
};

/** Parts that make a whole, from what is expected in each and its deviation. */
function partsOfWhole(parts: readonly { readonly mean: number; readonly deviation: number }[]): readonly Share[] {
  const mean = parts.reduce((sum, part) => sum + part.mean, 0);
  const variance = parts.reduce((sum, part) => sum + part.deviation ** 2, 0);
  return parts.map((part) => ({ mean: part.mean / mean, variance: part.deviation ** 2 / variance }));
}

/** Quarters of 2,679 NFL games of 2011–21: slopes on the closing line, and deviations in points. */
const FOOTBALL_MARGIN_QUARTERS = partsOfWhole([
  { mean: 0.212, deviation: 6.98 },
  { mean: 0.313, deviation: 8.23 },
  { mean: 0.241, deviation: 6.89 },
  { mean: 0.201, deviation: 7.32 },
]);
/** The same of the totals; the last quarter with overtime. */
const FOOTBALL_TOTAL_QUARTERS = partsOfWhole([
  { mean: 0.199, deviation: 5.83 },
  { mean: 0.305, deviation: 6.88 },
  { mean: 0.212, deviation: 6.13 },
  { mean: 0.29, deviation: 7.69 },
]);
/** Equal quarters of basketball, for want of data. */
const EVEN_QUARTERS: readonly Share[] = Array.from({ length: 4 }, () => ({ mean: 0.25, variance: 0.25 }));

const added = (shares: readonly Share[]): Share => ({
  mean: shares.reduce((sum, { mean }) => sum + mean, 0),
  variance: shares.reduce((sum, { variance }) => sum + variance, 0),
});

const FOOTBALL_QUARTERS = { margin: FOOTBALL_MARGIN_QUARTERS, total: FOOTBALL_TOTAL_QUARTERS };
const BASKETBALL_QUARTERS = { margin: EVEN_QUARTERS, total: EVEN_QUARTERS };
const quartersOf = (sport: ModelSport): typeof FOOTBALL_QUARTERS =>
  sport === 'football' || sport === 'college football' ? FOOTBALL_QUARTERS : BASKETBALL_QUARTERS;

/** The first half of soccer has 44.2 % of the goals. */
export const FIRST_HALF_GOALS = 0.442;

/** The share of a period in the whole game. Undefined when the sport has no such period, or no model of it. */
export function periodShare(sport: ModelSport, period: Period): Shares | undefined {
  const number = Number(period.slice(1));
  switch (sport) {
    case 'basketball':
    case 'football':
    case 'college football': {
      const { margin, total } = quartersOf(sport);
      if (!/^[qh]/.test(period)) return undefined;
      const [from, to] = period.startsWith('q') ? [number - 1, number] : [2 * (number - 1), 2 * number];
      return { ...added(margin.slice(from, to)), total: added(total.slice(from, to)) };
    }
    case 'soccer': {
      if (period === 'reg') return { mean: 1, variance: 1 };
      const goals = number === 1 ? FIRST_HALF_GOALS : 1 - FIRST_HALF_GOALS;
      return period.startsWith('h') ? { mean: goals, variance: goals } : undefined;
    }
    case 'hockey':
      if (period === 'reg') return { mean: 1, variance: 1 };
      return period.startsWith('p') ? { mean: 1 / 3, variance: 1 / 3 } : undefined;
    case 'baseball': {
      const innings = period === 'f5' ? 5 : period.startsWith('i') ? 1 : undefined;
      return innings === undefined ? undefined : { mean: innings / 9, variance: innings / 9 };
    }
    case 'tennis':
    case 'other':
      return undefined;
  }
}

/** What is left of a game under way. */
export type Left = Share & {
  /** The part of the lead that stays, as teams that are ahead let up. */
  readonly lead: number;
  readonly total: Share;
};

const ALL_LEFT: Left = { mean: 1, variance: 1, lead: 1, total: { mean: 1, variance: 1 } };
const NOTHING_LEFT: Left = { mean: 0, variance: 0, lead: 1, total: { mean: 0, variance: 0 } };

/**
 * Of NFL games after each quarter, from the start on: 2,679 games of 2011–21, where margins still to come are
 * regressed on the closing line and the lead, and totals on the closing total.
 */
const FOOTBALL_LEFT: readonly Left[] = [
  ALL_LEFT,
  { mean: 0.781, variance: 0.99, lead: 0.892, total: { mean: 0.807, variance: 0.845 } },
  { mean: 0.511, variance: 0.661, lead: 0.876, total: { mean: 0.502, variance: 0.55 } },
  { mean: 0.298, variance: 0.398, lead: 0.878, total: { mean: 0.29, variance: 0.344 } },
  NOTHING_LEFT,
];
/**
 * Of NBA games after each quarter. Lead and variance: a lead that shrinks at a constant rate, so that a lead of 18
 * at half-time wins in 95.5 % (A. Clauset, M. Kogan, S. Redner, "Safe leads and lead changes in competitive team
 * sports", Physical Review E 91, 2015). Mean: win probabilities by minute of FiveThirtyEight, 2014–15 (CC BY 4.0).
 * Totals evenly, for want of data.
 */
const BASKETBALL_LEFT: readonly Left[] = [
  ALL_LEFT,
  { mean: 0.865, variance: 0.792, lead: 0.838, total: { mean: 0.75, variance: 0.75 } },
  { mean: 0.644, variance: 0.558, lead: 0.889, total: { mean: 0.5, variance: 0.5 } },
  { mean: 0.355, variance: 0.296, lead: 0.943, total: { mean: 0.25, variance: 0.25 } },
  NOTHING_LEFT,
];
/** Of all other games, for want of data. */
const EVENLY_LEFT: readonly Left[] = [ALL_LEFT, NOTHING_LEFT];

const KNOWN_LEFT: { readonly [Sport in ModelSport]?: readonly Left[] } = {
  basketball: BASKETBALL_LEFT,
  football: FOOTBALL_LEFT,
  'college football': FOOTBALL_LEFT,
};

/** What is left of margin and total with a share of the clock left, 1 … 0: straight between the known times. */
export function leftOf(sport: ModelSport, clock: number): Left {
  const known = KNOWN_LEFT[sport] ?? EVENLY_LEFT;
  const played = (1 - clock) * (known.length - 1);
  const index = Math.min(Math.floor(played), known.length - 2);
  const [before = ALL_LEFT, after = NOTHING_LEFT] = [known[index], known[index + 1]];
  const share = played - index;
  const between = (value: (left: Left) => number): number => value(before) + share * (value(after) - value(before));
  return {
    mean: between(({ mean }) => mean),
    variance: between(({ variance }) => variance),
    lead: between(({ lead }) => lead),
    total: { mean: between(({ total }) => total.mean), variance: between(({ total }) => total.variance) },
  };
}

/** An overtime of basketball is 5 minutes of 48, of the NFL 10 of 60; of these few end level. */
export const OVERTIME: Readonly<
  Record<'basketball' | 'football' | 'college football' | 'other', Share & { readonly level: number }>
> = {
  basketball: { mean: 5 / 48, variance: 5 / 48, level: 0 },
  football: { mean: 1 / 6, variance: 1 / 6, level: 0.05 },
  'college football': { mean: 1 / 6, variance: 1 / 6, level: 0 },
  other: { mean: 0, variance: 0.1, level: 0 },
};
