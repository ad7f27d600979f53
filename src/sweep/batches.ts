// A search in batches, for searches in which results decide what is played next. A batch has a fixed number of
// points, and its results are used in the order of the points' numbers: the points are the same for any number
// of threads or workers, and after a kill.
import type { GameId } from '../domain/index.ts';
import { inOrder } from './halving.ts';
import { isSound } from './outcome.ts';
import { differenceOf, isClearlyWorse, LEAST_PAIRED } from './paired.ts';
import type { Point, Task } from './point.ts';
import { taskOf } from './point.ts';
import type { ResultsLog } from './results-log.ts';
import type { RoundPlayer, Search, SearchResult, Stopped } from './searched.ts';
import { standingIn } from './searched.ts';
import { orderOf } from './standing.ts';
import { nextPoints } from './tpe.ts';

/** Points of a batch when --batch is not given. */
export const DEFAULT_BATCH = 8;
/** The share of the games after which points are compared with the best. */
const PART = 1 / 4;
/** Fewest games of a sweep that stops points early: half of them are left then. */
export const LEAST_STOP_GAMES = 2 * LEAST_PAIRED;

/** The games after which points are compared with the best: a quarter of them, at least eight. */
export const partOf = (games: readonly GameId[], seed: number): readonly GameId[] =>
  inOrder(games, seed)
    .slice(0, Math.max(LEAST_PAIRED, Math.ceil(games.length * PART)))
    .sort();

export async function searchInBatches(
  search: Search,
  present: Task,
  log: ResultsLog,
  playAll: RoundPlayer,
): Promise<SearchResult> {
  const { inputs, judgedGames, batch = DEFAULT_BATCH, stopsEarly = false } = search;
  const tasks: Task[] = [];
  const judged: Task[] = [];
  const points: Point[] = [];
  const early = stopsEarly ? new EarlyStop(search, log) : undefined;
  for (let round = 1; ; round++) {
    const next = pointsAfter(search, points, judged, log, batch);
    if (next.length === 0) break;
    points.push(...next);
    const part = early?.begin(next, judged);
    if (part !== undefined) await playAll(round, part.tasks);
    const left = early === undefined || part === undefined ? next : early.continuing(part);
    const whole = left.map((point) => taskOf(inputs, point, judgedGames));
    const all = round === 1 ? [present, ...whole] : whole;
    await playAll(round, all);
    tasks.push(...(part?.own ?? []), ...all);
    judged.push(...whole);
  }
  return {
    tasks,
    judged,
    present,
    points,
    ...(early === undefined ? {} : { compared: early.compared, stopped: early.stopped }),
  };
}

/** The next points: of the list while there are any, then estimated from the results so far. */
function pointsAfter(
  search: Search,
  points: readonly Point[],
  judged: readonly Task[],
  log: ResultsLog,
  batch: number,
): readonly Point[] {
  const { tpe, seed } = search;
  if (points.length < search.points.length) return search.points.slice(points.length, points.length + batch);
  if (tpe === undefined) return [];
  const tasks = new Map(judged.map((task) => [task.point.number, task]));
  const seen = points.map((point) => {
    const task = tasks.get(point.number);
    return { point, standing: task === undefined ? undefined : standingIn(search, task, log) };
  });
  return nextPoints(tpe.dimensions, seen, Math.min(batch, tpe.count - points.length), seed);
}

/** The runs of a batch over the first games: those of its points, and of the best point so far. */
type Part = { readonly tasks: readonly Task[]; readonly own: readonly Task[]; readonly best: Task };

/**
 * Stops points that are clearly worse than the best. From the second batch on, each point first plays a quarter
 * of the games, as does the best point so far: of those that played all games and meet the constraints. A
 * point is stopped when its mean difference to the best, game by game, is below 0 by three standard errors.
 */
class EarlyStop {
  readonly #search: Search;
  readonly #log: ResultsLog;
  readonly #games: readonly GameId[];
  /** Keys of the runs over the first games so far. */
  readonly #parts = new Set<string>();
  readonly #compared: Task[] = [];
  readonly #stopped: number[] = [];
  #saved = 0;

  constructor(search: Search, log: ResultsLog) {
    this.#search = search;
    this.#log = log;
    this.#games = partOf(search.games, search.seed);
  }

  get compared(): readonly Task[] {
    return this.#compared;
  }

  get stopped(): Stopped {
    return { points: this.#stopped, after: this.#games.length, savedGames: this.#saved };
  }

  /** The runs over the first games. Undefined when no point can be compared with yet. */
  begin(points: readonly Point[], judged: readonly Task[]): Part | undefined {
    const { inputs } = this.#search;
    const [first] = orderOf(
      judged.flatMap((task) => standingIn(this.#search, task, this.#log) ?? []),
      1,
    );
    const leader = judged.find(({ point }) => point.number === first?.number);
    if (leader === undefined || first?.violation !== 0) return undefined;
    const best = taskOf(inputs, leader.point, this.#games);
    const own = points.map((point) => taskOf(inputs, point, this.#games));
    if (!this.#parts.has(best.key)) {
      this.#compared.push(best);
      this.#saved -= this.#games.length;
    }
    for (const { key } of [best, ...own]) this.#parts.add(key);
    return { tasks: [best, ...own], own, best };
  }

  /** The points of a batch that play all games. A point that cannot be compared continues. */
  continuing({ own, best }: Part): readonly Point[] {
    const { objective, games, playedGames: whole = games.length } = this.#search;
    const bestRun = this.#log.outcomeOf(best.key);
    return own.flatMap(({ point, key }) => {
      const run = this.#log.outcomeOf(key);
      const difference =
        isSound(run) && isSound(bestRun) ? differenceOf(objective, this.#games, run, bestRun) : undefined;
      const isStopped = difference !== undefined && isClearlyWorse(difference);
      this.#saved += isStopped ? whole - this.#games.length : -this.#games.length;
      if (isStopped) this.#stopped.push(point.number);
      return isStopped ? [] : [point];
    });
  }
}
