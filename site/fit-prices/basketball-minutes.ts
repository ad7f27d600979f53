// Basketball in play: what the mean win probabilities of FiveThirtyEight by minute show of how a team's margin comes
// about. They know the score and the clock, not the teams: each path begins at one half.
//
// A lead L after the share u of a game is normal around a · M, where M is the expected margin in deviations of the
// final margin, with variance V. The final margin is c · L + m · M and noise of variance v, with c · a + m = 1. A lead
// that shrinks at a constant rate κ has c = exp(−κ (1 − u)), V and v as that process has them. Then the mean path
// of a team gives a, the share of its margin that it has by then, as u to a power.
import { normalQuantile } from '../../src/pricing/index.ts';
import type { DataFolder } from './data.ts';
import { lowest, rms, slopeOf } from './statistics.ts';

const MINUTES = 48;
/** A. Clauset, M. Kogan, S. Redner (2015): of even teams, the side 18 points ahead at half-time wins in 95.5 %. */
const SAFE = { lead: 18, share: 0.5, wins: 0.955 };

/** For each team the normal quantiles of its mean win probability after each minute; the last one is its record. */
export function pathsOf(data: DataFolder): readonly (readonly number[])[] {
  return data
    .rows('basketballByMinute')
    .map((row) => Array.from({ length: MINUTES + 1 }, (_none, minute) => normalQuantile(row.number(String(minute)))));
}

/** The variances of a game's expected margin, in variances of the final margin: of all games, and of a team's. */
export type Strengths = { readonly all: number; readonly ofTeam: number };

export type Gain = { readonly rate: number; readonly power: number };
type LeftOfMargin = { readonly mean: number; readonly variance: number; readonly lead: number };

/** The variance of a lead that shrinks, after a share of the game, where that of a whole game is 1. */
const varianceAfter = (rate: number, share: number): number =>
  rate === 0 ? share : (1 - Math.exp(-2 * rate * share)) / (1 - Math.exp(-2 * rate));

/** What is left after the share `played`. */
export function leftAfter({ rate, power }: Gain, played: number): LeftOfMargin {
  const lead = Math.exp(-rate * (1 - played));
  return { lead, variance: varianceAfter(rate, 1 - played), mean: 1 - lead * played ** power };
}

/** The rate at which the safe lead wins as often as it is known to. */
export const rateFor = (deviation: number): number =>
  lowest(
    (rate) => {
      const { lead, variance } = leftAfter({ rate, power: 1 }, 1 - SAFE.share);
      return Math.abs((SAFE.lead * lead) / (deviation * Math.sqrt(variance)) - normalQuantile(SAFE.wins));
    },
    0.001,
    1,
    0.0005,
  );

/** The quantile of a team's mean win probability, as a part of the last one. */
export function pathAt({ rate, power }: Gain, played: number, { all, ofTeam }: Strengths): number {
  if (played === 0) return 0;
  const variance = varianceAfter(rate, played);
  const { lead } = leftAfter({ rate, power }, played);
  const gained = played ** power;
  // the final margin of teams that are not known, given the lead
  const both = gained * all + lead * variance;
  const slope = both / (gained * gained * all + variance);
  const left = Math.max(all + 1 - slope * both, 0);
  const part = (slope * gained) / Math.sqrt(left + slope * slope * variance);
  // games of a team differ, and the mean is one of probabilities
  return (part * Math.sqrt(1 + ofTeam)) / Math.sqrt(1 + ofTeam * part * part);
}

const errorsOf = (paths: readonly (readonly number[])[], partAt: (played: number) => number): readonly number[] =>
  paths.flatMap((path) =>
    path.slice(1, MINUTES).map((value, index) => value - partAt((index + 1) / MINUTES) * (path[MINUTES] ?? 0)),
  );

export const powerFor = (paths: readonly (readonly number[])[], rate: number, strengths: Strengths): number =>
  lowest((power) => rms(errorsOf(paths, (played) => pathAt({ rate, power }, played, strengths))), 0.5, 3, 0.005);

/** The errors of each team's path, where the power is fitted on all other teams. */
export const heldOutErrors = (
  paths: readonly (readonly number[])[],
  rate: number,
  strengths: Strengths,
): readonly number[] =>
  paths.flatMap((path, index) => {
    const power = powerFor(
      paths.filter((_path, other) => other !== index),
      rate,
      strengths,
    );
    return errorsOf([path], (played) => pathAt({ rate, power }, played, strengths));
  });

export const evenErrors = (paths: readonly (readonly number[])[], strengths: Strengths): readonly number[] =>
  errorsOf(paths, (played) => pathAt({ rate: 0, power: 1 }, played, strengths));

/** The slope of the paths after a minute on the last one, over all teams. */
export const slopeAt = (paths: readonly (readonly number[])[], minute: number): number =>
  slopeOf(
    paths.map((path) => path[minute] ?? 0),
    paths.map((path) => path[MINUTES] ?? 0),
  );
