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
 * Of one-goal leads in hockey, the share that an empty net makes two: the median of 1,396 quoted puck lines of NHL
 * games of 2023–26 (quartiles .15 and .22).
 */
export const EMPTY_NET = 0.18;
/**
 * Baseball: 14,769 games of 2014–19. With these endings home wins by one in 31.2 % of its wins (counted: 31.2 %)
 * and away in 24.3 % (24.5 %).
 */
export const RUNS = { r: 4, endings: { notBatted: 0.2, longer: { home: 0.1, away: 0.6 } } satisfies Endings };

/** The share of the expected margin and total, and of their variances, in a part of the game. */
export type Share = { readonly mean: number; readonly variance: number };

/** Quarters of NFL games: σ of the margin 6.98, 8.23, 6.89, 7.32. */
const FOOTBALL_QUARTERS: readonly Share[] = [6.98, 8.23, 6.89, 7.32].map((deviation, _index, all) => ({
  mean: 0.25,
  variance: deviation ** 2 / all.reduce((sum, other) => sum + other ** 2, 0),
}));
/** Equal quarters of basketball, for want of data. */
const EVEN_QUARTERS: readonly Share[] = Array.from({ length: 4 }, () => ({ mean: 0.25, variance: 0.25 }));

const added = (shares: readonly Share[]): Share => ({
  mean: shares.reduce((sum, { mean }) => sum + mean, 0),
  variance: shares.reduce((sum, { variance }) => sum + variance, 0),
});

const quartersOf = (sport: ModelSport): readonly Share[] =>
  sport === 'football' || sport === 'college football' ? FOOTBALL_QUARTERS : EVEN_QUARTERS;

/** The first half of soccer has 44.2 % of the goals. */
export const FIRST_HALF_GOALS = 0.442;

/** The share of a period in the whole game. Undefined when the sport has no such period, or no model of it. */
export function periodShare(sport: ModelSport, period: Period): Share | undefined {
  const number = Number(period.slice(1));
  switch (sport) {
    case 'basketball':
    case 'football':
    case 'college football': {
      const quarters = quartersOf(sport);
      if (period.startsWith('q')) return quarters[number - 1];
      return period.startsWith('h') ? added(quarters.slice(2 * (number - 1), 2 * number)) : undefined;
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
};

/**
 * Of NFL games after each quarter, from the start on: 2,679 games of 2011–21, where margins still to come are
 * regressed on the closing line and the lead.
 */
const FOOTBALL_LEFT: readonly Left[] = [
  { mean: 1, variance: 1, lead: 1 },
  { mean: 0.781, variance: 0.99, lead: 0.892 },
  { mean: 0.511, variance: 0.661, lead: 0.876 },
  { mean: 0.298, variance: 0.398, lead: 0.878 },
  { mean: 0, variance: 0, lead: 1 },
];
/** Of all other games, for want of data. */
const EVENLY_LEFT: readonly Left[] = [
  { mean: 1, variance: 1, lead: 1 },
  { mean: 0, variance: 0, lead: 1 },
];

/** What is left of margin and total with a share of the clock left, 1 … 0: straight between the known times. */
export function leftOf(sport: ModelSport, clock: number): Left {
  const known = sport === 'football' || sport === 'college football' ? FOOTBALL_LEFT : EVENLY_LEFT;
  const played = (1 - clock) * (known.length - 1);
  const index = Math.min(Math.floor(played), known.length - 2);
  const [before, after] = [known[index], known[index + 1]];
  if (before === undefined || after === undefined) return { mean: 0, variance: 0, lead: 1 };
  const share = played - index;
  const between = (key: keyof Left): number => before[key] + share * (after[key] - before[key]);
  return { mean: between('mean'), variance: between('variance'), lead: between('lead') };
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
