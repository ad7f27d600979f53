// How often a market is taken and its quotes must move, from its public book.
import { describe, expect, it } from 'vitest';
import type { Ladder, OrderId, Rung } from '../../src/domain/index.ts';
import { microsOfDollars } from '../../src/domain/index.ts';
import type { SeenBook } from '../../src/engine/market-rates.ts';
import { MarketRates, PRIOR_TAKERS } from '../../src/engine/market-rates.ts';
import { valueOf } from '../../src/pricing/index.ts';

const HOUR = 3_600_000;
const offer = (id: string, left: number): Ladder[number] => ({
  id: id as OrderId,
  rung: 0 as Rung,
  risk: microsOfDollars(100),
  untaken: microsOfDollars(left),
  createdAt: '2030-01-01T00:00:00.000Z',
  own: false,
});
const NOTHING: Ladder = [];
/** A book whose best offers are at the fair price, so that every take is seen. */
const bookOf = (first: Ladder, fair = 0.5, best = 0.5): SeenBook => ({
  others: [first, NOTHING],
  fair,
  best: [best, best],
});
const ratesAfter = (hours: number, steps: (see: (book: SeenBook, atMs: number) => void) => void) => {
  const rates = new MarketRates();
  steps((book, atMs) => {
    rates.see(book, 0.005, atMs);
  });
  return rates.ratesOf(hours * HOUR);
};

describe('the rates of a market', () => {
  it('begin at a prior that is worth $5.717 an hour and $.476 a permit at $200', () => {
    const { A, requotes, takes } = new MarketRates().ratesOf(0);
    const { fills, value } = valueOf({ ...PRIOR_TAKERS, A }, 200);
    expect(fills).toBeCloseTo(1.2863, 4);
    expect(value).toBeCloseTo(5.717, 3);
    expect(value / requotes).toBeCloseTo(0.476, 3);
    expect(takes).toBe(0);
  });

  it('count a take where more of an offer is taken, and none where it vanishes, appears or is withdrawn in part', () => {
    const takesOf = (...ladders: readonly Ladder[]): number =>
      ratesAfter(0, (see) => {
        for (const ladder of ladders) see(bookOf(ladder), 0);
      }).takes;
    // half an hour counts at least
    expect(takesOf([offer('a', 100)], [offer('a', 60)], [offer('a', 20)])).toBe(4);
    expect(takesOf([offer('a', 100)], [])).toBe(0);
    expect(takesOf([offer('a', 100)], [offer('b', 60)])).toBe(0);
    const reduced = { ...offer('a', 60), risk: microsOfDollars(60) };
    expect(takesOf([offer('a', 100)], [reduced])).toBe(0);
  });

  it('rise with takes, and fall where none come', () => {
    const quiet = ratesAfter(3, (see) => {
      see(bookOf([offer('a', 100)]), 0);
    });
    const busy = ratesAfter(3, (see) => {
      for (let take = 0; take <= 90; take++) see(bookOf([offer('a', 100 - take)]), take * 120_000);
    });
    expect(quiet.A).toBeLessThan(PRIOR_TAKERS.A / 2);
    expect(busy.A).toBeGreaterThan(2 * PRIOR_TAKERS.A);
    expect(busy.takes).toBeGreaterThan(20);
    expect(busy.takes).toBeLessThan(40);
  });

  it('learn little where the best offers are far from the fair price, since few takers reach them', () => {
    const far = ratesAfter(3, (see) => {
      see(bookOf([offer('a', 100)], 0.5, 0.46), 0);
    });
    const near = ratesAfter(3, (see) => {
      see(bookOf([offer('a', 100)], 0.5, 0.49), 0);
    });
    expect(far.A).toBeGreaterThan(0.85 * PRIOR_TAKERS.A);
    expect(near.A).toBeLessThan(0.5 * PRIOR_TAKERS.A);
  });

  it('count a fill of an own quote as a take', () => {
    const rates = new MarketRates();
    rates.see(bookOf(NOTHING), 0.005, 0);
    const before = rates.ratesOf(0).A;
    rates.countFill();
    expect(rates.ratesOf(0).A).toBeGreaterThan(before);
  });

  it('count a move of the fair price only beyond the tolerance, measured from the last counted one', () => {
    const requotesOf = (...prices: readonly number[]): number =>
      ratesAfter(0, (see) => {
        for (const fair of prices) see(bookOf(NOTHING, fair), 0);
      }).requotes;
    expect(requotesOf(0.5)).toBe(12);
    expect(requotesOf(0.5, 0.504, 0.5, 0.496)).toBe(12);
    expect(requotesOf(0.5, 0.504, 0.508)).toBe(14);
    expect(requotesOf(0.5, 0.51, 0.5, 0.51)).toBe(18);
  });

  it('do not change with time in which the book gives no price', () => {
    const without = ratesAfter(5, (see) => {
      see({ ...bookOf(NOTHING), fair: undefined }, 0);
    });
    expect(without).toEqual(new MarketRates().ratesOf(0));
  });
});
