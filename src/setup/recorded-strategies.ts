// The strategy files of a run in its journal: as they are put into its header, and how they become files again when those
// of then are gone or were changed (docs/reference/journals.md). Names are from the folder of the configuration file, so that what files
// import of each other is found wherever they are put.
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf, OddsmakerError } from '../domain/index.ts';
import type { RecordedFile, RecordedStrategy } from '../journal/index.ts';
import type { LoadedStrategy } from '../strategy/host/index.ts';
import { findPackagesIn } from '../strategy/host/index.ts';

/** What is longer is data: a journal has its hash alone. */
const MOST_BYTES = 1024 * 1024;

/** `use`: as the configuration file names it, which is in `folder`. */
export function recordedStrategy(
  use: string,
  { url, source, imports }: LoadedStrategy,
  folder: string,
): RecordedStrategy {
  const base = real(folder);
  const at = relative(base, fileURLToPath(url));
  return {
    ...recordedFile(use, source),
    ...(at === normalize(use) ? {} : { at }),
    imports: imports.map((one) => recordedFile(relative(base, one.file), one.source)),
  };
}

const recordedFile = (file: string, source: Buffer): RecordedFile => ({
  file,
  sha256: sha256Of(source),
  ...(source.length <= MOST_BYTES && isUtf8(source) ? { source: source.toString('utf8') } : {}),
});

const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const placeOf = ({ file, at }: RecordedStrategy): string => at ?? file;

/** What became of a strategy file, or one that it imports; undefined: all are as they were when the journal was written. */
export function changeOf(strategy: RecordedStrategy, found: string | undefined): string | undefined {
  if (found === undefined) return 'the file is gone';
  const files = [{ ...strategy, file: placeOf(strategy) }, ...(strategy.imports ?? [])];
  // a link may be where the configuration says, and the file elsewhere
  const folder = dirname(real(found));
  for (const { file, sha256 } of files) {
    const now = hashAt(resolve(folder, relative(dirname(placeOf(strategy)), file)));
    const what = file === placeOf(strategy) ? 'the file' : file;
    if (now !== sha256) return `${what} ${now === undefined ? 'is gone' : 'was changed'}`;
  }
  return undefined;
}

export function hashAt(file: string): string | undefined {
  try {
    return sha256Of(readFileSync(file));
  } catch {
    return undefined;
  }
}

/** The strategies of a header with all that they were loaded from; undefined: it lacks some of it. */
export function wholeStrategies(header: { readonly strategies?: unknown }): readonly RecordedStrategy[] | undefined {
  // a journal may have been written by another version
  const { strategies } = header;
  const isWhole = (one: RecordedStrategy): boolean =>
    isFile(one) && Array.isArray(one.imports) && one.imports.every(isFile);
  return Array.isArray(strategies) && (strategies as RecordedStrategy[]).every(isWhole)
    ? (strategies as RecordedStrategy[])
    : undefined;
}

const isFile = (one: RecordedFile | null): boolean =>
  typeof one === 'object' &&
  one !== null &&
  [one.file, one.sha256, one.source].every((text) => typeof text === 'string');

export type UnpackedStrategies = {
  /** Where each of them is now. */
  readonly files: readonly string[];
  /** The folder of their own, without links. */
  readonly folder: string;
  /** Takes the files away again. */
  readonly close: () => void;
};

/**
 * Puts them into a folder of their own. `home`: where packages that they import are looked for.
 * @throws OddsmakerError JOURNAL_INVALID when one is to lie elsewhere; OUT_UNWRITABLE when there is no folder for temporary files
 */
export function unpackStrategies(
  journal: string,
  strategies: readonly RecordedStrategy[],
  home: string,
): UnpackedStrategies {
  const folder = temporaryFolder();
  const files = strategies.flatMap((one) => [{ ...one, file: placeOf(one) }, ...(one.imports ?? [])]);
  // names may go up from the folder of the configuration file, but not out of this one
  const up = Math.max(
    0,
    ...files.map(
      ({ file }) =>
        normalize(file)
          .split(sep)
          .filter((step) => step === '..').length,
    ),
  );
  const base = join(folder, ...Array.from({ length: up }, (_, index) => `up${index}`));
  const close = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    for (const { file, source = '' } of files) {
      const path = resolve(base, file);
      if (!path.startsWith(folder + sep))
        throw new OddsmakerError('JOURNAL_INVALID', `${journal}:1: a strategy file cannot be at ${file}`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, source);
    }
  } catch (error) {
    close();
    throw error;
  }
  findPackagesIn(home, folder);
  return { files: strategies.map((one) => resolve(base, placeOf(one))), folder, close };
}

function temporaryFolder(): string {
  try {
    return realpathSync(mkdtempSync(join(tmpdir(), 'oddsmaker-replay-')));
  } catch (error) {
    throw new OddsmakerError(
      'OUT_UNWRITABLE',
      `${tmpdir()}, the folder for temporary files (TMPDIR), cannot be written: ${messageOf(error)}`,
    );
  }
}

/** A folder or file behind links, as modules are named. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
