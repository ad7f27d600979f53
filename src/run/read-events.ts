// The events of a journal, step by step. One of format 2 has them, and nothing of the core is loaded; one of format 1 is replayed by
// this version to know them.
import type { RunEvent, StampedArrival } from '../domain/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import type { JournalHeader, Tear } from '../journal/index.ts';
import { JournalProgress, scanJournal, tolerant } from '../journal/index.ts';

export type ReadEvents = {
  /** Where the journal breaks off; and why it is none behind there. */
  readonly tear: Tear | undefined;
  readonly invalid: string | undefined;
  /** Of format 1: why a replay tells of it only up to a record; undefined: it tells of all. */
  readonly difference: string | undefined;
};

export type EventListener = (input: StampedArrival, events: readonly RunEvent[]) => void;

/**
 * Reads it to its end, or to where it is not right. `what`: is done, for a line on a terminal.
 * @throws OddsmakerError STRATEGY_* when one of format 1 cannot be replayed; whatever the listener throws
 */
export async function readEvents(
  journal: string,
  header: JournalHeader,
  what: string,
  listen: EventListener,
): Promise<ReadEvents> {
  const { journal: format } = header as { readonly journal?: unknown };
  if (format === 1) return replayed(journal, header, what, listen);
  const progress = new JournalProgress(process.stderr, journal, what);
  let tear: Tear | undefined;
  let invalid: string | undefined;
  try {
    await scanJournal(journal, {
      step: tolerant(journal, ({ input, events = [] }) => {
        progress.advance();
        listen(input, events);
      }),
      torn: (at) => (tear = at),
      progress: (bytes) => progress.read(bytes),
    });
  } catch (error) {
    if (!(error instanceof OddsmakerError)) throw error;
    invalid = error.message;
  } finally {
    progress.end();
  }
  return { tear, invalid, difference: undefined };
}

async function replayed(
  journal: string,
  header: JournalHeader,
  what: string,
  listen: EventListener,
): Promise<ReadEvents> {
  const { loadReplay, retell } = await import('../replay/index.ts');
  const replay = await loadReplay(journal, header, undefined);
  try {
    const { tear, invalid, difference } = await retell(journal, replay, what, {
      step: ({ input, events }) => listen(input, events),
    });
    const { now, recorded } = replay.version;
    return {
      tear,
      invalid,
      difference:
        difference &&
        `version ${now} does not do from record ${difference.seq} on what ${recorded} did: use that version`,
    };
  } finally {
    replay.close();
  }
}
