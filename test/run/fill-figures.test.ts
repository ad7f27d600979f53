// The figures of one fill against the example in figures.md and sums by hand.
import { describe, expect, it } from 'vitest';
import type { FillPrices } from '../../src/run/index.ts';
import { clvOf, identityOf, markoutOf, sumsOf } from '../../src/run/index.ts';
import { after } from './facts.ts';

const MICROS = 1_000_000;
/** A fill on home at +105 with risk 100: cost c = 100/205, payout 205, fair .5000, close .5200. */
const fill = (changes: Partial<FillPrices> = {}): FillPrices => ({
  risk: 100 * MICROS,
  payout: 205 * MICROS,
  isInPlay: false,
  f0: 0.5,
  fc: 0.52,
  later: [],
  profit: undefined,
  commission: 0,
  ...changes,
});
const dollars = (parts: object | undefined): Record<string, number> =>
  Object.fromEntries(
    Object.entries(parts ?? {}).map(([name, micros]) => [name, Math.round(Number(micros) / 1e4) / 100]),
  );

describe('spread, drift and luck of a fill', () => {
  it.each([
    ['it wins', 105, { spread: 2.5, drift: 4.1, luck: 98.4, commission: 0, pnl: 105 }],
    ['it loses', -100, { spread: 2.5, drift: 4.1, luck: -106.6, commission: 0, pnl: -100 }],
    ['it pushes', 0, { spread: 2.5, drift: 4.1, luck: -6.6, commission: 0, pnl: 0 }],
  ])('are those of the example in figures.md when %s', (_how, profit, parts) => {
    expect(dollars(identityOf(fill({ profit: profit * MICROS })))).toEqual(parts);
  });

  it('add up to its profit to the micro-dollar at any prices', () => {
    for (const [f0, fc, profit] of [
      [0.123456789, 0.987654321, 104_999_999],
      [0.333333333, 0.666666667, -1],
    ] as const) {
      const { spread, drift, luck, pnl } = identityOf(fill({ f0, fc, profit })) ?? {};
      expect((spread ?? 0) + (drift ?? 0) + (luck ?? 0)).toBe(pnl);
    }
  });

  it('are undefined when a price or the result is unknown', () => {
    expect(identityOf(fill())).toBeUndefined();
    expect(identityOf(fill({ profit: 1, f0: undefined }))).toBeUndefined();
    expect(identityOf(fill({ profit: 1, fc: undefined }))).toBeUndefined();
  });
});

it('the closing line value of a fill has dollars, points and per cent of its price', () => {
  const value = clvOf(fill());
  expect(value?.money).toBe(6.6 * MICROS);
  expect(value?.points).toBeCloseTo(0.52 - 100 / 205, 12);
  expect(value?.percent).toBeCloseTo(6.6, 10);
  expect(clvOf(fill({ fc: undefined }))).toBeUndefined();
});

it('the markout of a fill is its later value minus its cost', () => {
  expect(markoutOf(fill({ later: after({ 60: 0.48 }) }), 60)).toBe(-1.6 * MICROS);
  expect(markoutOf(fill(), 60)).toBeUndefined();
});

it('the sums of fills count fills without a figure apart', () => {
  const sums = sumsOf([
    fill({ profit: 105 * MICROS, later: after({ 1: 0.5, 60: 0.52 }) }),
    fill({ profit: -100 * MICROS, later: after({ 1: 0.48 }) }),
    fill({ profit: -100 * MICROS, f0: undefined }),
    fill({ fc: 0.4 }),
    fill({ fc: undefined }),
  ]);
  expect(sums).toMatchObject({ fills: 5, risk: 500 * MICROS, payout: 1025 * MICROS, open: 2 });
  expect(dollars(sums.identity)).toMatchObject({ spread: 5, drift: 8.2, luck: -8.2, pnl: 5 });
  expect(sums.identity.fills).toBe(2);
  expect(sums.unpriced).toEqual({ fills: 1, payout: 205 * MICROS, pnl: -100 * MICROS });
  expect(sums.spread).toEqual({ fills: 4, payout: 820 * MICROS, money: 10 * MICROS });
  expect(sums.clv).toMatchObject({ fills: 4, money: 1.8 * MICROS, above: 615 * MICROS, plainAbove: 3 });
  expect(sums.early).toEqual({ fills: 5, payout: 1025 * MICROS });
  expect(sums.markouts[1]).toMatchObject({ fills: 2, money: 0.9 * MICROS, payout: 410 * MICROS });
  expect(sums.markouts[60]).toMatchObject({ fills: 1, money: 6.6 * MICROS, payout: 205 * MICROS });
  expect(sums.markouts[300]).toMatchObject({ fills: 0, money: 0, payout: 0 });
});
