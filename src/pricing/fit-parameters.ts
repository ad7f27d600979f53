// The parameters of each sport as a fit sees them: numbers without bounds, each with what is believed of it
// before any quote is seen.
import { expit, logit } from '../domain/index.ts';
import type { Prior } from './least-squares.ts';
import type { ModelSport } from './sport-models.ts';
import { EMPTY_NET, NORMAL, SOCCER_RHO } from './sport-models.ts';

/** How a parameter relates to a number without bounds. */
type Scale = {
  readonly read: (free: number) => number;
  readonly free: (value: number) => number;
  /** The change of the parameter per unit of the free number. */
  readonly slope: (value: number) => number;
};
const PLAIN: Scale = { read: (free) => free, free: (value) => value, slope: () => 1 };
const POSITIVE: Scale = { read: Math.exp, free: Math.log, slope: (value) => value };
const SHARE: Scale = { read: expit, free: logit, slope: (value) => value * (1 - value) };

export type Unknown = {
  readonly name: string;
  readonly scale: Scale;
  /** Of the free number. */
  readonly prior: Prior;
  /** How far apart a period and its share of the game may be: the deviation of the free number. */
  readonly apart: number;
};

const unknown = (name: string, scale: Scale, mean: number, deviation: number, apart = SHRUNK): Unknown => ({
  name,
  scale,
  prior: { mean: scale.free(mean), deviation },
  apart,
});

/** Deviations of a league differ little from those of the sport. */
const SHRUNK = 0.06;
/** Of a period's margin or total from its share of the game's, in deviations of the whole game. */
const APART = 0.12;

/** `draws`: whether quotes of a draw show how low scores depend on each other. */
export function unknownsOf(sport: ModelSport, { draws }: { readonly draws: boolean }): readonly Unknown[] {
  switch (sport) {
    case 'basketball':
    case 'football':
    case 'college football': {
      const { marginDeviation, totalDeviation } = NORMAL[sport];
      const mean = sport === 'basketball' ? 220 : 45;
      return [
        unknown('margin', PLAIN, 0, 15, APART * marginDeviation),
        unknown('total', PLAIN, mean, mean / 4, APART * totalDeviation),
        unknown('marginDeviation', POSITIVE, marginDeviation, SHRUNK),
        unknown('totalDeviation', POSITIVE, totalDeviation, SHRUNK),
      ];
    }
    case 'other':
      return [unknown('margin', PLAIN, 0, 1000), unknown('total', PLAIN, 0, 10_000)];
    case 'soccer':
      return [
        unknown('home', POSITIVE, 1.5, 1),
        unknown('away', POSITIVE, 1.2, 1),
        unknown('rho', PLAIN, SOCCER_RHO, draws ? 0.3 : 0.034),
      ];
    case 'hockey':
      return [
        unknown('home', POSITIVE, 3.1, 1),
        unknown('away', POSITIVE, 2.9, 1),
        unknown('emptyNet', SHARE, EMPTY_NET, 0.3),
      ];
    case 'baseball':
      return [unknown('home', POSITIVE, 4.4, 1), unknown('away', POSITIVE, 4.4, 1)];
    case 'tennis':
      return [unknown('serve', SHARE, 0.64, 0.5), unknown('return', SHARE, 0.36, 0.5)];
  }
}

/** A parameter as an earlier fit left it. It may have moved since by as much as `apart`. */
export function withPrior(
  parameter: Unknown,
  before: { readonly parameters: object; readonly errors: Readonly<Record<string, number>> },
): Unknown {
  const { name, scale, apart } = parameter;
  const value = (before.parameters as Readonly<Record<string, number>>)[name];
  if (value === undefined) return parameter;
  const error = (before.errors[name] ?? 0) / scale.slope(value);
  return { ...parameter, prior: { mean: scale.free(value), deviation: Math.hypot(error, apart) } };
}

/** Parameters as free numbers; the prior's, where one is missing. */
export const freeOf = (unknowns: readonly Unknown[], parameters: object): readonly number[] =>
  unknowns.map(({ name, scale, prior }) => {
    const value = (parameters as Readonly<Record<string, number | undefined>>)[name];
    return value === undefined ? prior.mean : scale.free(value);
  });
