// The reference of the price band without a consensus (risk.bandWithout), and a probability that is no price.
import { map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { cents } from '../../src/domain/index.ts';
import type { Command, QuoteIntent } from '../../src/domain/index.ts';
import type { RiskLimits } from '../../src/risk/index.ts';
import { defineStrategy } from '../../src/strategy/index.ts';
import { AWAY, cancelsIn, CoreDriver, coreSettings, HOME, placesIn } from '../support/core-driver.ts';

const MARKET = 'game-1/moneyline';
const ODDS = `odds:${MARKET}`;

/** Quotes home alone, at one price in any book. */
const fixed = defineStrategy({
  name: 'fixed',
  params: z.object({
    odds: z.number().optional(),
    probability: z.number().optional(),
    fair: z.number().optional(),
  }),
  create:
    ({ params: { odds, probability, fair } }) =>
    (views$) =>
      views$.pipe(
        map((view): QuoteIntent => {
          const price = probability === undefined ? { odds: odds ?? 105 } : { probability };
          const quote = { side: 'home', risk: cents(1000), ...price } as QuoteIntent['quotes'][number];
          return { market: view.market.id, quotes: [quote], ...(fair === undefined ? {} : { fair }) };
        }),
      ),
});

function driverOf(params: z.input<(typeof fixed)['params']>, risk: Partial<RiskLimits> = {}, live = false): CoreDriver {
  const { orders } = coreSettings();
  return new CoreDriver(
    coreSettings({ orders: { risk: { ...orders.risk, ...risk } }, markets: { live } }, fixed, params),
  );
}

const signal = (driver: CoreDriver, p: number | null, ttlMs = 60_000): readonly Command[] =>
  driver.input({ type: 'signal', values: { [ODDS]: p }, ttlMs });

const slotOf = (driver: CoreDriver) => driver.core.markets()[0]?.slots[0];

/** Two sides, so that the books are known to read right, and too far apart for a good price. */
const WIDE = [{ id: 'w', odds: 300, risk: 200 }];

/** A book that had no good price, and is empty by now. */
function startEmpty(driver: CoreDriver): readonly Command[] {
  driver.start(WIDE, WIDE, { place: 0, cancel: 0 });
  driver.frame('p-home', []);
  driver.frame('p-away', []);
  return [...driver.permits('cancel', 30), ...driver.permits('place', 25)];
}

/** Keeps both sides fresh: the same rows again and again. */
function passQuietly(driver: CoreDriver, ms: number, home = HOME, away = AWAY, overrides = {}): readonly Command[] {
  const out: Command[] = [];
  for (let left = ms; left > 0; left -= 1000) {
    out.push(...driver.frame('p-home', home, overrides), ...driver.frame('p-away', away, overrides));
    out.push(...driver.passTime(Math.min(1000, left)));
  }
  return out;
}

describe('the price band in an empty book', () => {
  it('holds back a price without a reference, and says so', () => {
    const driver = driverOf({ odds: -1328 });
    expect(placesIn(startEmpty(driver))).toEqual([]);
    expect(driver.core.status()).toMatchObject({ wanted: 1, held: { 'price-band': 1 }, withoutReference: 1 });
    expect(driver.core.markets()[0]?.held).toEqual(['price-band']);
    expect(slotOf(driver)).toMatchObject({ control: 'price-band', reason: 'price-band: no reference' });
  });

  it('allows any price when it is off', () => {
    expect(placesIn(startEmpty(driverOf({ odds: -1328 }, { bandWithout: 'off' })))).toHaveLength(1);
  });

  it('follows the odds feed as long as that price is valid', () => {
    const driver = driverOf({ odds: -1328 });
    startEmpty(driver);
    signal(driver, 0.05);
    expect(slotOf(driver)).toMatchObject({
      control: 'price-band',
      reason: '0.880 away from the price of the odds feed, more than 0.15',
    });
    expect(driver.core.status().withoutReference).toBe(0);

    const near = driverOf({ odds: 110 });
    startEmpty(near);
    const [place] = placesIn(signal(near, 0.5, 4000));
    if (place === undefined) throw new Error('nothing is placed near the price of the odds feed');
    near.accept(place, 'o');
    expect(cancelsIn(passQuietly(near, 3000, [], []))).toEqual([]);
    const [cancel] = cancelsIn(passQuietly(near, 3000, [], []));
    expect(cancel?.why).toMatchObject([{ cause: 'denied', because: 'price-band: no reference' }]);
  });

  it('ignores a price of the odds feed that is 0 or 1', () => {
    const driver = driverOf({ odds: -1328 });
    startEmpty(driver);
    expect(placesIn(signal(driver, 1))).toEqual([]);
    expect(slotOf(driver)).toMatchObject({ reason: 'price-band: no reference' });
  });

  it.each([
    ['own', 0.5, 1, undefined],
    ['own', 0.05, 0, "0.426 away from the strategy's own fair price, more than 0.15"],
    ['own', undefined, 0, 'price-band: no reference'],
    ['hold', 0.5, 0, 'price-band: no reference'],
  ] as const)('with %s and a fair price %s of the strategy places %i', (bandWithout, fair, count, reason) => {
    const driver = driverOf({ odds: 110, fair }, { bandWithout });
    expect(placesIn(startEmpty(driver))).toHaveLength(count);
    expect(slotOf(driver)?.reason).toBe(reason);
  });

  it('follows the odds feed before the fair price of the strategy', () => {
    const driver = driverOf({ odds: 110, fair: 0.05 }, { bandWithout: 'own' });
    startEmpty(driver);
    expect(placesIn(signal(driver, 0.5))).toHaveLength(1);
  });
});

describe('the price band in a book that lost its price', () => {
  const ONE_SIDED = [{ id: 'a9', odds: -110, risk: 200 }];

  /** Rests a quote in a good book that then keeps one side. */
  function lost(driver: CoreDriver, overrides = {}): void {
    const [place] = placesIn(driver.start());
    if (place === undefined) throw new Error('nothing is placed in a good book');
    driver.accept(place, 'o');
    passQuietly(driver, 20_000, HOME, AWAY, overrides);
    expect(cancelsIn(driver.frame('p-home', [], overrides))).toEqual([]);
  }

  it('is measured against the last good consensus for bandAge after the book last had it', () => {
    const driver = driverOf({ odds: 110 }, { bandAgeMs: 30_000 });
    lost(driver);
    expect(cancelsIn(passQuietly(driver, 29_000, [], ONE_SIDED))).toEqual([]);
    const [cancel] = cancelsIn(passQuietly(driver, 3000, [], ONE_SIDED));
    expect(cancel?.why).toMatchObject([{ cause: 'denied', because: 'price-band: no reference' }]);
  });

  it('holds back a price far from the last good consensus', () => {
    const driver = driverOf({ odds: 400 });
    driver.start();
    driver.frame('p-home', []);
    expect(slotOf(driver)?.reason).toBe('0.300 away from the last good consensus, more than 0.15');
  });

  it('is measured against the last good consensus for 10 s at most in play', () => {
    const driver = driverOf({ odds: 110 }, {}, true);
    const live = { live: true };
    lost(driver, live);
    expect(cancelsIn(passQuietly(driver, 9000, [], ONE_SIDED, live))).toEqual([]);
    expect(cancelsIn(passQuietly(driver, 3000, [], ONE_SIDED, live))).toHaveLength(1);
  });

  it('follows the odds feed before the last good consensus', () => {
    const driver = driverOf({ odds: 110 });
    lost(driver);
    expect(cancelsIn(signal(driver, 0.05))).toHaveLength(1);
    expect(slotOf(driver)?.reason).toBe('0.426 away from the price of the odds feed, more than 0.15');
  });

  it('counts no time in which the book was stale', () => {
    const driver = driverOf({ odds: 110 }, { bandAgeMs: 60_000 });
    driver.start();
    // nothing arrives, and every read fails
    driver.passTime(50_000);
    driver.frame('p-home', []);
    driver.frame('p-away', ONE_SIDED);
    expect(slotOf(driver)?.control).toBeUndefined();
    passQuietly(driver, 21_000, [], ONE_SIDED);
    expect(slotOf(driver)?.reason).toBe('price-band: no reference');
  });

  it('has its consensus again with the next good book', () => {
    const driver = driverOf({ odds: 110 }, { bandAgeMs: 5000 });
    lost(driver);
    passQuietly(driver, 8000, [], ONE_SIDED);
    expect(slotOf(driver)?.control).toBe('price-band');
    passQuietly(driver, 1000);
    expect(slotOf(driver)?.control).toBeUndefined();
  });
});

describe('a probability that is no price', () => {
  it.each([
    [1, 'probability 1: there are no such odds, a price is above 0 and below 1'],
    [0, 'probability 0: there are no such odds, a price is above 0 and below 1'],
    [-0.01, 'probability -0.01: there are no such odds, a price is above 0 and below 1'],
    [1e-9, 'probability 1e-9: there are no such odds, a price is above 0 and below 1'],
  ])('is held back with a reason that names it (%d)', (probability, reason) => {
    const driver = driverOf({ probability });
    expect(placesIn(driver.start())).toEqual([]);
    driver.passTime(1000);
    const { wanted, held, heldShare } = driver.core.status();
    expect({ wanted, held }).toEqual({ wanted: 1, held: { 'no-price': 1 } });
    expect(heldShare).toEqual({ 'no-price': 1 });
    expect(slotOf(driver)).toMatchObject({ control: 'no-price', reason });
  });
});
