// Fronts, orders and constraints, by hand.
import { describe, expect, it } from 'vitest';
import { constraint, constraintText, meets, violationOf } from '../../src/sweep/constraints.ts';
import { objectiveOf } from '../../src/sweep/objective.ts';
import type { Played } from '../../src/sweep/outcome.ts';
import type { Standing } from '../../src/sweep/standing.ts';
import { frontOf, orderOf, standingOf } from '../../src/sweep/standing.ts';

const standing = (number: number, scores: readonly number[], violation = 0): Standing => ({
  number,
  scores,
  violation,
});
const numbersOf = (standings: readonly Standing[]): readonly number[] => standings.map(({ number }) => number);
const run = (figures: Played['figures']): Played => ({ status: 'played', figures, games: [], errors: [] });

describe('a front', () => {
  it('has the points that no other point beats in every score, the best of the first score first', () => {
    const points = [
      standing(1, [1, 5]),
      standing(2, [2, 2]),
      standing(3, [3, 4]),
      standing(4, [4, 1]),
      // beaten by point 3 in the second score, and equal in the first
      standing(5, [3, 3]),
      // equal to point 4: neither beats the other
      standing(6, [4, 1]),
    ];
    expect(numbersOf(frontOf(points))).toEqual([4, 6, 3, 1]);
    expect(numbersOf(frontOf(points.toReversed()))).toEqual([4, 6, 3, 1]);
  });

  it('orders points front after front, lonely points of a front first', () => {
    const points = [
      // first front; 1 and 4 are its ends, 2 is farther from its neighbours than 3
      ...[standing(1, [0, 10]), standing(2, [5, 6]), standing(3, [9, 1]), standing(4, [10, 0])],
      // second front
      standing(5, [4, 5]),
      // does not meet the constraints
      standing(6, [99, 99], 0.5),
      standing(7, [0, 0], 0.1),
    ];
    // crowding: 2: (9 - 0) / 10 + (10 - 1) / 10 = 1.8; 3: (10 - 5) / 10 + (6 - 0) / 10 = 1.1
    expect(numbersOf(orderOf(points))).toEqual([1, 4, 2, 3, 5, 7, 6]);
    expect(numbersOf(orderOf(points, 3))).toEqual([1, 4, 2]);
  });

  it('orders single scores by size, the earlier of equal points first', () => {
    expect(numbersOf(orderOf([standing(1, [2]), standing(2, [7]), standing(3, [7]), standing(4, [8], 1)]))).toEqual([
      2, 3, 1, 4,
    ]);
  });
});

describe('a constraint', () => {
  it('is a figure, an operator and a number', () => {
    const limits = constraint('quotedShare>=.5', constraint('inventory.maxDrawdown <= 2e2'));
    expect(limits.map(constraintText)).toEqual(['inventory.maxDrawdown <= 200', 'quotedShare >= 0.5']);
  });

  it.each([
    ['inventory.maxDrawdown', /expected a figure, <=, >=, < or >, and a number, in quotation marks/],
    ['inventory.maxDrawdown = 200', /expected a figure/],
    ['inventory.maxDrawdown == 200', /expected a figure/],
    ['inventory.maxDrawdown <= much', /expected a figure/],
    ['200 >= inventory.maxDrawdown', /expected a figure/],
    ['fills >= 1e999', /1e999 is too large a number/],
  ])('refuses %s', (text, problem) => {
    expect(() => constraint(text)).toThrow(problem);
  });

  it('is refused when it is given twice', () => {
    expect(() => constraint('fills >= 1', constraint('fills>=1.0'))).toThrow('fills >= 1 is given twice');
  });

  it('is missed by the share of its bound, added over constraints', () => {
    const limits = constraint('fills > 10', constraint('inventory.maxDrawdown <= 200'));
    expect(violationOf(limits, run({ 'inventory.maxDrawdown': 250, fills: 5 }))).toBe(0.25 + 0.5);
    expect(violationOf(limits, run({ 'inventory.maxDrawdown': 200, fills: 11 }))).toBe(0);
    // a bound of 0 divides by 1
    expect(violationOf(constraint('pnl.marked >= 0'), run({ 'pnl.marked': -3 }))).toBe(3);
    // equal to a bound that it must not reach: missed, by as little as can be
    const equal = run({ 'inventory.maxDrawdown': 1, fills: 10 });
    expect(violationOf(limits, equal)).toBeGreaterThan(0);
    expect(meets(limits, equal)).toBe(false);
  });

  it('is neither met nor missed when its figure is not known', () => {
    const limits = constraint('inventory.maxDrawdown <= 200');
    for (const figures of [{}, { 'inventory.maxDrawdown': null }]) {
      expect(violationOf(limits, run(figures))).toBeUndefined();
      expect(meets(limits, run(figures))).toBe(false);
    }
  });
});

describe('a point whose figure is not known', () => {
  const goals = {
    objectives: [objectiveOf('clv.dollars'), objectiveOf('inventory.maxDrawdown')],
    constraints: constraint('fills >= 1'),
  };
  const known = { 'inventory.maxDrawdown': 30, fills: 4 };

  it('has no standing: it is compared with no other', () => {
    // less drawdown is better
    expect(standingOf(1, 5, run(known), goals)).toEqual({ number: 1, scores: [5, -30], violation: 0 });
    expect(standingOf(1, undefined, run(known), goals)).toBeUndefined();
    expect(standingOf(1, 5, run({ ...known, 'inventory.maxDrawdown': null }), goals)).toBeUndefined();
    expect(standingOf(1, 5, run({ ...known, fills: null }), goals)).toBeUndefined();
    expect(standingOf(1, 5, undefined, goals)).toBeUndefined();
  });
});
