// A strategy whose file was changed while the bot runs: another version replaces it.
import { finalize, map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { QuoteIntent, StrategyId } from '../../src/domain/index.ts';
import { centsOfDollars, oddsOf } from '../../src/domain/index.ts';
import type { Strategy } from '../../src/strategy/index.ts';
import { americanOdds, defineStrategy } from '../../src/strategy/index.ts';
import type { StrategyEntry } from '../../src/strategy/host/host.ts';
import { alertsIn, cancelsIn, CoreDriver, coreSettings, editsIn, HOME, placesIn } from '../support/core-driver.ts';

const ID = 'main' as StrategyId;
const quoteAt = (odds: number, isGood: () => boolean = () => true): Strategy =>
  defineStrategy({
    name: 'fixed',
    params: z.object({}),
    create: () => (views$) =>
      views$.pipe(
        map((view): QuoteIntent => {
          if (!isGood()) throw new Error('it cannot');
          const quote = { risk: centsOfDollars(50), odds: americanOdds.parse(odds), key: 'one' };
          return { market: view.market.id, quotes: view.sides.map(({ side }) => ({ ...quote, side })) };
        }),
      ),
  });
const entry = (strategy: Strategy): StrategyEntry => ({ id: ID, strategy, params: {} });

function driverOf(first: Strategy, versions: Readonly<Record<string, Strategy>>) {
  const driver = new CoreDriver(coreSettings({}, first, {}), {
    reloaded: (strategy, sha256) => {
      const version = versions[sha256];
      return strategy === ID && version !== undefined ? entry(version) : undefined;
    },
  });
  const [place] = placesIn(driver.start());
  if (place !== undefined) driver.accept(place, 'o');
  return {
    driver,
    place,
    reload: (sha256: string) => driver.input({ type: 'reload', strategy: ID, sha256 }),
  };
}

describe('another version of a strategy', () => {
  it('that wants the same leaves all orders where they are, and keeps running', () => {
    const { driver, place, reload } = driverOf(quoteAt(110), { same: quoteAt(110) });
    expect(place?.orders).toHaveLength(2);
    const commands = [...reload('same'), ...driver.passTime(3000)];
    expect(alertsIn(commands, 'RELOADED')).toHaveLength(1);
    expect([...placesIn(commands), ...editsIn(commands), ...cancelsIn(commands)]).toEqual([]);
    expect(driver.core.status()).toMatchObject({ resting: 2, wanted: 2 });
  });

  it('that wants another price edits the orders of the earlier version in the same step', () => {
    const { reload } = driverOf(quoteAt(110), { better: quoteAt(120) });
    const edits = editsIn(reload('better'));
    expect(edits.map(({ orderId, order }) => [orderId, oddsOf(order.rung)])).toEqual([
      ['o0', 120],
      ['o1', 120],
    ]);
  });

  it('that wants nothing has the orders of the earlier version cancelled', () => {
    const silent = defineStrategy({
      name: 'silent',
      params: z.object({}),
      create: () => (views$) => views$.pipe(map((view) => ({ market: view.market.id, quotes: [] }))),
    });
    const { driver, reload } = driverOf(quoteAt(110), { silent });
    const commands = [...reload('silent'), ...driver.passTime(1000)];
    expect(
      cancelsIn(commands)
        .flatMap(({ orderIds }) => orderIds)
        .sort(),
    ).toEqual(['o0', 'o1']);
  });

  it('replaces a version that throws when it is closed', () => {
    const clinging = defineStrategy({
      name: 'clinging',
      params: z.object({}),
      create: (context) => (views$) =>
        quoteAt(110)
          .create(context as never)(views$)
          .pipe(
            finalize(() => {
              throw new Error('it will not go');
            }),
          ),
    });
    const { driver, reload } = driverOf(clinging, { better: quoteAt(120) });
    const commands = reload('better');
    expect(alertsIn(commands, 'RELOADED')).toHaveLength(1);
    expect(alertsIn(commands, 'STRATEGY_THREW')[0]?.fields['detail']).toMatch(
      /it will not go \(reload\.test\.ts:\d+\), as its subscription ended$/,
    );
    expect(editsIn(commands)).toHaveLength(2);
    expect(driver.core.tryOut(entry(clinging), {}).faults).toHaveLength(1);
  });

  it('replaces a version that was disabled', () => {
    let isGood = true;
    const { driver, reload } = driverOf(
      quoteAt(110, () => isGood),
      { mended: quoteAt(110) },
    );
    isGood = false;
    const broken = driver.frame('p-home', [{ id: 'h9', odds: 104, risk: 200 }]);
    expect(alertsIn(broken, 'STRATEGY_THREW')).toHaveLength(1);
    driver.passTime(1000);
    expect(driver.core.status().wanted).toBe(0);
    reload('mended');
    expect(driver.core.status().wanted).toBe(2);
    // it is shown the next view
    isGood = true;
    expect(alertsIn(driver.frame('p-home', HOME), 'STRATEGY_THREW')).toEqual([]);
  });

  it('that was not loaded, or belongs to an unknown strategy, changes nothing', () => {
    const { driver, reload } = driverOf(quoteAt(110), {});
    const commands = [...reload('unknown'), ...driver.passTime(1000)];
    expect(alertsIn(commands, 'RELOAD_FAILED')).toHaveLength(1);
    expect([...placesIn(commands), ...editsIn(commands), ...cancelsIn(commands)]).toEqual([]);
    expect(driver.core.status()).toMatchObject({ resting: 2, wanted: 2 });
  });

  it('is tried on the current books, and its trial changes nothing', () => {
    const { driver } = driverOf(quoteAt(110), {});
    const before = driver.core.status();
    expect(driver.core.tryOut(entry(quoteAt(130)), {})).toEqual({ shown: 1, quoted: 1, faults: [] });
    const bad = driver.core.tryOut(entry(quoteAt(130, () => false)), {});
    expect(bad.faults).toEqual([
      {
        code: 'STRATEGY_THREW',
        detail: expect.stringMatching(/it cannot \(reload\.test\.ts:\d+\)$/) as string,
      },
    ]);
    // markets that it does not want are not shown to it
    const other = { ...entry(quoteAt(130, () => false)), wants: () => false };
    expect(driver.core.tryOut(other, {})).toEqual({ shown: 0, quoted: 0, faults: [] });
    expect(driver.core.status()).toEqual(before);
    const commands = driver.passTime(2000);
    expect([...placesIn(commands), ...editsIn(commands), ...cancelsIn(commands)]).toEqual([]);
  });
});
