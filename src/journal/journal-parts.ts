// A long journal is kept in parts: `run.ndjson.zst`, `run.part0002.ndjson.zst`, … (of a backtest, and of former versions,
// not packed). Whichever is named, the whole journal is meant, as far as it is there.
import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { packedFileOf } from './journal-tail.ts';

export type JournalPart = {
  /** From 1. */
  readonly number: number;
  readonly file: string;
};

/** In the first line of every part but the first: which one is before, its last record, and the chain that it ended with. */
export type FormerPart = { readonly part: number; readonly seq: number; readonly chain: string };

type Name = { readonly run: string; readonly number: number; readonly packing: string };

const NAME = /^(.*?)(?:\.part(\d{4,9}))?\.ndjson(\.gz|\.zst)?$/;

/** Undefined: no file of this name is written by a run. */
export function nameOfPart(file: string): Name | undefined {
  const [, run, number, packing = ''] = NAME.exec(basename(file)) ?? [];
  if (run === undefined) return undefined;
  if (number === undefined) return { run, number: 1, packing };
  // as partFile writes it, or it is a name like any other
  const isPart = Number(number) > 1 && number === numberText(Number(number));
  return isPart ? { run, number: Number(number), packing } : { run: `${run}.part${number}`, number: 1, packing };
}

const numberText = (number: number): string => String(number).padStart(4, '0');

/** The file of a part. `first`: that of the first. */
export const partFile = (first: string, number: number): string =>
  number === 1 ? first : first.replace(/\.ndjson(\.zst)?$/, `.part${numberText(number)}.ndjson$1`);

/** What a folder has of journals: of each run the parts by number, one that is there packed as well as it is unpacked. */
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
 * The parts of a journal, in order and without a gap, of which `told` is one; should the very first be gone, so are those
 * behind it here. The named file alone when nothing is found.
 */
export function partsOf(told: string): readonly JournalPart[] {
  const file = behindLink(packedFileOf(told));
  const named = nameOfPart(file);
  if (named === undefined) return [{ number: 1, file }];
  const folder = dirname(file);
  const found = partsIn(entriesOf(folder), folder).get(named.run) ?? new Map<number, JournalPart>();
  // whoever names a file means that one, whatever else has its name but for the packing
  if (existsSync(file)) found.set(named.number, { number: named.number, file });
  const numbers = [...found.keys()].sort((a, b) => a - b);
  let first = found.has(named.number) ? named.number : numbers.find((number) => number > named.number);
  if (first === undefined) return [{ number: named.number, file }];
  while (found.has(first - 1)) first -= 1;
  const parts: JournalPart[] = [];
  for (let part = found.get(first); part !== undefined; part = found.get(part.number + 1)) parts.push(part);
  return parts;
}

/** Of the journals in a folder, or of the one that a file is of, the first part that is missing although others around it are there. */
export function missingPart(
  told: string,
  isFolder: boolean,
): { readonly after: JournalPart; readonly behind: number } | undefined {
  const file = behindLink(packedFileOf(told));
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

/** The parts are where the file is, not where a link to it is. */
function behindLink(file: string): string {
  try {
    return lstatSync(file).isSymbolicLink() ? realpathSync(file) : file;
  } catch {
    return file;
  }
}

/** A file, or what it was packed to meanwhile. */
export const present = (file: string): string =>
  !existsSync(file) && existsSync(`${file}.zst`) ? `${file}.zst` : file;

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // whoever opens the file says why
    return [];
  }
}
