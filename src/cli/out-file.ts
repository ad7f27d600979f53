// Writes the --out file of a command: never over a file that the command reads, and completely or not at all.
import { MORE_RESULTS, RESULTS } from '../report/index.ts';
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { messageOf, OddsmakerError } from '../domain/index.ts';

const STORED = [...RESULTS, ...MORE_RESULTS];

/**
 * @param reads files and folders that the command reads. For a folder: its journals and results. @throws
 * OddsmakerError OUT_IS_INPUT
 */
export function refuseInput(out: string, reads: readonly string[]): void {
  const written = statSync(out, { throwIfNoEntry: false });
  if (written === undefined) return;
  const isIt = (file: string): boolean => {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat !== undefined && stat.dev === written.dev && stat.ino === written.ino;
  };
  const isRecording = /\.ndjson(\.gz|\.zst)?$/.test(out);
  for (const file of reads) {
    const isFolder = statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
    const isRead = isFolder
      ? STORED.some((name) => isIt(join(file, name))) || (isRecording && isIt(join(file, basename(out))))
      : isIt(file);
    if (isRead)
      throw new OddsmakerError('OUT_IS_INPUT', `--out ${out} is one of the files that are read: name another`);
  }
}

/**
 * Refuses a page whose file name does not end with .html, so that a mistake does not overwrite a
 * configuration. Pipes are allowed.
 */
export function refuseOtherPage(out: string, misused: (problem: string) => never): void {
  if (statSync(out, { throwIfNoEntry: false })?.isFile() !== false && !/\.html?$/i.test(out))
    misused(`--out ${out}: it writes a page: name a file that ends with .html`);
}

/** @throws OddsmakerError OUT_IS_INPUT, OUT_UNWRITABLE */
export function writeOutFile(out: string, text: string, reads: readonly string[]): void {
  refuseInput(out, reads);
  const stat = statSync(out, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) throw new OddsmakerError('OUT_UNWRITABLE', `--out ${out} is a folder: name a file`);
  const isPlain = stat?.isFile() ?? true;
  const draft = `${out}.${process.pid}.draft`;
  try {
    // pipes and devices are written directly
    if (!isPlain) {
      writeFileSync(out, text);
      return;
    }
    writeFileSync(draft, text);
    renameSync(draft, out);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new OddsmakerError('OUT_UNWRITABLE', `--out ${out}: ${messageOf(error)}`, { cause: error });
  }
}
