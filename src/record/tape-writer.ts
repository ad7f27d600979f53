// Writes a tape as packed segments with an index. Lines are packed and written behind the caller's back and pushed to the
// disk once a second, so that a kill loses at most the last second; what was written is never touched again. A disk
// that refuses ends its segment, and a new one is tried after a while.
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { Transform } from 'node:stream';
import { createGzip, createZstdCompress } from 'node:zlib';

export type Segment = {
  readonly file: string;
  /** Unix ms of the first and last record. */
  readonly from: number;
  readonly to: number;
  readonly frames: number;
  readonly bytes: number;
  /** False while it is written, and for ever when the process was killed: the tail may be torn. */
  readonly closed: boolean;
};

export type TapeWriterOptions = {
  readonly folder: string;
  /** First line of every segment. */
  readonly header: Readonly<Record<string, unknown>>;
  /** Begins the names of the segments, after their time. */
  readonly run: string;
  readonly pack?: 'zst' | 'gz';
  /** A new segment after this much time, or this many packed bytes. */
  readonly rotateMs?: number;
  readonly rotateBytes?: number;
  /** Told when the disk refuses, and when it takes again. */
  readonly problem: (message: string) => void;
};

type Open = {
  readonly name: string;
  readonly pack: Transform;
  readonly done: Promise<void>;
  readonly openedAt: number;
  /** When the index was told of it. */
  notedAt: number;
  from: number;
  to: number;
  frames: number;
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
  readonly #index: Segment[];
  #open: Open | undefined;
  #segments = 0;
  #retryAt = 0;
  #indexing: Promise<void> = Promise.resolve();
  readonly #timer: NodeJS.Timeout;

  constructor(options: TapeWriterOptions) {
    this.#options = options;
    mkdirSync(options.folder, { recursive: true });
    this.#index = readIndex(options.folder);
    this.#timer = setInterval(() => {
      this.#tick();
    }, FLUSH_MS);
    this.#timer.unref();
  }

  /** One record; never waits. `ts`: Unix ms. */
  write(ts: number, record: Readonly<Record<string, unknown>>): void {
    const open = (this.#open ??= this.#begin(ts));
    if (open === undefined || open.pack.writableLength > MAX_WAITING) {
      this.lost += 1;
      return;
    }
    if (open.frames === 0) open.from = ts;
    open.to = ts;
    open.frames += 1;
    open.pack.write(`${JSON.stringify(record)}\n`);
  }

  /** Everything that was written is on the disk when this resolves. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#end();
    await this.#indexing;
  }

  #begin(ts: number): Open | undefined {
    if (Date.now() < this.#retryAt) return undefined;
    const { folder, run, pack: kind = 'zst', header } = this.#options;
    this.#segments += 1;
    const time = new Date(ts).toISOString().replace(/[:.]/g, '-');
    const name = `${time}-${run}-${this.#segments}.ndjson.${kind}`;
    const pack = kind === 'zst' ? createZstdCompress() : createGzip();
    const file = createWriteStream(join(folder, name), { flags: 'wx' });
    const fail = (error: Error): void => {
      if (this.#open?.pack !== pack) return;
      this.#open = undefined;
      this.#retryAt = Date.now() + RETRY_MS;
      pack.destroy();
      file.destroy();
      this.#options.problem(
        `the tape cannot be written, tried again in ${RETRY_MS / 1000} s: ${error.message}`,
      );
    };
    pack.on('error', fail);
    file.on('error', fail);
    pack.pipe(file);
    // a failure is told above
    const done = finished(file).catch(() => undefined);
    pack.write(`${JSON.stringify({ tape: 1, ...header, from: new Date(ts).toISOString() })}\n`);
    return { name, pack, done, openedAt: Date.now(), notedAt: 0, from: ts, to: ts, frames: 0 };
  }

  #tick(): void {
    const open = this.#open;
    if (open === undefined) return;
    const { rotateMs = ROTATE_MS, rotateBytes = ROTATE_BYTES } = this.#options;
    void this.#sizeOf(open).then((bytes) => {
      if (this.#open === open && (Date.now() - open.openedAt >= rotateMs || bytes >= rotateBytes))
        void this.#end();
    });
    // the index grows with every segment: it need not be as new as they are
    if (Date.now() - open.notedAt >= NOTE_MS) void this.#note(open, false);
    // both kinds have it; the declaration of Transform does not tell
    (open.pack as Transform & { flush: () => void }).flush();
  }

  async #end(): Promise<void> {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    open.pack.end();
    await open.done;
    await this.#note(open, true);
  }

  async #sizeOf({ name }: Open): Promise<number> {
    return stat(join(this.#options.folder, name)).then(
      ({ size }) => size,
      () => 0,
    );
  }

  /** Puts a segment into the index. */
  async #note(open: Open, closed: boolean): Promise<void> {
    open.notedAt = Date.now();
    const bytes = await this.#sizeOf(open);
    const { name: file, from, to, frames } = open;
    const at = this.#index.findIndex((segment) => segment.file === file);
    const segment = { file, from, to, frames, bytes, closed };
    if (at < 0) this.#index.push(segment);
    else if (!this.#index[at]?.closed) this.#index[at] = segment;
    this.#indexing = this.#indexing.then(() => this.#writeIndex());
    await this.#indexing;
  }

  async #writeIndex(): Promise<void> {
    const file = join(this.#options.folder, INDEX);
    try {
      await writeFile(`${file}.tmp`, `${JSON.stringify({ index: 1, segments: this.#index }, null, 1)}\n`);
      await rename(`${file}.tmp`, file);
    } catch {
      // the segments are what counts; the next second tries again
    }
  }
}

const INDEX = 'index.json';

/** The segments of former runs; an index that cannot be read begins anew. */
function readIndex(folder: string): Segment[] {
  try {
    const json: unknown = JSON.parse(readFileSync(join(folder, INDEX), 'utf8'));
    const segments = (json as { segments?: unknown }).segments;
    return Array.isArray(segments) ? (segments as Segment[]) : [];
  } catch {
    return [];
  }
}
