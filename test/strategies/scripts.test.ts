// Rules that each shipped strategy keeps in scripted markets.
import { MarketScript, neverAddsToCappedSide, neverQuotesThroughFair, StrategyTest } from 'oddsmaker/testkit';
import type { z } from 'zod';
import { describe, expect, it } from 'vitest';
import type { Strategy } from '../../src/strategy/index.ts';
import joinBest from '../../strategies/join-best.ts';
import ownPrice from '../../strategies/own-price.ts';
import twoSided from '../../strategies/two-sided.ts';

const LIMIT = 150;
const PARAMS = { risk: 50, inventoryLimit: LIMIT };

type Script = MarketScript<z.ZodType>;
const PLAYS: Readonly<Record<string, readonly ((script: Script) => unknown)[]>> = {
  'lines that move': [0.1, -0.2, 0.15].map((by) => (script) => script.lineMove(by)),
  'a drift there and back': [0.2, -0.3].map((by) => (script) => script.drift(by, '60s')),
  goals: [
    (script) => script.goal('home', 0.1),
    (script) => script.goal('home', 0.1),
    (script) => script.goal('home', 0.1),
    (script) => script.goal('away', 0.25),
  ],
  'sweeps of one side': Array(4).fill((script: Script) => script.sweep('home')),
  'sweeps of both': (['away', 'home', 'away', 'away', 'away'] as const).map((side) => (script) => script.sweep(side)),
  'feeds that are cut': [
    (script) => script.feedCut('15s', 0.1),
    (script) => script.feedCut('50s', -0.2),
    (script) => script.lineMove(0.05),
  ],
};
const plays = Object.entries(PLAYS);

describe.each<[string, Strategy, object]>([
  // a lean against inventory may quote beyond fair, which has its own test below
  ['two-sided', twoSided, { edge: 0.01, skew: 0 }],
  ['join-best', joinBest, {}],
])('%s', (_strategyName, strategy, params) => {
  it.each(plays)('never quotes through fair nor adds to a capped side, in %s', (_name, steps) => {
    const test = new StrategyTest(strategy, { ...PARAMS, ...params });
    test.always(neverQuotesThroughFair()).always(neverAddsToCappedSide(LIMIT));
    const market = test.market();
    const script = new MarketScript(test, market, { fair: 0.5 });
    for (const step of steps) step(script);
    expect(market.intents.filter(({ quotes }) => quotes.length > 0).length).toBeGreaterThan(1);
  });
});

describe('two-sided', () => {
  it('quotes beyond fair by no more than its lean', () => {
    const test = new StrategyTest(twoSided, { ...PARAMS, edge: 0.01, skew: 0.4 });
    // .4 of log-odds are at most .1 of probability
    test.always(neverQuotesThroughFair({ slack: 0.1 })).always(neverAddsToCappedSide(LIMIT));
    const script = new MarketScript(test, test.market(), { fair: 0.5 });
    for (const [, steps] of plays) for (const step of steps) step(script);
  });
});

describe('own-price', () => {
  it.each(plays)('never quotes through its own price nor adds to a capped side, in %s', (_name, steps) => {
    const test = new StrategyTest(ownPrice, { ...PARAMS, edge: 0.01 });
    const market = test.market();
    let fair: number | undefined;
    test.always(neverQuotesThroughFair({ fair: () => fair })).always(neverAddsToCappedSide(LIMIT));
    const script = new MarketScript(test, market, { fair: 0.5 });
    for (const step of steps) {
      fair = script.fair;
      test.signal({ [`fair:${market.market.id}`]: fair }, '1h');
      step(script);
    }
    expect(market.intents.filter(({ quotes }) => quotes.length > 0).length).toBeGreaterThan(1);
  });
});
