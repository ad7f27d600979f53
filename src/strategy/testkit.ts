// `oddsmaker/testkit`: a strategy under test. The host, the scheduler, the signals and the price rounding are
// those of a run; the test supplies games, books and fills. A fault that disables a strategy in a run is
// thrown here, by the call that caused it.
//
//   const test = new StrategyTest(fade, { edge: 0.02, risk: 50 }); const market = test.market('moneyline');
//   market.book({ home: [[105, 200]], away: [[105, 200]] }); assert.deepEqual(market.quotes, [{ side: 'home',
//   odds: 109, risk: 50 }, { side: 'away', odds: 109, risk: 50 }]);
//
// Scripted markets (`new MarketScript(test, market, { fair: 0.5 }).goal('home', 0.1)`) and rules that must
// always hold (`test.always(neverQuotesThroughFair())`) test behaviour over several books.
export { StrategyTest } from './testkit/strategy-test.ts';
export type { MarketTest, RestingQuote, Row } from './testkit/market-test.ts';
export { neverAddsToCappedSide, neverQuotesThroughFair } from './testkit/rules.ts';
export type { FairRule, Rule } from './testkit/rules.ts';
export { MarketScript } from './testkit/script.ts';
export type { ScriptSettings } from './testkit/script.ts';
