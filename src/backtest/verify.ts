// Replays a journal through the core and compares every command, byte for byte.
import type { Core } from '../engine/index.ts';
import type { Journal } from '../record/journal-reader.ts';

export type Difference = { readonly seq: number; readonly recorded: string; readonly replayed: string };

/** The first step whose commands differ, or undefined when all are the same. */
export function verifyJournal(core: Core, journal: Journal): Difference | undefined {
  for (const { input, commands } of journal.steps) {
    const recorded = JSON.stringify(commands);
    const replayed = JSON.stringify(core.step(input));
    if (recorded !== replayed) return { seq: input.seq, recorded, replayed };
  }
  return undefined;
}
