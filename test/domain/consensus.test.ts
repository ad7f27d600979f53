import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConsensusLimits, Ladder, Offer, OrderId, Rung } from '../../src/domain/index.ts';
import {
  consensusOf,
  microsOfDollars,
  NAKED_VALUE,
  moveValue,
  payoutOf,
  oddsOf,
  probabilityOfRung,
  rungAtMost,
  shiftLogOdds,
  toRung,
} from '../../src/domain/index.ts';

const LIMITS: ConsensusLimits = { maxSpread: 0.08, minDepth: microsOfDollars(50) };

/** A ladder of [American odds, dollars untaken], best for the taker first. */
const ladder = (...rows: readonly (readonly [odds: number, dollars: number])[]): Ladder =>
  rows.map(([odds, dollars], i): Offer => {
    const rung = toRung(odds);
    if (rung === undefined) throw new Error(`no price: ${odds}`);
    const untaken = microsOfDollars(dollars);
    return { id: `o${i}` as OrderId, rung, risk: untaken, untaken, createdAt: '', own: false };
  });

const q = (odds: number): number => probabilityOfRung(toRung(odds) ?? (0 as Rung));
const payout = (odds: number, dollars: number): number =>
  payoutOf(microsOfDollars(dollars), oddsOf(toRung(odds) ?? (0 as Rung)));

describe('consensusOf', () => {
  it('is the middle when both sides offer the same payout at the same price', () => {
    const found = consensusOf(ladder([104, 100]), ladder([104, 100]), LIMITS);
    expect(found?.p).toBeCloseTo(0.5, 12);
    expect(found?.spread).toBeCloseTo(1 - 2 * q(104), 12);
  });

  it('is the microprice: p = (q_h·S_a + (1 − q_a)·S_h) / (S_h + S_a)', () => {
    const [sizeHome, sizeAway] = [payout(-150, 300), payout(160, 100)];
    const expected = (q(-150) * sizeAway + (1 - q(160)) * sizeHome) / (sizeHome + sizeAway);
    expect(consensusOf(ladder([-150, 300]), ladder([160, 100]), LIMITS)?.p).toBeCloseTo(expected, 12);
  });

  it('moves towards the side with the larger payout: large offers on home raise the probability of home', () => {
    const heavy = consensusOf(ladder([104, 900]), ladder([104, 100]), LIMITS);
    expect(heavy?.p).toBeGreaterThan(0.5);
  });

  it('counts offers near the best price, and ignores offers far behind it', () => {
    const near = consensusOf(ladder([104, 100], [105, 100]), ladder([104, 100]), LIMITS);
    const far = consensusOf(ladder([104, 100], [130, 5000]), ladder([104, 100]), LIMITS);
    expect(near?.p).toBeGreaterThan(0.5);
    expect(far?.p).toBeCloseTo(0.5, 12);
  });

  it.each<[string, Ladder, Ladder]>([
    ['empty', [], []],
    ['without a second side', ladder([104, 500]), []],
    ['without a first side', [], ladder([104, 500])],
    ['locked at ±100', ladder([100, 500]), ladder([100, 500])],
    ['locked at −110 against +110', ladder([-110, 500]), ladder([110, 500])],
    ['crossed', ladder([-120, 500]), ladder([105, 500])],
    ['wider than maxSpread', ladder([120, 500]), ladder([120, 500])],
    ['thin on the first side', ladder([104, 20]), ladder([104, 500])],
    ['thin on the second side', ladder([104, 500]), ladder([104, 20])],
    ['deep only outside the spread that still is a price', ladder([104, 20], [150, 5000]), ladder([104, 500])],
  ])('is undefined when the book is %s', (_name, first, second) => {
    expect(consensusOf(first, second, LIMITS)).toBeUndefined();
  });

  it('is undefined at any price where the two sides lock, since they would have matched', () => {
    const priced: number[] = [];
    for (let odds = 100; odds <= 1000; odds++) {
      if (consensusOf(ladder([odds, 500]), ladder([-odds, 500]), LIMITS) !== undefined) priced.push(odds);
      if (consensusOf(ladder([-odds, 500]), ladder([odds, 500]), LIMITS) !== undefined) priced.push(-odds);
    }
    expect(priced).toEqual([]);
  });

  it('counts several small offers inside the spread as depth', () => {
    const rows = ladder([104, 10], [105, 10], [106, 10]);
    expect(consensusOf(rows, ladder([104, 500]), LIMITS)).toBeDefined();
  });

  const prices = fc.integer({ min: -300, max: 300 }).map((n) => (n * 10 + 0) as Rung);
  const sides = fc
    .array(fc.record({ rung: prices, dollars: fc.integer({ min: 1, max: 2000 }) }), { maxLength: 6 })
    .map((rows) =>
      ladder(...rows.sort((a, b) => a.rung - b.rung).map((row) => [oddsOf(row.rung), row.dollars] as const)),
    );

  it('lies between the best offers, mirrors when the sides swap, and has a spread within the limit', () => {
    fc.assert(
      fc.property(sides, sides, (first, second) => {
        // locked books have their own test
        fc.pre((first[0]?.rung ?? 0) + (second[0]?.rung ?? 0) !== 0 || first.length + second.length === 0);
        const found = consensusOf(first, second, LIMITS);
        const mirrored = consensusOf(second, first, LIMITS);
        expect(mirrored === undefined).toBe(found === undefined);
        if (found === undefined || mirrored === undefined) return;
        const [a, b] = [first[0], second[0]];
        if (a === undefined || b === undefined) throw new Error('a price without offers');
        expect(found.p).toBeGreaterThanOrEqual(probabilityOfRung(a.rung) - 1e-12);
        expect(found.p).toBeLessThanOrEqual(1 - probabilityOfRung(b.rung) + 1e-12);
        expect(found.spread > 0 && found.spread <= LIMITS.maxSpread).toBe(true);
        expect(mirrored.p).toBeCloseTo(1 - found.p, 12);
      }),
      { numRuns: 1000 },
    );
  });

  it('keeps the edge of quotes on both sides: their probabilities add up to less than 1', () => {
    const found = consensusOf(ladder([-150, 300]), ladder([160, 100]), LIMITS);
    const home = rungAtMost((found?.p ?? 0) - 0.02, 1);
    const away = rungAtMost(1 - (found?.p ?? 0) - 0.02, 1);
    if (home === undefined || away === undefined) throw new Error('no rung');
    expect(probabilityOfRung(home) + probabilityOfRung(away)).toBeLessThanOrEqual(0.96 + 1e-9);
  });
});

describe('shiftLogOdds', () => {
  const ps = fc.double({ min: 0.001, max: 0.999, noNaN: true });
  const shifts = fc.double({ min: -20, max: 20, noNaN: true });

  it('stays inside (0,1) and moves in the direction of the shift', () => {
    fc.assert(
      fc.property(ps, shifts, (p, by) => {
        const moved = shiftLogOdds(p, by);
        expect(moved > 0 && moved < 1).toBe(true);
        if (Math.abs(by) > 1e-9) expect(Math.sign(moved - p)).toBe(Math.sign(by));
      }),
    );
  });

  it('changes nothing for 0 or for a shift and its reverse, and mirrors for the other side', () => {
    fc.assert(
      fc.property(ps, fc.double({ min: -5, max: 5, noNaN: true }), (p, by) => {
        expect(shiftLogOdds(p, 0)).toBeCloseTo(p, 12);
        expect(shiftLogOdds(shiftLogOdds(p, by), -by)).toBeCloseTo(p, 9);
        expect(shiftLogOdds(1 - p, -by)).toBeCloseTo(1 - shiftLogOdds(p, by), 9);
      }),
    );
  });
});

describe('moveValue', () => {
  it.each([
    [0.52, 0.5, 0.02],
    [0.5, 0.52, 0.004],
    [0.5, 0.5, 0],
    [0.9, 0.1, 0.8],
  ])(
    'from %d to %d is %d of the payout: the whole distance when too generous, a fifth of it when too cautious',
    (current, wanted, value) => {
      expect(moveValue(current, wanted)).toBeCloseTo(value, 12);
    },
  );

  it('is never negative, and grows with the distance to either side', () => {
    const qs = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(qs, qs, fc.double({ min: 0, max: 1, noNaN: true }), (current, wanted, share) => {
        const nearer = wanted + (current - wanted) * share;
        expect(moveValue(current, wanted)).toBeGreaterThanOrEqual(0);
        expect(moveValue(nearer, wanted)).toBeLessThanOrEqual(moveValue(current, wanted) + 1e-12);
      }),
    );
  });

  it('ranks a too generous quote above an empty slot, and an empty slot above a slightly cautious quote', () => {
    expect(moveValue(0.52, 0.5)).toBeGreaterThan(NAKED_VALUE);
    expect(NAKED_VALUE).toBeGreaterThan(moveValue(0.5, 0.52));
  });
});
