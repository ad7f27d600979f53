// Differences game by game, games needed, and the importance of parameters, by hand.
import { describe, expect, it } from 'vitest';
import type { GameId } from '../../src/domain/index.ts';
import { createRandom } from '../../src/domain/index.ts';
import { importanceOf } from '../../src/sweep/importance.ts';
import { objectiveOf } from '../../src/sweep/objective.ts';
import type { Played } from '../../src/sweep/outcome.ts';
import { differenceOf, gamesNeeded, isClearlyWorse } from '../../src/sweep/paired.ts';
import type { Point } from '../../src/sweep/point.ts';
import type { Dimension } from '../../src/sweep/scale.ts';
import { KNOWN } from './fixtures.ts';

const dollars = objectiveOf('clv.dollars');
const perPlace = objectiveOf('edge.perPlace');
const gamesOf = (count: number): readonly GameId[] =>
  Array.from({ length: count }, (_, index) => `g${index}` as GameId);
/** A run that brings these dollars in each game, with `permits` place permits. */
const runOf = (values: readonly (number | undefined)[], permits: readonly number[] = []): Played => ({
  status: 'played',
  figures: {},
  games: values.map((value, index) => ({
    ...KNOWN,
    ...(value === undefined ? { knownFills: 0, knownPayout: 0 } : {}),
    game: `g${index}` as GameId,
    permits: permits[index] ?? 1,
    value: (value ?? 0) * 1e6,
    per: permits[index] ?? 1,
  })),
  errors: [],
});

describe('the difference of two points', () => {
  it('is that within each game', () => {
    const a = runOf([11, -9, 11, -9, 11, -9, 11, -9]);
    const b = runOf([0, 0, 0, 0, 0, 0, 0, 0]);
    const difference = differenceOf(dollars, gamesOf(8), a, b);
    // each game is 10 from the mean of 1: the variance is 8 × 100 / 7
    expect(difference).toMatchObject({ games: 8, mean: 1 });
    expect(difference?.deviation).toBeCloseTo(Math.sqrt(800 / 7), 12);
    // (1.959964 + 0.841621)² × 800 / 7 / 1² = 897.01
    expect(difference && gamesNeeded(difference)).toBe(898);
  });

  it('counts a game that only one of them played as 0 for the other, and leaves out games that are not known', () => {
    const a = runOf([1, 1, 1, 1, 1, 1, 1, 1, undefined]);
    const b = runOf([2]);
    expect(differenceOf(dollars, gamesOf(9), a, b)).toMatchObject({ games: 8, mean: (-1 + 7) / 8 });
  });

  it('is that of the ratios for a figure per permit', () => {
    const permits = [1, 2, 3, 4, 5, 6, 7, 8];
    const a = runOf([3, 1, 4, 1, 5, 9, 2, 6], permits);
    const b = runOf([1, 1, 1, 1, 1, 1, 1, 1], [2, 2, 2, 2, 2, 2, 2, 2]);
    const difference = differenceOf(perPlace, gamesOf(8), a, b);
    expect(difference?.mean).toBeCloseTo(31 / 36 - 8 / 16, 12);
    // of the second each game is the mean; of the first 31/36 + (v - 31/36 p) / 4.5
    const values = [3, 1, 4, 1, 5, 9, 2, 6].map((value, index) => (value - (31 / 36) * (index + 1)) / 4.5);
    const variance = values.reduce((sum, value) => sum + value ** 2, 0) / 7;
    expect(difference?.deviation).toBeCloseTo(Math.sqrt(variance), 12);
  });

  it('is not known with fewer than eight games, or for a figure that is no sum over games', () => {
    const seven = runOf([1, 2, 3, 4, 5, 6, 7]);
    expect(differenceOf(dollars, gamesOf(7), seven, runOf([]))).toBeUndefined();
    const eight = runOf([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(differenceOf(objectiveOf('inventory.worst'), gamesOf(8), eight, eight)).toBeUndefined();
  });

  it('needs no number of games when there is none', () => {
    const same = runOf([1, 2, 3, 4, 5, 6, 7, 8]);
    const difference = differenceOf(dollars, gamesOf(8), same, same);
    expect(difference && gamesNeeded(difference)).toBeUndefined();
    // a difference that is the same in every game takes the fewest games
    expect(gamesNeeded({ games: 8, mean: 1, deviation: 0 })).toBe(8);
  });

  it('is clearly below 0 when three standard errors above the mean are', () => {
    expect(isClearlyWorse({ games: 9, mean: -1, deviation: 1 })).toBe(false);
    expect(isClearlyWorse({ games: 9, mean: -1, deviation: 0.99 })).toBe(true);
    expect(isClearlyWorse({ games: 100, mean: 1, deviation: 0.1 })).toBe(false);
  });
});

describe('the importance of parameters', () => {
  const level: Dimension = {
    kind: 'list',
    name: 'a.level',
    values: ['lo', 'hi'].map((text) => ({ text, value: text })),
  };
  const edge: Dimension = { kind: 'range', name: 'a.edge', from: 0, to: 1, isWhole: false };
  const point = (number: number, text: string, value = 0): Point => ({
    number,
    settings: [
      { name: 'a.level', text, value: text },
      { name: 'a.edge', text: String(value), value },
    ],
  });

  it('is the share of the variation between the values of a parameter, less what chance would give', () => {
    const figures = { lo: [1, 2, 3, 2, 2], hi: [5, 6, 7, 6, 6] };
    const points = Object.entries(figures).flatMap(([text, all]) =>
      all.map((figure, index) => ({ point: point(index + 1, text), figure })),
    );
    const [first] = importanceOf([level], points, 1);
    // means 2 and 6: B = 10 × 2² = 40, W = 2 + 2 = 4; (40 - 4 / 8) / 44
    expect(first?.share).toBeCloseTo((40 - 0.5) / 44, 12);
    expect(first?.groups).toBe(2);
    // 2 of the 252 ways to choose five of ten divide them so well
    expect(first?.p).toBeLessThan(0.03);
  });

  it('finds the parameter that matters among noise, and puts it first', () => {
    const random = createRandom(5, 'points');
    const points = Array.from({ length: 60 }, (_, index) => {
      const value = random.next();
      const made = point(index + 1, random.next() < 0.5 ? 'lo' : 'hi', value);
      return { point: made, figure: (value - 0.4) ** 2 + 0.02 * random.normal() };
    });
    const [first, second] = importanceOf([level, edge], points, 1);
    expect(first).toMatchObject({ name: 'a.edge', groups: 8 });
    expect(first?.share).toBeGreaterThan(0.8);
    expect(first?.p).toBe(0.001);
    expect(second?.share).toBeLessThan(0.1);
    expect(second?.p).toBeGreaterThan(0.05);
  });

  it('is not known with fewer than ten points, or when all figures are equal', () => {
    const few = Array.from({ length: 9 }, (_, index) => ({
      point: point(index + 1, index % 2 ? 'lo' : 'hi'),
      figure: index,
    }));
    expect(importanceOf([level], few, 1)).toEqual([{ name: 'a.level', share: undefined, p: undefined, groups: 2 }]);
    const flat = Array.from({ length: 20 }, (_, index) => ({
      point: point(index + 1, index % 2 ? 'lo' : 'hi'),
      figure: 1,
    }));
    expect(importanceOf([level], flat, 1)[0]?.share).toBeUndefined();
  });
});
