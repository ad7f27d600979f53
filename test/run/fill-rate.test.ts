// The fill rate λ(δ): fills per hour of a quote by its distance from fair, by phase and league, worked out by
// hand.
import { TakeClock } from '../../src/measure/index.ts';
import { describe, expect, it } from 'vitest';
import type { GameId, Ladder, MarketId, Micros, OrderId, Rung } from '../../src/domain/index.ts';
import { market, NO_TAKES, probabilityOfRung } from '../../src/domain/index.ts';
import type { FillRate, PhaseFacts } from '../../src/run/index.ts';
import { fillRateFit, NO_FACTS, NO_PHASE, scenarioFigures } from '../../src/run/index.ts';
import { fitText } from '../../src/report/index.ts';
import { facts, fill, HOUR_MS, quoted } from './facts.ts';

const FROM = [null, 0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05];
/** The given number of fills at each distance, with an hour of quotes where there are fills. */
const rates = (fills: readonly number[], hours = fills.map((count) => (count === 0 ? 0 : 1))): FillRate[] =>
  FROM.map((from, index) => ({
    from,
    to: FROM[index + 1] ?? null,
    quoteHours: hours[index] ?? 0,
    fills: fills[index] ?? 0,
    rate: null,
  }));

describe('the fill-rate fit to own fills', () => {
  it('falls by the factor e^−k with each point of distance', () => {
    // 32, 16, 8 an hour at .75, 1.25 and 1.75 points: half as many each half point, so k is 2 ln 2 and a is
    // 32 × 2^1.5
    const fit = fillRateFit(rates([0, 0, 32, 16, 8]), NO_TAKES);
    expect(fit).toMatchObject({ reads: 'usable', from: 'fills', counted: 56 });
    expect(fit.k).toBeCloseTo(2 * Math.LN2, 5);
    expect(fit.a).toBeCloseTo(32 * 2 ** 1.5, 3);
    // Σ w (x − x̄)²
    const mean = (32 * 0.75 + 16 * 1.25 + 8 * 1.75) / 56;
    const spread = 32 * (0.75 - mean) ** 2 + 16 * (1.25 - mean) ** 2 + 8 * (1.75 - mean) ** 2;
    expect(fit.error).toBeCloseTo(1 / Math.sqrt(spread), 5);
    expect(fitText(fit)).toBe('90.5 an hour at fair, 75 % fewer with each point away (k 1.39 ± 0.37, 56 own fills)');
  });

  it.each([
    ['fills grow with the distance', [0, 0, 8, 16, 32]],
    // 20, 1 and 20 are no exponential: k is 0
    ['fills do not fall exponentially', [0, 0, 20, 1, 20]],
    // k .4 with an error of 1/√(41 × .163) = .39
    ['the error is above half of k', [0, 0, 16, 14, 11]],
  ])('is unusable and has no numbers when %s', (_name, fills) => {
    const fit = fillRateFit(rates(fills), NO_TAKES);
    expect(fit).toMatchObject({ reads: 'unusable', a: null, k: null, error: null });
    expect(fitText(fit)).toMatch(/^unusable \(\d+ own fills\)$/);
  });

  it('needs thirty fills', () => {
    expect(fillRateFit(rates([0, 0, 16, 9, 4]), NO_TAKES)).toEqual({
      reads: 'too few',
      from: 'fills',
      counted: 29,
      a: null,
      k: null,
      error: null,
    });
  });
});

it('the fill-rate fit uses the takes of others when own fills are too few', () => {
  // In two hours, the takes that reach a distance halve with each half point: 64 in the bucket at .25 points,
  // which is half a point wide, so 128 per point.
  const takesAt = (x: number, width: number): number => 128 * 2 ** (-2 * (x - 0.25)) * width;
  const byReach = [
    9,
    takesAt(0.25, 0.5),
    takesAt(0.75, 0.5),
    takesAt(1.25, 0.5),
    takesAt(1.75, 0.5),
    takesAt(2.5, 1),
    takesAt(4, 2),
    3,
  ];
  const fit = fillRateFit(rates([0, 0, 3, 2]), { ms: 2 * HOUR_MS, byReach });
  expect(fit).toMatchObject({ reads: 'usable', from: 'takes' });
  expect(fit.k).toBeCloseTo(2 * Math.LN2, 5);
  // at fair 128 √2 per point in two hours: the takes that reach it are that divided by k
  expect(fit.a).toBeCloseTo((128 * Math.SQRT2) / 2 / (2 * Math.LN2), 4);
});

it('the fill-rate fit needs a single phase and league, and there is none for several together', () => {
  const quotes = quoted({
    ms: 3 * HOUR_MS,
    marketMs: HOUR_MS,
    twoSidedMs: 0,
    bestMs: 0,
    pricedMs: 3 * HOUR_MS,
    distanceMs: 0,
    byDistance: [0, 0, HOUR_MS, HOUR_MS, HOUR_MS, 0, 0, 0],
  });
  const c = 100 / 205;
  const fillsAt = (f0: number, n: number, isInPlay: boolean) => Array.from({ length: n }, () => fill({ f0, isInPlay }));
  const phase: PhaseFacts = { ...NO_PHASE, quotes: { NBA: quotes } };
  const { quoting, phases } = scenarioFigures(
    facts({
      phases: { prematch: phase, inplay: phase },
      // fewer fills at larger distances before the start, and more in play
      fills: [
        ...[...fillsAt(c + 0.0075, 32, false), ...fillsAt(c + 0.0125, 16, false), ...fillsAt(c + 0.0175, 8, false)],
        ...[...fillsAt(c + 0.0075, 8, true), ...fillsAt(c + 0.0125, 16, true), ...fillsAt(c + 0.0175, 32, true)],
      ],
    }),
    1,
  );
  expect(quoting.fillRateFit).toMatchObject({ reads: 'apart', k: null });
  expect(
    quoting.byLeague.map(({ phase: phaseName, league, fillRateFit: { reads } }) => [phaseName, league, reads]),
  ).toEqual([
    ['prematch', 'NBA', 'usable'],
    ['inplay', 'NBA', 'unusable'],
  ]);
  expect(phases.prematch.quoting.fillRateFit.k).toBeCloseTo(2 * Math.LN2, 5);
  expect(phases.inplay.quoting.fillRateFit.k).toBeNull();
  expect(scenarioFigures(NO_FACTS, 1).quoting.fillRateFit.reads).toBe('too few');
});

it('a take is a decrease of an offer that stays, and counts at the furthest distance that it reached', () => {
  const { id } = market('g1' as GameId, 'moneyline', undefined) as { readonly id: MarketId };
  const offer = (name: string, rung: number, untaken: number, own = false): Ladder[number] => ({
    id: name as OrderId,
    rung: rung as Rung,
    risk: 100 as Micros,
    untaken: untaken as Micros,
    createdAt: '',
    own,
  });
  const [near, far] = [offer('near', 0, 100), offer('far', 100, 100)];
  const fair = probabilityOfRung(0 as Rung) + 0.007;
  const see = (home: Ladder, ms: number): void =>
    clock.see(id, [home, []], ms, { phase: 'prematch', league: 'NBA', fair });
  const clock = new TakeClock();
  see([near, far], 0);
  // `near`, at .7 points, is taken in part; a vanished offer and a fill of an own offer are no takes
  see([offer('near', 0, 60), far], 1000);
  see([offer('mine', 0, 10, true)], 2000);
  see([offer('mine', 0, 0, true)], 3000);
  const { NBA } = clock.countsIn('prematch');
  expect(NBA).toEqual({ ms: 2 * 3000, byReach: [0, 0, 1, 0, 0, 0, 0, 0] });
  expect(clock.countsIn('inplay')).toEqual({});
  // a gap hides takes
  clock.gap();
  see([offer('near', 0, 0)], 9000);
  expect(clock.countsIn('prematch')['NBA']?.ms).toBe(6000);
});
