import { StrategyTest } from 'oddsmaker/testkit';
import { describe, expect, it } from 'vitest';
import strategy from '../../strategies/own-price.ts';

const PARAMS = { edge: 0.02, risk: 50 };

describe('own-price', () => {
  it('quotes around its signal, and nothing without it', () => {
    const test = new StrategyTest(strategy, PARAMS);
    const market = test.market().show();
    expect([market.quotes, market.reason]).toEqual([[], 'no price of our own']);
    test.signal({ [`fair:${market.market.id}`]: 0.5 }, '10s');
    // a probability of 0.48 on each side
    expect(market.quotes).toEqual([
      { side: 'home', odds: 109, risk: 50 },
      { side: 'away', odds: 109, risk: 50 },
    ]);
    test.signal({ [`fair:${market.market.id}`]: 0.6 }, '10s');
    expect(market.quotes.map(({ odds }) => odds)).toEqual([-138, 164]);
    test.pass('10s');
    expect(market.quotes).toEqual([]);
  });

  it('quotes each market of a game by its own signal', () => {
    const test = new StrategyTest(strategy, { ...PARAMS, prefix: 'p-' });
    const [total, spread] = [test.market('total', 210.5).show(), test.market('spread', -3.5).show()];
    test.signal({ 'p-game/total/210.5': 0.5, 'fair:game/spread/-3.5': 0.5 });
    expect(total.quotes.map(({ side }) => side)).toEqual(['over', 'under']);
    expect(spread.quotes).toEqual([]);
  });

  it.each([
    [999.99, ['home', 'away']],
    [1000, ['away']],
    [-1000, ['home']],
  ])('at an inventory of $%d quotes %j, since a side that adds to it stops at the limit', (dollars, sides) => {
    const test = new StrategyTest(strategy, PARAMS);
    test.signal({ 'fair:game/moneyline': 0.5 });
    const market = test.market().hold(dollars, 0);
    expect(market.quotes.map(({ side }) => side)).toEqual(sides);
  });

  it.each([0.02, 0.98])('quotes nothing around a price of %d, which leaves no room for its edge', (fair) => {
    const test = new StrategyTest(strategy, PARAMS);
    test.signal({ 'fair:game/moneyline': fair });
    const market = test.market().show();
    expect([market.quotes, market.reason]).toEqual([[], 'no room for the edge']);
  });

  it.each<[object]>([[{ edge: -0.01 }], [{ risk: 0 }], [{ prefix: 7 }], [{ inventoryLimit: -1 }], [{ skew: 1 }]])(
    'refuses %j',
    (params) => {
      expect(() => new StrategyTest(strategy, { ...PARAMS, ...params })).toThrow();
    },
  );
});
