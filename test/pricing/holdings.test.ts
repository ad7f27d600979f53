// What a maker's own bets and its bankroll make of fair prices: the tilted grid, Kelly's stakes, distances.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Holding } from 'oddsmaker/pricing';
import { bestDistance, halfSpread, kelly, modelFor, tilt, valueOf } from 'oddsmaker/pricing';

const model = modelFor('basketball', { margin: 4.5, total: 225, marginDeviation: 12.6, totalDeviation: 18 });
const HELD: readonly Holding[] = [
  { type: 'moneyline', side: 'home', payout: 1000 },
  { type: 'spread', side: 'home', line: -4.5, payout: -600 },
  { type: 'total', side: 'over', line: 225.5, payout: 400 },
];

describe('a tilted model', () => {
  it('has the prices of one who holds three bets', () => {
    const tilted = tilt(model, HELD, 0.0005);
    expect(tilted.moneyline().fair).toBeCloseTo(0.583766, 6);
    expect(tilted.spread(-4.5).fair).toBeCloseTo(0.49282, 6);
    expect(tilted.spread(-7.5).fair).toBeCloseTo(0.400075, 6);
    expect(tilted.total(225.5).fair).toBeCloseTo(0.43922, 6);
  });

  it('is the model itself when nothing is held or nothing is feared', () => {
    expect(tilt(model, [], 0.1)).toBe(model);
    expect(tilt(model, HELD, 0)).toBe(model);
  });

  it('of bets that pay much at every score is the model itself', () => {
    // e^(−γ · payoff) is 0 in floating point at each score
    const both = [
      { type: 'moneyline', side: 'home', payout: 90_000 },
      { type: 'moneyline', side: 'away', payout: 90_000 },
    ] as const;
    const tilted = tilt(model, both, 0.01);
    expect(tilted.moneyline().fair).toBeCloseTo(model.moneyline().fair, 12);
    const halves = [
      { type: 'moneyline', side: 'home', payout: 90_000 },
      { type: 'spread', side: 'away', line: -0.5, payout: 90_000 },
    ] as const;
    expect(tilt(model, halves, 0.01).total(220.5).fair).toBeCloseTo(model.total(220.5).fair, 12);
  });

  it('stays coherent within 0 and 1, whatever is held', () => {
    const holding = fc.oneof(
      fc.record({
        type: fc.constant('moneyline' as const),
        side: fc.constantFrom('home' as const, 'away' as const),
        payout: fc.double({ min: -1e5, max: 1e5, noNaN: true }),
      }),
      fc.record({
        type: fc.constant('spread' as const),
        side: fc.constantFrom('home' as const, 'away' as const),
        line: fc.integer({ min: -40, max: 40 }).map((q) => q / 4),
        payout: fc.double({ min: -1e5, max: 1e5, noNaN: true }),
      }),
      fc.record({
        type: fc.constant('total' as const),
        side: fc.constantFrom('over' as const, 'under' as const),
        line: fc.integer({ min: 400, max: 500 }).map((half) => half / 2),
        payout: fc.double({ min: -1e5, max: 1e5, noNaN: true }),
      }),
    );
    const games = [
      model,
      modelFor('football', { margin: 3, total: 44 }),
      modelFor('soccer', { home: 1.5, away: 1.2 }),
      modelFor('tennis', { serve: 0.64, return: 0.38, bestOf: 3 }),
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...games),
        fc.array(holding, { maxLength: 6 }),
        fc.double({ min: 1e-6, max: 0.01, noNaN: true }),
        (game, held, gamma) => {
          const tilted = tilt(game, held, gamma);
          for (const price of [tilted.moneyline(), tilted.spread(-1.5), tilted.total(220.5)]) {
            expect(price.win).toBeGreaterThanOrEqual(0);
            expect(price.win).toBeLessThanOrEqual(1 + 1e-9);
          }
          if (game.sport !== 'tennis') expect(tilted.spread(-0.5).win).toBeCloseTo(tilted.moneyline().win, 9);
          expect(tilted.spread(-3.5).fair).toBeLessThanOrEqual(tilted.spread(-2.5).fair + 1e-9);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('leans away from what is held in every market', () => {
    const football = modelFor('football', { margin: 3, total: 44 });
    const tilted = tilt(football, [{ type: 'total', side: 'over', line: 44.5, payout: 500 }], 0.001);
    expect(tilted.total(44.5).fair).toBeLessThan(football.total(44.5).fair);
    expect(tilted.total(50.5).fair).toBeLessThan(football.total(50.5).fair);
  });

  it.each([
    ['gamma below 0', () => tilt(model, HELD, -1)],
    ['a payout that is no number', () => tilt(model, [{ type: 'moneyline', side: 'home', payout: Number.NaN }], 0.1)],
    ['a spread without a line', () => tilt(model, [{ type: 'spread', side: 'home', payout: 1 }], 0.1)],
    ['a moneyline of over', () => tilt(model, [{ type: 'moneyline', side: 'over', payout: 1 }], 0.1)],
  ])('refuses %s', (_what, build) => {
    expect(build).toThrow(RangeError);
  });
});

describe('the stakes of Kelly', () => {
  const bets = [
    { type: 'moneyline', side: 'home', price: 0.62 },
    { type: 'spread', side: 'home', line: -4.5, price: 0.48 },
    { type: 'total', side: 'over', line: 225.5, price: 0.47 },
  ] as const;

  it('of single bets are those of the textbook', () => {
    for (const [index, stake] of [0.06229, 0.06789, 0.0357].entries())
      expect(kelly(model, bets.slice(index, index + 1)).stakes[0]).toBeCloseTo(stake, 5);
  });

  it('of bets that depend on each other are found together', () => {
    const { stakes, growth } = kelly(model, bets);
    expect(stakes[0]).toBe(0);
    expect(stakes[1]).toBeCloseTo(0.0678, 4);
    expect(stakes[2]).toBeCloseTo(0.0355, 4);
    expect(growth).toBeCloseTo(0.003208, 6);
  });

  it('are nothing where the price is fair or worse', () => {
    expect(kelly(model, [{ type: 'moneyline', side: 'home', price: 0.65 }])).toEqual({ stakes: [0], growth: 0 });
    expect(kelly(model, [])).toEqual({ stakes: [], growth: 0 });
    expect(() => kelly(model, [{ type: 'moneyline', side: 'home', price: 1 }])).toThrow(RangeError);
  });
});

describe('distances from the fair price', () => {
  it.each([
    [0, 1.1427, 1.1427],
    [5, 1.52, 0.7654],
    [10, 1.8973, 0.3881],
  ])('with %d units held are those of the closed form', (q, first, second) => {
    const distances = halfSpread({ A: 6, k: 0.9, sigma: 1.5, gamma: 0.01 }, q);
    expect(distances.first).toBeCloseTo(first, 4);
    expect(distances.second).toBeCloseTo(second, 4);
  });

  it('cover what fills cost, and say what a market brings', () => {
    expect(bestDistance(0.9, 0.6)).toBeCloseTo(1.711, 3);
    const { fills, value } = valueOf({ A: 6, k: 0.9, adverse: 0.6 }, 200);
    expect(fills).toBeCloseTo(1.2863, 4);
    expect(value).toBeCloseTo(5.717, 3);
    expect(value / 12).toBeCloseTo(0.476, 3);
    expect(() => halfSpread({ A: 0, k: 1, sigma: 1, gamma: 1 })).toThrow(RangeError);
  });
});
