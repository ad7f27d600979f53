import { describe, expect, it } from 'vitest';
import { MOST_DIMENSIONS, sobol } from '../../src/sweep/sobol.ts';

function first(count: number, dimensions: number, shift?: readonly number[]): readonly (readonly number[])[] {
  const points: (readonly number[])[] = [];
  for (const point of sobol(dimensions, shift)) if (points.push(point) === count) break;
  return points;
}

describe('the Sobol sequence', () => {
  it('begins with the points of Joe and Kuo', () => {
    expect(first(8, 3)).toEqual([
      [0, 0, 0],
      [0.5, 0.5, 0.5],
      [0.75, 0.25, 0.25],
      [0.25, 0.75, 0.75],
      [0.375, 0.375, 0.625],
      [0.875, 0.875, 0.125],
      [0.625, 0.125, 0.875],
      [0.125, 0.625, 0.375],
    ]);
  });

  it.each([undefined, Array.from({ length: MOST_DIMENSIONS }, (_, d) => 0x9e3779b9 * (d + 1))])(
    'has one point in each of 256 equal parts of every dimension, with and without a shift',
    (shift) => {
      const points = first(
        256,
        MOST_DIMENSIONS,
        shift?.map((bits) => bits >>> 0),
      );
      for (let d = 0; d < MOST_DIMENSIONS; d++)
        expect(new Set(points.map((point) => Math.floor((point[d] ?? 0) * 256))).size).toBe(256);
    },
  );

  it('has one point in each of 64 equal rectangles of the first two dimensions', () => {
    const points = first(64, 2);
    for (const [a, b] of [
      [64, 1],
      [16, 4],
      [8, 8],
      [2, 32],
    ] as const) {
      const cells = points.map(([x = 0, y = 0]) => `${Math.floor(x * a)} ${Math.floor(y * b)}`);
      expect(new Set(cells).size).toBe(64);
    }
  });
});
