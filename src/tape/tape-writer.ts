// Writes a tape as packed segments with an index. What was written is never touched again; a kill loses at most the last
// second. A disk that refuses ends its segment: what it did not take is counted, a new segment is tried after a while, and
// begins with what tells of the hole.
import { rmSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, systemCodeOf } from '../domain/index.ts';
import type { DiskReport } from '../files/index.ts';
import { makeFolder, stampedName } from '../files/index.ts';
import { TapeSegment } from './tape-segment.ts';

/** A segment, as the index has it. */
export type IndexedSegment = {
  readonly file: string;
  /** Unix ms of the first and last record. */
  readonly from: number;
  readonly to: number;
  readonly frames: number;
  readonly bytes: number;
  /**
   * False while it is written, and for ever when the process was killed or the disk refused: the tail may be torn, and
   * the index may know of less than is there.
   */
  readonly closed: boolean;
};

type TapeLine = Readonly<Record<string, unknown>> & { readonly ts: number };

export type TapeWriterOptions = DiskReport & {
  readonly folder: string;
  /** First line of every segment. */
  readonly header: Readonly<Record<string, unknown>>;
  /** Begins the names of the segments, after their time. */
  readonly run: string;
  readonly pack?: 'zst' | 'gz';
  /** A new segment after this much time, or this many packed bytes. */
  readonly rotateMs?: number;
  readonly rotateBytes?: number;
  /** A disk that refused is tried again after this long. */
  readonly retryMs?: number;
  /** Called where lines begin to be lost; gives what is recorded behind the hole, which began and ended at these Unix ms. */
  readonly hole?: () => (from: number, to: number) => readonly TapeLine[];
};

/** From this Unix ms on lines are lost. */
type Hole = { readonly from: number; readonly marks: (from: number, to: number) => readonly TapeLine[] };

type Open = {
  readonly name: string;
  readonly segment: TapeSegment;
  /** What was told in it of a hole, until that is on the disk: so many records reach to its end. */
  told: { readonly hole: Hole; readonly frames: number } | undefined;
  /** When the index was told of it. */
  notedAt: number;
};

const FLUSH_MS = 1000;
const NOTE_MS = 60_000;
const ROTATE_MS = 3_600_000;
const ROTATE_BYTES = 64 * 1024 * 1024;
const RETRY_MS = 10_000;
/** A disk that hangs must not fill the memory: beyond this lines are dropped and counted. */
const MAX_WAITING = 64 * 1024 * 1024;

export class TapeWriter {
  /** Lines that could not be kept. */
  lost = 0;
  readonly #options: TapeWriterOptions;
  /** Of this run, by name. */
  readonly #index = new Map<string, IndexedSegment>();
  #open: Open | undefined;
  #segments = 0;
  #retryAt = 0;
  /** Not told yet. */
  #hole: Hole | undefined;
  #closed = false;
  #indexing: Promise<void> = Promise.resolve();
  #indexIsOld = false;
  readonly #ending = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: TapeWriterOptions) {
    this.#options = options;
    makeFolder(options.folder);
    this.#timer = setInterval(() => {
      this.#tick();
    }, FLUSH_MS);
    this.#timer.unref();
  }

  /** What was written last is not on the disk, and it is not known whether the next will be. */
  get isRefused(): boolean {
    return this.#hole !== undefined || this.#open?.told !== undefined;
  }

  /** One record; never waits. */
  write(line: TapeLine): void {
    const { ts } = line;
    const open = this.#closed ? undefined : (this.#open ??= this.#begin(ts));
    if (open === undefined || open.segment.waiting > MAX_WAITING) {
      this.lost += 1;
      this.#hole ??= this.#holeFrom(ts);
      return;
    }
    if (this.#hole !== undefined) this.#tell(open, this.#hole, ts);
    open.segment.write(ts, textOf(line));
  }

  /** Everything that the disk takes is on it when this resolves. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#end();
    await Promise.all(this.#ending);
    await this.#indexing;
  }

  #holeFrom(from: number): Hole {
    return { from, marks: this.#options.hole?.() ?? (() => []) };
  }

  #tell(open: Open, hole: Hole, to: number): void {
    const { segment } = open;
    this.#hole = undefined;
    // of a segment that failed late: what came after it is told already
    const from = segment.frames > 0 ? Math.max(hole.from, segment.to) : hole.from;
    for (const mark of hole.marks(from, to)) segment.write(mark.ts, textOf(mark), true);
    open.told = { hole, frames: segment.frames };
  }

  #begin(ts: number): Open | undefined {
    if (performance.now() < this.#retryAt) return undefined;
    const { folder, run, pack = 'zst', header } = this.#options;
    this.#segments += 1;
    const name = stampedName(ts, `${run}-${this.#segments}.ndjson.${pack}`);
    const segment = new TapeSegment(join(folder, name), pack, ts, (error) => this.#fail(open, error));
    const open: Open = { name, segment, told: undefined, notedAt: Number.NEGATIVE_INFINITY };
    segment.header(textOf({ tape: 1, ...header, from: new Date(ts).toISOString() }));
    return open;
  }

  #fail(open: Open, error: Error): void {
    const { folder, retryMs = RETRY_MS, problem } = this.#options;
    const { name, segment, told } = open;
    if (this.#open === open) this.#open = undefined;
    const { kept } = segment;
    this.lost += segment.lines - kept.lines;
    // the hole that it was to end goes on; else one begins with what it was handed last, whatever of that is there
    const goesOn = told !== undefined && told.frames > kept.frames;
    this.#hole = goesOn ? told.hole : (this.#hole ?? this.#holeFrom(segment.to));
    this.#retryAt = performance.now() + retryMs;
    if (kept.frames > 0) void this.#note(open, false);
    else if (systemCodeOf(error) !== 'EEXIST') remove(join(folder, name));
    problem(`the tape cannot be written, tried again in ${retryMs / 1000} s: ${error.message}`);
  }

  #tick(): void {
    const open = this.#open;
    if (open === undefined) return;
    const { rotateMs = ROTATE_MS, rotateBytes = ROTATE_BYTES } = this.#options;
    const { segment } = open;
    this.#checkTold(open);
    if (performance.now() - segment.openedAt >= rotateMs || segment.bytes >= rotateBytes) {
      this.#end();
      return;
    }
    // the index grows with every segment: it need not be as new as they are
    if (segment.kept.frames > 0 && performance.now() - open.notedAt >= NOTE_MS) void this.#note(open, false);
    segment.flush();
  }

  #checkTold(open: Open): void {
    if (open.segment.kept.frames < (open.told?.frames ?? Number.POSITIVE_INFINITY)) return;
    open.told = undefined;
    this.#options.resumed(`the tape is written again; ${this.lost} lines were lost so far`);
  }

  #end(): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    const ending = open.segment.end().then(async () => {
      if (open.segment.hasFailed) return;
      this.#checkTold(open);
      await this.#note(open, true);
    });
    this.#ending.add(ending);
    void ending.finally(() => this.#ending.delete(ending));
  }

  /** Puts a segment into the index. */
  async #note(open: Open, closed: boolean): Promise<void> {
    open.notedAt = performance.now();
    const { name: file, segment } = open;
    const { from, bytes } = segment;
    const { frames, to } = segment.kept;
    if (this.#index.get(file)?.closed !== true) this.#index.set(file, { file, from, to, frames, bytes, closed });
    this.#indexing = this.#indexing.then(() => this.#writeIndex());
    await this.#indexing;
  }

  /** Others may write into the same folder: what is there of them stays. */
  async #writeIndex(): Promise<void> {
    const file = join(this.#options.folder, INDEX);
    const draft = `${file}.${this.#options.run}`;
    try {
      const others = (await readIndex(file)).filter((segment) => !this.#index.has(segment.file));
      const segments = [...others, ...this.#index.values()].sort((one, two) => one.from - two.from);
      await writeFile(draft, `${JSON.stringify({ index: 1, segments }, null, 1)}\n`);
      await rename(draft, file);
      this.#indexIsOld = false;
    } catch (error) {
      remove(draft);
      // the segments are what counts; the next note tries again
      if (!this.#indexIsOld) this.#options.problem(`the index of the tapes cannot be written: ${messageOf(error)}`);
      this.#indexIsOld = true;
    }
  }
}

const INDEX = 'index.json';

const textOf = (line: Readonly<Record<string, unknown>>): string => `${JSON.stringify(line)}\n`;

/** What has nothing in it is no tape, and half an index is none. */
function remove(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // an empty segment is read as one
  }
}

/** An index that cannot be read begins anew. */
async function readIndex(file: string): Promise<readonly IndexedSegment[]> {
  try {
    const json: unknown = JSON.parse(await readFile(file, 'utf8'));
    const segments = (json as { segments?: unknown }).segments;
    return Array.isArray(segments) ? (segments as IndexedSegment[]) : [];
  } catch {
    return [];
  }
}
