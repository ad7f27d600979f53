// The events of a journal, step by step. One of format 2 has them, and nothing of the core is loaded; one of format 1 is replayed by
// this version to know them.
import type { Command, RunEvent, StampedArrival } from '../domain/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import type { JournalHeader, Tear } from '../journal/index.ts';
import { JournalProgress, recordedEvent, scanJournal, tearText, tolerant } from '../journal/index.ts';
import { shownPath } from '../terminal/index.ts';

export type ReadEvents = {
  /** Where the journal breaks off; and why it is none behind there. */
  readonly tear: Tear | undefined;
  readonly invalid: string | undefined;
  /** Of format 1: why a replay tells of it only up to a record; undefined: it tells of all. */
  readonly difference: string | undefined;
};

export type EventListener = (input: StampedArrival, events: readonly RunEvent[], commands: readonly Command[]) => void;

/**
 * Reads it to its end, or to where it is not right. `what`: is done, for a line on a terminal. `begins`: called where its first parts
 * are gone; absent: that is not right.
 * @throws OddsmakerError STRATEGY_* when one of format 1 cannot be replayed; whatever the listener throws
 */
export async function readEvents(
  journal: string,
  header: JournalHeader,
  what: string,
  listen: EventListener,
  begins?: (seq: number) => void,
): Promise<ReadEvents> {
  const { journal: format } = header as { readonly journal?: unknown };
  if (format === 1) return replayed(journal, header, what, listen);
  const progress = new JournalProgress(process.stderr, journal, what);
  let tear: Tear | undefined;
  let invalid: string | undefined;
  try {
    await scanJournal(journal, {
      step: tolerant(journal, ({ input, events = [], commands }) => {
        progress.advance();
        listen(input, events, commands);
      }),
      torn: (at) => (tear = at),
      progress: (bytes) => progress.read(bytes),
      ...(begins === undefined ? {} : { begins }),
    });
  } catch (error) {
    if (!(error instanceof OddsmakerError)) throw error;
    invalid = error.message;
  } finally {
    progress.end();
  }
  return { tear, invalid, difference: undefined };
}

/**
 * The same of a journal that has to be right: where it breaks off is said on stderr.
 * @throws OddsmakerError JOURNAL_INVALID, STRATEGY_*
 */
export async function readSoundEvents(...read: Parameters<typeof readEvents>): Promise<ReadEvents> {
  const done = await readEvents(...read);
  const { tear, invalid, difference } = done;
  if (tear !== undefined) process.stderr.write(`oddsmaker: ${tearText(tear)}\n`);
  if (invalid !== undefined) throw new OddsmakerError('JOURNAL_INVALID', invalid);
  if (difference !== undefined) throw new OddsmakerError('JOURNAL_INVALID', `${shownPath(read[0])}: ${difference}`);
  return done;
}

async function replayed(
  journal: string,
  header: JournalHeader,
  what: string,
  listen: EventListener,
): Promise<ReadEvents> {
  const { loadReplay, replayJournal } = await import('../replay/index.ts');
  const replay = await loadReplay(journal, header, undefined);
  try {
    const { tear, invalid, difference } = await replayJournal(journal, replay, what, {
      step: ({ input, events, commands }) => listen(input, recorded(events), commands),
    });
    const { now, recorded: then } = replay.version;
    return {
      tear,
      invalid,
      difference:
        difference && `version ${now} does not do from record ${difference.seq} on what ${then} did: use that version`,
    };
  } finally {
    replay.close();
  }
}

/** As a journal of format 2 has them. */
const recorded = (events: readonly RunEvent[]): readonly RunEvent[] =>
  events.length === 0 ? events : (JSON.parse(JSON.stringify(events.map(recordedEvent))) as readonly RunEvent[]);
