// Resolves a `--tape` argument: a file, a journal with its parts, or the folder of a recording with its
// segments.
import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { messageOf, OddsmakerError } from '../domain/index.ts';
import { nameOfPart, partsOf, missingPart } from '../journal/index.ts';
import { isStamped } from '../files/index.ts';

export type TapeName = {
  readonly file: string;
  /**
   * True when its name shows that a run wrote it. That run may have been killed: a tail torn off is the end.
   */
  readonly isSegment: boolean;
};

/**
 * The names without further parts of a journal that is already named: one part stands for the whole journal.
 */
export function distinctTapes(names: readonly string[]): readonly string[] {
  const journals = new Set<string>();
  return names.filter((name) => {
    const [first, second] = partsOf(name);
    if (first === undefined || second === undefined) return true;
    const journal = join(dirname(first.file), nameOfPart(first.file)?.run ?? '');
    const isNew = !journals.has(journal);
    journals.add(journal);
    return isNew;
  });
}

const TAPE_FILE = /\.ndjson(\.gz|\.zst)?$/;

/**
 * True for a packed journal whose unpacked file is still there, because of a kill between packing and
 * removal.
 */
const hasUnpackedFile = (entry: string, entries: ReadonlySet<string>): boolean =>
  entry.endsWith('.zst') && entries.has(entry.slice(0, -'.zst'.length));

/**
 * The tape files behind a name.
 * @throws OddsmakerError TAPE_INVALID when the file does not exist, a folder has no tape, or a part of a
 * journal is missing between others
 */
export function tapeFilesOf(name: string): readonly TapeName[] {
  checkParts(name, false);
  const parts = partsOf(name);
  // only the last part may have a torn tail
  if (parts.length > 1) return parts.map(({ file }, index) => ({ file, isSegment: index === parts.length - 1 }));
  const [{ file } = { file: name }] = parts;
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) throw new OddsmakerError('TAPE_INVALID', `${name}:1: there is no such file or folder`);
  if (!stat.isDirectory()) return [{ file, isSegment: isStamped(basename(file)) }];
  const entries = new Set(entriesOf(name));
  const files = [...entries].filter((entry) => TAPE_FILE.test(entry) && !hasUnpackedFile(entry, entries)).sort();
  if (files.length === 0)
    throw new OddsmakerError('TAPE_INVALID', `${name}:1: no tape in this folder (.ndjson, .ndjson.gz, .ndjson.zst)`);
  checkParts(name, true);
  return files.map((entry) => ({ file: join(name, entry), isSegment: isStamped(entry) }));
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw new OddsmakerError('TAPE_INVALID', `${folder}:1: this folder cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function checkParts(name: string, isFolder: boolean): void {
  const gap = missingPart(name, isFolder);
  if (gap === undefined) return;
  const { after, behind } = gap;
  throw new OddsmakerError(
    'TAPE_INVALID',
    `${after.file}:1: part ${after.number + 1} of this journal is missing, and part ${behind} is there`,
  );
}
