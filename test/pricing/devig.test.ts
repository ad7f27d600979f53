// Prices without a margin, against values that were computed by hand and elsewhere.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { devig, DEVIG_METHODS, expit, logit } from 'oddsmaker/pricing';

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

describe('devig', () => {
  it('by Shin finds the probabilities and the share of informed bettors of three outcomes', () => {
    const { probabilities, z } = devig([2.6, 2.4, 4.3], 'shin');
    for (const [at, p] of [0.3729941, 0.4047794, 0.2222265].entries()) expect(probabilities[at]).toBeCloseTo(p, 7);
    expect(z).toBeCloseTo(0.01694251, 8);
  });

  it('by Shin finds them of two', () => {
    const { probabilities, z } = devig([1.5, 2.74], 'shin');
    expect(probabilities[0]).toBeCloseTo(0.6508516, 7);
    expect(z).toBeCloseTo(0.0317273, 7);
    // of two outcomes the margin is taken from both alike: π₁ − (Π − 1) / 2
    expect(probabilities[0]).toBeCloseTo(1 / 1.5 - (1 / 1.5 + 1 / 2.74 - 1) / 2, 12);
  });

  it('multiplicative shares the margin out, and power bends it', () => {
    expect(devig([1.8, 2.1], 'multiplicative').probabilities[0]).toBeCloseTo(2.1 / 3.9, 12);
    // .5^k + .7071…^k = 1: with y = 2^(−k/2), y² + y = 1, so y is the golden section
    const [first, second] = devig([2, Math.SQRT2], 'power').probabilities;
    expect(second).toBeCloseTo((Math.sqrt(5) - 1) / 2, 12);
    expect(first).toBeCloseTo((3 - Math.sqrt(5)) / 2, 12);
  });

  it.each(DEVIG_METHODS)('%s takes nothing from prices without a margin', (method) => {
    const { probabilities } = devig([4, 2, 4], method);
    for (const [at, p] of [0.25, 0.5, 0.25].entries()) expect(probabilities[at]).toBeCloseTo(p, 9);
  });

  it('keeps order and sum, with a margin and with less than none', () => {
    const prices = fc.array(fc.double({ min: 1.001, max: 1001, noNaN: true }), {
      minLength: 2,
      maxLength: 6,
    });
    fc.assert(
      fc.property(prices, fc.constantFrom(...DEVIG_METHODS), (odds, method) => {
        const { probabilities, z = 0 } = devig(odds, method);
        expect(sum(probabilities)).toBeCloseTo(1, 9);
        expect(z).toBeGreaterThanOrEqual(0);
        expect(z).toBeLessThan(1);
        for (const p of probabilities) expect(p >= 0 && p <= 1).toBe(true);
        const order = odds.map((_odds, at) => at).sort((a, b) => (odds[a] ?? 0) - (odds[b] ?? 0));
        for (const [at, of] of order.slice(1).entries())
          expect(probabilities[of]).toBeLessThanOrEqual((probabilities[order[at] ?? 0] ?? 0) + 1e-9);
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
