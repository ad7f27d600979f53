// Searches in which results decide what is played next: the same points whatever order results come in, after
// a kill too, and points that are stopped early.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { GameId } from '../../src/domain/index.ts';
import { partOf } from '../../src/sweep/batches.ts';
import { constraint } from '../../src/sweep/constraints.ts';
import { sampleOf } from '../../src/sweep/dimensions.ts';
import { objectiveOf } from '../../src/sweep/objective.ts';
import type { Outcome, Played } from '../../src/sweep/outcome.ts';
import type { Task } from '../../src/sweep/point.ts';
import { ResultsLog } from '../../src/sweep/results-log.ts';
import type { Dimension } from '../../src/sweep/scale.ts';
import { searchPoints } from '../../src/sweep/search.ts';
import type { Player, Search } from '../../src/sweep/searched.ts';
import { KNOWN } from './fixtures.ts';

const made = mkdtempSync(join(tmpdir(), 'oddsmaker-sweep-'));
afterAll(() => rmSync(made, { recursive: true, force: true }));
const folder = (): string => mkdtempSync(join(made, 'out-'));

const skew: Dimension = { kind: 'range', name: 'a.skew', from: 0, to: 1, isWhole: false };
const GAMES = Array.from({ length: 40 }, (_, index) => `g${String(index).padStart(2, '0')}` as GameId);

/** Each game earns the square of the way to 0.6, less; games differ by their number. */
function playedOf({ point, games }: Task, figures: (skewed: number) => Played['figures'] = () => ({})): Played {
  const skewed = Number(point.settings[0]?.value ?? 0.5);
  return {
    status: 'played',
    figures: figures(skewed),
    games: (games ?? GAMES).map((game, index) => ({
      ...KNOWN,
      game,
      permits: 1,
      per: 1,
      value: Math.round(1e6 * (10 - 20 * (skewed - 0.6) ** 2 + (index % 7))),
    })),
    errors: [],
  };
}

const tpe = (more: Partial<Search> = {}): Search => ({
  kind: 'tpe',
  points: sampleOf([skew], 10, 1),
  tpe: { dimensions: [skew], count: 30 },
  batch: 4,
  inputs: 'x',
  games: GAMES,
  judgedGames: undefined,
  objective: objectiveOf('clv.dollars'),
  seed: 1,
  ...more,
});

/** Plays the tasks of each round in this order. */
const playerIn =
  (order: (tasks: readonly Task[]) => readonly Task[], outcomeOf: (task: Task) => Outcome = playedOf): Player =>
  async (tasks, ended) => {
    for (const task of order(tasks)) ended(task, outcomeOf(task));
  };
const forwards = playerIn((tasks) => tasks);

describe('a search by estimates', () => {
  it('asks for batches, and gets the same points in whatever order their results come', async () => {
    const rounds: number[] = [];
    const first = await searchPoints(tpe(), new ResultsLog(folder()), forwards, (_round, all) => rounds.push(all));
    // ten points of the start with the present setting, then batches of four
    expect(rounds).toEqual([5, 4, 2, 4, 4, 4, 4, 4]);
    expect(first.points.map(({ number }) => number)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    const backwards = await searchPoints(
      tpe(),
      new ResultsLog(folder()),
      playerIn((tasks) => tasks.toReversed()),
    );
    expect(backwards).toEqual(first);
    const later = first.points.slice(20).map(({ settings }) => Number(settings[0]?.value));
    expect(later.filter((value) => Math.abs(value - 0.6) < 0.1).length).toBeGreaterThanOrEqual(5);
  });

  it('continues after a kill with the points that it would have had', async () => {
    const whole = await searchPoints(tpe(), new ResultsLog(folder()), forwards);
    const out = folder();
    let left = 17;
    const killed: Player = async (tasks, ended) => {
      for (const task of tasks) {
        if (left === 0) throw new Error('killed');
        left -= 1;
        ended(task, playedOf(task));
      }
    };
    await expect(searchPoints(tpe(), new ResultsLog(out), killed)).rejects.toThrow('killed');
    let played = 0;
    const counting = playerIn(
      (tasks) => tasks,
      (task) => {
        played += 1;
        return playedOf(task);
      },
    );
    expect(await searchPoints(tpe(), new ResultsLog(out), counting)).toEqual(whole);
    expect(played).toBe(31 - 17);
  });

  it('is guided by games that may choose, and by no game that judges', async () => {
    const outcomeOf = (task: Task): Played => {
      const run = playedOf(task);
      const skewed = Number(task.point.settings[0]?.value ?? 0.5);
      // on games that judge, small values are far better
      const games = run.games.map((game, index) => (index < 20 ? game : { ...game, value: 1e9 * (1 - skewed) }));
      return { ...run, games };
    };
    const player = playerIn((tasks) => tasks, outcomeOf);
    const chosen = await searchPoints(tpe({ games: GAMES.slice(0, 20) }), new ResultsLog(folder()), player);
    const alone = await searchPoints(tpe({ games: GAMES.slice(0, 20) }), new ResultsLog(folder()), forwards);
    expect(chosen.points).toEqual(alone.points);
    const all = await searchPoints(tpe(), new ResultsLog(folder()), player);
    expect(all.points).not.toEqual(alone.points);
  });

  it('seeks where constraints are met, and goes on when a figure is not known', async () => {
    const search = tpe({ constraints: constraint('fills <= 30'), tpe: { dimensions: [skew], count: 60 } });
    // 100 fills at 1, and unknown below 0.1: only 0.1 to 0.3 meets the constraint
    const outcomeOf = (task: Task): Played =>
      playedOf(task, (skewed) => ({ fills: skewed < 0.1 ? null : Math.round(100 * skewed) }));
    const { points } = await searchPoints(
      search,
      new ResultsLog(folder()),
      playerIn((tasks) => tasks, outcomeOf),
    );
    const later = points.slice(30).map(({ settings }) => Number(settings[0]?.value));
    expect(later.filter((value) => value >= 0.1 && value <= 0.305).length).toBeGreaterThanOrEqual(10);
  });
});

describe('a search that stops points early', () => {
  const grid = (values: readonly number[], more: Partial<Search> = {}): Search => ({
    kind: 'grid',
    points: values.map((value, index) => ({
      number: index + 1,
      settings: [{ name: 'a.skew', text: String(value), value }],
    })),
    batch: 2,
    stopsEarly: true,
    inputs: 'x',
    games: GAMES,
    playedGames: GAMES.length,
    judgedGames: undefined,
    objective: objectiveOf('clv.dollars'),
    seed: 1,
    ...more,
  });

  it('finishes no point that is worse in every game, and counts the games that this saved', async () => {
    const tasks: string[] = [];
    const counting = playerIn((all) => {
      tasks.push(...all.map(({ point, games }) => `${point.number}: ${games?.length ?? 'all'}`));
      return all;
    });
    const result = await searchPoints(grid([0.5, 0.1, 0, 0.6, 0.9, 1]), new ResultsLog(folder()), counting);
    // the first batch is played as a whole; then each point plays a quarter of the games, and the best too
    expect(tasks).toEqual(
      [
        ...['0: all', '1: all', '2: all'],
        ...['1: 10', '3: 10', '4: 10', '4: all'],
        ...['4: 10', '5: 10', '6: 10'],
      ].filter((text, index, all) => all.indexOf(text) === index),
    );
    expect(result.judged.map(({ point }) => point.number)).toEqual([1, 2, 4]);
    // saved: 3 × 30 games; played twice: 10 of point 4, and 10 of point 1
    expect(result.stopped).toEqual({ points: [3, 5, 6], after: 10, savedGames: 70 });
    expect(result.points).toHaveLength(6);
    // point 4 had played them for itself
    expect(result.compared?.map(({ point }) => point.number)).toEqual([1]);
  });

  it('says so when it saved nothing', async () => {
    const alike = await searchPoints(
      grid([0.6, 0.6001, 0.6002, 0.6003]),
      new ResultsLog(folder()),
      playerIn((all) => all, noisy),
    );
    expect(alike.stopped).toEqual({ points: [], after: 10, savedGames: -30 });
    expect(alike.judged).toHaveLength(4);
  });

  it('compares with no point that misses a constraint, and with none that is unknown', async () => {
    const search = grid([0.6, 0.5, 0.1, 0], { constraints: constraint('fills <= 10') });
    const outcomeOf =
      (fills: number | null) =>
      (task: Task): Played =>
        playedOf(task, () => ({ fills }));
    for (const fills of [99, null]) {
      const player = playerIn((all) => all, outcomeOf(fills));
      const result = await searchPoints(search, new ResultsLog(folder()), player);
      expect(result.stopped).toEqual({ points: [], after: 10, savedGames: 0 });
    }
    const met = await searchPoints(
      search,
      new ResultsLog(folder()),
      playerIn((all) => all, outcomeOf(3)),
    );
    expect(met.stopped?.points).toEqual([3, 4]);
  });

  it('compares after a quarter of the games, at least eight, the same for a seed', () => {
    expect(partOf(GAMES, 1)).toHaveLength(10);
    expect(partOf(GAMES.slice(0, 16), 1)).toHaveLength(8);
    expect(partOf(GAMES.toReversed(), 1)).toEqual(partOf(GAMES, 1));
    expect(partOf(GAMES, 2)).not.toEqual(partOf(GAMES, 1));
  });
});

/** Points that differ game by game, and are alike on average. */
function noisy(task: Task): Played {
  const run = playedOf(task);
  return {
    ...run,
    games: run.games.map((game, index) => ({
      ...game,
      value: game.value + ((index * 7 + task.point.number * 3) % 11) * 1e6,
    })),
  };
}
