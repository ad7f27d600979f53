// Points that meet constraints and points that do not: which are ranked, judged, and named in the verdict.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { GameId } from '../../src/domain/index.ts';
import { constraint } from '../../src/sweep/constraints.ts';
import type { GameDay } from '../../src/sweep/days.ts';
import { holdOut, walkForward } from '../../src/sweep/days.ts';
import { frontSvg } from '../../src/sweep/front-svg.ts';
import type { Candidate, Judging } from '../../src/sweep/judge.ts';
import { judge } from '../../src/sweep/judge.ts';
import { objectiveOf } from '../../src/sweep/objective.ts';
import type { Played } from '../../src/sweep/outcome.ts';
import type { Task } from '../../src/sweep/point.ts';
import { ResultsLog } from '../../src/sweep/results-log.ts';
import { goalsOf } from '../../src/sweep/searched.ts';
import { judgedGamesOf, playSeparateRuns, separateRuns } from '../../src/sweep/separate-runs.ts';
import { verdictOf } from '../../src/sweep/verdict.ts';
import { KNOWN } from './fixtures.ts';

const made = mkdtempSync(join(tmpdir(), 'oddsmaker-sweep-'));
afterAll(() => rmSync(made, { recursive: true, force: true }));

const DAY_MS = 24 * 3_600_000;
const days: readonly GameDay[] = Array.from({ length: 4 }, (_, day) => ({
  startMs: day * DAY_MS,
  games: [`g${day}` as GameId],
}));
const objective = objectiveOf('clv.dollars');
const constraints = constraint('inventory.maxDrawdown <= 100');

const runOf = (value: number, drawdown: number | null, games: readonly GameId[]): Played => ({
  status: 'played',
  figures: { 'inventory.maxDrawdown': drawdown },
  games: games.map((game) => ({ ...KNOWN, game, permits: 1, per: 1, value: value * 1e6 })),
  errors: [],
});
const allGames = days.flatMap(({ games }) => games);
const candidatesOf = (rows: readonly (readonly [number, number | null])[]): readonly Candidate[] =>
  rows.map(([value, drawdown], index) => ({
    point: { number: index + 1, settings: [{ name: 'main.edge', text: String(index), value: index }] },
    outcome: runOf(value, drawdown, allGames),
    places: [index],
  }));
const judging = (more: Partial<Judging>): Judging => ({
  candidates: [],
  present: undefined,
  days,
  split: { kind: 'none' },
  objective,
  constraints,
  trials: 4,
  seed: 1,
  ...more,
});

describe('a sweep with a constraint', () => {
  it('ranks only points that meet it: not those that miss it, and not those that are unknown', () => {
    const candidates = candidatesOf([
      [9, 200],
      [8, null],
      [2, 100],
      [3, 50],
    ]);
    const judgement = judge(judging({ candidates }));
    expect(judgement?.ranked.map(({ point, figure }) => [point.number, figure])).toEqual([
      [4, 12],
      [3, 8],
    ]);
    const { text } = verdictOf(judgement, 4, objective);
    expect(text).toMatch(/^best of 4: main\.edge=3 · /);
  });

  it('has the verdict none when no point meets it, with how many miss it and how many are unknown', () => {
    const candidates = candidatesOf([
      [9, 200],
      [8, null],
      [7, 101],
    ]);
    const judgement = judge(judging({ candidates }));
    expect(judgement).toBeUndefined();
    const suchThat = { text: '--such-that "inventory.maxDrawdown <= 100"', miss: 2, unknown: 1 };
    expect(verdictOf(judgement, 3, objective, { constraints: suchThat })).toEqual({
      text: 'best of 3: none · no point meets --such-that "inventory.maxDrawdown <= 100" (2 miss it, 1 unknown)',
      isBetter: null,
    });
  });

  it('checks the constraint on days that choose alone, and reports whether the best meets it on the others', async () => {
    const split: Judging['split'] = { kind: 'holdout', fold: holdOut(days, 0.5, 0) };
    const games = judgedGamesOf(goalsOf({ objective, constraints }), split, days) ?? [];
    expect(games).toEqual(['g0', 'g1']);
    // without a constraint a sum over games needs no run of its own
    expect(judgedGamesOf(goalsOf({ objective }), split, days)).toBeUndefined();
    const candidates = candidatesOf([
      [9, 200],
      [3, 50],
    ]).map((candidate, index) => ({
      ...candidate,
      outcome: runOf(index === 0 ? 9 : 3, index === 0 ? 200 : 50, games),
    }));
    const log = new ResultsLog(mkdtempSync(join(made, 'out-')));
    const played: string[] = [];
    const play = async (tasks: readonly Task[], why: string): Promise<void> => {
      for (const task of tasks) {
        played.push(`${why} ${task.point.number}: ${task.games?.join(' ')}`);
        log.addResult(task, runOf(-1, 150, task.games ?? []));
      }
    };
    const asked = judging({ candidates, split });
    await playSeparateRuns('inputs', asked, candidates, log, play);
    expect(played).toEqual(['judging 2: g2 g3']);
    const judgement = judge({ ...asked, separateRun: separateRuns('inputs', days, log) });
    expect(judgement?.ranked.map(({ point, figure }) => [point.number, figure])).toEqual([[2, 6]]);
    expect(judgement?.held?.result).toMatchObject({ figure: -2, sum: -2, meets: false });
    expect(verdictOf(judgement, 2, objective).text).toMatch(
      / · hold-out -\$2\.00 \(too few games: 2\), where it does not meet the constraints$/,
    );
  });

  it('walks forward with the points that met it on the days before each part', async () => {
    const split: Judging['split'] = { kind: 'walk-forward', folds: walkForward(days, 2, 0) };
    const candidates = candidatesOf([
      [9, 50],
      [3, 50],
    ]);
    const log = new ResultsLog(mkdtempSync(join(made, 'out-')));
    const play = async (tasks: readonly Task[]): Promise<void> => {
      for (const task of tasks) {
        const isFirst = task.point.number === 1;
        // on the first two days the better point misses the constraint
        const drawdown = isFirst && task.games?.includes('g0' as GameId) === true ? 500 : 50;
        log.addResult(task, runOf(isFirst ? 9 : 3, drawdown, task.games ?? []));
      }
    };
    const asked = judging({ candidates, split });
    await playSeparateRuns('inputs', asked, candidates, log, play);
    const judgement = judge({ ...asked, separateRun: separateRuns('inputs', days, log) });
    expect(judgement?.ranked[0]?.point.number).toBe(1);
    expect(judgement?.held).toMatchObject({ kind: 'walk-forward', result: { days: 2, sum: 6, meets: true } });
  });
});

describe('games needed', () => {
  it('are known for the present setting and the second best, or said to be unknown', () => {
    const many: readonly GameDay[] = Array.from({ length: 8 }, (_, day) => ({
      startMs: day * DAY_MS,
      games: [`g${day}` as GameId],
    }));
    const rows = [
      [11, -9, 11, -9, 11, -9, 11, -9],
      [0, 0, 0, 0, 0, 0, 0, 0],
    ];
    const candidates = rows.map((row, index) => ({
      point: { number: index + 1, settings: [{ name: 'main.edge', text: String(index), value: index }] },
      outcome: {
        ...runOf(0, 0, []),
        games: row.map((value, day) => ({
          ...KNOWN,
          game: `g${day}` as GameId,
          permits: 1,
          per: 1,
          value: value * 1e6,
        })),
      },
      places: [index],
    }));
    const present = candidates[0]?.outcome;
    const judgement = judge(judging({ candidates, present, days: many, constraints: [] }));
    expect(judgement?.needed.second?.games).toBe(898);
    // the present setting is the best point: no number of games shows a difference
    expect(judgement?.needed.present).toMatchObject({ games: undefined, difference: { mean: 0 } });
    expect(verdictOf(judgement, 2, objective).text).toContain(
      ' · games needed to show a difference from the present setting: unknown, from the second best: 898 (played: 8) · ',
    );
  });
});

describe('the plot of a front', () => {
  it('has a field for each pair of objectives, with the numbers of the front', () => {
    const svg = frontSvg(
      ['a', 'b<', 'c'],
      [
        { number: 7, figures: [1, 2, 3], isFront: true },
        { number: 8, figures: [0, 1, 2], isFront: false },
      ],
    );
    expect(svg.match(/fill="#0b5"/g)).toHaveLength(3);
    expect(svg.match(/>7</g)).toHaveLength(3);
    expect(svg).not.toContain('>8<');
    expect(svg).toContain('b&lt;');
    // no point at all
    expect(frontSvg(['a', 'b'], [])).toMatch(/^<svg [^]*<\/svg>\n$/);
    expect(frontSvg(['a', 'b'], [])).not.toMatch(/NaN|undefined|Infinity/);
  });
});
