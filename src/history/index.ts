// The past as others recorded it: odds documents over time, and fills that were made anywhere.
export { readOddsHistory } from './odds-files.ts';
export type { OddsTableSettings } from './odds-table.ts';
export type { ReadFills } from './read-fills.ts';
export { readFills } from './read-fills.ts';
export type { OwnFacts, Unmatched } from './own-facts.ts';
export { ownFacts } from './own-facts.ts';
export { oddsGame, oddsGameId } from './odds-game.ts';
export { ownReport } from './own-report.ts';
