// Quote times and permits by phase and league, worked out by hand.
import { OutsidePrices, QuoteClock } from '../../src/measure/index.ts';
import type { MarketPrices, OwnQuote } from '../../src/measure/index.ts';
import { expect, it } from 'vitest';
import { PhasePermits } from '../../src/run/waits.ts';
import type { GameId, Why } from '../../src/domain/index.ts';
import { market } from '../../src/domain/index.ts';

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
  const newest = (source: 'fair' | 'odds', id: string) => prices.pricesOf(id as typeof moneyline.id)[source];
  expect([newest('fair', 'm'), newest('odds', 'm'), newest('odds', 'n')]).toEqual([0.5, 0.6, undefined]);
});
