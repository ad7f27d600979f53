// What a search is, what it gives, and how its points stand by their results.
import type { GameId } from '../domain/index.ts';
import type { Constraint } from './constraints.ts';
import type { Objective } from './objective.ts';
import { addedShares, figureOf } from './objective.ts';
import type { Outcome, Played } from './outcome.ts';
import { isSound } from './outcome.ts';
import type { Point, Task } from './point.ts';
import type { ResultsLog } from './results-log.ts';
import type { Dimension } from './scale.ts';
import type { Goals, Standing } from './standing.ts';
import { standingOf } from './standing.ts';

/** Plays all tasks, and reports each as it ends. */
export type Player = (tasks: readonly Task[], ended: (task: Task, outcome: Outcome) => void) => Promise<void>;

export const SEARCHES = ['grid', 'random', 'halving', 'tpe'] as const;

export type Search = {
  readonly kind: (typeof SEARCHES)[number];
  /** The points; for tpe those that are played before the first estimate. */
  readonly points: readonly Point[];
  /** Present for tpe: the parameters, and the number of points in all. */
  readonly tpe?: { readonly dimensions: readonly Dimension[]; readonly count: number };
  /** Points that are asked for at once, when results decide what is played next. */
  readonly batch?: number;
  /** True when points that are clearly worse than the best after some games are stopped. */
  readonly stopsEarly?: boolean;
  /** Hash of everything else on which results depend. */
  readonly inputs: string;
  /** Games that may choose: only their results guide a search. */
  readonly games: readonly GameId[];
  /** Games that judged points play, in the order of their ids; undefined: all games. */
  readonly judgedGames: readonly GameId[] | undefined;
  /** Number of games that a judged point plays. */
  readonly playedGames?: number;
  readonly objective: Objective;
  /** Further objectives, for a front, and constraints. */
  readonly others?: readonly Objective[];
  readonly constraints?: readonly Constraint[];
  readonly seed: number;
};

export type SearchResult = {
  /** Every task that was played, in the order of rounds and points. */
  readonly tasks: readonly Task[];
  /** Tasks whose points are judged, without the present setting. */
  readonly judged: readonly Task[];
  readonly present: Task;
  /** All points that were started, in the order of their numbers. */
  readonly points: readonly Point[];
  /** Runs of a best point over the games after which others are compared with it, unless it had one before. */
  readonly compared?: readonly Task[];
  readonly stopped?: Stopped;
  /** Points that halving dropped because a figure was not known on the games of their round. */
  readonly unknownDropped?: number;
};

/** What stopping early did. */
export type Stopped = {
  /** Numbers of the points that were stopped. */
  readonly points: readonly number[];
  /** The games after which points were compared with the best. */
  readonly after: number;
  /**
   * Games that were not played, less those that were played twice: below 0 when few points were stopped.
   */
  readonly savedGames: number;
};

/** Plays all tasks of a round. */
export type RoundPlayer = (round: number, tasks: readonly Task[]) => Promise<void>;

export const goalsOf = ({
  objective,
  others = [],
  constraints = [],
}: Pick<Search, 'objective' | 'others' | 'constraints'>): Goals => ({
  objectives: [objective, ...others],
  constraints,
});

/**
 * The standing of a task's point. A run over all games covers games that judge as well: these guide no search.
 * Undefined when a figure is not known.
 */
export function standingIn(search: Search, { point, games: played, key }: Task, log: ResultsLog): Standing | undefined {
  const outcome = log.outcomeOf(key);
  if (!isSound(outcome)) return undefined;
  const { objective, games } = search;
  const first =
    objective.parts === undefined || played !== undefined
      ? figureIn(outcome, objective)
      : figureOf(objective, addedShares(gamesAmong(outcome.games, new Set(games))));
  return standingOf(point.number, first, outcome, goalsOf(search));
}

const gamesAmong = (games: Played['games'], chosen: ReadonlySet<GameId>): Played['games'] =>
  games.filter(({ game }) => chosen.has(game));

/** The objective over all games of an outcome; undefined when it is not sound or the figure is not known. */
export function figureIn(outcome: Outcome | undefined, objective: Objective): number | undefined {
  if (!isSound(outcome)) return undefined;
  if (objective.parts === undefined) return outcome.figures[objective.name] ?? undefined;
  return figureOf(objective, addedShares(outcome.games));
}
