// What the commands that read a journal share: how it is read, and what is said of one that breaks off.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, OddsmakerError } from '../domain/index.ts';
import type { JournalHeader } from './journal.ts';
import type { JournalStep, Tear } from './journal-reader.ts';
import { scanJournal } from './journal-reader.ts';
import { partsIn } from './journal-parts.ts';
import { isStamped } from '../files/index.ts';

/** Beyond it a Date has no time. */
const LAST_TIME_MS = 8.64e15;

/** What a command line names: a journal, or the folder of journals, of which the newest is meant. @throws OddsmakerError JOURNAL_INVALID */
export function journalAt(path: string): string {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  const newest = journalsIn(path).at(-1);
  if (newest === undefined) throw new OddsmakerError('JOURNAL_INVALID', `${path} is ${withoutJournal(path)}`);
  return newest;
}

/** What the folder is, and what to name instead. */
function withoutJournal(path: string): string {
  const entries = entriesOf(path);
  const journals = entries.filter((name) => /\.ndjson(?:\.gz|\.zst)?$/.test(name) && name !== 'points.ndjson').sort();
  if (entries.includes('sweep.json'))
    return 'the folder of a sweep: the reports of its best points lie there (best-1.html …)';
  return journals.length === 0
    ? 'a folder without a journal'
    : `no folder of runs: name one of its files, such as ${join(path, journals[0] ?? '')}`;
}

/** @throws OddsmakerError JOURNAL_INVALID */
function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw new OddsmakerError('JOURNAL_INVALID', `${folder}: this folder cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Of each run in a folder the first part that is there, the oldest run first. */
export const journalsIn = (folder: string): readonly string[] =>
  [...partsIn(entriesOf(folder).filter(isStamped), folder)]
    // names begin with the time; tapes, which may lie in the same folder, end with a number of their own
    .filter(([run]) => !/-\d+$/.test(run.replace(/-[0-9a-f]{8}$/, '')))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, parts]) => [...parts.values()].slice(0, 1).map(({ file }) => file));

/** @throws OddsmakerError JOURNAL_INVALID */
export async function headerOf(file: string): Promise<JournalHeader> {
  let header: JournalHeader | undefined;
  await scanJournal(file, {
    header: (told) => {
      header = told;
    },
    step: () => undefined,
    torn: () => undefined,
    begins: () => undefined,
    upTo: 0,
  });
  // a scan that ends well has told of one
  return header as JournalHeader;
}

/** A record whose chain is right, but which this version never wrote, is the journal's fault. */
export function tolerant(file: string, apply: (step: JournalStep) => void): (step: JournalStep) => void {
  return (step) => {
    try {
      apply(step);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new OddsmakerError(
        'JOURNAL_INVALID',
        `${file}: record ${step.input.seq} is none that this version writes: ${error.message}`,
        { cause: error },
      );
    }
  };
}

export function tearText({ file, line, problem, seq, verified }: Tear): string {
  const unsure =
    verified < seq ? `; no chain record covers those after ${verified}, so a change there would not show` : '';
  return `${file}:${line}: ${problem}; its run was killed, or goes on. Read up to record ${seq}${unsure}`;
}

/** For whoever can do without the first parts of a journal. */
export const noteMissingParts =
  (file: string): ((seq: number) => void) =>
  (seq) => {
    process.stderr.write(
      `oddsmaker: ${file}: the first parts of this journal are gone, it is read from record ${seq} on\n`,
    );
  };

/** For `--json`. */
export const tornOf = (
  tear: Tear | undefined,
): {
  readonly file: string;
  readonly line: number;
  readonly problem: string;
  readonly verified: number;
} | null =>
  tear === undefined ? null : { file: tear.file, line: tear.line, problem: tear.problem, verified: tear.verified };

export const timeOf = ({ t }: { readonly t: number }): string =>
  Math.abs(t) <= LAST_TIME_MS ? new Date(t).toISOString() : 'no time';

export { printable } from '../domain/index.ts';
