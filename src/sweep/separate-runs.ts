// Separate runs for figures that are not sums over games, such as the share of time at the best price or the
// worst loss. The figure of some days comes from a run over the games of these days alone, which begins
// without positions and with all permits. So a sweep that holds days out plays more runs: each point on the
// days that choose, and the chosen points on the days that judge.
import type { GameId } from '../domain/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import { meets } from './constraints.ts';
import type { GameDay } from './days.ts';
import { LEAST_GAMES } from './interval.ts';
import type { Candidate, Judging, SeparateRun } from './judge.ts';
import { MOST_SEPARATE_RUNS, rankedBy } from './judge.ts';
import type { Objective } from './objective.ts';
import { isSound } from './outcome.ts';
import type { Point, Task } from './point.ts';
import { taskOf } from './point.ts';
import type { ResultsLog } from './results-log.ts';
import { figureIn, goalsOf } from './searched.ts';
import { LEAST_DAYS } from './sharpe.ts';
import type { Goals } from './standing.ts';
import { needsWholeRuns } from './standing.ts';

const DAY_MS = 24 * 3_600_000;

type Split = Judging['split'];

const gamesOn = (days: readonly GameDay[], dayIndexes: readonly number[]): readonly GameId[] =>
  dayIndexes.flatMap((day) => days[day]?.games ?? []).sort();

/**
 * The games that every point plays: those that choose, when the figure of some games needs a run of its own.
 * Undefined: all games.
 */
export const judgedGamesOf = (goals: Goals, split: Split, days: readonly GameDay[]): readonly GameId[] | undefined =>
  needsWholeRuns(goals) && split.kind === 'holdout' ? gamesOn(days, split.fold.train) : undefined;

/**
 * Checks the parts of the split. @throws OddsmakerError SWEEP_INVALID when a part is too short for the
 * figure, whatever is played
 */
export function checkParts(
  { name, parts }: Pick<Objective, 'name' | 'parts'>,
  split: Split,
  days: readonly GameDay[],
  flag = '--objective',
): void {
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
        `${flag} ${name} ${why}: record more days, hold out another share of them, or take a figure such as edge.perPlace`,
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
  judging: Pick<Judging, 'objective' | 'others' | 'constraints' | 'days' | 'split'>,
  candidates: readonly Candidate[],
  log: ResultsLog,
  play: (tasks: readonly Task[], why: 'choosing' | 'judging') => Promise<void>,
): Promise<readonly Task[]> {
  const { objective, constraints = [], days, split } = judging;
  if (!needsWholeRuns(goalsOf(judging)) || split.kind === 'none') return [];
  const taskOn = (point: Point, dayIndexes: readonly number[]): Task =>
    taskOf(inputs, point, gamesOn(days, dayIndexes));
  if (split.kind === 'holdout') {
    const meeting = candidates.filter(({ outcome }) => meets(constraints, outcome));
    const best = rankedBy(meeting, objective, ({ outcome }) => figureIn(outcome, objective)).slice(
      0,
      MOST_SEPARATE_RUNS,
    );
    const judgingTasks = best.map(({ candidate }) => taskOn(candidate.point, split.fold.test));
    await play(judgingTasks, 'judging');
    return judgingTasks;
  }
  const choosing = split.folds.flatMap(({ train }) => candidates.map(({ point }) => taskOn(point, train)));
  await play(choosing, 'choosing');
  const separateRun = separateRuns(inputs, days, log);
  const judgingTasks = split.folds.flatMap(({ train, test }) => {
    const meeting = candidates.filter(({ point }) => meets(constraints, separateRun(point, train)));
    return rankedBy(meeting, objective, ({ point }) => figureIn(separateRun(point, train), objective))
      .slice(0, 1)
      .map(({ candidate }) => taskOn(candidate.point, test));
  });
  await play(judgingTasks, 'judging');
  return [...choosing, ...judgingTasks];
}
