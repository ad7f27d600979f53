// Parameter sweeps with made figures: which point is chosen on which days, and what the verdict says.
import { describe, expect, it } from 'vitest';
import type { GameId } from '../../src/domain/index.ts';
import { createRandom } from '../../src/domain/index.ts';
import type { GameDay } from '../../src/sweep/days.ts';
import { holdOut, walkForward } from '../../src/sweep/days.ts';
import type { Candidate, Judging } from '../../src/sweep/judge.ts';
import { judge } from '../../src/sweep/judge.ts';
import { DEFAULT_OBJECTIVE, figureOf, NO_SHARE, objectiveOf } from '../../src/sweep/objective.ts';
import type { Played } from '../../src/sweep/outcome.ts';
import { verdictOf } from '../../src/sweep/verdict.ts';
import { KNOWN } from './fixtures.ts';

const DAY_MS = 24 * 3_600_000;
/** One game a day. */
const days = (count: number): readonly GameDay[] =>
  Array.from({ length: count }, (_, day) => ({ startMs: day * DAY_MS, games: [`g${day}` as GameId] }));

/** A point that earns these dollars on each day, with `permits` place permits per day. */
const playedOf = (dollars: readonly number[], permits = 1): Played => ({
  status: 'played',
  figures: { quotedShare: dollars[0] ?? 0 },
  games: dollars.map((value, day) => ({
    ...KNOWN,
    game: `g${day}` as GameId,
    permits,
    value: value * 1e6,
    per: permits,
  })),
  errors: [],
});
const candidates = (rows: readonly (readonly number[])[], permits?: number): readonly Candidate[] =>
  rows.map((row, index) => ({
    point: { number: index + 1, settings: [{ name: 'main.edge', text: `0.0${index + 1}`, value: index }] },
    outcome: playedOf(row, permits),
    places: [index],
  }));
const judging = (options: Partial<Judging>): Judging => ({
  candidates: [],
  present: undefined,
  days: [],
  split: { kind: 'none' },
  seed: 1,
  trials: 1,
  objective: objectiveOf('clv.dollars'),
  ...options,
});

describe('the judgement of a sweep', () => {
  it('chooses on the days that are not held out, and reports what the chosen point earned on the held-out days', () => {
    const four = days(4);
    const judgement = judge(
      judging({
        days: four,
        split: { kind: 'holdout', fold: holdOut(four, 0.25, 0) },
        candidates: candidates([
          [1, 1, 1, 100],
          [3, 3, 3, -7],
          [2, 2, 2, 0],
        ]),
        present: playedOf([1, 2, 3, 4]),
      }),
    );
    expect(judgement?.ranked.map(({ point, figure }) => [point.number, figure])).toEqual([
      [2, 9],
      [3, 6],
      [1, 3],
    ]);
    expect(judgement?.ranked[0]?.judgedOn).toEqual({
      days: 1,
      games: 1,
      figure: -7,
      sum: -7,
      interval: undefined,
    });
    expect(judgement?.held).toEqual({ kind: 'holdout', result: judgement?.ranked[0]?.judgedOn });
    expect(judgement?.present).toBe(6);
    expect(judgement?.days).toBe(3);
  });

  it('walks forward: each part counts the point that was best on the days before it', () => {
    const four = days(4);
    const judgement = judge(
      judging({
        days: four,
        split: { kind: 'walk-forward', folds: walkForward(four, 1, 0) },
        candidates: candidates([
          [5, 0, 0, 9],
          [1, 7, 0, 2],
          [0, 0, 30, 4],
        ]),
      }),
    );
    // day 1 by the first (0), day 2 by the second (0), day 3 by the third (4)
    expect(judgement?.held).toMatchObject({ kind: 'walk-forward', result: { days: 3, games: 3, sum: 4 } });
  });

  it('divides sums by sums, and never adds ratios of days', () => {
    const objective = objectiveOf(DEFAULT_OBJECTIVE);
    const [cheap, dear] = [candidates([[1, 1]], 1)[0], candidates([[4, 4]], 10)[0]];
    if (cheap === undefined || dear === undefined) throw new Error('no candidates');
    const two = { ...dear, point: { ...dear.point, number: 2 } };
    const judgement = judge(judging({ days: days(2), objective, candidates: [cheap, two] }));
    expect(judgement?.ranked.map(({ point, figure }) => [point.number, figure])).toEqual([
      [1, 1],
      [2, 0.4],
    ]);
    expect(figureOf(objective, NO_SHARE)).toBe(0);
    expect(figureOf(objectiveOf('clv.points'), NO_SHARE)).toBeUndefined();
  });

  it('uses a figure of a whole run as it is', () => {
    const judgement = judge(
      judging({
        days: days(1),
        objective: objectiveOf('quotedShare'),
        candidates: candidates([[0.3], [0.8]]),
      }),
    );
    expect(judgement?.ranked[0]).toMatchObject({ point: { number: 2 }, figure: 0.8 });
  });

  it('counts a game without fills as zero in every statistic', () => {
    const single = candidates([[5]]);
    const judgement = judge(judging({ days: days(40), candidates: single, trials: 1 }));
    expect(judgement?.games).toBe(40);
    expect(judgement?.interval?.low).toBe(0);
    expect(judgement?.sharpe?.moments.n).toBe(40);
  });
});

describe('a figure that is not known', () => {
  const objective = objectiveOf(DEFAULT_OBJECTIVE);
  /** Two fills per day: `row` has the known value of each day; undefined: no fill of the day is known. */
  const partly = (row: readonly (number | undefined)[], share = 1): Played => {
    const { games, ...rest } = playedOf(row.map((value) => value ?? 0));
    return {
      ...rest,
      games: games.map((game, day) => ({
        ...game,
        ofFills: 2,
        ofPayout: 200,
        knownFills: 2,
        knownPayout: 200 * share,
        ...(row[day] === undefined ? { knownFills: 0, knownPayout: 0 } : {}),
      })),
    };
  };
  const points = (rows: readonly Played[]): readonly Candidate[] =>
    candidates(rows.map(() => [0])).map((candidate, index) => ({
      ...candidate,
      outcome: rows[index] ?? candidate.outcome,
    }));

  it('is not 0: it ranks last, and without any known figure there is no best point', () => {
    const judgedPoints = points([partly([undefined, undefined]), partly([-1, -2])]);
    const judgement = judge(
      judging({ days: days(2), objective, candidates: judgedPoints, present: partly([undefined]) }),
    );
    expect(judgement?.ranked.map(({ point, figure }) => [point.number, figure])).toEqual([
      [2, -1.5],
      [1, undefined],
    ]);
    expect(judgement?.present).toBeUndefined();
    const none = judge(
      judging({ days: days(2), objective, candidates: points([partly([undefined]), partly([undefined])]) }),
    );
    expect(verdictOf(none, 9, objective)).toEqual({ text: 'best of 9: not known', isBetter: null });
    expect(none).toMatchObject({ atEndOf: [], interval: undefined, plateau: undefined, held: undefined });
  });

  it('is divided by its share of the permits when only part of the fills is known, and reports how many are', () => {
    // one dollar a day, half of the payout known: divided by half of the permits of two days
    const judgement = judge(
      judging({ days: days(2), objective, candidates: points([partly([1, 1], 0.5), partly([0, 0])]) }),
    );
    expect(judgement?.ranked[0]?.figure).toBe(2);
    const half = judge(judging({ days: days(2), objective, candidates: points([partly([1, undefined])]) }));
    expect(half?.partly).toMatchObject({ knownFills: 2, ofFills: 4, knownPayout: 200, ofPayout: 400 });
    // one of two permits
    expect(half?.ranked[0]?.figure).toBe(1);
  });

  it('leaves its days out of the statistics of all points', () => {
    const twenty = Array.from({ length: 20 }, (_, day) => day);
    const full = partly(twenty);
    const holed = partly(twenty.map((day) => (day < 5 ? undefined : day)));
    const judgement = judge(judging({ days: days(20), objective, candidates: points([full, holed]) }));
    expect(judgement).toMatchObject({ days: 15, unknownDays: 5, overfitting: undefined });
  });
});

describe('the verdict of a sweep', () => {
  const objective = objectiveOf('clv.dollars');
  const noise = (count: number, length: number, mean = 0): readonly (readonly number[])[] =>
    Array.from({ length: count }, (_, index) => {
      const random = createRandom(11, `p${index}`);
      return Array.from({ length }, () => mean * index + random.normal());
    });
  const verdictFor = (options: Partial<Judging>) => verdictOf(judge(judging(options)), options.trials ?? 0, objective);

  it('says no to the best of points that are noise', () => {
    const { text, isBetter } = verdictFor({ days: days(40), candidates: candidates(noise(12, 40)), trials: 12 });
    expect(isBetter).toBe(false);
    expect(text).toMatch(
      /^best of 12: main\.edge=0\.0\d+ · better than chance\? overfitting [01]?\.\d\d, deflated Sharpe \.\d\d, reality check \.\d\d.*: no · games needed to show a difference from the second best: [\d,]+ \(played: 40\) · no hold-out$/,
    );
  });

  it('says yes to a point that is better every day and has neighbours that are nearly as good', () => {
    const { text, isBetter } = verdictFor({ days: days(40), candidates: candidates(noise(5, 40, 1)), trials: 5 });
    expect(isBetter).toBe(true);
    expect(text).toBe(
      'best of 5: main.edge=0.05 · better than chance? overfitting .00, deflated Sharpe 1.00, reality check .00: yes · games needed to show a difference from the second best: 24 (played: 40) · no hold-out',
    );
  });

  it('says no to a spike, however good it is', () => {
    const rows = noise(7, 40).map((row, index) => row.map((value) => value + (index === 3 ? 9 : 0.01)));
    const { text, isBetter } = verdictFor({ days: days(40), candidates: candidates(rows), trials: 7 });
    expect(isBetter).toBe(false);
    expect(text).toContain('a spike: its neighbours reach less than half: no');
  });

  it('counts every trial, also those that were not judged', () => {
    const rows = candidates(noise(5, 40, 0.1));
    const deflatedSharpe = (trials: number) =>
      judge(judging({ days: days(40), candidates: rows, trials }))?.sharpe?.deflated ?? 1;
    expect(deflatedSharpe(500)).toBeLessThan(deflatedSharpe(5));
  });

  it('names the parameters for which the best point has the lowest or highest value', () => {
    const judgement = judge(judging({ days: days(40), candidates: candidates(noise(5, 40, 1)) }));
    expect(judgement?.atEndOf).toEqual(['main.edge']);
    expect(judge(judging({ days: days(1), candidates: candidates([[1], [3], [2]]) }))?.atEndOf).toEqual([]);
  });

  it('says that the figure is not known when no point has one', () => {
    const sharpe = objectiveOf('sharpe');
    const judgement = judge(judging({ days: days(2), objective: sharpe, candidates: candidates([[1], [2]]) }));
    expect(verdictOf(judgement, 2, sharpe)).toEqual({
      text: 'best of 2: not known',
      isBetter: null,
    });
  });

  it('says that it judges by edge when the objective is not a sum', () => {
    const shareOf = objectiveOf('quotedShare:least');
    const judgement = judge(
      judging({ days: days(1), objective: shareOf, candidates: candidates([[0.9], [0.1], [0.9]]) }),
    );
    expect(verdictOf(judgement, 3, shareOf).text).toMatch(
      /main\.edge=0\.02 · better than chance, by edge\? a spike: its neighbours have more than twice as much/,
    );
  });

  it('gives no answer with too few days and games, and says which are missing', () => {
    const { text, isBetter } = verdictFor({
      days: days(3),
      candidates: candidates([7, 8, 9, 10].map((value) => [value, value, value])),
      trials: 4,
    });
    expect(isBetter).toBeNull();
    expect(text).toContain(
      'better than chance? too few days: 3 (overfitting needs 16, Sharpe 30), too few games: 3 (an interval needs 30) · games needed to show a difference from the second best: unknown (played: 3, and 8 are the fewest) · no hold-out',
    );
  });

  it('shows the money of the hold-out with its interval when there are enough games', () => {
    const many = days(100);
    const { text } = verdictFor({
      days: many,
      candidates: candidates([Array.from({ length: 100 }, () => 2)]),
      trials: 1,
      split: { kind: 'holdout', fold: holdOut(many, 0.4, 1) },
    });
    expect(text).toMatch(/ · hold-out \+\$80\.00 ± 0\.00$/);
  });

  it('says that no point could be judged', () => {
    expect(verdictOf(undefined, 9, objective)).toEqual({
      text: 'best of 9: no point could be judged',
      isBetter: null,
    });
  });
});
