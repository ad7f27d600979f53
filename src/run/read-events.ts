// Reads the events of a journal step by step. A journal of format 2 contains them, and the core is not
// loaded; a journal of format 1 is replayed by this version to produce them.
import type { Command, RunEvent, StampedArrival } from '../domain/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import type { JournalHeader, Tear } from '../journal/index.ts';
import { JournalProgress, recordedEvent, scanJournal, tearText, tolerant } from '../journal/index.ts';
import { shownPath } from '../terminal/index.ts';

export type ReadEvents = {
  /** Where the journal breaks off, and why the rest is not a valid journal. */
  readonly tear: Tear | undefined;
  readonly invalid: string | undefined;
  /** Format 1: why the replay reproduces it only up to a record. Undefined: all of it was reproduced. */
  readonly difference: string | undefined;
};

/** What is read of a journal, besides its events. */
export type EventsRead = {
  /** Called when the first parts are gone. Absent: a journal without them is invalid. */
  readonly begins?: (seq: number) => void;
  /** Price frames are read without their payload: their `data` is empty. */
  readonly withoutPrices?: true;
};

export type EventListener = (input: StampedArrival, events: readonly RunEvent[], commands: readonly Command[]) => void;

/**
 * Reads a journal to its end, or up to an invalid record.
 * @param activity the activity, for the progress line on a terminal
 * @throws OddsmakerError STRATEGY_* when a journal of format 1 cannot be replayed; also what the listener
 *   throws
 */
export async function readEvents(
  journal: string,
  header: JournalHeader,
  activity: string,
  listen: EventListener,
  read: EventsRead = {},
): Promise<ReadEvents> {
  const { journal: format } = header as { readonly journal?: unknown };
  if (format === 1) return replayed(journal, header, activity, listen);
  const progress = new JournalProgress(process.stderr, journal, activity);
  let tear: Tear | undefined;
  let invalid: string | undefined;
  try {
    await scanJournal(journal, {
      step: tolerant(journal, ({ input, events = [], commands }) => {
        progress.advance();
        listen(input, events, commands);
      }),
      torn: (found) => (tear = found),
      progress: (bytes) => progress.read(bytes),
      ...read,
    });
  } catch (error) {
    if (!(error instanceof OddsmakerError)) throw error;
    invalid = error.message;
  } finally {
    progress.clearLine();
  }
  return { tear, invalid, difference: undefined };
}

/**
 * Reads a journal that has to be valid. A place where it breaks off is reported on stderr.
 * @throws OddsmakerError JOURNAL_INVALID, STRATEGY_*
 */
export async function readSoundEvents(...read: Parameters<typeof readEvents>): Promise<ReadEvents> {
  const result = await readEvents(...read);
  const { tear, invalid, difference } = result;
  if (tear !== undefined) process.stderr.write(`oddsmaker: ${tearText(tear)}\n`);
  if (invalid !== undefined) throw new OddsmakerError('JOURNAL_INVALID', invalid);
  if (difference !== undefined) throw new OddsmakerError('JOURNAL_INVALID', `${shownPath(read[0])}: ${difference}`);
  return result;
}

async function replayed(
  journal: string,
  header: JournalHeader,
  activity: string,
  listen: EventListener,
): Promise<ReadEvents> {
  const { loadReplay, replayJournal } = await import('../replay/index.ts');
  const replay = await loadReplay(journal, header, undefined);
  try {
    const { tear, invalid, difference } = await replayJournal(journal, replay, activity, {
      step: ({ input, events, commands }) => listen(input, recorded(events), commands),
    });
    const { now, recorded: then } = replay.version;
    return {
      tear,
      invalid,
      difference:
        difference &&
        `version ${now} does not reproduce the journal from record ${difference.seq} on as version ${then} did: use that version`,
    };
  } finally {
    replay.close();
  }
}

/** Events in the form of a journal of format 2. */
const recorded = (events: readonly RunEvent[]): readonly RunEvent[] =>
  events.length === 0 ? events : (JSON.parse(JSON.stringify(events.map(recordedEvent))) as readonly RunEvent[]);
