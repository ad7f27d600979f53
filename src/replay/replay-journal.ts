// A journal is replayed through the core that its header names, and what it comes to is compared with what was recorded.
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
  /** Where the journal breaks off; and why it is none behind there. */
  readonly tear: Tear | undefined;
  readonly invalid: string | undefined;
  /** Records and commands that are as they were; and the first that are not. */
  readonly records: number;
  readonly commands: number;
  readonly difference: Difference | undefined;
};

export type Listener = {
  /** Behind a step, as long as everything is as it was. */
  readonly step?: (step: EventStep, core: Core) => void;
  readonly reloaded?: (header: JournalHeader) => void;
};

/** `what`: is done, for a line on a terminal. */
export async function replayJournal(
  file: string,
  replayed: Replayed,
  what: string,
  listener: Listener = {},
): Promise<ReplayedJournal> {
  const verifier = new Verifier(replayed.core, replayed.profile, replayed.version.recorded === replayed.version.now);
  const progress = new JournalProgress(process.stderr, file, what);
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
      torn: (told) => {
        tear = told;
      },
      progress: (bytes) => progress.read(bytes),
    });
  } catch (error) {
    if (!(error instanceof OddsmakerError)) throw error;
    invalid = error.message;
  } finally {
    progress.end();
  }
  const { records, commands, difference } = verifier;
  return { first, last, tear, invalid, records, commands, difference };
}
