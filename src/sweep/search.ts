// Runs a search: all points at once, or halving, round after round. The caller gives the player: threads of
// this process, or a queue.
import type { GameId } from '../domain/index.ts';
import { keptOf, roundsOf } from './halving.ts';
import type { Objective } from './objective.ts';
import { addedShares, figureOf, scoreOf } from './objective.ts';
import type { Outcome } from './outcome.ts';
import { isSound, mayRetry } from './outcome.ts';
import type { Point, Task } from './point.ts';
import { taskOf } from './point.ts';
import type { ResultsLog } from './results-log.ts';

/** Plays all tasks, and reports each as it ends. */
export type Player = (tasks: readonly Task[], ended: (task: Task, outcome: Outcome) => void) => Promise<void>;

export type Search = {
  readonly kind: 'grid' | 'random' | 'halving';
  readonly points: readonly Point[];
  /** Hash of everything else on which results depend. */
  readonly inputs: string;
  /** Games that may choose, for halving. */
  readonly games: readonly GameId[];
  /** Games that judged points play, in the order of their ids; undefined: all games. */
  readonly judgedGames: readonly GameId[] | undefined;
  readonly objective: Objective;
  readonly seed: number;
};

export type SearchResult = {
  /** Every task that was played, in the order of rounds and points. */
  readonly tasks: readonly Task[];
  /** Tasks whose points are judged, without the present setting. */
  readonly judged: readonly Task[];
  readonly present: Task;
};

const PRESENT: Point = { number: 0, settings: [] };

/**
 * Plays the tasks without a final result. `begin`: called before, with the number of all tasks and of those
 * left.
 */
export async function playMissing(
  tasks: readonly Task[],
  log: ResultsLog,
  play: Player,
  begin: (all: number, left: number) => void,
): Promise<void> {
  const left = tasks.filter(({ key }) => {
    const outcome = log.outcomeOf(key);
    return outcome === undefined || mayRetry(outcome);
  });
  begin(tasks.length, left.length);
  if (left.length > 0) await play(left, (task, outcome) => log.addResult(task, outcome));
}

/**
 * Runs the search. `begin`: called before each round, with the number of its tasks and of those left to play.
 */
export async function searchPoints(
  { kind, points, inputs, games, judgedGames, objective, seed }: Search,
  log: ResultsLog,
  play: Player,
  begin: (round: number, all: number, left: number) => void = () => undefined,
): Promise<SearchResult> {
  const present = taskOf(inputs, PRESENT, judgedGames);
  const tasks: Task[] = [];
  const playAll = async (round: number, all: readonly Task[]): Promise<void> => {
    await playMissing(all, log, play, (count, left) => begin(round, count, left));
    tasks.push(...all);
  };
  if (kind !== 'halving') {
    const judged = points.map((point) => taskOf(inputs, point, judgedGames));
    await playAll(1, [present, ...judged]);
    return { tasks, judged, present };
  }
  let left = points;
  let judged: readonly Task[] = [];
  const rounds = roundsOf(games, seed);
  for (const [index, part] of rounds.entries()) {
    const isLast = part === undefined;
    judged = left.map((point) => taskOf(inputs, point, isLast ? judgedGames : part));
    await playAll(index + 1, isLast ? [present, ...judged] : judged);
    if (isLast) break;
    left = keptOf(
      judged.map(({ point, key }) => ({
        point,
        score: scoreOf(objective, figureIn(log.outcomeOf(key), objective)),
      })),
    );
  }
  return { tasks, judged, present };
}

/** The objective over all games of an outcome; undefined when it is not sound or the figure is not known. */
export function figureIn(outcome: Outcome | undefined, objective: Objective): number | undefined {
  if (!isSound(outcome)) return undefined;
  if (objective.parts === undefined) return outcome.figures[objective.name] ?? undefined;
  return figureOf(objective, addedShares(outcome.games));
}
