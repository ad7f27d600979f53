// Points of parameter sweeps in a Redis, for workers on any machine.
export type { SweepNotice } from './board.ts';
export { SharedKey, makeKeyText, readKey } from './key-file.ts';
export { RedisLink } from './redis-link.ts';
export type { QueueStatus } from './status.ts';
export { queueStatus } from './status.ts';
export type { OpenSweep } from './taker.ts';
export { Taker } from './taker.ts';
export { TapeStore } from './tape-store.ts';
