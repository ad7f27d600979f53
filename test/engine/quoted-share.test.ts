// The controls that held quotes back, slot by slot and weighted by time.
import { map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { centsOfDollars, microsOfDollars, toOdds } from '../../src/domain/index.ts';
import type { Overrides } from '../support/core-driver.ts';
import { CoreDriver, coreSettings, placesIn } from '../support/core-driver.ts';
import { defineStrategy } from '../../src/strategy/index.ts';

const odds = toOdds(110);
if (odds === undefined) throw new Error('no odds');
/** Wants these stakes, in dollars, on home and away; 0 is no quote, for the given reason. */
const wanting = (home: number, away: number, reason?: string, overrides: Overrides = {}): CoreDriver => {
  const strategy = defineStrategy({
    name: 'wanting',
    params: z.object({}),
    create: () => (views$) =>
      views$.pipe(
        map(({ market }) => ({
          market: market.id,
          quotes: (['home', 'away'] as const).flatMap((side) => {
            const dollars = side === 'home' ? home : away;
            return dollars === 0 ? [] : [{ side, odds, risk: centsOfDollars(dollars) }];
          }),
          ...(reason === undefined ? {} : { reason }),
        })),
      ),
  });
  return new CoreDriver(coreSettings(overrides, strategy, {}));
};
/** Answers the places of the start. */
function begin(driver: CoreDriver): CoreDriver {
  for (const place of placesIn(driver.start())) driver.accept(place, 'o');
  return driver;
}
const { risk } = coreSettings().orders;

describe('the status of quotes that are held back', () => {
  it('names no control while an order is in flight', () => {
    const driver = wanting(100, 100);
    const [place] = placesIn(driver.start());
    expect(driver.core.status()).toMatchObject({ wanted: 2, resting: 0, held: {} });
    if (place === undefined) throw new Error('no place');
    driver.accept(place, 'o');
    driver.passTime(5000);
    expect(driver.core.status()).toMatchObject({
      wanted: 2,
      resting: 2,
      held: {},
      quotedShare: 1,
      heldShare: {},
    });
  });

  it('names the control that denies a quote, for as long as it does', () => {
    const driver = begin(wanting(100, 900));
    driver.passTime(5000);
    expect(driver.core.status()).toMatchObject({
      wanted: 2,
      resting: 1,
      held: { 'order-size': 1 },
      quotedShare: 0.5,
      // a size that the rules never allow is at no limit
      heldShare: { 'order-size': 0.5 },
      atLimits: 0,
    });
    // once the book is too old, freshness comes first; the resting order is being cancelled
    driver.passTime(15_000);
    const { held, heldShare, quotedShare } = driver.core.status();
    expect(held).toEqual({ freshness: 1 });
    expect(Object.keys(heldShare)).toEqual(['order-size', 'freshness']);
    expect(quotedShare + (heldShare['freshness'] ?? 0) + (heldShare['order-size'] ?? 0)).toBeCloseTo(1, 1);
  });

  it('names the control that denies an order when it would be sent', () => {
    const limits = { orders: { risk: { ...risk, maxGameLoss: microsOfDollars(150) } } };
    const driver = begin(wanting(100, 200, undefined, limits));
    const { held, resting } = driver.core.status();
    expect({ held, resting }).toEqual({ held: { 'game-loss': 1 }, resting: 1 });
    // also while no book changes
    driver.passTime(5000);
    expect(driver.core.status().heldShare['game-loss']).toBeCloseTo(0.5, 1);
    // one of two slots, all of the time
    expect(driver.core.status().atLimits).toBeCloseTo(1, 1);
  });

  it('counts by reason the views for which a strategy wants nothing, for twenty reasons apart', () => {
    const driver = begin(wanting(0, 0, 'too early'));
    expect(driver.core.status()).toMatchObject({
      wanted: 0,
      idle: { 'too early': driver.core.status().intents },
    });
    expect(begin(wanting(0, 0)).core.status().idle).toHaveProperty('no reason given');
    let n = 0;
    const talkative = defineStrategy({
      name: 'talkative',
      params: z.object({}),
      create: () => (views$) =>
        views$.pipe(map(({ market }) => ({ market: market.id, quotes: [], reason: `${'x'.repeat(90)} ${(n += 1)}` }))),
    });
    const other = begin(new CoreDriver(coreSettings({}, talkative, {})));
    expect(Object.keys(other.core.status().idle)).toEqual(['x'.repeat(80)]);
    const counting = defineStrategy({
      name: 'counting',
      params: z.object({}),
      create: () => (views$) =>
        views$.pipe(
          map(({ market }) => ({
            market: market.id,
            quotes: [],
            reason: (n += 1) > 40 ? 'late, and often' : `reason ${n}`,
          })),
        ),
    });
    n = 0;
    const many = begin(new CoreDriver(coreSettings({}, counting, {})));
    for (let frame = 0; frame < 50; frame++) many.frame('p-home', [{ id: `h${frame}`, odds: 106, risk: 200 }]);
    const { idle, intents } = many.core.status();
    expect(Object.keys(idle)).toHaveLength(21);
    expect(Object.keys(idle)[0]).toBe('late, and often');
    expect(Object.keys(idle).at(-1)).toBe('other reasons');
    expect(Object.values(idle).reduce((sum, count) => sum + count, 0)).toBe(intents);
  });
});
