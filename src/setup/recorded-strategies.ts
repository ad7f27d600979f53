// Records the strategy files of a run in its journal header, and writes them to files again when the
// originals are gone or changed (docs/reference/journals.md). Names are relative to the folder of the
// configuration file, so that imports between the files resolve wherever the files are put.
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

/** Maximum size of a recorded source. Larger files are data: the journal holds only their hash. */
const MOST_BYTES = 1024 * 1024;

/** The record of a strategy. `use` is its name in the configuration file, which is in `folder`. */
export function recordedStrategy(
  use: string,
  { url, source, imports }: LoadedStrategy,
  folder: string,
): RecordedStrategy {
  const base = realPathOf(folder);
  const actualPath = relative(base, fileURLToPath(url));
  return {
    ...recordedFile(use, source),
    ...(actualPath === normalize(use) ? {} : { at: actualPath }),
    imports: imports.map((part) => recordedFile(relative(base, part.file), part.source)),
  };
}

const recordedFile = (file: string, source: Buffer): RecordedFile => ({
  file,
  sha256: sha256Of(source),
  ...(source.length <= MOST_BYTES && isUtf8(source) ? { source: source.toString('utf8') } : {}),
});

const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const actualPathOf = ({ file, at: actualPath }: RecordedStrategy): string => actualPath ?? file;

/**
 * Describes the first change of a strategy file or of its imports. Undefined when all are as recorded.
 * @param found path of the strategy file now; undefined when it is gone
 */
export function changeOf(strategy: RecordedStrategy, found: string | undefined): string | undefined {
  if (found === undefined) return 'the file is gone';
  const files = [{ ...strategy, file: actualPathOf(strategy) }, ...(strategy.imports ?? [])];
  // the configured path may be a link to a file elsewhere
  const folder = dirname(realPathOf(found));
  for (const { file, sha256 } of files) {
    const now = hashAt(resolve(folder, relative(dirname(actualPathOf(strategy)), file)));
    const name = file === actualPathOf(strategy) ? 'the file' : file;
    if (now !== sha256) return `${name} ${now === undefined ? 'is gone' : 'was changed'}`;
  }
  return undefined;
}

/** The sha256 of a file, hex. Undefined when it cannot be read. */
export function hashAt(file: string): string | undefined {
  try {
    return sha256Of(readFileSync(file));
  } catch {
    return undefined;
  }
}

/** The strategies of a header with all their sources. Undefined when any source is missing. */
export function wholeStrategies(header: { readonly strategies?: unknown }): readonly RecordedStrategy[] | undefined {
  // another version may have written the journal
  const { strategies } = header;
  const isWhole = (strategy: RecordedStrategy): boolean =>
    isFile(strategy) && Array.isArray(strategy.imports) && strategy.imports.every(isFile);
  return Array.isArray(strategies) && (strategies as RecordedStrategy[]).every(isWhole)
    ? (strategies as RecordedStrategy[])
    : undefined;
}

const isFile = (recorded: RecordedFile | null): boolean =>
  typeof recorded === 'object' &&
  recorded !== null &&
  [recorded.file, recorded.sha256, recorded.source].every((text) => typeof text === 'string');

export type UnpackedStrategies = {
  /** Path of each strategy file, in the order of the strategies. */
  readonly files: readonly string[];
  /** The temporary folder, without links in its path. */
  readonly folder: string;
  /** Removes the folder. */
  readonly close: () => void;
};

/**
 * Writes the recorded strategy files to a new temporary folder. Packages that they import are resolved from
 * `home`.
 * @throws OddsmakerError JOURNAL_INVALID when a file name leads out of the folder; OUT_UNWRITABLE when the
 *   folder for temporary files cannot be written
 */
export function unpackStrategies(
  journal: string,
  strategies: readonly RecordedStrategy[],
  home: string,
): UnpackedStrategies {
  const folder = temporaryFolder();
  const files = strategies.flatMap((strategy) => [
    { ...strategy, file: actualPathOf(strategy) },
    ...(strategy.imports ?? []),
  ]);
  // names may lead up from the folder of the configuration file, but not out of the temporary folder
  const up = Math.max(
    0,
    ...files.map(
      ({ file }) =>
        normalize(file)
          .split(sep)
          .filter((segment) => segment === '..').length,
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
  return { files: strategies.map((strategy) => resolve(base, actualPathOf(strategy))), folder, close };
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

/** The path with links resolved, as in module URLs. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
