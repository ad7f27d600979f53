// Quote times and permits by phase and league, worked out by hand.
import { OutsidePrices, QuoteClock } from '../../src/measure/index.ts';
import type { MarketPrices, OwnQuote } from '../../src/measure/index.ts';
import { expect, it } from 'vitest';
import { PhasePermits } from '../../src/run/waits.ts';
import type { GameId, Why } from '../../src/domain/index.ts';
import { market, NO_QUOTES } from '../../src/domain/index.ts';
import { mergedQuotes } from '../../src/run/run-facts.ts';

const HOUR_MS = 3_600_000;
const moneyline = market('g1' as GameId, 'moneyline', undefined);
const look = (phase: MarketPrices['phase'], league = 'NBA'): MarketPrices => ({
  phase,
  league,
  fair: 0.5,
  best: [0.48, 0.48],
});

it('QuoteClock counts quote times by phase and league, and weighs distances by payout', () => {
  const clock = new QuoteClock();
  let left = 300;
  const near: OwnQuote = { market: moneyline, side: 'home', price: 0.49, payoutLeft: () => left };
  const far: OwnQuote = { market: moneyline, side: 'away', price: 0.46, payoutLeft: () => 100 };
  clock.addQuote(near, 0, look('prematch'));
  clock.addQuote(far, 0, look('prematch'));
  // an hour before the start, and an hour in play with a third of the first quote left
  clock.see(moneyline.id, HOUR_MS, look('inplay'));
  left = 100;
  clock.closeSample(2 * HOUR_MS);
  const { NBA: early } = clock.timesIn('prematch');
  expect(early).toMatchObject({ ms: 2 * HOUR_MS, marketMs: HOUR_MS, twoSidedMs: HOUR_MS, bestMs: HOUR_MS });
  expect(early?.distanceMs).toBeCloseTo(HOUR_MS * (0.01 + 0.04), 3);
  expect(early?.weighted.pricedMs).toBe(400 * HOUR_MS);
  expect(early?.weighted.distanceMs).toBeCloseTo(HOUR_MS * (300 * 0.01 + 100 * 0.04), 3);
  const { NBA: live } = clock.timesIn('inplay');
  expect(live?.weighted.pricedMs).toBe(200 * HOUR_MS);
  expect(live?.weighted.distanceMs).toBeCloseTo(HOUR_MS * (100 * 0.01 + 100 * 0.04), 3);
});

it('QuoteClock counts the time by distance for each type of market', () => {
  const clock = new QuoteClock();
  const total = market('g1' as GameId, 'total', 200.5);
  const quote = (price: number, quoted = moneyline): OwnQuote => ({
    market: quoted,
    side: quoted.sides[0],
    price,
    payoutLeft: () => 100,
  });
  clock.addQuote(quote(0.492), 0, look('prematch'));
  clock.addQuote(quote(0.46, total), 0, look('prematch'));
  // the fair price of the moneyline is unknown for an hour, then it is further away
  clock.see(moneyline.id, HOUR_MS, { ...look('prematch'), fair: undefined });
  clock.see(moneyline.id, 2 * HOUR_MS, { ...look('prematch'), fair: 0.504 });
  clock.closeSample(3 * HOUR_MS);
  const { moneyline: ofMoneyline, total: ofTotal, spread } = clock.timesIn('prematch')['NBA']?.byType ?? {};
  expect(spread).toBeUndefined();
  expect(ofMoneyline?.ms).toEqual([0, 0, HOUR_MS, HOUR_MS, 0, 0, 0, 0]);
  expect(ofMoneyline?.distanceMs[2]).toBeCloseTo(0.008 * HOUR_MS, 3);
  expect(ofMoneyline?.distanceMs[3]).toBeCloseTo(0.012 * HOUR_MS, 3);
  expect(ofTotal?.ms).toEqual([0, 0, 0, 0, 0, 0, 3 * HOUR_MS, 0]);
  const both = mergedQuotes(
    [clock.timesIn('prematch')['NBA'], clock.timesIn('prematch')['NBA']].map((q) => q ?? NO_QUOTES),
  );
  expect(both.byType?.total?.ms[6]).toBe(6 * HOUR_MS);
  expect(mergedQuotes([both, both]).byType?.moneyline?.ms[2]).toBe(4 * HOUR_MS);
  const { byType: _dropped, ...unknown } = both;
  expect(mergedQuotes([both, unknown]).byType).toBeUndefined();
});

it('PhasePermits splits a request with orders of both phases between the phases', () => {
  const permits = new PhasePermits();
  const early = (value: number) => ({ why: { waitedMs: 200, value } as Why });
  const inPlay = (value: number) => ({ ...early(value), isInPlay: true }) as const;
  permits.addRequest('place', [early(3e6), inPlay(6e6), inPlay(0)], false);
  permits.addRequest('cancel', [inPlay(1e6)], false);
  permits.addRequest('place', [], false);
  expect(permits.factsIn('prematch')).toMatchObject({
    place: 1 + 1 / 3,
    cancel: 0,
    served: 1,
    waitedMs: 200,
  });
  // 6 dollars and 1 dollar for a fifth of a second
  expect(permits.factsIn('inplay')).toMatchObject({ place: 2 / 3, cancel: 1, served: 3, staleness: 1.4e6 });
});

it('OutsidePrices keeps the newest price of each source', () => {
  const prices = new OutsidePrices();
  prices.applySignals({ values: { 'fair:m': 0.5, 'odds:m': 0.6, 'model:m': 0.7, 'odds:n': 1.2 } });
  prices.applySignals({ values: { 'odds:m': null } });
  const newest = (source: 'fair' | 'odds' | 'model', id: string) => prices.pricesOf(id as typeof moneyline.id)[source];
  expect(newest('model', 'm')).toBe(0.7);
  expect([newest('fair', 'm'), newest('odds', 'm'), newest('odds', 'n')]).toEqual([0.5, 0.6, undefined]);
});
