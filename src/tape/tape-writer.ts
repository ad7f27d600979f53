// Writes a tape as packed segments with an index. Written data is never changed; a kill loses at most the
// last second. When the disk refuses, the segment ends, lost lines are counted, and after a delay a new
// segment begins with the marks of the hole.
import { rmSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, systemCodeOf } from '../domain/index.ts';
import type { DiskReport } from '../files/index.ts';
import { makeFolder, stampedName } from '../files/index.ts';
import { TapeSegment } from './tape-segment.ts';

/** An entry of the index. */
export type IndexedSegment = {
  readonly file: string;
  /** Unix ms of the first and last record. */
  readonly from: number;
  readonly to: number;
  readonly frames: number;
  readonly bytes: number;
  /**
   * False while the segment is written, and permanently when the process was killed or the disk refused: then
   * the tail may be torn, and the file may hold more than this entry says.
   */
  readonly closed: boolean;
};

type TapeLine = Readonly<Record<string, unknown>> & { readonly ts: number };

export type TapeWriterOptions = DiskReport & {
  readonly folder: string;
  /** The first line of every segment. */
  readonly header: Readonly<Record<string, unknown>>;
  /** The run name, which follows the time in the names of segments. */
  readonly run: string;
  readonly pack?: 'zst' | 'gz';
  /** A new segment begins after this time, or this many packed bytes. */
  readonly rotateMs?: number;
  readonly rotateBytes?: number;
  /** Delay before a disk that refused is tried again. */
  readonly retryMs?: number;
  /**
   * Called when lines begin to be lost. Returns a function that makes the marks to record after the hole,
   * from its begin and end in Unix ms.
   */
  readonly hole?: () => (from: number, to: number) => readonly TapeLine[];
};

/** A period without recorded lines, which begins at `from`, Unix ms. */
type Hole = { readonly from: number; readonly marks: (from: number, to: number) => readonly TapeLine[] };

type Open = {
  readonly name: string;
  readonly segment: TapeSegment;
  /**
   * The hole whose marks this segment holds, and the record count after the marks. Undefined when no marks
   * wait for the disk.
   */
  marked: { readonly hole: Hole; readonly frames: number } | undefined;
  /** Monotonic ms of its last index entry. */
  notedAt: number;
};

const FLUSH_MS = 1000;
const NOTE_MS = 60_000;
const ROTATE_MS = 3_600_000;
const ROTATE_BYTES = 64 * 1024 * 1024;
const RETRY_MS = 10_000;
/** A disk that hangs must not fill the memory: above this backlog, lines are dropped and counted. */
const MAX_WAITING = 64 * 1024 * 1024;

export class TapeWriter {
  /** The number of lines that were lost. */
  lost = 0;
  readonly #options: TapeWriterOptions;
  /** The segments of this run by file name. */
  readonly #index = new Map<string, IndexedSegment>();
  #open: Open | undefined;
  #segments = 0;
  #retryAt = 0;
  /** The hole that no segment has marked yet. */
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

  /** True while the last lines are not on the disk and it is unknown whether the next will be. */
  get isRefused(): boolean {
    return this.#hole !== undefined || this.#open?.marked !== undefined;
  }

  /** Writes one record without waiting. */
  write(line: TapeLine): void {
    const { ts } = line;
    const open = this.#closed ? undefined : (this.#open ??= this.#begin(ts));
    if (open === undefined || open.segment.waiting > MAX_WAITING) {
      this.lost += 1;
      this.#hole ??= this.#holeFrom(ts);
      return;
    }
    if (this.#hole !== undefined) this.#mark(open, this.#hole, ts);
    open.segment.write(ts, textOf(line));
  }

  /** Ends the tape. Everything that the disk accepts is on it when this resolves. */
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

  #mark(open: Open, hole: Hole, to: number): void {
    const { segment } = open;
    this.#hole = undefined;
    // when a segment fails late, the one after it already holds the later lines
    const from = segment.frames > 0 ? Math.max(hole.from, segment.to) : hole.from;
    for (const mark of hole.marks(from, to)) segment.write(mark.ts, textOf(mark), true);
    open.marked = { hole, frames: segment.frames };
  }

  #begin(ts: number): Open | undefined {
    if (performance.now() < this.#retryAt) return undefined;
    const { folder, run, pack = 'zst', header } = this.#options;
    this.#segments += 1;
    const name = stampedName(ts, `${run}-${this.#segments}.ndjson.${pack}`);
    const segment = new TapeSegment(join(folder, name), pack, ts, (error) => this.#fail(open, error));
    const open: Open = { name, segment, marked: undefined, notedAt: Number.NEGATIVE_INFINITY };
    segment.header(textOf({ tape: 1, ...header, from: new Date(ts).toISOString() }));
    return open;
  }

  #fail(open: Open, error: Error): void {
    const { folder, retryMs = RETRY_MS, problem } = this.#options;
    const { name, segment, marked } = open;
    if (this.#open === open) this.#open = undefined;
    const { kept } = segment;
    this.lost += segment.lines - kept.lines;
    // a hole whose end mark is lost continues; otherwise one begins at the last record handed over, kept or
    // not
    const continues = marked !== undefined && marked.frames > kept.frames;
    this.#hole = continues ? marked.hole : (this.#hole ?? this.#holeFrom(segment.to));
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
    this.#checkMarked(open);
    if (performance.now() - segment.openedAt >= rotateMs || segment.bytes >= rotateBytes) {
      this.#end();
      return;
    }
    // the index grows with each segment, so it may lag behind them
    if (segment.kept.frames > 0 && performance.now() - open.notedAt >= NOTE_MS) void this.#note(open, false);
    segment.flush();
  }

  #checkMarked(open: Open): void {
    if (open.segment.kept.frames < (open.marked?.frames ?? Number.POSITIVE_INFINITY)) return;
    open.marked = undefined;
    this.#options.resumed(`the tape is written again; ${this.lost} lines were lost so far`);
  }

  #end(): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    const ending = open.segment.finishSegment().then(async () => {
      if (open.segment.hasFailed) return;
      this.#checkMarked(open);
      await this.#note(open, true);
    });
    this.#ending.add(ending);
    void ending.finally(() => this.#ending.delete(ending));
  }

  /** Puts a segment into the index file. */
  async #note(open: Open, closed: boolean): Promise<void> {
    open.notedAt = performance.now();
    const { name: file, segment } = open;
    const { from, bytes } = segment;
    const { frames, to } = segment.kept;
    if (this.#index.get(file)?.closed !== true) this.#index.set(file, { file, from, to, frames, bytes, closed });
    this.#indexing = this.#indexing.then(() => this.#writeIndex());
    await this.#indexing;
  }

  /** Writes the index. It keeps the entries of other processes that write into the same folder. */
  async #writeIndex(): Promise<void> {
    const file = join(this.#options.folder, INDEX);
    const draft = `${file}.${this.#options.run}`;
    try {
      const others = (await readIndex(file)).filter((segment) => !this.#index.has(segment.file));
      const segments = [...others, ...this.#index.values()].sort((left, right) => left.from - right.from);
      await writeFile(draft, `${JSON.stringify({ index: 1, segments }, null, 1)}\n`);
      await rename(draft, file);
      this.#indexIsOld = false;
    } catch (error) {
      remove(draft);
      // the segments are enough to read the tape; the next write tries again
      if (!this.#indexIsOld) this.#options.problem(`the index of the tapes cannot be written: ${messageOf(error)}`);
      this.#indexIsOld = true;
    }
  }
}

const INDEX = 'index.json';

const textOf = (line: Readonly<Record<string, unknown>>): string => `${JSON.stringify(line)}\n`;

/** Removes an empty segment or half an index. */
function remove(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // a reader accepts an empty segment
  }
}

/** The segments in the index. Empty when it cannot be read: it then starts again. */
async function readIndex(file: string): Promise<readonly IndexedSegment[]> {
  try {
    const json: unknown = JSON.parse(await readFile(file, 'utf8'));
    const segments = (json as { segments?: unknown }).segments;
    return Array.isArray(segments) ? (segments as IndexedSegment[]) : [];
  } catch {
    return [];
  }
}
