import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FIGURES } from '../../src/sweep/point-figures.ts';
import type { GameId } from '../../src/domain/index.ts';
import { daysOf, holdOut, walkForward } from '../../src/sweep/days.ts';
import type { Dimension } from '../../src/sweep/dimensions.ts';
import { gridOf, gridSize, placesOf, sampleOf, steps, valueOf } from '../../src/sweep/dimensions.ts';
import { keptOf, roundsOf } from '../../src/sweep/halving.ts';
import { constraint } from '../../src/sweep/constraints.ts';
import { LESS, objectiveOf, objectiveText } from '../../src/sweep/objective.ts';
import type { Outcome, Played } from '../../src/sweep/outcome.ts';
import { taskOf } from '../../src/sweep/point.ts';
import { figureAt, pathsIn } from '../../src/report/index.ts';
import { scenarioFigures } from '../../src/run/index.ts';
import { facts, fill, M } from '../run/facts.ts';
import { ResultsLog } from '../../src/sweep/results-log.ts';
import { searchPoints } from '../../src/sweep/search.ts';
import { KNOWN } from './fixtures.ts';

const edge: Dimension = { kind: 'list', name: 'main.edge', values: steps(0.01, 0.03, 0.01) };
const skew: Dimension = { kind: 'range', name: 'main.skew', from: 0, to: 1, isWhole: false };
const levels: Dimension = { kind: 'range', name: 'main.levels', from: 1, to: 3, isWhole: true };
const played = (value: number, game = 'a'): Played => ({
  status: 'played',
  figures: {},
  games: [{ ...KNOWN, game: game as GameId, permits: 1, value, per: 1 }],
  errors: [],
});
const folders: string[] = [];
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'oddsmaker-sweep-'));
  folders.push(made);
  return made;
};
afterAll(() => folders.forEach((path) => rmSync(path, { recursive: true, force: true })));

describe('the grid of a parameter sweep', () => {
  it('has every combination of values, and the last parameter varies fastest', () => {
    const points = gridOf([edge, levels]);
    expect(gridSize([edge, levels])).toBe(9);
    expect(points.map(({ number, settings }) => [number, ...settings.map(({ value }) => value)])).toEqual([
      ...[
        [1, 0.01, 1],
        [2, 0.01, 2],
        [3, 0.01, 3],
        [4, 0.02, 1],
        [5, 0.02, 2],
      ],
      ...[
        [6, 0.02, 3],
        [7, 0.03, 1],
        [8, 0.03, 2],
        [9, 0.03, 3],
      ],
    ]);
  });

  it('has five values of a range without a step', () => {
    expect(gridOf([skew]).map(({ settings }) => settings[0]?.text)).toEqual(['0', '0.25', '0.5', '0.75', '1']);
  });

  it('steps without the noise of binary fractions and never beyond the end', () => {
    expect(steps(0.1, 0.65, 0.1).map(({ value }) => value)).toEqual([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
    expect(steps(0, 0.3, 0.1).map(({ value }) => value)).toEqual([0, 0.1, 0.2, 0.3]);
  });

  it('has exactly the given values, however many digits they have', () => {
    expect(steps(1_000_000, 1_000_002, 0.5).map(({ value }) => value)).toEqual([
      1_000_000, 1_000_000.5, 1_000_001, 1_000_001.5, 1_000_002,
    ]);
    expect(steps(1e-9, 4e-9, 1e-9).map(({ text }) => text)).toEqual(['1e-9', '2e-9', '3e-9', '4e-9']);
    const narrow: Dimension = { kind: 'range', name: 'main.risk', isWhole: false, from: 20.12345678, to: 20.1234568 };
    expect(gridOf([narrow]).map(({ settings }) => settings[0]?.value)).toEqual([
      20.12345678, 20.123456785, 20.12345679, 20.123456795, 20.1234568,
    ]);
    for (const { settings } of sampleOf([narrow], 20, 1)) {
      expect(settings[0]?.value).toBeGreaterThanOrEqual(narrow.from);
      expect(settings[0]?.value).toBeLessThanOrEqual(narrow.to);
    }
    expect(sampleOf([narrow], 20, 1)).toHaveLength(20);
  });

  it('places points by the indexes of their values', () => {
    const [first, , , fourth] = gridOf([edge, levels]);
    expect(first && placesOf([edge, levels], first, true)).toEqual([0, 0]);
    expect(fourth && placesOf([edge, levels], fourth, true)).toEqual([1, 0]);
  });
});

describe('the random sample of a parameter sweep', () => {
  it('is the same for the same seed, differs for another seed, and stays within its ranges', () => {
    const points = sampleOf([skew, levels], 32, 5);
    expect(points).toEqual(sampleOf([skew, levels], 32, 5));
    expect(points).not.toEqual(sampleOf([skew, levels], 32, 6));
    expect(points.map(({ number }) => number)).toEqual(Array.from({ length: 32 }, (_, index) => index + 1));
    for (const { settings } of points) {
      expect(settings[0]?.value).toBeGreaterThanOrEqual(0);
      expect(settings[0]?.value).toBeLessThan(1);
      expect([1, 2, 3]).toContain(settings[1]?.value);
    }
    // evenly spread: each quarter of the range has a quarter of the points
    const quarters = points.map(({ settings }) => Math.floor(4 * Number(settings[0]?.value)));
    for (const quarter of [0, 1, 2, 3]) expect(quarters.filter((other) => other === quarter)).toHaveLength(8);
  });

  it('has no point twice, and fewer points than asked for when there are no more', () => {
    const points = sampleOf([edge, levels], 100, 1);
    expect(points).toHaveLength(9);
    const mixed: Dimension = {
      kind: 'list',
      name: 'a.b',
      values: [valueOf(1), { text: 'yes', value: true }],
    };
    expect(
      sampleOf([mixed], 5, 1)
        .map(({ settings }) => settings[0]?.text)
        .sort(),
    ).toEqual(['1', 'yes']);
  });
});

describe('successive halving', () => {
  const games = Array.from({ length: 27 }, (_, index) => `g${index}` as GameId);

  it('plays a ninth, a third and all of the games, each part within the next', () => {
    const [ninth = [], third = [], all] = roundsOf(games, 1);
    expect([ninth.length, third.length, all]).toEqual([3, 9, undefined]);
    expect(third).toEqual(expect.arrayContaining([...ninth]));
    expect(roundsOf(games.toReversed(), 1)).toEqual(roundsOf(games, 1));
    expect(roundsOf(games, 2)[0]).not.toEqual(ninth);
  });

  it('keeps the best third: of equal points the earlier one, and none whose score is not known', () => {
    const kept = (places: readonly (number | undefined)[]) =>
      keptOf(places.map((place, index) => ({ point: { number: index + 1 }, place }))).map(({ number }) => number);
    expect(kept([3, 1, undefined, 2, 0, 4])).toEqual([2, 5]);
    expect(kept([undefined, 0, undefined, undefined, undefined, undefined])).toEqual([2]);
    // without any known point none can be dropped for its figure
    expect(kept([undefined, undefined, undefined])).toEqual([1]);
  });

  const halve = async (objective: string) => {
    const counts: (readonly [number, number])[] = [];
    const searched = await searchPoints(
      {
        kind: 'halving',
        points: sampleOf([skew], 18, 1),
        inputs: 'x',
        games,
        seed: 1,
        judgedGames: undefined,
        objective: objectiveOf(objective),
      },
      new ResultsLog(folder()),
      async (left, ended) => {
        for (const task of left) {
          const reached = Number(task.point.settings[0]?.value ?? 0);
          const figures = { 'pnl.maxDrawdown': reached, 'pnl.worst': -reached };
          ended(task, { ...played(reached), figures });
        }
      },
      (round, all) => counts.push([round, all]),
    );
    return { ...searched, counts };
  };
  const keptBy = async (objective: string) =>
    (await halve(objective)).judged.map(({ point }) => Number(point.settings[0]?.value)).sort();

  it('ends with all games for the kept points and the present setting', async () => {
    const { judged, tasks, present, counts } = await halve('clv.dollars');
    expect(counts).toEqual([
      [1, 18],
      [2, 6],
      [3, 3],
    ]);
    expect(judged).toHaveLength(2);
    expect(tasks).toHaveLength(27);
    expect(tasks.at(-3)).toBe(present);
    // the two largest values of all points
    const best = sampleOf([skew], 18, 1)
      .map(({ settings }) => Number(settings[0]?.value))
      .sort()
      .slice(-2);
    expect(judged.map(({ point }) => point.settings[0]?.value).sort()).toEqual(best);
  });

  it('keeps the points with the lowest figure when less is better, and :most or :least changes the direction', async () => {
    const all = sampleOf([skew], 18, 1)
      .map(({ settings }) => Number(settings[0]?.value))
      .sort();
    expect(await keptBy('pnl.maxDrawdown')).toEqual(all.slice(0, 2));
    expect(await keptBy('pnl.worst')).toEqual(all.slice(0, 2));
    expect(await keptBy('pnl.maxDrawdown:most')).toEqual(all.slice(-2));
    expect(await keptBy('pnl.worst:least')).toEqual(all.slice(-2));
  });
});

describe('successive halving with constraints and unknown figures', () => {
  const games = Array.from({ length: 27 }, (_, index) => `g${index}` as GameId);
  const reachedBy = ({ settings }: { readonly settings: readonly { readonly value: unknown }[] }): number =>
    Number(settings[0]?.value ?? 0);
  const halve = (worstOf: (reached: number) => number | null) =>
    searchPoints(
      {
        ...{ kind: 'halving', points: sampleOf([skew], 18, 1), inputs: 'x', games, seed: 1, judgedGames: undefined },
        ...{ objective: objectiveOf('fills'), constraints: constraint('pnl.worst >= -0.5') },
      },
      new ResultsLog(folder()),
      async (left, ended) => {
        for (const task of left) {
          const reached = reachedBy(task.point);
          ended(task, { ...played(1), figures: { fills: reached, 'pnl.worst': worstOf(reached) } });
        }
      },
    );

  it('keeps the best points that meet the constraint', async () => {
    const { judged, unknownDropped } = await halve((reached) => -reached);
    const best = sampleOf([skew], 18, 1)
      .map(reachedBy)
      .filter((reached) => reached <= 0.5)
      .sort()
      .slice(-2);
    expect(judged.map(({ point }) => reachedBy(point)).sort()).toEqual(best);
    expect(unknownDropped).toBe(0);
  });

  it('drops points whose figure is not known, and counts them', async () => {
    // only the four smallest are known
    const limit = sampleOf([skew], 18, 1).map(reachedBy).sort()[3] ?? 0;
    const { judged, unknownDropped } = await halve((reached) => (reached <= limit ? 0 : null));
    expect(judged.every(({ point }) => reachedBy(point) <= limit)).toBe(true);
    expect(unknownDropped).toBe(14);
  });
});

describe('the objective of a parameter sweep', () => {
  it('is printed as it was given, with its direction unless that is the default "most"', () => {
    const texts = ['clv.dollars', 'pnl.maxDrawdown', 'pnl.maxDrawdown:most', 'quotedShare:least', 'quotedShare:most'];
    expect(texts.map((text) => objectiveText(objectiveOf(text)))).toEqual([
      ...['clv.dollars', 'pnl.maxDrawdown:least', 'pnl.maxDrawdown:most', 'quotedShare:least', 'quotedShare'],
    ]);
    expect(objectiveOf('pnl.maxDrawdown:last').name).toBe('pnl.maxDrawdown:last');
  });

  it('may be any figure of a run with fills', () => {
    const figures = scenarioFigures(facts({ fills: ['g1', 'g2'].map((game) => fill({ game, profit: 105 * M })) }), 1);
    const paths = pathsIn(figures).filter((path) => typeof figureAt(figures, path) === 'number');
    expect(paths).toContain('scores.fair.brier');
    expect(paths.filter((path) => !FIGURES.includes(path))).toEqual([]);
    for (const name of LESS) expect(FIGURES).toContain(name);
  });
});

describe('days of games', () => {
  const H = 3_600_000;
  const timeOf = (day: number, hour: number): number => Date.parse('2030-01-01T00:00:00Z') + (24 * day + hour) * H;
  const game = (id: string, startMs: number) => ({ id: id as GameId, startMs });

  it('hold the games that start between two day starts', () => {
    const days = daysOf([game('b', timeOf(1, 3)), game('a', timeOf(0, 20)), game('c', timeOf(1, 9))], 8 * H);
    // 03:00 belongs to the day before, which starts at 08:00
    expect(days.map(({ games }) => games)).toEqual([['a', 'b'], ['c']]);
    expect(days[0]?.startMs).toBe(timeOf(0, 8));
  });

  const ten = daysOf(
    Array.from({ length: 10 }, (_, day) => game(`g${day}`, timeOf(day, 20))),
    0,
  );

  it('are held out from the end, with a gap before them', () => {
    expect(holdOut(ten, 0.3, 0)).toEqual({ train: [0, 1, 2, 3, 4, 5, 6], test: [7, 8, 9] });
    expect(holdOut(ten, 0.3, 2)).toEqual({ train: [0, 1, 2, 3, 4], test: [7, 8, 9] });
    expect(holdOut(ten, 0.01, 1)).toEqual({ train: [0, 1, 2, 3, 4, 5, 6, 7], test: [9] });
    expect(() => holdOut(ten, 0.9, 1)).toThrow(/10 days with games, and with a gap of 1 day none is left/);
  });

  it('measure a gap in calendar days, including days without games', () => {
    const sparse = daysOf([game('a', timeOf(0, 20)), game('b', timeOf(5, 20)), game('c', timeOf(6, 20))], 0);
    expect(holdOut(sparse, 0.3, 1)).toEqual({ train: [0], test: [2] });
  });

  it('walk forward: each part judges what all days before it chose', () => {
    expect(walkForward(ten, 4, 1)).toEqual([
      { train: [0, 1, 2], test: [4, 5, 6, 7] },
      { train: [0, 1, 2, 3, 4, 5, 6], test: [8, 9] },
    ]);
    expect(() => walkForward(ten, 10, 0)).toThrow(/too few/);
  });
});

describe('the results log of a sweep', () => {
  const point = { number: 3, settings: [{ name: 'main.edge', text: '0.01', value: 0.01 }] };
  const first = taskOf('inputs', point, undefined);
  const other = taskOf('inputs', { ...point, number: 4 }, ['a' as GameId]);

  it('identifies a task by everything on which its result depends', () => {
    expect(taskOf('inputs', { ...point, number: 9 }, undefined).key).toBe(first.key);
    expect(other.key).not.toBe(first.key);
    expect(taskOf('other', point, undefined).key).not.toBe(first.key);
  });

  it('continues after a line that was cut off', () => {
    const out = folder();
    new ResultsLog(out).addResult(first, played(1));
    const file = join(out, '.points.running.ndjson');
    appendFileSync(file, '{"key":"cut off, ä');
    const again = new ResultsLog(out);
    expect(again.size).toBe(1);
    again.addResult(other, played(2));
    expect(new ResultsLog(out).outcomeOf(other.key)).toEqual(played(2));
    again.finish([other, first]);
    const lines = readFileSync(join(out, 'points.ndjson'), 'utf8').trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { point: number }).point)).toEqual([4, 3]);
    expect(new ResultsLog(out).size).toBe(2);
  });

  it('keeps both results of a point that ran twice with different results, and counts points with equal results', () => {
    const log = new ResultsLog(folder());
    log.addResult(first, played(1));
    log.addResult(first, played(1));
    expect([log.ranTwice, log.differences]).toEqual([1, []]);
    log.addResult(first, played(2));
    expect(log.differences).toEqual([{ task: first, outcomes: [played(1), played(2)] }]);
    expect(log.outcomeOf(first.key)).toEqual(played(1));
  });

  it('reports no difference when a point ran over its budget on one machine, before or after its result', () => {
    const overran: Outcome = { status: 'failed', code: 'POINT_OVERRAN', problem: 'it ran longer than 2 s' };
    const log = new ResultsLog(folder());
    for (const [task, outcomes] of [
      [first, [overran, played(1)]],
      [other, [played(2), overran]],
    ] as const)
      for (const outcome of outcomes) log.addResult(task, outcome);
    expect([log.outcomeOf(first.key), log.outcomeOf(other.key)]).toEqual([played(1), played(2)]);
    expect(log.differences).toEqual([]);
  });
});
