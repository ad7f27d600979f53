// What strategies have of their own: markets, parameters by league, and limits that only tighten those of the account.
import { map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AmericanOdds, Cents, Micros, StrategyId } from '../../src/domain/index.ts';
import { cents } from '../../src/domain/index.ts';
import type { StrategyEntry } from '../../src/strategy/host/index.ts';
import { defineStrategy } from '../../src/strategy/index.ts';
import { CoreDriver, coreSettings, placesIn } from '../support/core-driver.ts';

/** Quotes the home side at a price and a stake of its own. */
const quoting = (odds: number, risk = 1000) =>
  defineStrategy({
    name: 'quoting',
    params: z.object({ add: z.number().default(0) }),
    create:
      ({ params }) =>
      (views$) =>
        views$.pipe(
          map(({ market }) => ({
            market: market.id,
            quotes: [{ side: 'home' as const, risk: cents(risk), odds: (odds + params.add) as AmericanOdds }],
          })),
        ),
  });

const NO_LIMITS = {
  ...{ maxOrderRisk: undefined, maxMarketLoss: undefined, maxGameLoss: undefined },
  ...{ maxTotalLoss: undefined, maxOpenOrders: undefined },
};
const entry = (id: string, odds: number, over: Partial<StrategyEntry> = {}, risk?: number): StrategyEntry => ({
  id: id as StrategyId,
  strategy: quoting(odds, risk),
  params: { add: 0 },
  ...over,
});
function drive(...strategies: readonly StrategyEntry[]) {
  const driver = new CoreDriver({ ...coreSettings(), strategies });
  const commands = driver.start();
  const orders = placesIn(commands).flatMap((place) => place.orders);
  return { driver, commands, risks: orders.map(({ risk }) => risk), rungs: orders.map(({ rung }) => rung) };
}

describe('a strategy', () => {
  it('sees and quotes the markets that it wants', () => {
    const none = drive(entry('a', 115, { wants: () => false }));
    expect(none.risks).toEqual([]);
    const seen: string[] = [];
    const { risks } = drive(
      entry('a', 115, { wants: ({ league, period }, type) => seen.push(`${league} ${period ?? ''} ${type}`) > 0 }),
      entry('b', 120, { wants: () => false }),
    );
    expect(risks).toEqual([1000]);
    expect(new Set(seen)).toEqual(new Set(['NBA full moneyline']));
  });

  it('has the parameters of the league of a game, else its own', () => {
    expect(drive(entry('a', 115, { byLeague: new Map([['nba', { add: 10 }]]) })).rungs).toEqual([250]);
    expect(drive(entry('a', 115, { byLeague: new Map([['epl', { add: 10 }]]) })).rungs).toEqual([150]);
  });

  it('holds back an order above its own size, whatever the account allows', () => {
    const limits = { ...NO_LIMITS, maxOrderRisk: 500 as Cents };
    const { driver, risks } = drive(entry('a', 115, { limits }), entry('b', 120, { limits: NO_LIMITS }));
    expect(risks).toEqual([1000]);
    expect(driver.core.status().held).toMatchObject({ 'order-size': 1 });
  });

  it('stops at its own loss in a game, and leaves the others theirs', () => {
    const limits = { ...NO_LIMITS, maxGameLoss: 12e6 as Micros };
    const { driver, commands } = drive(entry('a', 115, { limits }), entry('b', 130, { limits: NO_LIMITS }));
    const placed = placesIn(commands).flatMap((place) => place.orders.map(({ ref }) => ref));
    expect(placed).toHaveLength(2);
    const [place] = placesIn(commands);
    if (place === undefined) throw new Error('no place');
    const ids = driver.accept(place, 'o');
    const before = driver.sent.length;
    place.orders.forEach(({ rung }, index) => {
      const odds = rung === 150 ? 115 : 130;
      driver.position(
        { orderID: ids[index], odds, offered: 10, filled: 10, remaining: 0 },
        { txID: `t${index}`, odds, risk: 10, win: odds / 10, orderID: ids[index] },
      );
    });
    // ten dollars are at risk for each; ten more are too much for the first alone
    driver.passTime(6000);
    const rungs = placesIn(driver.sent.slice(before)).flatMap((next) => next.orders.map(({ rung }) => rung));
    expect(rungs).toEqual([300]);
    expect(driver.core.status().held).toMatchObject({ 'game-loss': 1 });
  });

  it('has at most its own number of open orders', () => {
    const limits = { ...NO_LIMITS, maxOpenOrders: 1 };
    const twice = defineStrategy({
      name: 'twice',
      params: z.object({}),
      create: () => (views$) =>
        views$.pipe(
          map(({ market }) => ({
            market: market.id,
            quotes: [115, 120].map((odds, index) => ({
              ...{ side: 'home' as const, risk: cents(1000), odds: odds as AmericanOdds, key: `k${index}` },
            })),
          })),
        ),
    });
    const { risks } = drive({ id: 'a' as StrategyId, strategy: twice, params: {}, limits });
    expect(risks).toHaveLength(1);
  });
});
