import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AmericanOdds, Rung } from '../../src/domain/index.ts';
import {
  crosses,
  oddsOf,
  oppositeRung,
  probabilityOf,
  probabilityOfRung,
  rungAtMost,
  rungOf,
  toOdds,
  toRung,
} from '../../src/domain/index.ts';
import { MAX_RUNG, rungs, tradedRungs } from './arbitraries.ts';

const isNegativeZero = (n: number): boolean => Object.is(n, -0);

describe('American odds as rungs', () => {
  it.each([
    [100, 0],
    [-100, 0],
    [101, 10],
    [-101, -10],
    [105.5, 55],
    [-105.5, -55],
    [100.1, 1],
    [-100.1, -1],
    [250, 1500],
    [-250, -1500],
    [100_000, MAX_RUNG],
    [-100_000, -MAX_RUNG],
  ])('reads %d as rung %d', (odds, rung) => {
    expect(toRung(odds)).toBe(rung);
  });

  it.each([0, -0, 99.9, -99.9, 1, -50, 100_000.1, -100_000.1, Number.NaN, Infinity, -Infinity, 1e300])(
    'has no rung for %d',
    (value) => {
      expect(toRung(value)).toBeUndefined();
      expect(toOdds(value)).toBeUndefined();
    },
  );

  it('writes odds of −100 as +100', () => {
    expect(toOdds(-100)).toBe(100);
    expect(oddsOf(0 as Rung)).toBe(100);
  });

  it('keeps every rung through odds and back', () => {
    fc.assert(
      fc.property(rungs, (rung) => {
        expect(rungOf(oddsOf(rung))).toBe(rung);
        expect(toRung(oddsOf(rung))).toBe(rung);
      }),
    );
  });

  it('keeps every price with one decimal through rungs and back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1001, max: 1_000_000 }), fc.boolean(), (tenths, negative) => {
        const odds = (negative ? -tenths : tenths) / 10;
        expect(oddsOf(rungOf(odds as AmericanOdds))).toBe(odds);
        expect(toOdds(odds)).toBe(odds);
      }),
    );
  });

  it('rounds odds to the nearest tenth, and never to −0', () => {
    fc.assert(
      fc.property(fc.double({ min: 100, max: 100_000, noNaN: true }), fc.boolean(), (size, negative) => {
        const value = negative ? -size : size;
        const rung = toRung(value);
        expect(rung).toBeDefined();
        const odds = oddsOf(rung ?? (0 as Rung));
        // +100 and −100 are one price
        expect(Math.min(Math.abs(odds - value), Math.abs(-odds - value))).toBeLessThanOrEqual(0.05 + 1e-9);
        expect(isNegativeZero(rung ?? 0)).toBe(false);
      }),
    );
    expect(isNegativeZero(toRung(-100.04) ?? -0)).toBe(false);
    expect(isNegativeZero(rungOf(-100 as AmericanOdds))).toBe(false);
  });
});

describe('implied probability', () => {
  it.each([
    [100, 0.5],
    [150, 0.4],
    [-150, 0.6],
    [300, 0.25],
    [-300, 0.75],
    [-110, 110 / 210],
  ])('of odds %d is %d', (odds, q) => {
    expect(probabilityOf(odds as AmericanOdds)).toBeCloseTo(q, 12);
  });

  it('lies in (0,1) and is the same from the odds as from the rung', () => {
    fc.assert(
      fc.property(rungs, (rung) => {
        const q = probabilityOfRung(rung);
        expect(q > 0 && q < 1).toBe(true);
        expect(probabilityOf(oddsOf(rung))).toBeCloseTo(q, 12);
      }),
    );
  });

  it('falls strictly as the rung grows', () => {
    fc.assert(
      fc.property(rungs, rungs, (a, b) => {
        fc.pre(a < b);
        expect(probabilityOfRung(a)).toBeGreaterThan(probabilityOfRung(b));
      }),
    );
  });

  it('adds up to 1 for the two sides of a match', () => {
    fc.assert(
      fc.property(rungs, (rung) => {
        expect(probabilityOfRung(rung) + probabilityOfRung(oppositeRung(rung))).toBeCloseTo(1, 12);
        expect(oppositeRung(oppositeRung(rung))).toBe(rung);
        expect(isNegativeZero(oppositeRung(rung))).toBe(false);
      }),
    );
  });

  it('of two offers that cross adds up to at least 1', () => {
    fc.assert(
      fc.property(tradedRungs, tradedRungs, (a, b) => {
        const sum = probabilityOfRung(a) + probabilityOfRung(b);
        expect(crosses(a, b)).toBe(sum >= 1 - 1e-12);
        expect(crosses(b, a)).toBe(crosses(a, b));
      }),
    );
    expect(crosses(0 as Rung, 0 as Rung)).toBe(true);
  });
});

describe('rungAtMost', () => {
  const steps = fc.constantFrom(0.1, 0.5, 1, 2, 5, 10);

  it('rounds a probability in the owner’s favour to the nearest rung of the grid', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.002, max: 0.998, noNaN: true }), steps, (q, step) => {
        const rung = rungAtMost(q, step);
        expect(rung).toBeDefined();
        if (rung === undefined) return;
        const grid = Math.round(step * 10);
        expect(Math.abs(rung % grid)).toBe(0);
        expect(isNegativeZero(rung)).toBe(false);
        expect(probabilityOfRung(rung)).toBeLessThanOrEqual(q + 1e-9);
        expect(probabilityOfRung((rung - grid) as Rung)).toBeGreaterThan(q - 1e-12);
      }),
      { numRuns: 1000 },
    );
  });

  it('keeps a price that is on the grid already', () => {
    fc.assert(
      fc.property(fc.integer({ min: -9000, max: 9000 }), steps, (n, step) => {
        const grid = Math.round(step * 10);
        const rung = (Math.trunc(n / grid) * grid + 0) as Rung;
        expect(rungAtMost(probabilityOfRung(rung), step)).toBe(rung);
      }),
    );
  });

  it.each([-MAX_RUNG, -MAX_RUNG + 1, -990_001, -500_003, 500_003, MAX_RUNG - 1, MAX_RUNG])(
    'keeps rung %d at the far end of the ladder',
    (rung) => {
      expect(rungAtMost(probabilityOfRung(rung as Rung), 0.1)).toBe(rung);
    },
  );

  it('never gives a lower rung for a smaller probability', () => {
    const qs = fc.double({ min: 0.002, max: 0.998, noNaN: true });
    fc.assert(
      fc.property(qs, qs, steps, (a, b, step) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        expect(rungAtMost(low, step) ?? 0).toBeGreaterThanOrEqual(rungAtMost(high, step) ?? 0);
      }),
    );
  });

  it.each([
    [0.5, 1, 100],
    [0.4999, 1, 101],
    [0.5001, 1, 100],
    [0.55, 1, -122],
    [0.45, 1, 123],
    [0.55, 0.5, -122],
    [0.523, 0.5, -109.5],
    [0.52, 5, -105],
    [0.51, 5, 100],
  ])('rounds %d on a grid of %d points to odds of %d', (q, step, odds) => {
    const rung = rungAtMost(q, step);
    expect(rung === undefined ? undefined : oddsOf(rung)).toBe(odds);
  });

  it.each([0, 1, -0.1, 1.1, Number.NaN, Infinity, 1e-9, 1 - 1e-9])('has no rung for %d', (q) => {
    expect(rungAtMost(q, 1)).toBeUndefined();
  });
});
