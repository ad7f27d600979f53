// What `--tape` names: a file, a journal with its parts, or the folder of a recording with its segments.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { OddsmakerError } from '../domain/index.ts';
import { partBehindGap, partsOf } from '../record/journal-parts.ts';

export type TapeName = {
  readonly file: string;
  /** One of a recording, whose run may have been killed: a tail torn off is its end. */
  readonly isSegment: boolean;
};

/** The names without those of another part of a journal that is named already: each stands for all of it. */
export function distinctTapes(names: readonly string[]): readonly string[] {
  const journals = new Set<string>();
  return names.filter((name) => {
    const [first, second] = partsOf(name);
    if (first === undefined || second === undefined) return true;
    const isNew = !journals.has(first.file);
    journals.add(first.file);
    return isNew;
  });
}

const TAPE_FILE = /\.ndjson(\.gz|\.zst)?$/;

/** A kill came between its packing and the removal of the file itself. */
const isToldUnpacked = (entry: string, entries: ReadonlySet<string>): boolean =>
  PACKED.test(entry) && entries.has(entry.replace(PACKED, ''));
const PACKED = /\.(gz|zst)$/;

/**
 * @throws OddsmakerError TAPE_INVALID when there is no such file, a folder has no tape, or a part of a journal is missing
 * between others
 */
export function tapeFilesOf(name: string): readonly TapeName[] {
  const parts = partsOf(name);
  const behind = partBehindGap(name);
  if (behind !== undefined)
    throw new OddsmakerError(
      'TAPE_INVALID',
      `${parts.at(-1)?.file ?? name}:1: part ${(parts.at(-1)?.number ?? 0) + 1} of this journal is missing, and part ${behind} is there`,
    );
  // only the last one may be torn
  if (parts.length > 1)
    return parts.map(({ file }, index) => ({ file, isSegment: index === parts.length - 1 }));
  const [{ file } = { file: name }] = parts;
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined)
    throw new OddsmakerError('TAPE_INVALID', `${name}:1: there is no such file or folder`);
  if (!stat.isDirectory()) return [{ file, isSegment: false }];
  const entries = new Set(readdirSync(name));
  const files = [...entries]
    .filter((entry) => TAPE_FILE.test(entry) && !isToldUnpacked(entry, entries))
    .sort();
  if (files.length === 0)
    throw new OddsmakerError(
      'TAPE_INVALID',
      `${name}:1: no tape in this folder (.ndjson, .ndjson.gz, .ndjson.zst)`,
    );
  return files.map((entry) => ({ file: join(name, entry), isSegment: true }));
}
