// A journal played through the core once more: with which configuration and strategies, and whether it commands the same.
export type { Replayed, ReplayedStrategy } from './replay-core.ts';
export { loadReplay } from './replay-core.ts';
export type { ReplayedJournal } from './replay-journal.ts';
export { replayJournal } from './replay-journal.ts';
export type { Difference } from './verify.ts';
