// Margin removal against values computed by hand and by other software.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { devig, DEVIG_METHODS, expit, logit } from 'oddsmaker/pricing';

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

describe('devig', () => {
  it('by Shin finds the probabilities of three outcomes and the share of informed bettors', () => {
    const { probabilities, z } = devig([2.6, 2.4, 4.3], 'shin');
    for (const [index, p] of [0.3729941, 0.4047794, 0.2222265].entries())
      expect(probabilities[index]).toBeCloseTo(p, 7);
    expect(z).toBeCloseTo(0.01694251, 8);
  });

  it('by Shin finds the probabilities of two outcomes', () => {
    const { probabilities, z } = devig([1.5, 2.74], 'shin');
    expect(probabilities[0]).toBeCloseTo(0.6508516, 7);
    expect(z).toBeCloseTo(0.0317273, 7);
    // with two outcomes, half of the margin is taken from each: π₁ − (Π − 1) / 2
    expect(probabilities[0]).toBeCloseTo(1 / 1.5 - (1 / 1.5 + 1 / 2.74 - 1) / 2, 12);
  });

  it('multiplicative divides by the sum, and power raises to the exponent that gives a sum of 1', () => {
    expect(devig([1.8, 2.1], 'multiplicative').probabilities[0]).toBeCloseTo(2.1 / 3.9, 12);
    // .5^k + .7071…^k = 1: with y = 2^(−k/2), y² + y = 1, so y is the golden section
    const [first, second] = devig([2, Math.SQRT2], 'power').probabilities;
    expect(second).toBeCloseTo((Math.sqrt(5) - 1) / 2, 12);
    expect(first).toBeCloseTo((3 - Math.sqrt(5)) / 2, 12);
  });

  it.each([
    ['multiplicative', [0.233156, 0.264663, 0.502181], 0.8525],
    ['additive', [0.231033, 0.263208, 0.505759], 0.8675],
    ['power', [0.231141, 0.263064, 0.505795], 0.8766],
    ['shin', [0.231572, 0.263574, 0.504854], 0.8675],
    ['odds-ratio', [0.232005, 0.263641, 0.504354], 0.869],
    ['probit', [0.231805, 0.26354, 0.504655], 0.8687],
  ] as const)(
    'by %s takes the margin from three prices, and from a favourite and a long shot',
    (method, three, favourite) => {
      for (const [index, p] of devig([4.2, 3.7, 1.95], method).probabilities.entries())
        expect(p).toBeCloseTo(three[index] ?? Number.NaN, 6);
      expect(devig([1.125, 6.5], method).probabilities[0]).toBeCloseTo(favourite, 4);
    },
  );

  it.each(DEVIG_METHODS)('%s keeps prices without a margin', (method) => {
    const { probabilities } = devig([4, 2, 4], method);
    for (const [index, p] of [0.25, 0.5, 0.25].entries()) expect(probabilities[index]).toBeCloseTo(p, 9);
  });

  it('keeps the order of the outcomes and a sum of 1, with a positive or a negative margin', () => {
    const prices = fc.array(fc.double({ min: 1.001, max: 1001, noNaN: true }), {
      minLength: 2,
      maxLength: 6,
    });
    fc.assert(
      fc.property(prices, fc.constantFrom(...DEVIG_METHODS), (odds, method) => {
        const each = (sum(odds.map((price) => 1 / price)) - 1) / odds.length;
        if (method === 'additive' && Math.max(...odds) * each >= 1) {
          expect(() => devig(odds, method)).toThrow(/additive takes/);
          return;
        }
        const { probabilities, z = 0 } = devig(odds, method);
        expect(sum(probabilities)).toBeCloseTo(1, 9);
        expect(z).toBeGreaterThanOrEqual(0);
        expect(z).toBeLessThan(1);
        for (const p of probabilities) expect(p >= 0 && p <= 1).toBe(true);
        const order = odds.map((_odds, index) => index).sort((a, b) => (odds[a] ?? 0) - (odds[b] ?? 0));
        for (const [index, outcome] of order.slice(1).entries())
          expect(probabilities[outcome]).toBeLessThanOrEqual((probabilities[order[index] ?? 0] ?? 0) + 1e-9);
      }),
    );
  });

  it.each([[[2]], [[1, 2]], [[2, Number.NaN]], [[2, Number.POSITIVE_INFINITY]], [[-110, 2]]])('refuses %j', (odds) => {
    for (const method of DEVIG_METHODS) expect(() => devig(odds, method)).toThrow(RangeError);
  });
});

it('logit and expit are inverse to each other', () => {
  expect(logit(0.5)).toBe(0);
  expect(logit(0.75)).toBeCloseTo(Math.log(3), 15);
  for (const p of [0.001, 0.2, 0.5, 0.999]) expect(expit(logit(p))).toBeCloseTo(p, 14);
});
