// Sources of signals: values from outside the exchange. The Redis stream is not exported here
// (redis/index.ts), because most bots need no Redis client.
export type { SignalSource } from './source.ts';
export { statusFieldsOf } from './source.ts';
export type { Taken } from './intake.ts';
export { SignalIntake } from './intake.ts';
export { FollowedFile } from './followed-file.ts';
export { OddsFeed } from './odds-feed.ts';
export type { PriceGap } from './feed-models.ts';
export { fileOdds, httpOdds } from './odds-reader.ts';
export type { TeamTable } from './team-match.ts';
export type { OddsFile } from './odds-documents.ts';
export { readOddsFile } from './odds-documents.ts';
export type { BookPrices, Priced, PriceSettings } from './price-sources.ts';
export { priceBooks, priceEvents } from './price-sources.ts';
export type { PricedGame, PricedLine, PricedQuote } from './price-table.ts';
export type { EventHistory, OddsSnapshot } from './odds-history.ts';
export { OddsHistory } from './odds-history.ts';
export type { PastBet, PastPrice, PastPriceSettings } from './event-prices.ts';
export { EventPrices } from './event-prices.ts';
export { LEAST_LIKENESS, plainName as wordsOf, teamLikeness } from './team-match.ts';
export type { OddsEvent } from './odds-event.ts';
export { eventText } from './odds-event.ts';
export { readMarketKey } from './market-key.ts';
