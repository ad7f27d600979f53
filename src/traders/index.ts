// The other traders of the paper exchange: synthetic makers and takers, and the market of a recording.
export { SyntheticGame } from './synthetic-games.ts';
export type { Tempo } from './synthetic-tempo.ts';
export { BUSY } from './synthetic-tempo.ts';
export type { SyntheticOptions } from './synthetic-traders.ts';
export { SyntheticTraders } from './synthetic-traders.ts';
export { createTapeClock } from './tape-clock.ts';
export type { FeedTimer, RecordedFeed, TapeAnchor } from './tape-feed.ts';
export { TapeFeed } from './tape-feed.ts';
export { TapeTraders } from './tape-traders.ts';
export type { Vanished, VanishedShare } from './vanished.ts';
export { CANCELS, SOON_MS } from './vanished.ts';
