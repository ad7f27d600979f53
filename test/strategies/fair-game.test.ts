// fair-game on made-up books: coherent lines, all that is held in the game, jumps, limits, and its own price.
import { describe, expect, it } from 'vitest';
import { StrategyTest } from '../../src/strategy/testkit.ts';
import { bestDistance, modelFor, quoteMarketOf } from '../../src/pricing/index.ts';
import { probabilityOf } from '../../src/domain/index.ts';
import type { AmericanOdds } from '../../src/domain/index.ts';
import type { MarketTest } from '../../src/strategy/testkit/market-test.ts';
import fairGame from '../../strategies/fair-game.ts';

const MODEL = modelFor('basketball', { margin: 4.5, total: 225 });
const PARAMETERS = { margin: 4.5, total: 225 };
const LINES = [-7.5, -6.5, -4.5, -3.5, 2.5];
const TOTALS = [221.5, 224.5, 225.5];

/** American odds of a probability, in the owner's favour. */
const oddsAt = (p: number): number => Math.round(p > 0.5 ? (-100 * p) / (1 - p) : (100 * (1 - p)) / p);

function tested(params: object = {}) {
  const test = new StrategyTest(fairGame, { risk: 50, ...params });
  const markets = [
    test.market('moneyline'),
    ...LINES.map((line) => test.market('spread', line)),
    ...TOTALS.map((line) => test.market('total', line)),
  ];
  const fairOf = ({ market: { type, line = 0 } }: MarketTest): number =>
    type === 'moneyline'
      ? MODEL.moneyline().fair
      : type === 'spread'
        ? MODEL.spread(line).fair
        : MODEL.total(line).fair;
  const shown = (moved = 0): void => {
    for (const market of markets) {
      const [first, second] = market.market.sides;
      const p = fairOf(market) + (market.market.type === 'total' ? 0 : moved);
      market.book({ [first]: [[oddsAt(p - 0.02), 500]], [second]: [[oddsAt(1 - p - 0.02), 500]] });
    }
  };
  const outside = (): void =>
    test.signal(
      Object.fromEntries(Object.entries(PARAMETERS).map(([name, value]) => [`model:game:${name}`, value])),
      '10m',
    );
  return { test, markets, shown, outside, fairOf };
}

const priceOf = (market: MarketTest, side: string): number =>
  probabilityOf((market.quotes.find((quote) => quote.side === side)?.odds ?? Number.NaN) as AmericanOdds);
const regimeOf = (market: MarketTest | undefined) => market?.intents.at(-1)?.regime;

/** The largest sum of two quotes of the game that cannot both win. */
function worstPair(markets: readonly MarketTest[]): number {
  const bets = markets.flatMap((market) =>
    market.quotes.map(({ side, odds }) => {
      const { type, line = 0 } = market.market;
      return {
        isTotal: type === 'total',
        isAbove: side === 'home' || side === 'over',
        edge: type === 'spread' ? 0 - line : line,
        p: probabilityOf(odds as AmericanOdds),
      };
    }),
  );
  let worst = 0;
  for (const a of bets)
    for (const b of bets)
      if (a.isTotal === b.isTotal && a.isAbove && !b.isAbove && b.edge <= a.edge) worst = Math.max(worst, a.p + b.p);
  return worst;
}

describe('fair-game with the model of an odds feed', () => {
  it('quotes both sides of every line at the distance of the table of quotes', () => {
    const { markets, shown, outside, fairOf } = tested();
    outside();
    shown();
    for (const market of markets) {
      const [first, second] = market.market.sides;
      const fair = fairOf(market);
      const { type } = market.market;
      const { k, a } = quoteMarketOf(undefined, { league: 'NBA', type, phase: 'prematch' });
      const distance = bestDistance(k, a) / 100;
      expect([market.market.id, priceOf(market, first)]).toEqual([
        market.market.id,
        expect.closeTo(fair - distance, 1),
      ]);
      expect(priceOf(market, first)).toBeLessThanOrEqual(fair - distance + 1e-9);
      expect(priceOf(market, second)).toBeLessThanOrEqual(1 - fair - distance + 1e-9);
      expect(market.intents.at(-1)).toMatchObject({ regime: 'quoting', fair: expect.closeTo(fair, 3) as number });
    }
    expect(worstPair(markets)).toBeLessThanOrEqual(1);
  });

  it('moves all lines of the game after one fill, on the markets where nothing is held too', () => {
    const { markets, shown, outside } = tested({ leanAt: 100, leanBy: 0.03 });
    outside();
    shown();
    const [moneyline, , , held] = markets;
    const other = markets[1];
    if (held === undefined || moneyline === undefined || other === undefined) throw new Error('no market');
    const before = [priceOf(moneyline, 'home'), priceOf(other, 'home'), priceOf(other, 'away')];
    held.fill('home', 50);
    const after = [priceOf(moneyline, 'home'), priceOf(other, 'home'), priceOf(other, 'away')];
    expect(after[0]).toBeLessThan(before[0] ?? 0);
    expect(after[1]).toBeLessThan(before[1] ?? 0);
    expect(after[2]).toBeGreaterThan(before[2] ?? 1);
  });

  it('takes fair: where there is one, and then too no two quotes that cannot both win add up to over 1', () => {
    const { test, markets, shown, outside } = tested({ minEdge: 0, distance: 0.1 });
    outside();
    shown();
    const own = markets[2];
    if (own === undefined) throw new Error('no market');
    const before = priceOf(own, 'home');
    test.signal({ [`fair:${own.market.id}`]: 0.6 });
    expect(own.intents.at(-1)?.fair).toBe(0.6);
    expect(priceOf(own, 'home')).toBeGreaterThan(before + 0.015);
    expect(worstPair(markets)).toBeLessThanOrEqual(1);
  });
});

it('prices from the exchange’s own book without an odds feed', () => {
  const { test, markets, shown } = tested();
  shown();
  // a fit waits some seconds for the next one
  test.pass('6s');
  shown();
  expect(markets.map(({ quotes }) => quotes.length)).toEqual(markets.map(() => 2));
  // what no one else quotes has a fair price, and no quote: makers withdraw when they learn something
  const far = test.market('spread', -10.5).show();
  expect(far.intents.at(-1)?.fair).toBeCloseTo(MODEL.spread(-10.5).fair, 1);
  expect(far.quotes).toEqual([]);
  expect(worstPair(markets)).toBeLessThanOrEqual(1);
});

describe('when the other makers withdraw from a line', () => {
  it('pulls the lines that still have their old price too, for three seconds', () => {
    const { test, markets, shown } = tested();
    shown();
    const [moneyline, spread] = markets;
    if (moneyline === undefined || spread === undefined) throw new Error('no market');
    expect(spread.quotes).toHaveLength(2);
    moneyline.book({ home: [], away: [] });
    expect([moneyline.quotes, spread.quotes]).toEqual([[], []]);
    expect(regimeOf(spread)).toBe('pulled');
    expect(spread.reason).toBe('game/moneyline lost its price');
    test.pass('3s');
    expect(spread.quotes).toHaveLength(2);
    expect(moneyline.quotes).toEqual([]);
  });
});

it('quotes nothing where no price is known', () => {
  const test = new StrategyTest(fairGame, { risk: 50 });
  expect(test.market('moneyline').show().intents.at(-1)).toMatchObject({
    quotes: [],
    regime: 'closed',
    reason: 'no price',
  });
});

describe('after a jump', () => {
  it('pulls all quotes of the game, comes back wider, and then as usual', () => {
    const { test, markets, shown, outside } = tested({ coolOff: 30 });
    outside();
    shown();
    const total = markets.at(-1);
    if (total === undefined) throw new Error('no market');
    const usual = priceOf(total, 'over');
    test.pass('1s');
    shown(0.04);
    expect(markets.map(({ quotes }) => quotes.length)).toEqual(markets.map(() => 0));
    expect(regimeOf(total)).toBe('pulled');
    expect(total.reason).toMatch(/moved by [34]\.\d points in 5 s$/);
    test.pass('30s');
    expect(regimeOf(total)).toBe('wide');
    expect(priceOf(total, 'over')).toBeLessThan(usual - 0.005);
    test.pass('30s');
    expect(regimeOf(total)).toBe('quoting');
    expect(priceOf(total, 'over')).toBe(usual);
  });
});

it('only reduces what it holds when the limits leave no room', () => {
  const { test, markets, shown, outside } = tested();
  outside();
  shown();
  const [moneyline] = markets;
  if (moneyline === undefined) throw new Error('no market');
  moneyline.fill('home', 20);
  test.room = { ...test.room, game: 0 as typeof test.room.game };
  moneyline.show();
  expect(regimeOf(moneyline)).toBe('reduce-only');
  expect(moneyline.quotes.map(({ side }) => side)).toEqual(['away']);
  expect(markets[1]?.quotes).toEqual([]);
});

it('refuses a table of quotes that is none, and names the field', () => {
  expect(() => new StrategyTest(fairGame, { risk: 50, quotes: { quotes: 2 } })).toThrow(
    /quotes: expected a file of fit-quotes: quotes/,
  );
});
