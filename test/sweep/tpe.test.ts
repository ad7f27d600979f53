// The tree-structured Parzen estimator on functions whose best point is known.
import { describe, expect, it } from 'vitest';
import { sampleOf, settingsKey } from '../../src/sweep/dimensions.ts';
import type { Point } from '../../src/sweep/point.ts';
import type { Dimension } from '../../src/sweep/scale.ts';
import { goodCount, LEAST_STARTUP, nextPoints } from '../../src/sweep/tpe.ts';

const edge: Dimension = { kind: 'range', name: 'a.edge', from: 0.0001, to: 1, isWhole: false, isLog: true };
const skew: Dimension = { kind: 'range', name: 'a.skew', from: 0, to: 1, isWhole: false };
const levels: Dimension = { kind: 'range', name: 'a.levels', from: 1, to: 20, isWhole: true };
const model: Dimension = {
  kind: 'list',
  name: 'a.model',
  values: ['w', 'x', 'y', 'z'].map((text) => ({ text, value: text })),
};
const MIXED = [edge, skew, levels, model];

const numberIn = ({ settings }: Point, index: number): number => Number(settings[index]?.value);
const MODELS: Readonly<Record<string, number>> = { w: 1.5, x: 0.5, y: 0, z: 1 };
/** Best at 0: edge 0.005, skew 0.72, 13 levels, model y. */
const quality = (point: Point): number =>
  -(
    (Math.log10(numberIn(point, 0)) + 2.3) ** 2 +
    8 * (numberIn(point, 1) - 0.72) ** 2 +
    ((numberIn(point, 2) - 13) / 6) ** 2 +
    (MODELS[String(point.settings[3]?.value)] ?? 9)
  );

type Judge = (point: Point) => { readonly score: number; readonly violation?: number } | undefined;

function searched(
  dimensions: readonly Dimension[],
  judge: Judge,
  { seed, count, batch = 8 }: { readonly seed: number; readonly count: number; readonly batch?: number },
): readonly Point[] {
  const points = [...sampleOf(dimensions, LEAST_STARTUP, seed)];
  while (points.length < count) {
    const seen = points.map((point) => {
      const result = judge(point);
      const standing =
        result === undefined
          ? undefined
          : { number: point.number, scores: [result.score], violation: result.violation ?? 0 };
      return { point, standing };
    });
    const next = nextPoints(dimensions, seen, Math.min(batch, count - points.length), seed);
    if (next.length === 0) break;
    points.push(...next);
  }
  return points;
}

const SEEDS = Array.from({ length: 15 }, (_, index) => index + 1);
const medianOf = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
const bestOf = (points: readonly Point[]): number => Math.max(...points.map(quality));

describe('the tree-structured Parzen estimator', () => {
  it('finds better points than an even spread of as many points, with log scales, whole numbers and choices', () => {
    const estimated = SEEDS.map((seed) =>
      bestOf(searched(MIXED, (point) => ({ score: quality(point) }), { seed, count: 64 })),
    );
    const spread = SEEDS.map((seed) => bestOf(sampleOf(MIXED, 64, seed)));
    // a third of the distance to the best, in the middle of the seeds
    expect(medianOf(estimated)).toBeGreaterThan(medianOf(spread) / 3);
    expect(estimated.filter((best, index) => best > (spread[index] ?? 0)).length).toBeGreaterThanOrEqual(13);
  });

  it('takes the best choice most often, and tries the others too', () => {
    const later = searched(MIXED, (point) => ({ score: quality(point) }), { seed: 4, count: 100 }).slice(40);
    const counts = Map.groupBy(later, ({ settings }) => settings[3]?.value);
    expect(counts.get('y')?.length ?? 0).toBeGreaterThan(later.length / 2);
    expect(counts.size).toBeGreaterThan(1);
  });

  it('gives the same points for the same seed and batch, and others for another seed', () => {
    const judge: Judge = (point) => ({ score: quality(point) });
    const points = searched(MIXED, judge, { seed: 7, count: 30 });
    expect(searched(MIXED, judge, { seed: 7, count: 30 })).toEqual(points);
    expect(searched(MIXED, judge, { seed: 8, count: 30 })).not.toEqual(points);
    expect(points.map(({ number }) => number)).toEqual(points.map((_, index) => index + 1));
  });

  it('plays no point twice, and ends when all were played', () => {
    const few: Dimension = { ...levels, to: 6 };
    const points = searched([few, model], () => ({ score: 1 }), { seed: 1, count: 100 });
    expect(new Set(points.map(({ settings }) => settingsKey(settings))).size).toBe(24);
    expect(points).toHaveLength(24);
  });

  it('is guided by the violation of constraints to points that meet them', () => {
    // only edges from 0.3 on meet the constraint, and without it small edges are best
    const judge: Judge = (point) => {
      const value = numberIn(point, 0);
      return { score: -value, violation: Math.max(0, 0.3 - value) };
    };
    const later = searched([edge, skew], judge, { seed: 2, count: 80 }).slice(40);
    expect(later.filter((point) => numberIn(point, 0) >= 0.3).length).toBeGreaterThan(later.length / 3);
  });

  it('spreads over the front of two objectives', () => {
    // the best of one is at 0.3, of the other at 0.5: the front lies between
    const points = [...sampleOf([skew, levels], LEAST_STARTUP, 6)];
    while (points.length < 80) {
      const seen = points.map((point) => {
        const value = numberIn(point, 0);
        const scores = [-((value - 0.3) ** 2), -((value - 0.5) ** 2)];
        return { point, standing: { number: point.number, scores, violation: 0 } };
      });
      points.push(...nextPoints([skew, levels], seen, 8, 6));
    }
    const later = points.slice(40).map((point) => numberIn(point, 0));
    const between = later.filter((value) => value >= 0.27 && value <= 0.53);
    // an even spread has a quarter of its points there
    expect(between.length).toBeGreaterThan(later.length / 2);
    expect(between.some((value) => value < 0.37) && between.some((value) => value > 0.43)).toBe(true);
  });

  it('never counts an unknown point among the good ones', () => {
    // what would be best is unknown
    const judge: Judge = (point) => (numberIn(point, 0) < 0.5 ? undefined : { score: -numberIn(point, 0) });
    const later = searched([skew], judge, { seed: 3, count: 80 }).slice(30);
    expect(later.filter((point) => numberIn(point, 0) >= 0.5).length).toBeGreaterThan(later.length / 2);
    // with no known point it still goes on
    expect(searched([skew], () => undefined, { seed: 3, count: 30 })).toHaveLength(30);
  });

  it('counts a tenth of the points as good, at most 25', () => {
    expect([1, 10, 11, 64, 250, 1000].map(goodCount)).toEqual([1, 1, 2, 7, 25, 25]);
  });
});
