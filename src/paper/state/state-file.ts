// The state file: NDJSON with a header and one line per operation, appended before any client receives its
// outcome. A killed process loses nothing that it has answered; a torn last line belongs to an operation
// without an answer, and is dropped. At every start, and when it has grown, the file is rewritten with the
// current state only.
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { messageOf, OddsmakerError, systemCodeOf } from '../../domain/index.ts';
import { isRecord } from '../../wire/index.ts';
import type { TapeAnchor } from '../../traders/index.ts';
import type { StateRecord } from './records.ts';
import { SavedState } from './records.ts';

/** Options that must be the same after a restart. */
export type StateTerms = {
  readonly seed: number;
  readonly traders: string;
  readonly league: string;
  readonly games: number;
  readonly sideGames: boolean;
  readonly speed: number;
  readonly tapes: readonly string[];
};
type Header = {
  readonly paperState: 1;
  readonly terms: StateTerms;
  /** Number of earlier starts from this file. */
  readonly life: number;
  readonly anchors: readonly TapeAnchor[];
};

const PRIVATE = 0o600;
/** The file is rewritten when it has grown by this much since the last rewrite. */
const GROWTH_BYTES = 32 * 1024 * 1024;

export class StateFile {
  readonly saved: SavedState | undefined;
  readonly life: number;
  readonly anchors: readonly TapeAnchor[] | undefined;
  readonly #path: string;
  readonly #terms: StateTerms;
  #fd: number | undefined;
  #grown = 0;
  #lines = 0;
  #header: Header | undefined;

  /**
   * Reads the file if it exists, and locks it against other writers.
   * @throws OddsmakerError STATE_INVALID, STATE_IN_USE, STATE_UNWRITABLE
   */
  constructor(path: string, terms: StateTerms) {
    this.#path = path;
    this.#terms = terms;
    takeLock(path);
    try {
      const read = existsSync(path) ? readState(path) : undefined;
      if (read !== undefined) checkTerms(path, read.header.terms, terms);
      this.saved = read?.saved;
      this.life = read === undefined ? 0 : read.header.life + 1;
      this.anchors = read?.header.anchors;
    } catch (error) {
      rmSync(lockOf(path), { force: true });
      throw error;
    }
  }

  /** Rewrites the file with the complete state. Call it once before `append`. */
  startFile(anchors: readonly TapeAnchor[], everything: Iterable<StateRecord>): void {
    this.#header = { paperState: 1, terms: this.#terms, life: this.life, anchors };
    this.#rewrite(everything);
  }

  /** Appends the records of one operation. @throws OddsmakerError STATE_UNWRITABLE */
  append(records: Iterable<StateRecord>): void {
    if (this.#fd === undefined) return;
    const text = this.#lineOf(records);
    this.#grown += text.length;
    this.#guarded(() => writeAll(this.#fd as number, text));
  }

  /** Rewrites the file when it has grown. */
  compact(everything: () => Iterable<StateRecord>): void {
    if (this.#grown > GROWTH_BYTES) this.#rewrite(everything());
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
    rmSync(lockOf(this.#path), { force: true });
  }

  #rewrite(everything: Iterable<StateRecord>): void {
    this.#guarded(() => {
      const fresh = `${this.#path}.new`;
      const fd = openSync(fresh, 'w', PRIVATE);
      writeAll(fd, `${JSON.stringify(this.#header)}\n`);
      this.#lines = 0;
      for (const record of everything) writeAll(fd, this.#lineOf([record]));
      fsyncSync(fd);
      renameSync(fresh, this.#path);
      if (this.#fd !== undefined) closeSync(this.#fd);
      this.#fd = fd;
      this.#grown = 0;
    });
  }

  /** One line for the records. Lines are numbered, so that a missing one is detected. */
  #lineOf(records: Iterable<StateRecord>): string {
    this.#lines += 1;
    return `${JSON.stringify([this.#lines, ...records])}\n`;
  }

  #guarded(write: () => void): void {
    try {
      write();
    } catch (error) {
      const problem = messageOf(error);
      throw new OddsmakerError('STATE_UNWRITABLE', `${this.#path}: ${problem}`, { cause: error });
    }
  }
}

function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length;) written += writeSync(fd, bytes, written);
}

function readState(path: string): { readonly header: Header; readonly saved: SavedState } {
  const invalid = (line: number, problem: string): OddsmakerError =>
    new OddsmakerError('STATE_INVALID', `${path}:${line}: ${problem}`);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw invalid(1, `it cannot be read: ${messageOf(error)}`);
  }
  const lines = text.split('\n');
  const header = parsed(lines[0] ?? '');
  if (!isHeader(header)) throw invalid(1, 'this is not a state file of the paper exchange');
  const saved = new SavedState();
  for (let index = 1; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const records = parsed(line);
    if (Array.isArray(records)) {
      const [number] = records as readonly unknown[];
      // files of earlier versions have no numbers
      const isNumbered = typeof number === 'number';
      if (isNumbered && number !== index)
        throw invalid(index + 1, `line ${index} of the operations is missing before this one`);
      for (const record of (isNumbered ? records.slice(1) : records) as readonly StateRecord[])
        saved.applyRecord(record);
      continue;
    }
    // the last line may be torn by the end of the process
    if (index === lines.length - 1) break;
    throw invalid(index + 1, 'this line cannot be read');
  }
  return { header, saved };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const isHeader = (value: unknown): value is Header => isRecord(value) && value['paperState'] === 1;

function checkTerms(path: string, was: StateTerms, is: StateTerms): void {
  for (const key of Object.keys(is) as (keyof StateTerms)[]) {
    const [before, now] = [JSON.stringify(was[key]), JSON.stringify(is[key])];
    if (before !== now)
      throw new OddsmakerError(
        'STATE_INVALID',
        `${path}:1: this state belongs to an exchange with ${key} ${before}, not ${now}: start it with the same flags, or name another file`,
      );
  }
}

// ——— one writer

const lockOf = (path: string): string => `${path}.lock`;

function takeLock(path: string): void {
  const lock = lockOf(path);
  for (let attempt = 0; ; attempt++) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx', mode: PRIVATE });
      return;
    } catch (error) {
      const exists = systemCodeOf(error) === 'EEXIST';
      if (!exists) {
        const problem = messageOf(error);
        throw new OddsmakerError('STATE_UNWRITABLE', `${path}: ${problem}`, { cause: error });
      }
      const owner = ownerOf(lock);
      if (attempt > 0 || (owner !== undefined && isAlive(owner)))
        throw new OddsmakerError(
          'STATE_IN_USE',
          `${path}: the exchange with process id ${owner ?? '?'} writes this file`,
        );
      // its writer is gone
      rmSync(lock, { force: true });
    }
  }
}

function ownerOf(lock: string): number | undefined {
  try {
    const pid = Number(readFileSync(lock, 'utf8'));
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCodeOf(error) === 'EPERM';
  }
}
