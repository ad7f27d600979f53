// Keeps the results of jobs in the folder of --out while a backtest runs: one file for each job and scenario,
// written when it ends, under the hash of all that decides it. So a backtest that was killed continues, and
// after a change of its inputs only what they concern is played again. The folder is removed at the end.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { messageOf, OddsmakerError } from '../../domain/index.ts';
import { makeFolder } from '../../files/index.ts';
import type { StoredResult } from './job-files.ts';

/** The name of the folder in --out. */
const FOLDER = '.jobs';
const RESULT = /^[0-9a-f]{32}\.bin$/;
/** The fastest level: these files live as long as the backtest. */
const LEVEL = 1;

export class JobStore {
  readonly folder: string;

  /**
   * Creates the folder, and removes results that this backtest does not need. `keys`: of those it needs.
   * @throws OddsmakerError OUT_UNWRITABLE
   */
  constructor(out: string, keys: readonly string[]) {
    this.folder = join(out, FOLDER);
    const wanted = new Set(keys.map((key) => this.fileOf(key)));
    try {
      makeFolder(this.folder);
      for (const name of readdirSync(this.folder)) {
        const file = join(this.folder, name);
        if (!wanted.has(file)) rmSync(file, { force: true, recursive: true });
      }
    } catch (error) {
      throw unwritable(this.folder, error);
    }
  }

  /** The file of a result. `key`: what decides the result, as text. */
  fileOf(key: string): string {
    return join(this.folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.bin`);
  }

  has(key: string): boolean {
    return statSync(this.fileOf(key), { throwIfNoEntry: false }) !== undefined;
  }

  /** @throws OddsmakerError OUT_UNWRITABLE when it cannot be read */
  read(key: string): StoredResult {
    const file = this.fileOf(key);
    try {
      return deserialize(zstdDecompressSync(readFileSync(file))) as StoredResult;
    } catch (error) {
      throw new OddsmakerError(
        'OUT_UNWRITABLE',
        `${file} cannot be read (${messageOf(error)}): remove it, and the same command plays its day again`,
        { cause: error },
      );
    }
  }

  remove(): void {
    rmSync(this.folder, { force: true, recursive: true });
  }
}

/** Writes the result of a job in a scenario. @throws OddsmakerError OUT_UNWRITABLE */
export function storeResult(file: string, result: StoredResult): void {
  const draft = `${file}.draft`;
  try {
    writeFileSync(
      draft,
      zstdCompressSync(serialize(result), { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } }),
    );
    renameSync(draft, file);
  } catch (error) {
    throw unwritable(file, error);
  }
}

/** Number of results that an interrupted backtest left in the folder of --out. */
export function storedIn(out: string): number {
  try {
    return readdirSync(join(out, FOLDER)).filter((name) => RESULT.test(name)).length;
  } catch {
    return 0;
  }
}

const unwritable = (file: string, error: unknown): OddsmakerError =>
  new OddsmakerError('OUT_UNWRITABLE', `${file}: ${messageOf(error)}; days that were played before are kept`, {
    cause: error,
  });
