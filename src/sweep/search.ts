// The way through the points: all of them at once, or by halving, round after round. What plays them is handed in: threads of
// this process, or a queue.
import type { GameId } from '../domain/index.ts';
import { keptOf, roundsOf } from './halving.ts';
import type { Objective } from './objective.ts';
import { addedShares, figureOf, scoreOf } from './objective.ts';
import type { Outcome } from './outcome.ts';
import { isSound, isWorthAnother } from './outcome.ts';
import type { Point, Task } from './point.ts';
import { taskOf } from './point.ts';
import type { ResultsLog } from './results-log.ts';

/** Plays all of them, and tells of each as it ends. */
export type Player = (tasks: readonly Task[], ended: (task: Task, outcome: Outcome) => void) => Promise<void>;

export type Search = {
  readonly kind: 'grid' | 'random' | 'halving';
  readonly points: readonly Point[];
  /** Hash of everything else that results depend on. */
  readonly inputs: string;
  /** Those that may choose, for halving. */
  readonly games: readonly GameId[];
  /** What points play that are judged, in the order of their ids; undefined: all. */
  readonly whole: readonly GameId[] | undefined;
  readonly objective: Objective;
  readonly seed: number;
};

export type Searched = {
  /** Every task that was played, in the order of rounds and points. */
  readonly tasks: readonly Task[];
  /** Those that are judged, the present setting apart. */
  readonly whole: readonly Task[];
  readonly present: Task;
};

const PRESENT: Point = { number: 0, settings: [] };

/** Those of which nothing is known yet. `begin`: called before, with how many there are in all, and how many are left. */
export async function playMissing(
  tasks: readonly Task[],
  log: ResultsLog,
  play: Player,
  begin: (all: number, left: number) => void,
): Promise<void> {
  const left = tasks.filter(({ key }) => {
    const outcome = log.outcomeOf(key);
    return outcome === undefined || isWorthAnother(outcome);
  });
  begin(tasks.length, left.length);
  if (left.length > 0) await play(left, (task, outcome) => log.add(task, outcome));
}

/** `begin`: called before each round, with all its tasks and those that are still to be played. */
export async function searchThrough(
  { kind, points, inputs, games, whole: judged, objective, seed }: Search,
  log: ResultsLog,
  play: Player,
  begin: (round: number, all: number, left: number) => void = () => undefined,
): Promise<Searched> {
  const present = taskOf(inputs, PRESENT, judged);
  const tasks: Task[] = [];
  const playAll = async (round: number, all: readonly Task[]): Promise<void> => {
    await playMissing(all, log, play, (count, left) => begin(round, count, left));
    tasks.push(...all);
  };
  if (kind !== 'halving') {
    const whole = points.map((point) => taskOf(inputs, point, judged));
    await playAll(1, [present, ...whole]);
    return { tasks, whole, present };
  }
  let left = points;
  let whole: readonly Task[] = [];
  const rounds = roundsOf(games, seed);
  for (const [index, part] of rounds.entries()) {
    const isLast = part === undefined;
    whole = left.map((point) => taskOf(inputs, point, isLast ? judged : part));
    await playAll(index + 1, isLast ? [present, ...whole] : whole);
    if (isLast) break;
    left = keptOf(
      whole.map(({ point, key }) => ({
        point,
        score: scoreOf(objective, figureIn(log.outcomeOf(key), objective)),
      })),
    );
  }
  return { tasks, whole, present };
}

/** Over all games that it played. */
export function figureIn(outcome: Outcome | undefined, objective: Objective): number | undefined {
  if (!isSound(outcome)) return undefined;
  if (objective.parts === undefined) return outcome.figures[objective.name] ?? undefined;
  return figureOf(objective, addedShares(outcome.games));
}
