// Shared by the commands that read journals: finding a journal, and messages for one that breaks off.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, OddsmakerError } from '../domain/index.ts';
import type { JournalHeader } from './journal.ts';
import type { JournalStep, Tear } from './journal-reader.ts';
import { scanJournal } from './journal-reader.ts';
import { partsIn } from './journal-parts.ts';
import { isStamped } from '../files/index.ts';

/** Largest time that a Date can hold, Unix ms. */
const LAST_TIME_MS = 8.64e15;

/**
 * The journal at a path given by the user. Of a folder, the newest one in it.
 * @throws OddsmakerError JOURNAL_INVALID
 */
export function journalAt(path: string): string {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  const newest = journalsIn(path).at(-1);
  if (newest === undefined) throw new OddsmakerError('JOURNAL_INVALID', `${path} is ${withoutJournal(path)}`);
  return newest;
}

/** Describes a folder without journals, and says what to name instead. */
function withoutJournal(path: string): string {
  const entries = entriesOf(path);
  const journals = entries.filter((name) => /\.ndjson(?:\.gz|\.zst)?$/.test(name) && name !== 'points.ndjson').sort();
  if (entries.includes('sweep.json'))
    return 'the folder of a sweep: the reports of its best points lie there (best-1.html …)';
  return journals.length === 0
    ? 'a folder without a journal'
    : `not a folder of runs: name one of its files, such as ${join(path, journals[0] ?? '')}`;
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

/** The first existing part of each run in a folder, oldest run first. */
export const journalsIn = (folder: string): readonly string[] =>
  [...partsIn(entriesOf(folder).filter(isStamped), folder)]
    // names of tapes, which may be in the same folder, end with a number of their own
    .filter(([run]) => !/-\d+$/.test(run.replace(/-[0-9a-f]{8}$/, '')))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, parts]) => [...parts.values()].slice(0, 1).map(({ file }) => file));

/** The header of a journal, which may be torn. @throws OddsmakerError JOURNAL_INVALID */
export async function headerOf(file: string): Promise<JournalHeader> {
  let header: JournalHeader | undefined;
  await scanJournal(file, {
    header: (firstHeader) => {
      header = firstHeader;
    },
    step: () => undefined,
    torn: () => undefined,
    begins: () => undefined,
    upTo: 0,
  });
  // a successful scan always has a header
  return header as JournalHeader;
}

/** Wraps `apply`, so that a record of an unexpected shape is reported as JOURNAL_INVALID. */
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
  return `${file}:${line}: ${problem}; its run was killed, or continues. Read up to record ${seq}${unsure}`;
}

/** Prints to stderr that the first parts of a journal are gone. For commands that can read the rest. */
export const noteMissingParts =
  (file: string): ((seq: number) => void) =>
  (seq) => {
    process.stderr.write(
      `oddsmaker: ${file}: the first parts of this journal are gone, it is read from record ${seq} on\n`,
    );
  };

/** The tear of a journal in the form for `--json`. Null when there is none. */
export const tornOf = (
  tear: Tear | undefined,
): {
  readonly file: string;
  readonly line: number;
  readonly problem: string;
  readonly verified: number;
} | null =>
  tear === undefined ? null : { file: tear.file, line: tear.line, problem: tear.problem, verified: tear.verified };

/** ISO time of a record, or `no time` when it is out of range. */
export const timeOf = ({ t }: { readonly t: number }): string =>
  Math.abs(t) <= LAST_TIME_MS ? new Date(t).toISOString() : 'no time';

export { printable } from '../domain/index.ts';
