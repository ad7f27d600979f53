// The way through the points: all of them at once, or by halving, round after round. What plays them is handed in: threads of
// this process, or a queue.
import type { GameId } from '../domain/index.ts';
import { keptOf, roundsOf } from './halving.ts';
import type { Objective } from './objective.ts';
import { figureOf } from './objective.ts';
import type { Outcome } from './outcome.ts';
import { isSound } from './outcome.ts';
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
  readonly objective: Objective;
  readonly seed: number;
};

export type Searched = {
  /** Every task that was played, in the order of rounds and points. */
  readonly tasks: readonly Task[];
  /** Those of all games, the present setting apart. */
  readonly whole: readonly Task[];
  readonly present: Task;
};

const PRESENT: Point = { number: 0, settings: [] };

/** `begin`: called before each round, with all its tasks and those that are still to be played. */
export async function searchThrough(
  { kind, points, inputs, games, objective, seed }: Search,
  log: ResultsLog,
  play: Player,
  begin: (round: number, all: number, left: number) => void = () => undefined,
): Promise<Searched> {
  const present = taskOf(inputs, PRESENT, undefined);
  const tasks: Task[] = [];
  const playAll = async (round: number, all: readonly Task[]): Promise<void> => {
    const left = all.filter(({ key }) => {
      const outcome = log.outcomeOf(key);
      return outcome === undefined || isWorthAnother(outcome);
    });
    begin(round, all.length, left.length);
    if (left.length > 0) await play(left, (task, outcome) => log.add(task, outcome));
    tasks.push(...all);
  };
  if (kind !== 'halving') {
    const whole = points.map((point) => taskOf(inputs, point, undefined));
    await playAll(1, [present, ...whole]);
    return { tasks, whole, present };
  }
  let left = points;
  let whole: readonly Task[] = [];
  const rounds = roundsOf(games, seed);
  for (const [index, part] of rounds.entries()) {
    whole = left.map((point) => taskOf(inputs, point, part));
    await playAll(index + 1, part === undefined ? [present, ...whole] : whole);
    if (part === undefined) break;
    left = keptOf(
      whole.map((task) => ({ point: task.point, figure: figureIn(log.outcomeOf(task.key), objective) })),
    );
  }
  return { tasks, whole, present };
}

/** A longer budget may do. */
const isWorthAnother = (outcome: Outcome): boolean =>
  outcome.status === 'failed' && outcome.code === 'POINT_OVERRAN';

/** Over all games that it played. */
export function figureIn(outcome: Outcome | undefined, objective: Objective): number | undefined {
  if (!isSound(outcome)) return undefined;
  if (objective.parts === undefined) return outcome.figures[objective.name] ?? undefined;
  return figureOf(
    objective,
    outcome.games.reduce((sum, game) => ({ value: sum.value + game.value, per: sum.per + game.per }), {
      value: 0,
      per: 0,
    }),
  );
}
