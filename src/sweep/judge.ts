// Judges all points of a sweep: which is best, and whether it is better than the best of many points by
// chance. Only points that played all games are judged; every point that was started counts as a trial.
import type { GameId } from '../domain/index.ts';
import type { Constraint } from './constraints.ts';
import { meets, violationOf } from './constraints.ts';
import type { Fold, GameDay } from './days.ts';
import { compare } from './halving.ts';
import type { Interval } from './interval.ts';
import { intervalOf, LEAST_GAMES } from './interval.ts';
import type { Moments } from './moments.ts';
import { momentsOf } from './moments.ts';
import type { Objective, Share } from './objective.ts';
import { addedShares, divisorOf, figureOf, isUnknown, NO_SHARE, partsOf, scoreOf } from './objective.ts';
import type { Played } from './outcome.ts';
import type { DailyFigures, Overfitting } from './overfitting.ts';
import { BLOCKS, overfittingOf } from './overfitting.ts';
import type { Difference } from './paired.ts';
import { differenceOf, gamesNeeded } from './paired.ts';
import type { Plateau } from './plateau.ts';
import { plateauOf } from './plateau.ts';
import type { Point } from './point.ts';
import type { RealityCheck } from './reality-check.ts';
import { realityCheck } from './reality-check.ts';
import { figureIn, goalsOf } from './searched.ts';
import { needsWholeRuns } from './standing.ts';
import { deflatedSharpe, expectedBest, LEAST_DAYS, probabilisticSharpe, sharpeOf } from './sharpe.ts';

export type Candidate = {
  readonly point: Point;
  readonly outcome: Played;
  /** Position in each dimension (placesOf). */
  readonly places: readonly number[];
};

/**
 * The run of a point over the games of these days alone; undefined when it was not played, or its result is
 * not sound.
 */
export type SeparateRun = (point: Point, dayIndexes: readonly number[]) => Played | undefined;

export type Judging = {
  /** Points to judge, in the order of their numbers. */
  readonly candidates: readonly Candidate[];
  /** The run of the present configuration; undefined when it could not be played. */
  readonly present: Played | undefined;
  readonly days: readonly GameDay[];
  readonly split:
    | { readonly kind: 'none' }
    | { readonly kind: 'holdout'; readonly fold: Fold }
    | { readonly kind: 'walk-forward'; readonly folds: readonly Fold[] };
  readonly objective: Objective;
  /** Further objectives. */
  readonly others?: readonly Objective[];
  /** What a point must meet to be ranked. */
  readonly constraints?: readonly Constraint[];
  /**
   * Separate runs (separate-runs.ts), when days are held out and figures are known only for a whole run.
   */
  readonly separateRun?: SeparateRun;
  /** True when `places` of the candidates are indexes in a grid. */
  readonly isGrid?: boolean;
  /** Number of points that were started. */
  readonly trials: number;
  readonly seed: number;
};

export type Ranked = {
  readonly point: Point;
  /** The objective on the days that choose; undefined when it is not known. */
  readonly figure: number | undefined;
  readonly judgedOn: Held | undefined;
};

/** The result of a point on days that did not choose it. */
export type Held = {
  readonly days: number;
  readonly games: number;
  /** The objective on these days; undefined when it is not known. */
  readonly figure: number | undefined;
  /**
   * The sum behind the objective, in dollars or the figure's own unit; for a figure that is not a sum,
   * dollars of edge. Undefined when it is not known.
   */
  readonly sum: number | undefined;
  /** The 95 % interval of the sum; undefined: too few games. */
  readonly interval: Interval | undefined;
  /** Whether the point meets the constraints on these days; undefined: there are none, or a figure is not known. */
  readonly meets?: boolean;
};

/** How many games would show that the best point differs from another one. */
export type Needed = {
  /** The difference game by game; undefined when it cannot be known. */
  readonly difference: Difference | undefined;
  /** Undefined when the number cannot be known. */
  readonly games: number | undefined;
};

export type Judgement = {
  /** All points that meet the constraints, the best first. */
  readonly ranked: readonly Ranked[];
  readonly present: number | undefined;
  /** Number of days that choose and have a known value for every point: the statistics use only these. */
  readonly days: number;
  /** Number of days that choose and are not known for every point. */
  readonly unknownDays: number;
  readonly games: number;
  /**
   * The part of the fills for which the objective of the best point is known; undefined: it is known for all.
   */
  readonly partly: Pick<Share, 'knownFills' | 'ofFills' | 'knownPayout' | 'ofPayout'> | undefined;
  readonly overfitting: Overfitting | undefined;
  readonly sharpe:
    | {
        readonly daily: number;
        readonly probabilistic: number;
        readonly deflated: number;
        readonly expectedBest: number;
        readonly moments: Pick<Moments, 'n' | 'skew' | 'kurtosis'>;
      }
    | undefined;
  readonly realityCheck: {
    readonly nothing: RealityCheck | undefined;
    readonly present: RealityCheck | undefined;
  };
  readonly plateau: Plateau | undefined;
  /** Parameters for which the best point has the lowest or highest value tried. */
  readonly atEndOf: readonly string[];
  /** The 95 % interval of the objective of the best point; undefined: too few games. */
  readonly interval: Interval | undefined;
  /** Games needed to show a difference from the present setting and from the second best; undefined: there is none. */
  readonly needed: { readonly present: Needed | undefined; readonly second: Needed | undefined };
  readonly held: { readonly kind: 'holdout' | 'walk-forward'; readonly result: Held } | undefined;
};

/** Judges the points of a sweep that meet its constraints. Undefined when there are none. */
export function judge(judging: Judging): Judgement | undefined {
  const { present, days, split, objective, trials, seed, constraints = [] } = judging;
  const candidates = judging.candidates.filter(({ outcome }) => meets(constraints, outcome));
  if (candidates.length === 0) return undefined;
  const choosingDays = split.kind === 'holdout' ? split.fold.train : days.map((_, index) => index);
  const daily = new Map(candidates.map((candidate) => [candidate, dailyOf(candidate.outcome, days)]));
  const isSeparate = needsWholeRuns(goalsOf(judging));
  const figureOn = (candidate: Candidate, dayIndexes: readonly number[]): number | undefined => {
    if (isSeparate && dayIndexes !== choosingDays)
      return figureIn(judging.separateRun?.(candidate.point, dayIndexes), objective);
    return objective.parts === undefined
      ? runFigure(objective, candidate.outcome)
      : figureOf(objective, sumOf(daily.get(candidate), dayIndexes));
  };
  const ranked = rankedBy(candidates, objective, (candidate) => figureOn(candidate, choosingDays));
  const [best] = ranked;
  if (best === undefined) return undefined;
  // unknown values cannot be compared: points without a figure, and days that some point does not know, are
  // in no statistic
  const known = candidates.filter((candidate) => figureOn(candidate, choosingDays) !== undefined);
  const isKnownOn = (pointDays: Daily | undefined, day: number): boolean => !isUnknown(pointDays?.[day] ?? NO_SHARE);
  const knownDays = choosingDays.filter((day) => known.every((candidate) => isKnownOn(daily.get(candidate), day)));
  const dailyIn = (pointDays: Daily | undefined): DailyFigures => ({
    value: Float64Array.from(knownDays, (day) => pointDays?.[day]?.value ?? 0),
    per:
      partsOf(objective).per === undefined
        ? undefined
        : Float64Array.from(knownDays, (day) => divisorOf(objective, pointDays?.[day] ?? NO_SHARE)),
  });
  const all = known.map((candidate) => dailyIn(daily.get(candidate)));
  const values = all.map(({ value }) => value);
  const placed = known.flatMap((candidate) => {
    const { point, places } = candidate;
    const figure = figureOn(candidate, choosingDays);
    return figure === undefined ? [] : [{ number: point.number, places, figure }];
  });
  const heldOutOf = (candidate: Candidate): Held | undefined =>
    split.kind === 'holdout' ? heldIn([{ chosen: candidate, dayIndexes: split.fold.test }], judging) : undefined;
  const games = new Set(choosingDays.flatMap((day) => days[day]?.games ?? []));
  const isKnown = best.figure !== undefined;
  const mostHeld = isSeparate ? MOST_SEPARATE_RUNS : MOST_HELD_OUT;
  const neededFor = (other: Played | undefined): Needed | undefined =>
    other === undefined || !isKnown ? undefined : neededOf(objective, games, best.candidate.outcome, other);
  const presentDaily = present === undefined ? undefined : dailyOf(present, days);
  const isPresentComparable = presentDaily !== undefined && knownDays.every((day) => isKnownOn(presentDaily, day));
  return {
    ranked: ranked.map(({ candidate, figure }, place) => ({
      point: candidate.point,
      figure,
      judgedOn: place < mostHeld && figure !== undefined ? heldOutOf(candidate) : undefined,
    })),
    present:
      present === undefined
        ? undefined
        : objective.parts === undefined
          ? runFigure(objective, present)
          : figureOf(objective, sumOf(presentDaily, choosingDays)),
    days: knownDays.length,
    unknownDays: choosingDays.length - knownDays.length,
    games: games.size,
    partly: isKnown ? partlyOf(sumOf(daily.get(best.candidate), choosingDays)) : undefined,
    overfitting: overfittingOf(all, seed),
    sharpe: sharpeIn(values, known.indexOf(best.candidate), trials),
    realityCheck: {
      nothing: realityCheck(values, undefined, seed),
      present: isPresentComparable ? realityCheck(values, dailyIn(presentDaily).value, seed) : undefined,
    },
    plateau: plateauOf(placed, { isLess: objective.isLess, isGrid: judging.isGrid === true }),
    atEndOf: isKnown ? endsAt(best.candidate, candidates) : [],
    interval: isKnown ? intervalIn(best.candidate, games, objective, seed) : undefined,
    needed: {
      present: neededFor(present),
      second: ranked[1]?.figure === undefined ? undefined : neededFor(ranked[1].candidate.outcome),
    },
    held: isKnown ? heldBy(judging, heldOutOf(best.candidate), figureOn) : undefined,
  };
}

function neededOf(objective: Objective, games: ReadonlySet<GameId>, best: Played, other: Played): Needed {
  const difference = differenceOf(objective, [...games].sort(), best, other);
  return { difference, games: difference === undefined ? undefined : gamesNeeded(difference) };
}

/** The known part of a share; undefined when all of it is known. */
const partlyOf = (share: Share): Judgement['partly'] => (share.knownFills < share.ofFills ? share : undefined);

/** Most points whose result on held-out days is reported. */
const MOST_HELD_OUT = 100;
/** Most points that are judged on held-out days when each needs a separate run. */
export const MOST_SEPARATE_RUNS = 10;

/** The objective as a figure of a whole run; undefined when the run or the figure is not known. */
export const runFigure = ({ name }: Objective, run: Played | undefined): number | undefined =>
  run?.figures[name] ?? undefined;

/** Numeric parameters with at least three values for which a point has the lowest or highest value. */
function endsAt({ point, places }: Candidate, candidates: readonly Candidate[]): readonly string[] {
  return point.settings.flatMap(({ name, value }, index) => {
    const all = [...new Set(candidates.map((candidate) => candidate.places[index] ?? 0))].sort((a, b) => a - b);
    const place = places[index] ?? 0;
    const isEnd = place === all[0] || place === all.at(-1);
    return typeof value === 'number' && all.length > 2 && isEnd ? [name] : [];
  });
}

/** The share that each day adds. */
type Daily = readonly Share[];

function dailyOf({ games }: Played, days: readonly GameDay[]): Daily {
  const byGame = new Map<GameId, Share>(games.map((outcome) => [outcome.game, outcome]));
  return days.map((day) => addedShares(day.games.flatMap((id) => byGame.get(id) ?? [])));
}

const sumOf = (daily: Daily | undefined, dayIndexes: readonly number[]): Share =>
  addedShares(dayIndexes.map((day) => daily?.[day] ?? NO_SHARE));

/** Candidates with their figures, the best first; of equal figures the earlier point comes first. */
export function rankedBy(
  candidates: readonly Candidate[],
  objective: Objective,
  figureIn: (candidate: Candidate) => number | undefined,
): readonly { readonly candidate: Candidate; readonly figure: number | undefined }[] {
  return candidates
    .map((candidate) => {
      const figure = figureIn(candidate);
      return { candidate, figure, score: scoreOf(objective, figure) };
    })
    .sort((a, b) => compare(b.score, a.score) || a.candidate.point.number - b.candidate.point.number);
}

/** Sharpe statistics of the daily sums. Ratios of a day are not used: each day is one number of a series. */
function sharpeIn(values: readonly Float64Array[], best: number, trials: number): Judgement['sharpe'] {
  if ((values[0]?.length ?? 0) < LEAST_DAYS) return undefined;
  const moments = values.map(momentsOf);
  const ratios = moments.map((series) => sharpeOf(series) ?? 0);
  const own = moments[best];
  const sharpe = ratios[best];
  if (own === undefined || sharpe === undefined) return undefined;
  const { deviation } = momentsOf(ratios);
  const sharpeMoments = { sharpe, n: own.n, skew: own.skew, kurtosis: own.kurtosis };
  return {
    daily: sharpe,
    probabilistic: probabilisticSharpe(sharpeMoments),
    deflated: deflatedSharpe(sharpeMoments, trials, deviation ** 2),
    expectedBest: expectedBest(trials, deviation ** 2),
    moments: { n: own.n, skew: own.skew, kurtosis: own.kurtosis },
  };
}

function intervalIn(
  { outcome }: Candidate,
  games: ReadonlySet<GameId>,
  objective: Objective,
  seed: number,
): Interval | undefined {
  const { isMoney, per } = partsOf(objective);
  const rows = rowsOf(outcome.games, games).filter((row) => !isUnknown(row));
  const interval = intervalOf(
    rows.map((row) => ({ value: row.value, per: divisorOf(objective, row) })),
    per !== undefined,
    seed,
  );
  const unit = isMoney ? 1e6 : 1;
  return interval === undefined ? undefined : { low: interval.low / unit, high: interval.high / unit };
}

/** A share for each game, zero for games in which the point did nothing. */
function rowsOf(games: Played['games'], ids: ReadonlySet<GameId>): readonly Share[] {
  const byGame = new Map<GameId, Share>(games.map((outcome) => [outcome.game, outcome]));
  return [...ids].sort().map((id) => byGame.get(id) ?? NO_SHARE);
}

function heldBy(
  judging: Judging,
  best: Held | undefined,
  figureOn: (candidate: Candidate, dayIndexes: readonly number[]) => number | undefined,
): Judgement['held'] {
  const { split, candidates, objective, constraints = [], separateRun } = judging;
  if (split.kind === 'none') return undefined;
  if (split.kind === 'holdout') return best === undefined ? undefined : { kind: 'holdout', result: best };
  const chosen = split.folds.flatMap(({ train, test }) => {
    const meeting = candidates.filter(
      ({ point }) => constraints.length === 0 || meets(constraints, separateRun?.(point, train)),
    );
    const [first] = rankedBy(meeting, objective, (candidate) => figureOn(candidate, train));
    return first === undefined ? [] : [{ chosen: first.candidate, dayIndexes: test }];
  });
  // before some parts no point met the constraints
  return chosen.length === 0 ? undefined : { kind: 'walk-forward', result: heldIn(chosen, judging) };
}

/** The joint result of the chosen points, each on days that did not choose it. */
function heldIn(
  parts: readonly { readonly chosen: Candidate; readonly dayIndexes: readonly number[] }[],
  judging: Judging,
): Held {
  const { days, objective, seed, separateRun, constraints = [] } = judging;
  const isSeparate = needsWholeRuns(goalsOf(judging));
  const played = parts.map(({ chosen: { point, outcome }, dayIndexes }) => {
    const run = isSeparate ? separateRun?.(point, dayIndexes) : outcome;
    return { run, rows: rowsOf(run?.games ?? [], new Set(dayIndexes.flatMap((day) => days[day]?.games ?? []))) };
  });
  const rows = played.flatMap((part) => part.rows);
  const sums = addedShares(rows);
  const isLost = played.some(({ run }) => run === undefined) || isUnknown(sums);
  const unit = partsOf(objective).isMoney ? 1e6 : 1;
  const violations = played.map(({ run }) => violationOf(constraints, run));
  const misses = violations.some((violation) => violation !== undefined && violation > 0);
  const interval = isLost
    ? undefined
    : intervalOf(
        rows.filter((row) => !isUnknown(row)),
        false,
        seed,
      );
  return {
    days: parts.reduce((count, { dayIndexes }) => count + dayIndexes.length, 0),
    games: rows.length,
    figure:
      objective.parts === undefined
        ? meanOf(
            played.map(({ run, rows: gameRows }) => ({ figure: runFigure(objective, run), games: gameRows.length })),
          )
        : isLost
          ? undefined
          : figureOf(objective, sums),
    sum: isLost ? undefined : sums.value / unit,
    interval: interval === undefined ? undefined : { low: interval.low / unit, high: interval.high / unit },
    ...(constraints.length === 0 || (!misses && violations.includes(undefined)) ? {} : { meets: !misses }),
  };
}

/**
 * The mean figure of separate runs, weighted by their games. Undefined when the figure of some run is not
 * known.
 */
function meanOf(parts: readonly { readonly figure: number | undefined; readonly games: number }[]): number | undefined {
  if (parts.length === 0 || parts.some(({ figure }) => figure === undefined)) return undefined;
  const games = parts.reduce((sum, part) => sum + part.games, 0);
  return parts.reduce((sum, part) => sum + (part.figure ?? 0) * part.games, 0) / games;
}

export { BLOCKS, LEAST_DAYS, LEAST_GAMES };
