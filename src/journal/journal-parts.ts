// A long journal has several parts: `run.ndjson.zst`, `run.part0002.ndjson.zst`, … (not packed for backtests
// and former versions). The name of any part stands for the whole journal, as far as its parts exist.
import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { packedFileOf } from './journal-tail.ts';

export type JournalPart = {
  /** Number of the part, from 1. */
  readonly number: number;
  readonly file: string;
};

/** The part before, its last record and its last chain. In the first line of every part except the first. */
export type FormerPart = { readonly part: number; readonly seq: number; readonly chain: string };

type Name = { readonly run: string; readonly number: number; readonly packing: string };

const NAME = /^(.*?)(?:\.part(\d{4,9}))?\.ndjson(\.gz|\.zst)?$/;

/** Run, part number and packing in a file name. Undefined when it is not a name of a journal. */
export function nameOfPart(file: string): Name | undefined {
  const [, run, number, packing = ''] = NAME.exec(basename(file)) ?? [];
  if (run === undefined) return undefined;
  if (number === undefined) return { run, number: 1, packing };
  // only numbers as partFile writes them name a part
  const isPart = Number(number) > 1 && number === numberText(Number(number));
  return isPart ? { run, number: Number(number), packing } : { run: `${run}.part${number}`, number: 1, packing };
}

const numberText = (number: number): string => String(number).padStart(4, '0');

/** Path of a part. `first` is the path of the first part. */
export const partFile = (first: string, number: number): string =>
  number === 1 ? first : first.replace(/\.ndjson(\.zst)?$/, `.part${numberText(number)}.ndjson$1`);

/** Journal parts in a folder, by run and part number. An unpacked file goes before a packed one. */
export function partsIn(entries: readonly string[], folder: string): Map<string, Map<number, JournalPart>> {
  const runs = new Map<string, Map<number, JournalPart>>();
  for (const entry of entries) {
    const name = nameOfPart(entry);
    if (name === undefined) continue;
    const { run, number, packing } = name;
    const parts = runs.get(run) ?? new Map<number, JournalPart>();
    runs.set(run, parts);
    if (packing === '' || !parts.has(number)) parts.set(number, { number, file: join(folder, entry) });
  }
  return runs;
}

/**
 * The parts of the journal that contains the part `path`: in order and without a gap around the named part.
 * When that part is gone, they begin at the next part that exists. Only the named file when no part is found.
 */
export function partsOf(path: string): readonly JournalPart[] {
  const file = behindLink(packedFileOf(path));
  const named = nameOfPart(file);
  if (named === undefined) return [{ number: 1, file }];
  const folder = dirname(file);
  const found = partsIn(entriesOf(folder), folder).get(named.run) ?? new Map<number, JournalPart>();
  // the named file itself is used, even when another packing of the same part exists
  if (existsSync(file)) found.set(named.number, { number: named.number, file });
  const numbers = [...found.keys()].sort((a, b) => a - b);
  let first = found.has(named.number) ? named.number : numbers.find((number) => number > named.number);
  if (first === undefined) return [{ number: named.number, file }];
  while (found.has(first - 1)) first -= 1;
  const parts: JournalPart[] = [];
  for (let part = found.get(first); part !== undefined; part = found.get(part.number + 1)) parts.push(part);
  return parts;
}

/**
 * Finds a gap between the parts of a journal, or of all journals in a folder. `after` is the part before the
 * gap, and `behind` the number of the first part after it. Undefined when there is no gap.
 */
export function missingPart(
  path: string,
  isFolder: boolean,
): { readonly after: JournalPart; readonly behind: number } | undefined {
  const file = behindLink(packedFileOf(path));
  const folder = isFolder ? file : dirname(file);
  const runs = partsIn(entriesOf(folder), folder);
  const found = isFolder
    ? [...runs.values()]
    : [runs.get(nameOfPart(file)?.run ?? '') ?? new Map<number, JournalPart>()];
  for (const parts of found)
    for (const after of parts.values()) {
      if (parts.has(after.number + 1)) continue;
      const behind = Math.min(...[...parts.keys()].filter((number) => number > after.number));
      if (Number.isFinite(behind)) return { after, behind };
    }
  return undefined;
}

/** Resolves a link, because the other parts are in the folder of the file itself. */
function behindLink(file: string): string {
  try {
    return lstatSync(file).isSymbolicLink() ? realpathSync(file) : file;
  } catch {
    return file;
  }
}

/** The file, or its packed version when it was packed meanwhile. */
export const present = (file: string): string =>
  !existsSync(file) && existsSync(`${file}.zst`) ? `${file}.zst` : file;

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // opening the file reports the reason
    return [];
  }
}
