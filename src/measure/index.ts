// Sums that are kept during a run by the owner of its books: the core, or the venue of a backtest.
export { Extremes } from './extremes.ts';
export { leagueRows } from './league-rows.ts';
export { OutsidePrices } from './outside-prices.ts';
export type { MarketPrices, OwnQuote } from './market-prices.ts';
export { QuoteClock } from './quote-clock.ts';
export { TakeClock } from './take-clock.ts';
export type { QuotePoint } from './quote-path.ts';
export { QuotePoints } from './quote-path.ts';
export { LastReported } from './last-reported.ts';
