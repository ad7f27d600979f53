import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AmericanOdds, Cents, Micros } from '../../src/domain/index.ts';
import {
  cents,
  centsOfDollars,
  centsWithin,
  dollarsOfCents,
  dollarsOfMicros,
  micros,
  microsOfCents,
  microsOfDollars,
  oddsOf,
  oppositeRung,
  payoutOf,
  probabilityOfRung,
  riskToWin,
  winOf,
} from '../../src/domain/index.ts';
import { amounts, tradedRungs } from './arbitraries.ts';

const centAmounts = fc.integer({ min: 0, max: 1_000_000_00 }).map((n) => n as Cents);

describe('money units', () => {
  it('keep cents through dollars and back', () => {
    fc.assert(
      fc.property(centAmounts, (n) => {
        expect(centsOfDollars(dollarsOfCents(n))).toBe(n);
      }),
    );
  });

  it('keep micro-dollars through dollars and back', () => {
    fc.assert(
      fc.property(amounts, (n) => {
        expect(microsOfDollars(dollarsOfMicros(n))).toBe(n);
      }),
    );
  });

  it('keep cents through micro-dollars and back', () => {
    fc.assert(
      fc.property(centAmounts, (n) => {
        expect(centsWithin(microsOfCents(n))).toBe(n);
      }),
    );
  });

  it('round an amount down to whole cents', () => {
    fc.assert(
      fc.property(amounts, (n) => {
        const within = microsOfCents(centsWithin(n));
        expect(within).toBeLessThanOrEqual(n);
        expect(n - within).toBeLessThan(10_000);
      }),
    );
  });

  it.each([
    [0.4, 0],
    [0.5, 1],
    [1.5, 2],
    [2.5, 3],
    [-0.4, 0],
    [-0.5, -1],
    [-1.5, -2],
    [-2.5, -3],
  ])('round %d to %d: the nearest, halves away from zero', (value, rounded) => {
    expect(cents(value)).toBe(rounded);
    expect(micros(value)).toBe(rounded);
    expect(Object.is(micros(value), -0)).toBe(false);
  });

  it('round a loss as they round a gain', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (value) => {
        expect(micros(-value) + micros(value)).toBe(0);
      }),
    );
  });
});

describe('risk and win of a bet', () => {
  it.each([
    [100, 105, 105],
    [100, -105, 95.238095],
    [100, 100, 100],
    [50, 250, 125],
    [50, -250, 20],
    [110, -110, 100],
    [33.33, 101.5, 33.82995],
  ])('%d dollars of risk at odds of %d win %d', (risk, odds, win) => {
    expect(dollarsOfMicros(winOf(microsOfDollars(risk), odds as AmericanOdds))).toBe(win);
  });

  it('are inverse to each other up to one rounding', () => {
    fc.assert(
      fc.property(amounts, tradedRungs, (risk, rung) => {
        const odds = oddsOf(rung);
        const back = riskToWin(winOf(risk, odds), odds);
        // half a micro-dollar of win is at most this much of risk
        const slack = 0.5 + 0.5 * Math.max(1, odds < 0 ? -odds / 100 : 100 / odds);
        expect(Math.abs(back - risk)).toBeLessThanOrEqual(slack);
      }),
    );
  });

  it('are whole micro-dollars, and win grows with the risk and with the rung', () => {
    fc.assert(
      fc.property(amounts, amounts, tradedRungs, tradedRungs, (a, b, r, s) => {
        const [small, large] = a < b ? [a, b] : [b, a];
        const [low, high] = r < s ? [r, s] : [s, r];
        expect(Number.isSafeInteger(winOf(a, oddsOf(r)))).toBe(true);
        expect(winOf(small, oddsOf(r))).toBeLessThanOrEqual(winOf(large, oddsOf(r)));
        expect(winOf(a, oddsOf(low))).toBeLessThanOrEqual(winOf(a, oddsOf(high)));
      }),
    );
  });

  it('add up to the payout, which is risk divided by probability', () => {
    fc.assert(
      fc.property(amounts, tradedRungs, (risk, rung) => {
        const exact = risk / probabilityOfRung(rung);
        expect(Math.abs(payoutOf(risk, oddsOf(rung)) - exact)).toBeLessThanOrEqual(0.5 + exact * 1e-12);
      }),
    );
  });
});

describe('a match', () => {
  it('conserves money: the risk of each side is the win of the other, and both risks make the payout', () => {
    fc.assert(
      fc.property(amounts, tradedRungs, (makerRisk, rung) => {
        const takerRisk = winOf(makerRisk, oddsOf(rung));
        const sides = [
          { risk: makerRisk, win: takerRisk },
          { risk: takerRisk, win: makerRisk },
        ];
        const [maker, taker] = sides as [(typeof sides)[0], (typeof sides)[0]];
        expect(maker.win - taker.risk).toBe(0);
        expect(taker.win - maker.risk).toBe(0);
        expect(payoutOf(makerRisk, oddsOf(rung))).toBe(makerRisk + takerRisk);
      }),
    );
  });

  it('gives the taker, at the opposite price, the maker’s risk as win', () => {
    fc.assert(
      fc.property(amounts, tradedRungs, (makerRisk, rung) => {
        const takerOdds = oddsOf(oppositeRung(rung));
        const takerRisk = winOf(makerRisk, oddsOf(rung));
        const slack = 0.5 + 0.5 * Math.max(1, takerOdds > 0 ? takerOdds / 100 : 1);
        expect(Math.abs(winOf(takerRisk, takerOdds) - makerRisk)).toBeLessThanOrEqual(slack);
      }),
    );
  });

  it('conserves money when it is filled in parts, within one micro-dollar per part', () => {
    fc.assert(
      fc.property(fc.array(amounts, { minLength: 1, maxLength: 20 }), tradedRungs, (parts, rung) => {
        const odds = oddsOf(rung);
        const whole = parts.reduce((sum, part) => sum + part, 0) as Micros;
        const inParts = parts.reduce((sum, part) => sum + winOf(part, odds), 0);
        expect(Math.abs(inParts - winOf(whole, odds))).toBeLessThanOrEqual(0.5 * (parts.length + 1) + 1e-3);
      }),
    );
  });
});
