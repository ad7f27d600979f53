// Runs a search: all points at once, in batches, or halving, round after round. The caller gives the player:
// threads of this process, or a queue.
import { searchInBatches } from './batches.ts';
import { keptOf, roundsOf } from './halving.ts';
import { isSound, mayRetry } from './outcome.ts';
import type { Point, Task } from './point.ts';
import { taskOf } from './point.ts';
import type { ResultsLog } from './results-log.ts';
import type { Player, RoundPlayer, Search, SearchResult } from './searched.ts';
import { standingIn } from './searched.ts';
import { orderOf } from './standing.ts';

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
  search: Search,
  log: ResultsLog,
  play: Player,
  begin: (round: number, all: number, left: number) => void = () => undefined,
): Promise<SearchResult> {
  const { kind, points, inputs, judgedGames } = search;
  const present = taskOf(inputs, PRESENT, judgedGames);
  const playAll: RoundPlayer = (round, all) => playMissing(all, log, play, (count, left) => begin(round, count, left));
  if (kind === 'halving') return halve(search, present, log, playAll);
  if (kind === 'tpe' || search.stopsEarly === true) return searchInBatches(search, present, log, playAll);
  const judged = points.map((point) => taskOf(inputs, point, judgedGames));
  const tasks = [present, ...judged];
  await playAll(1, tasks);
  return { tasks, judged, present, points };
}

async function halve(search: Search, present: Task, log: ResultsLog, playAll: RoundPlayer): Promise<SearchResult> {
  const { points, games, seed, inputs, judgedGames } = search;
  const tasks: Task[] = [];
  let left = points;
  let judged: readonly Task[] = [];
  let unknownDropped = 0;
  const rounds = roundsOf(games, seed);
  for (const [index, part] of rounds.entries()) {
    const isLast = part === undefined;
    judged = left.map((point) => taskOf(inputs, point, isLast ? judgedGames : part));
    const all = isLast ? [present, ...judged] : judged;
    await playAll(index + 1, all);
    tasks.push(...all);
    if (isLast) break;
    const order = orderOf(judged.flatMap((task) => standingIn(search, task, log) ?? []));
    const places = new Map(order.map(({ number }, place) => [number, place]));
    left = keptOf(judged.map(({ point }) => ({ point, place: places.get(point.number) })));
    const kept = new Set(left.map(({ number }) => number));
    unknownDropped += judged.filter(
      ({ point, key }) =>
        isSound(log.outcomeOf(key)) && places.get(point.number) === undefined && !kept.has(point.number),
    ).length;
  }
  return { tasks, judged, present, points, unknownDropped };
}
