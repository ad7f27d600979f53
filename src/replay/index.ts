// Replays a journal through the core, with the recorded or another configuration, and compares the commands.
export type { Replayed, ReplayedStrategy } from './replay-core.ts';
export { loadReplay } from './replay-core.ts';
export type { ReplayedJournal } from './replay-journal.ts';
export { replayJournal } from './replay-journal.ts';
export type { Difference } from './verify.ts';
