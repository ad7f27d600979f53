// Separate runs for figures that are not sums over games, such as the share of time at the best price or the
// worst loss. The figure of some days comes from a run over the games of these days alone, which begins
// without positions and with all permits. So a sweep that holds days out plays more runs: each point on the
// days that choose, and the chosen points on the days that judge.
import type { GameId } from '../domain/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import type { GameDay } from './days.ts';
import { LEAST_GAMES } from './interval.ts';
import type { Candidate, Judging, SeparateRun } from './judge.ts';
import { MOST_SEPARATE_RUNS, rankedBy, runFigure } from './judge.ts';
import type { Objective } from './objective.ts';
import { isSound } from './outcome.ts';
import type { Point, Task } from './point.ts';
import { taskOf } from './point.ts';
import type { ResultsLog } from './results-log.ts';
import { LEAST_DAYS } from './sharpe.ts';

const DAY_MS = 24 * 3_600_000;

type Split = Judging['split'];

const gamesOn = (days: readonly GameDay[], dayIndexes: readonly number[]): readonly GameId[] =>
  dayIndexes.flatMap((day) => days[day]?.games ?? []).sort();

/**
 * The games that every point plays: those that choose, when the figure of some games needs a run of its own.
 * Undefined: all games.
 */
export const judgedGamesOf = (
  { parts }: Objective,
  split: Split,
  days: readonly GameDay[],
): readonly GameId[] | undefined =>
  parts === undefined && split.kind === 'holdout' ? gamesOn(days, split.fold.train) : undefined;

/**
 * Checks the parts of the split. @throws OddsmakerError SWEEP_INVALID when a part is too short for the
 * figure, whatever is played
 */
export function checkParts({ name, parts }: Objective, split: Split, days: readonly GameDay[]): void {
  if (parts !== undefined || split.kind === 'none') return;
  const folds = split.kind === 'holdout' ? [split.fold] : split.folds;
  for (const part of folds.flatMap(({ train, test }) => [train, test])) {
    const [first, last] = [days[part[0] ?? 0], days[part.at(-1) ?? 0]];
    const span = Math.round(((last?.startMs ?? 0) - (first?.startMs ?? 0)) / DAY_MS) + 1;
    const games = gamesOn(days, part).length;
    const why =
      name === 'sharpe' && span < LEAST_DAYS
        ? `is not known under ${LEAST_DAYS} days, and a part of the days is ${span} long`
        : name.startsWith('interval.') && name !== 'interval.games' && games < LEAST_GAMES
          ? `is not known under ${LEAST_GAMES} games, and a part of the days has ${games}`
          : undefined;
    if (why !== undefined)
      throw new OddsmakerError(
        'SWEEP_INVALID',
        `--objective ${name} ${why}: record more days, hold out another share of them, or take a figure such as edge.perPlace`,
      );
  }
}

/**
 * Looks up separate runs among the results so far. `isLeftOut`: true for runs that had two different results.
 */
export const separateRuns =
  (
    inputs: string,
    days: readonly GameDay[],
    log: ResultsLog,
    isLeftOut: (key: string) => boolean = () => false,
  ): SeparateRun =>
  (point, dayIndexes) => {
    const { key } = taskOf(inputs, point, gamesOn(days, dayIndexes));
    const outcome = log.outcomeOf(key);
    return isSound(outcome) && !isLeftOut(key) ? outcome : undefined;
  };

/**
 * Plays the separate runs that the judgement needs, in two steps: those that choose a point, then those that
 * judge the chosen points. `play`: plays the tasks that have no result yet.
 */
export async function playSeparateRuns(
  inputs: string,
  { objective, days, split }: Pick<Judging, 'objective' | 'days' | 'split'>,
  candidates: readonly Candidate[],
  log: ResultsLog,
  play: (tasks: readonly Task[], why: 'choosing' | 'judging') => Promise<void>,
): Promise<readonly Task[]> {
  if (objective.parts !== undefined || split.kind === 'none') return [];
  const taskOn = (point: Point, dayIndexes: readonly number[]): Task =>
    taskOf(inputs, point, gamesOn(days, dayIndexes));
  if (split.kind === 'holdout') {
    const best = rankedBy(candidates, objective, ({ outcome }) => runFigure(objective, outcome)).slice(
      0,
      MOST_SEPARATE_RUNS,
    );
    const judging = best.map(({ candidate }) => taskOn(candidate.point, split.fold.test));
    await play(judging, 'judging');
    return judging;
  }
  const choosing = split.folds.flatMap(({ train }) => candidates.map(({ point }) => taskOn(point, train)));
  await play(choosing, 'choosing');
  const separateRun = separateRuns(inputs, days, log);
  const judging = split.folds.flatMap(({ train, test }) =>
    rankedBy(candidates, objective, ({ point }) => runFigure(objective, separateRun(point, train)))
      .slice(0, 1)
      .map(({ candidate }) => taskOn(candidate.point, test)),
  );
  await play(judging, 'judging');
  return [...choosing, ...judging];
}
