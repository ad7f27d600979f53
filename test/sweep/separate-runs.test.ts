// Figures that are not sums over games: which separate runs a sweep plays for them, and how it judges them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { GameId } from '../../src/domain/index.ts';
import { checkParts, playSeparateRuns, separateRuns, judgedGamesOf } from '../../src/sweep/separate-runs.ts';
import type { GameDay } from '../../src/sweep/days.ts';
import { holdOut, walkForward } from '../../src/sweep/days.ts';
import type { Candidate, Judging } from '../../src/sweep/judge.ts';
import { judge } from '../../src/sweep/judge.ts';
import { objectiveOf } from '../../src/sweep/objective.ts';
import type { Played } from '../../src/sweep/outcome.ts';
import type { Task } from '../../src/sweep/point.ts';
import { ResultsLog } from '../../src/sweep/results-log.ts';
import { goalsOf } from '../../src/sweep/searched.ts';
import { verdictOf } from '../../src/sweep/verdict.ts';
import { KNOWN } from './fixtures.ts';

const made = mkdtempSync(join(tmpdir(), 'oddsmaker-sweep-'));
afterAll(() => rmSync(made, { recursive: true, force: true }));

const DAY_MS = 24 * 3_600_000;
const days = (count: number, games = 1): readonly GameDay[] =>
  Array.from({ length: count }, (_, day) => ({
    startMs: day * DAY_MS,
    games: Array.from({ length: games }, (_none, game) => `g${day}${game}` as GameId),
  }));
const objective = objectiveOf('inventory.worst');
const four = days(4);

/** Ten dollars of closing line value for each game. */
const playedOf = (figure: number, games: readonly GameId[]): Played => ({
  status: 'played',
  figures: { 'inventory.worst': figure },
  games: games.map((game) => ({ ...KNOWN, game, permits: 1, value: 10e6, per: 1 })),
  errors: [],
});
const candidatesOf = (figures: readonly number[], games: readonly GameId[]): readonly Candidate[] =>
  figures.map((figure, index) => ({
    point: { number: index + 1, settings: [{ name: 'main.edge', text: String(index), value: index }] },
    outcome: playedOf(figure, games),
    places: [index],
  }));
const judging = (candidates: readonly Candidate[], split: Judging['split']): Judging => ({
  candidates,
  split,
  objective,
  days: four,
  present: undefined,
  seed: 1,
  trials: candidates.length,
});

/** A log and a player that records its tasks: `figureOf` gives the figure of a point on some games. */
function scene(figureOf: (point: number, games: readonly GameId[]) => number) {
  const log = new ResultsLog(mkdtempSync(join(made, 'out-')));
  const played: string[] = [];
  const play = async (tasks: readonly Task[], why: string): Promise<void> => {
    for (const task of tasks) {
      const games = task.games ?? [];
      played.push(`${why} ${task.point.number}: ${games.join(' ')}`);
      log.addResult(task, playedOf(figureOf(task.point.number, games), games));
    }
  };
  return { log, played, play };
}

describe('an objective that is not a sum over games', () => {
  it('is computed on the days that choose and on the days that judge, each in a separate run', async () => {
    const split: Judging['split'] = { kind: 'holdout', fold: holdOut(four, 0.5, 0) };
    const games = judgedGamesOf(goalsOf({ objective }), split, four) ?? [];
    expect(games).toEqual(['g00', 'g10']);
    const candidates = candidatesOf([-9, -4, -5], games);
    const { log, played, play } = scene((point) => -100 * point);
    const tasks = await playSeparateRuns('inputs', judging(candidates, split), candidates, log, play);
    // the best first
    expect(played).toEqual(['judging 2: g20 g30', 'judging 3: g20 g30', 'judging 1: g20 g30']);
    expect(tasks).toHaveLength(3);
    const judgement = judge({ ...judging(candidates, split), separateRun: separateRuns('inputs', four, log) });
    expect(judgement?.ranked.map(({ point, figure, judgedOn }) => [point.number, figure, judgedOn?.figure])).toEqual([
      [2, -4, -200],
      [3, -5, -300],
      [1, -9, -100],
    ]);
    expect(judgement?.held?.result).toEqual({ days: 2, games: 2, figure: -200, sum: 20, interval: undefined });
    // a figure that is at best 0 or below is not rejected for that alone
    const { text } = verdictOf(judgement, 3, objective);
    expect(text).not.toContain('earns nothing');
    expect(text).toMatch(/ · hold-out -200, edge \+\$20\.00 \(too few games: 2\)$/);
  });

  it('ranks points in the opposite order when less is better', async () => {
    const split: Judging['split'] = { kind: 'holdout', fold: holdOut(four, 0.5, 0) };
    const least = { ...judging(candidatesOf([9, 4, 5], ['g00', 'g10'] as GameId[]), split) };
    const asked = { ...least, objective: objectiveOf('inventory.worst:least') };
    const { log, played, play } = scene((point) => 100 * point);
    await playSeparateRuns('inputs', asked, asked.candidates, log, play);
    expect(played.map((text) => text.slice(0, 9))).toEqual(['judging 2', 'judging 3', 'judging 1']);
    const judgement = judge({ ...asked, separateRun: separateRuns('inputs', four, log) });
    expect(judgement?.ranked.map(({ point, figure }) => [point.number, figure])).toEqual([
      [2, 4],
      [3, 5],
      [1, 9],
    ]);
    // 7 is the mean of the neighbours
    expect(judgement?.plateau?.share).toBeCloseTo(4 / 7, 12);
  });

  it('chooses for each walk-forward part by runs over all days before it, and is their mean weighted by games', async () => {
    const split: Judging['split'] = {
      kind: 'walk-forward',
      folds: walkForward(four, 3, 0).concat({ train: [0], test: [1, 2] }),
    };
    expect(judgedGamesOf(goalsOf({ objective }), split, four)).toBeUndefined();
    const candidates = candidatesOf([-1, -2], ['g00', 'g10', 'g20', 'g30'] as GameId[]);
    // point 2 is best on the first three days, point 1 on the first day alone
    const { log, played, play } = scene((point, games) => {
      if (games.length === 3) return -10 / point;
      return games[0] === 'g00' ? -10 * point : games.length === 1 ? -7 : -1;
    });
    await playSeparateRuns('inputs', judging(candidates, split), candidates, log, play);
    expect(played).toEqual([
      ...['choosing 1: g00 g10 g20', 'choosing 2: g00 g10 g20', 'choosing 1: g00', 'choosing 2: g00'],
      ...['judging 2: g30', 'judging 1: g10 g20'],
    ]);
    const judgement = judge({ ...judging(candidates, split), separateRun: separateRuns('inputs', four, log) });
    expect(judgement?.held?.result).toMatchObject({ days: 3, games: 3, figure: (-7 + 2 * -1) / 3, sum: 30 });
  });

  it('is not known when its separate run has two different results, or is missing', async () => {
    const split: Judging['split'] = { kind: 'holdout', fold: holdOut(four, 0.5, 0) };
    const candidates = candidatesOf([-4], ['g00', 'g10'] as GameId[]);
    const { log, play } = scene(() => -1);
    const [task] = await playSeparateRuns('inputs', judging(candidates, split), candidates, log, play);
    const judged = (apart: Judging['separateRun']) =>
      judge({ ...judging(candidates, split), ...(apart === undefined ? {} : { separateRun: apart }) });
    const both = judged(separateRuns('inputs', four, log, (key) => key === task?.key));
    expect(both?.held?.result).toMatchObject({ figure: undefined, sum: undefined });
    expect(verdictOf(both, 1, objective).text).toContain('hold-out not known');
    expect(judged(separateRuns('inputs', four, log))?.held?.result.figure).toBe(-1);
  });

  it('needs no separate run when it is a sum over games after all', async () => {
    const sum = objectiveOf('clv.dollars');
    const split: Judging['split'] = { kind: 'holdout', fold: holdOut(four, 0.5, 0) };
    const { log, play, played } = scene(() => 0);
    const candidates = candidatesOf([1], []);
    expect(
      await playSeparateRuns('i', { ...judging(candidates, split), objective: sum }, candidates, log, play),
    ).toEqual([]);
    expect([played, judgedGamesOf(goalsOf({ objective: sum }), split, four)]).toEqual([[], undefined]);
  });

  it('is refused when a part of the days is too short for it, with the length of that part', () => {
    const many = days(50);
    const split = (share: number): Judging['split'] => ({ kind: 'holdout', fold: holdOut(many, share, 0) });
    expect(() => checkParts(objectiveOf('sharpe'), split(0.4), many)).toThrow(
      /^--objective sharpe is not known under 30 days, and a part of the days is 20 long: record more days, /,
    );
    expect(() => checkParts(objectiveOf('interval.clvLow'), split(0.7), many)).toThrow(
      /interval\.clvLow is not known under 30 games, and a part of the days has 15/,
    );
    const long = days(60);
    const half: Judging['split'] = { kind: 'holdout', fold: holdOut(long, 0.5, 0) };
    for (const name of ['sharpe', 'interval.clvLow', 'quoting.atBest'])
      expect(() => checkParts(objectiveOf(name), half, long)).not.toThrow();
    expect(() => checkParts(objectiveOf('sharpe'), { kind: 'none' }, many)).not.toThrow();
  });
});
