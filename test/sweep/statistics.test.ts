// Statistics of parameter sweeps, with the values of figures.md, "Statistics against self-deception".
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/domain/index.ts';
import { intervalOf } from '../../src/sweep/interval.ts';
import { normalBelow, normalQuantile } from '../../src/pricing/index.ts';
import { momentsOf } from '../../src/sweep/moments.ts';
import { overfittingOf } from '../../src/sweep/overfitting.ts';
import { plateauOf } from '../../src/sweep/plateau.ts';
import { realityCheck } from '../../src/sweep/reality-check.ts';
import { deflatedSharpe, expectedBest, probabilisticSharpe, sharpeOf } from '../../src/sweep/sharpe.ts';

/** `points` series of `days` normal random numbers. */
function noise(points: number, days: number, seed: number, mean = 0): readonly Float64Array[] {
  return Array.from({ length: points }, (_, index) => {
    const random = createRandom(seed, `point ${index}`);
    return Float64Array.from({ length: days }, () => mean + random.normal());
  });
}
const sums = (points: readonly Float64Array[]) => points.map((value) => ({ value, per: undefined }));

describe('the normal distribution', () => {
  it.each([
    [0, 0.5],
    [1, 0.841344746068543],
    [-1.96, 0.0249978951482204],
    [2.999, 0.998645663], // both sides of the value at which the formula changes
    [3.001, 0.998654527],
    [-6, 9.86587645037698e-10],
  ])('gives P(Z ≤ %d) = %d', (z, p) => {
    expect(normalBelow(z)).toBeCloseTo(p, 9);
  });

  it.each([0.001, 0.025, 0.5, 0.99, 0.9999])('has a quantile function that is the inverse at %d', (p) => {
    expect(normalBelow(normalQuantile(p))).toBeCloseTo(p, 12);
  });

  it('has moments as the papers define them', () => {
    // by hand: mean 2, second central moment 1.5, third 1.5, fourth 4.5
    const moments = momentsOf([1, 1, 2, 4]);
    expect(moments.mean).toBe(2);
    expect(moments.deviation).toBeCloseTo(Math.sqrt(2), 12);
    expect(moments.skew).toBeCloseTo(1.5 / 1.5 ** 1.5, 12);
    expect(moments.kurtosis).toBeCloseTo(4.5 / 1.5 ** 2, 12);
    expect(sharpeOf(momentsOf([3, 3, 3]))).toBeUndefined();
  });
});

describe('the Sharpe ratio', () => {
  it.each([
    ['normal', 0, 3, 0.982],
    ['skewed, with fat tails', -2.448, 10.164, 0.913],
  ] as const)(
    'of .458 in 24 periods has the probability of the paper to be above 0: %s',
    (_name, skew, kurtosis, p) => {
      expect(probabilisticSharpe({ sharpe: 0.458, n: 24, skew, kurtosis })).toBeCloseTo(p, 3);
    },
  );

  it.each([
    [100, 0.9004],
    [46, 0.9505],
  ])('of 2.5 per year is deflated as the best of %d trials', (trials, p) => {
    const moments = { sharpe: 2.5 / Math.sqrt(250), n: 1250, skew: -3, kurtosis: 10 };
    expect(deflatedSharpe(moments, trials, 0.5 / 250)).toBeCloseTo(p, 4);
  });

  it('of the best of a hundred trials without edge is .1132', () => {
    expect(expectedBest(100, 0.5 / 250)).toBeCloseTo(0.1132, 4);
    expect(expectedBest(1, 0.5)).toBe(0);
  });
});

describe('the probability of backtest overfitting', () => {
  it.each([3, 4, 20])('is ½ for noise of %d points', (count) => {
    let sum = 0;
    const seeds = 80;
    for (let seed = 0; seed < seeds; seed++)
      sum += overfittingOf(sums(noise(count, 48, seed)))?.probability ?? Number.NaN;
    expect(Math.abs(sum / seeds - 0.5)).toBeLessThan(0.1);
  });

  it('is 0 when one point is best every day', () => {
    const points = [...noise(9, 40, 1), Float64Array.from({ length: 40 }, () => 10)];
    expect(overfittingOf(sums(points))).toEqual({ probability: 0, splits: 12_870 });
  });

  it('compares ratios of sums: the best point earns the most per permit, not per day', () => {
    const days = 16;
    const fill = (value: number): Float64Array => new Float64Array(days).fill(value);
    const points = [
      { value: fill(10), per: fill(100) },
      { value: fill(2), per: fill(4) },
      { value: fill(3), per: fill(10) },
    ];
    // the second point is always best, inside and outside
    expect(overfittingOf(points)?.probability).toBe(0);
  });

  it('is not known for fewer days than blocks, nor for a single point', () => {
    expect(overfittingOf(sums(noise(5, 15, 1)))).toBeUndefined();
    expect(overfittingOf(sums(noise(1, 40, 1)))).toBeUndefined();
  });
});

describe("White's reality check", () => {
  it('rejects noise in about one of twenty cases', () => {
    const runs = 300;
    let rejected = 0;
    for (let seed = 0; seed < runs; seed++) {
      const p = realityCheck(noise(5, 40, seed), undefined, seed)?.p ?? Number.NaN;
      if (p <= 0.05) rejected += 1;
    }
    // 15 are expected, ± three standard deviations of 3.8 each
    expect(rejected).toBeGreaterThanOrEqual(4);
    expect(rejected).toBeLessThanOrEqual(27);
  });

  it('recognizes points that are better than nothing, but no better than the present setting', () => {
    const better = noise(5, 60, 7, 1);
    expect(realityCheck(better)?.p).toBeLessThan(0.01);
    const present = better[0] ?? new Float64Array();
    const same = [present, present];
    expect(realityCheck(same, present)?.p).toBe(1);
    const shifted = better.map((values) => values.map((value) => value + 2));
    expect(realityCheck(shifted, present)?.p).toBeLessThan(0.01);
  });

  it('has no result for fewer than 16 days', () => {
    expect(realityCheck(noise(3, 15, 1))).toBeUndefined();
  });
});

describe('the plateau of the best point', () => {
  const row = (figures: readonly number[]) =>
    plateauOf(figures.map((figure, index) => ({ number: index + 1, places: [index], figure })));

  it('has share 0 for a spike, and then another point is the steadiest', () => {
    const plateau = row([0, 10, 0, 0, 6, 7, 6, 0]);
    expect(plateau).toEqual({ neighbours: 0, count: 2, share: 0, steadiest: 6 });
  });

  it('has a high share when the neighbours are nearly as good', () => {
    const plateau = row([1, 5, 8, 9, 8, 5, 1]);
    expect(plateau?.steadiest).toBe(4);
    expect(plateau?.share).toBeCloseTo(8 / 9, 12);
  });

  it('divides the best figure by that of its neighbours when less is better', () => {
    const figures = [9, 1, 9, 6, 4, 3, 5];
    const plateau = plateauOf(
      figures.map((figure, index) => ({ number: index + 1, places: [index], figure })),
      { isLess: true },
    );
    expect(plateau).toEqual({ neighbours: 9, count: 2, share: 1 / 9, steadiest: 6 });
  });

  it('compares with two neighbours for each dimension', () => {
    const points = [0, 1, 2].flatMap((x) =>
      [0, 1, 2].map((y) => ({
        number: 3 * x + y + 1,
        places: [x, y],
        figure: x === 1 && y === 1 ? 5 : x + y,
      })),
    );
    // the four neighbours of the middle: 1, 1, 3, 3
    expect(plateauOf(points)).toMatchObject({ neighbours: 2, count: 4, share: 0.4 });
    expect(plateauOf(points, { isGrid: true })).toMatchObject({ neighbours: 2, count: 4, share: 0.4 });
    // a corner has two neighbours, and none two steps away
    const corner = points.map((point) => ({ ...point, figure: point.number === 9 ? 9 : point.figure }));
    expect(plateauOf(corner, { isGrid: true })).toMatchObject({ neighbours: 3, count: 2, share: 1 / 3 });
  });

  it('compares with one neighbour at the end of a range', () => {
    expect(row([0.002, 0.0687, 0.1084])).toEqual({
      neighbours: 0.0687,
      count: 1,
      share: 0.0687 / 0.1084,
      steadiest: 3,
    });
  });

  it('is not known for two points', () => {
    expect(row([1, 2])).toBeUndefined();
  });
});

describe('the interval over games', () => {
  it('is not known for fewer than 30 games', () => {
    expect(
      intervalOf(
        Array.from({ length: 29 }, () => ({ value: 1, per: 1 })),
        false,
      ),
    ).toBeUndefined();
  });

  it('is exactly the sum when all games are equal', () => {
    const games = Array.from({ length: 30 }, () => ({ value: 2, per: 4 }));
    expect(intervalOf(games, false)).toEqual({ low: 60, high: 60 });
    expect(intervalOf(games, true)).toEqual({ low: 0.5, high: 0.5 });
  });

  it('extends about two standard deviations of the sum to either side', () => {
    const random = createRandom(3, 'games');
    const games = Array.from({ length: 400 }, () => ({ value: random.normal(), per: 1 }));
    const sum = games.reduce((all, { value }) => all + value, 0);
    const { low, high } = intervalOf(games, false) ?? { low: 0, high: 0 };
    expect(high - sum).toBeGreaterThan(33);
    expect(high - sum).toBeLessThan(46);
    expect(sum - low).toBeGreaterThan(33);
    expect(sum - low).toBeLessThan(46);
  });
});
