// Sources of signals: prices from outside the exchange, on their way to the bot. The Redis stream is apart (redis-stream.ts): most
// bots need no client of Redis.
export type { SignalSource } from './source.ts';
export { statusFieldsOf } from './source.ts';
export type { Taken } from './intake.ts';
export { SignalIntake } from './intake.ts';
export { FollowedFile } from './followed-file.ts';
export { OddsFeed } from './odds-feed.ts';
export { fileOdds, httpOdds } from './odds-reader.ts';
export type { TeamTable } from './team-match.ts';
