// Replays a journal through the core that its header names, and compares the commands and events with the
// recorded ones.
import type { Core } from '../engine/index.ts';
import type { Difference } from './verify.ts';
import { Verifier } from './verify.ts';
import type { StampedArrival } from '../domain/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import type { EventStep, JournalHeader, Tear } from '../journal/index.ts';
import { scanJournal, JournalProgress } from '../journal/index.ts';
import type { Replayed } from './replay-core.ts';

export type ReplayedJournal = {
  readonly first: StampedArrival | undefined;
  readonly last: StampedArrival | undefined;
  /** Where the journal is torn, and the error that ended the replay. Undefined when there is none. */
  readonly tear: Tear | undefined;
  readonly invalid: string | undefined;
  /** The number of records and commands that are equal, and the first difference. */
  readonly records: number;
  readonly commands: number;
  readonly difference: Difference | undefined;
};

export type Listener = {
  /** Called after each step until the first difference. */
  readonly step?: (step: EventStep, core: Core) => void;
  readonly reloaded?: (header: JournalHeader) => void;
};

/** Replays a journal. `action`: the action that the progress line names. */
export async function replayJournal(
  file: string,
  replayed: Replayed,
  action: string,
  listener: Listener = {},
): Promise<ReplayedJournal> {
  const verifier = new Verifier(replayed.core, replayed.profile, replayed.version.recorded === replayed.version.now);
  const progress = new JournalProgress(process.stderr, file, action);
  let first: StampedArrival | undefined;
  let last: StampedArrival | undefined;
  let tear: Tear | undefined;
  let invalid: string | undefined;
  try {
    await scanJournal(file, {
      reloaded: async (header) => {
        await replayed.reload(header);
        listener.reloaded?.(header);
      },
      step: (step) => {
        first ??= step.input;
        last = step.input;
        verifier.applyStep(step);
        progress.advance();
        if (verifier.difference === undefined) listener.step?.({ ...step, events: verifier.events }, replayed.core);
      },
      torn: (found) => {
        tear = found;
      },
      progress: (bytes) => progress.read(bytes),
    });
  } catch (error) {
    if (!(error instanceof OddsmakerError)) throw error;
    invalid = error.message;
  } finally {
    progress.clearLine();
  }
  const { records, commands, difference } = verifier;
  return { first, last, tear, invalid, records, commands, difference };
}
