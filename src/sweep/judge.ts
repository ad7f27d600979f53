// All points of a sweep together: which did best, and whether that is more than the best of many must be by chance. Only
// points that played all games are judged; every point that was started counts as a trial.
import type { GameId } from '../domain/index.ts';
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
import type { Plateau } from './plateau.ts';
import { plateauOf } from './plateau.ts';
import type { Point } from './point.ts';
import type { RealityCheck } from './reality-check.ts';
import { realityCheck } from './reality-check.ts';
import { deflatedSharpe, expectedBest, LEAST_DAYS, probabilisticSharpe, sharpeOf } from './sharpe.ts';

export type Candidate = {
  readonly point: Point;
  readonly outcome: Played;
  /** Where it lies among the others (placesOf). */
  readonly places: readonly number[];
};

/** A point over the games of these days alone; undefined: it was not played there, or is not sound. */
export type RunApart = (point: Point, on: readonly number[]) => Played | undefined;

export type Judging = {
  /** In the order of their numbers. */
  readonly candidates: readonly Candidate[];
  /** The configuration as it is; undefined: it could not be played. */
  readonly present: Played | undefined;
  readonly days: readonly GameDay[];
  readonly split:
    | { readonly kind: 'none' }
    | { readonly kind: 'holdout'; readonly fold: Fold }
    | { readonly kind: 'walk-forward'; readonly folds: readonly Fold[] };
  readonly objective: Objective;
  /** Of an objective that is no sum over games, where days are held out (apart.ts). */
  readonly apart?: RunApart;
  /** Places of candidates are steps of a grid. */
  readonly isGrid?: boolean;
  /** Points that were started. */
  readonly trials: number;
  readonly seed: number;
};

export type Ranked = {
  readonly point: Point;
  /** The objective on the days that choose; undefined: not known. */
  readonly figure: number | undefined;
  readonly judgedOn: Held | undefined;
};

/** What days that did not choose say. */
export type Held = {
  readonly days: number;
  readonly games: number;
  /** The objective there. */
  readonly figure: number | undefined;
  /** What it is a sum of, dollars or the figure's own unit; where it is none, dollars of edge. Undefined: not known. */
  readonly sum: number | undefined;
  /** 95 % of the sum; undefined: too few games. */
  readonly interval: Interval | undefined;
};

export type Judgement = {
  /** The best first. */
  readonly ranked: readonly Ranked[];
  readonly present: number | undefined;
  /** Of the days that choose, those of which something is known of every point: the statistics are of them. */
  readonly days: number;
  /** The others. */
  readonly unknownDays: number;
  readonly games: number;
  /** Of how much the objective of the best is known; undefined: of all. */
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
  /** Parameters of which the best has the least or the most that was tried. */
  readonly atEndOf: readonly string[];
  /** 95 % of the objective of the best; undefined: too few games. */
  readonly interval: Interval | undefined;
  readonly held: { readonly kind: 'holdout' | 'walk-forward'; readonly of: Held } | undefined;
};

/** Undefined: there is nothing to judge. */
export function judge(judging: Judging): Judgement | undefined {
  const { candidates, present, days, split, objective, trials, seed } = judging;
  if (candidates.length === 0) return undefined;
  const chosenOn = split.kind === 'holdout' ? split.fold.train : days.map((_, index) => index);
  const daily = new Map(candidates.map((one) => [one, dailyOf(one.outcome, days)]));
  const figureIn = (one: Candidate, on: readonly number[]): number | undefined =>
    objective.parts === undefined
      ? wholeFigure(objective, on === chosenOn ? one.outcome : judging.apart?.(one.point, on))
      : figureOf(objective, sumOf(daily.get(one), on));
  const ranked = rankedBy(candidates, objective, (one) => figureIn(one, chosenOn));
  const [best] = ranked;
  if (best === undefined) return undefined;
  // what is not known compares with nothing: those points, and the days of which nothing is known, are in no statistic
  const known = candidates.filter((one) => figureIn(one, chosenOn) !== undefined);
  const isKnownOn = (of: Daily | undefined, day: number): boolean => !isUnknown(of?.[day] ?? NO_SHARE);
  const knownOn = chosenOn.filter((day) => known.every((one) => isKnownOn(daily.get(one), day)));
  const dailyIn = (of: Daily | undefined): DailyFigures => ({
    value: Float64Array.from(knownOn, (day) => of?.[day]?.value ?? 0),
    per:
      partsOf(objective).per === undefined
        ? undefined
        : Float64Array.from(knownOn, (day) => divisorOf(objective, of?.[day] ?? NO_SHARE)),
  });
  const all = known.map((one) => dailyIn(daily.get(one)));
  const values = all.map(({ value }) => value);
  const placed = known.flatMap((one) => {
    const { point, places } = one;
    const figure = figureIn(one, chosenOn);
    return figure === undefined ? [] : [{ number: point.number, places, figure }];
  });
  const heldOf = (one: Candidate): Held | undefined =>
    split.kind === 'holdout' ? heldIn([{ chosen: one, on: split.fold.test }], judging) : undefined;
  const games = new Set(chosenOn.flatMap((day) => days[day]?.games ?? []));
  const mostHeld = objective.parts === undefined ? MOST_APART : MOST_HELD;
  const isKnown = best.figure !== undefined;
  const now = present === undefined ? undefined : dailyOf(present, days);
  const comparesNow = now !== undefined && knownOn.every((day) => isKnownOn(now, day));
  return {
    ranked: ranked.map(({ candidate, figure }, place) => ({
      point: candidate.point,
      figure,
      judgedOn: place < mostHeld && figure !== undefined ? heldOf(candidate) : undefined,
    })),
    present:
      present === undefined
        ? undefined
        : objective.parts === undefined
          ? wholeFigure(objective, present)
          : figureOf(objective, sumOf(now, chosenOn)),
    days: knownOn.length,
    unknownDays: chosenOn.length - knownOn.length,
    games: games.size,
    partly: isKnown ? partlyOf(sumOf(daily.get(best.candidate), chosenOn)) : undefined,
    overfitting: overfittingOf(all, seed),
    sharpe: sharpeIn(values, known.indexOf(best.candidate), trials),
    realityCheck: {
      nothing: realityCheck(values, undefined, seed),
      present: comparesNow ? realityCheck(values, dailyIn(now).value, seed) : undefined,
    },
    plateau: plateauOf(placed, { isLess: objective.isLess, isGrid: judging.isGrid === true }),
    atEndOf: isKnown ? endsAt(best.candidate, candidates) : [],
    interval: isKnown ? intervalIn(best.candidate, games, objective, seed) : undefined,
    held: isKnown ? heldBy(judging, heldOf(best.candidate), figureIn) : undefined,
  };
}

/** Undefined: it is known of all that filled. */
const partlyOf = (share: Share): Judgement['partly'] => (share.knownFills < share.ofFills ? share : undefined);

/** Of more, nobody reads it. */
const MOST_HELD = 100;
/** The same, where each takes a run of its own. */
export const MOST_APART = 10;

/** Of a run over the games that are asked for, and no others. */
export const wholeFigure = ({ name }: Objective, run: Played | undefined): number | undefined =>
  run?.figures[name] ?? undefined;

/** Of numbers with three values or more. */
function endsAt({ point, places }: Candidate, candidates: readonly Candidate[]): readonly string[] {
  return point.settings.flatMap(({ name, value }, index) => {
    const all = [...new Set(candidates.map((one) => one.places[index] ?? 0))].sort((a, b) => a - b);
    const at = places[index] ?? 0;
    const isEnd = at === all[0] || at === all.at(-1);
    return typeof value === 'number' && all.length > 2 && isEnd ? [name] : [];
  });
}

/** What each day adds. */
type Daily = readonly Share[];

function dailyOf({ games }: Played, days: readonly GameDay[]): Daily {
  const byGame = new Map<GameId, Share>(games.map((one) => [one.game, one]));
  return days.map((day) => addedShares(day.games.flatMap((id) => byGame.get(id) ?? [])));
}

const sumOf = (daily: Daily | undefined, on: readonly number[]): Share =>
  addedShares(on.map((day) => daily?.[day] ?? NO_SHARE));

/** The best first; of equals the earlier. */
export function rankedBy(
  candidates: readonly Candidate[],
  objective: Objective,
  figureIn: (one: Candidate) => number | undefined,
): readonly { readonly candidate: Candidate; readonly figure: number | undefined }[] {
  return candidates
    .map((candidate) => {
      const figure = figureIn(candidate);
      return { candidate, figure, score: scoreOf(objective, figure) };
    })
    .sort((a, b) => compare(b.score, a.score) || a.candidate.point.number - b.candidate.point.number);
}

/** Of the daily sums, never of their ratios: a day is one figure of a series. */
function sharpeIn(values: readonly Float64Array[], best: number, trials: number): Judgement['sharpe'] {
  if ((values[0]?.length ?? 0) < LEAST_DAYS) return undefined;
  const moments = values.map(momentsOf);
  const ratios = moments.map((one) => sharpeOf(one) ?? 0);
  const own = moments[best];
  const sharpe = ratios[best];
  if (own === undefined || sharpe === undefined) return undefined;
  const { deviation } = momentsOf(ratios);
  const told = { sharpe, n: own.n, skew: own.skew, kurtosis: own.kurtosis };
  return {
    daily: sharpe,
    probabilistic: probabilisticSharpe(told),
    deflated: deflatedSharpe(told, trials, deviation ** 2),
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

/** A row for each game of the tapes, also where the point did nothing. */
function rowsOf(games: Played['games'], ids: ReadonlySet<GameId>): readonly Share[] {
  const byGame = new Map<GameId, Share>(games.map((one) => [one.game, one]));
  return [...ids].sort().map((id) => byGame.get(id) ?? NO_SHARE);
}

function heldBy(
  judging: Judging,
  best: Held | undefined,
  figureIn: (one: Candidate, on: readonly number[]) => number | undefined,
): Judgement['held'] {
  const { split, candidates, objective } = judging;
  if (split.kind === 'none') return undefined;
  if (split.kind === 'holdout') return best === undefined ? undefined : { kind: 'holdout', of: best };
  const chosen = split.folds.flatMap(({ train, test }) => {
    const [first] = rankedBy(candidates, objective, (one) => figureIn(one, train));
    return first === undefined ? [] : [{ chosen: first.candidate, on: test }];
  });
  return { kind: 'walk-forward', of: heldIn(chosen, judging) };
}

/** Each of the chosen on days that did not choose it. */
function heldIn(
  parts: readonly { readonly chosen: Candidate; readonly on: readonly number[] }[],
  { days, objective, seed, apart }: Judging,
): Held {
  const played = parts.map(({ chosen: { point, outcome }, on }) => {
    const run = objective.parts === undefined ? apart?.(point, on) : outcome;
    return { run, rows: rowsOf(run?.games ?? [], new Set(on.flatMap((day) => days[day]?.games ?? []))) };
  });
  const rows = played.flatMap((one) => one.rows);
  const sums = addedShares(rows);
  const isLost = played.some(({ run }) => run === undefined) || isUnknown(sums);
  const unit = partsOf(objective).isMoney ? 1e6 : 1;
  const interval = isLost
    ? undefined
    : intervalOf(
        rows.filter((row) => !isUnknown(row)),
        false,
        seed,
      );
  return {
    days: parts.reduce((count, { on }) => count + on.length, 0),
    games: rows.length,
    figure:
      objective.parts === undefined
        ? meanOf(played.map(({ run, rows: of }) => ({ figure: wholeFigure(objective, run), games: of.length })))
        : figureOf(objective, sums),
    sum: isLost ? undefined : sums.value / unit,
    interval: interval === undefined ? undefined : { low: interval.low / unit, high: interval.high / unit },
  };
}

/** Of runs apart, each counted by its games. Undefined: not known of one of them. */
function meanOf(parts: readonly { readonly figure: number | undefined; readonly games: number }[]): number | undefined {
  if (parts.length === 0 || parts.some(({ figure }) => figure === undefined)) return undefined;
  const games = parts.reduce((sum, part) => sum + part.games, 0);
  return parts.reduce((sum, part) => sum + (part.figure ?? 0) * part.games, 0) / games;
}

export { BLOCKS, LEAST_DAYS, LEAST_GAMES };
