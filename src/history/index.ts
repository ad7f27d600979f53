// The past as others recorded it: odds documents over time, and fills that were made anywhere.
export { readOddsHistory } from './odds-files.ts';
export type { FillField } from './fill-columns.ts';
export { FILL_FIELDS } from './fill-columns.ts';
export type { ReadFills } from './read-fills.ts';
export { readFills } from './read-fills.ts';
export type { OwnFacts, Unmatched } from './own-facts.ts';
export { oddsGameId, ownFacts } from './own-facts.ts';
export { ownReport } from './own-report.ts';
