// Imports recordings of other exchanges as tapes.
export type { ImportProgress, Imported, ImportedTape } from './betfair.ts';
export { importBetfair } from './betfair.ts';
export type { BadFile } from './raw-files.ts';
export type { ImportedOdds, OddsGames } from './odds.ts';
export { importOdds } from './odds.ts';
export { RecordedGames } from './recorded-games.ts';
