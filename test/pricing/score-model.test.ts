// The score models against sums over all scores and values of the normal distribution.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalBelow, normalScores, poissonScores } from 'oddsmaker/pricing';

describe('poissonScores', () => {
  const model = poissonScores({ home: 1.5, away: 1.1 });

  it('gives the moneyline by the rule for a level score', () => {
    const { home, away } = model.moneyline('both-lose');
    expect(home).toBeCloseTo(0.46424419, 8);
    expect(1 - home - away).toBeCloseTo(0.25766721, 8);
    for (const draw of ['push', 'impossible'] as const)
      expect(model.moneyline(draw).home).toBeCloseTo(0.46424419 / (1 - 0.25766721), 7);
  });

  it('gives totals and spreads, with quarter lines split between the neighbouring lines', () => {
    expect(model.over(2.5).win).toBeCloseTo(0.48157042, 8);
    expect(model.over(0.5).lose).toBeCloseTo(Math.exp(-2.6), 12);
    const whole = model.spread(-1);
    expect(whole.win).toBeCloseTo(0.23186542, 8);
    expect(whole.push).toBeCloseTo(0.23237876, 8);
    const quarter = model.spread(-0.75);
    expect(quarter.win).toBeCloseTo((0.23186542 + 0.46424419) / 2, 8);
    expect(quarter.push).toBeCloseTo(0.23237876 / 2, 8);
    expect(quarter.fair).toBeCloseTo(quarter.win / (quarter.win + quarter.lose), 12);
  });
});

describe('normalScores', () => {
  const model = normalScores({ margin: 3, total: 45, marginDeviation: 13.86, totalDeviation: 13 });

  it('gives the probabilities of the normal distribution for a favourite by three points', () => {
    const { home, away } = model.moneyline('both-lose');
    expect(home).toBeCloseTo(0.57157098, 8);
    expect(away).toBeCloseTo(0.40031755, 8);
    expect(model.spread(-3.5).win).toBeCloseTo(0.48561126, 8);
    expect(model.spread(-3).fair).toBeCloseTo(0.5, 12);
    expect(model.over(45).fair).toBeCloseTo(0.5, 12);
  });
});

it('the markets of a score model are consistent: ordered by line, and the zero spread equals the moneyline', () => {
  const mean = fc.double({ min: 0.1, max: 120, noNaN: true });
  fc.assert(
    fc.property(mean, mean, fc.integer({ min: -40, max: 40 }), (home, away, quarters) => {
      for (const model of [
        poissonScores({ home, away }),
        normalScores({ margin: home - away, total: home + away, marginDeviation: 12, totalDeviation: 15 }),
      ]) {
        expect(model.spread(0).fair).toBeCloseTo(model.moneyline('push').home, 9);
        expect(model.spread(-0.5).win).toBeCloseTo(model.moneyline('both-lose').home, 9);
        const line = quarters / 4;
        const { win, push, lose } = model.spread(line);
        expect(win + push + lose).toBeCloseTo(1, 9);
        expect(model.spread(line + 0.25).fair).toBeGreaterThanOrEqual(model.spread(line).fair - 1e-9);
        expect(model.over(line + 40.25).win).toBeLessThanOrEqual(model.over(line + 40).win + 1e-9);
      }
    }),
    { numRuns: 30 },
  );
});

it.each([
  [-8, 6.220960574271819e-16],
  [-3, 0.0013498980316300957],
  [0, 0.5],
  [2.5, 0.9937903346742238],
  [7.5, 0.9999999999999681],
  [-100, 0],
])('normalBelow(%f) is %f', (x, p) => {
  expect(Math.abs(normalBelow(x) - p)).toBeLessThan(1e-14);
});

it('score models refuse impossible expectations and lines', () => {
  expect(() => poissonScores({ home: 0, away: 1 })).toThrow(RangeError);
  expect(() => poissonScores({ home: Number.NaN, away: 1 })).toThrow(RangeError);
  expect(() => normalScores({ margin: 0, total: 1, marginDeviation: 0, totalDeviation: 1 })).toThrow(RangeError);
  expect(() => poissonScores({ home: 1, away: 1 }).spread(0.1)).toThrow(RangeError);
});
