// Figures that are no sums over games, such as the share of time at the best price or the worst loss. Those of some days are taken
// from a run over the games of these days alone: it begins without positions, and with all its permits. So a sweep that holds days
// out plays more for them: each point on the days that choose, and those that are judged on the days that judge.
import type { GameId } from '../domain/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import type { GameDay } from './days.ts';
import { LEAST_GAMES } from './interval.ts';
import type { Candidate, Judging, RunApart } from './judge.ts';
import { MOST_APART, rankedBy, wholeFigure } from './judge.ts';
import type { Objective } from './objective.ts';
import { isSound } from './outcome.ts';
import type { Point, Task } from './point.ts';
import { taskOf } from './point.ts';
import type { ResultsLog } from './results-log.ts';
import { LEAST_DAYS } from './sharpe.ts';

const DAY_MS = 24 * 3_600_000;

type Split = Judging['split'];

const gamesOn = (days: readonly GameDay[], on: readonly number[]): readonly GameId[] =>
  on.flatMap((day) => days[day]?.games ?? []).sort();

/** What every point plays: the games that choose, where the figure of some games needs a run of its own. Undefined: all. */
export const wholeOf = ({ parts }: Objective, split: Split, days: readonly GameDay[]): readonly GameId[] | undefined =>
  parts === undefined && split.kind === 'holdout' ? gamesOn(days, split.fold.train) : undefined;

/** @throws OddsmakerError SWEEP_INVALID when a part of the days is too short for the figure, whatever is played */
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

/** Of the runs that were played so far. `isLeftOut`: of those that came to two results. */
export const runsApart =
  (
    inputs: string,
    days: readonly GameDay[],
    log: ResultsLog,
    isLeftOut: (key: string) => boolean = () => false,
  ): RunApart =>
  (point, on) => {
    const { key } = taskOf(inputs, point, gamesOn(days, on));
    const outcome = log.outcomeOf(key);
    return isSound(outcome) && !isLeftOut(key) ? outcome : undefined;
  };

/**
 * The runs that the judgement needs beside those of the search, in two steps: those that choose, and those of what was chosen.
 * `play`: plays those that are not known yet.
 */
export async function playApart(
  inputs: string,
  { objective, days, split }: Pick<Judging, 'objective' | 'days' | 'split'>,
  candidates: readonly Candidate[],
  log: ResultsLog,
  play: (tasks: readonly Task[], why: 'choosing' | 'judging') => Promise<void>,
): Promise<readonly Task[]> {
  if (objective.parts !== undefined || split.kind === 'none') return [];
  const on = (point: Point, some: readonly number[]): Task => taskOf(inputs, point, gamesOn(days, some));
  if (split.kind === 'holdout') {
    const best = rankedBy(candidates, objective, ({ outcome }) => wholeFigure(objective, outcome)).slice(0, MOST_APART);
    const judging = best.map(({ candidate }) => on(candidate.point, split.fold.test));
    await play(judging, 'judging');
    return judging;
  }
  const choosing = split.folds.flatMap(({ train }) => candidates.map(({ point }) => on(point, train)));
  await play(choosing, 'choosing');
  const apart = runsApart(inputs, days, log);
  const judging = split.folds.flatMap(({ train, test }) =>
    rankedBy(candidates, objective, ({ point }) => wholeFigure(objective, apart(point, train)))
      .slice(0, 1)
      .map(({ candidate }) => on(candidate.point, test)),
  );
  await play(judging, 'judging');
  return [...choosing, ...judging];
}
