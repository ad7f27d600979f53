// The journal (docs/reference/journals.md): every input of one run with its commands and events, as NDJSON
// with sequence numbers. A chain record, the sha256 of everything before it, follows each 1,000th record and
// the last one, so that tampering and tears show. A step that sends a request is handed to the kernel before
// `record` returns (rules.md, 15), everything else within half a second. A file named `.zst` is packed. When
// the disk refuses writes, records wait in memory; when too many wait, the journal ends permanently, torn. A
// long journal continues in another part, whose first line has the chain of the part before.
import type { Hash } from 'node:crypto';
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Command, RunEvent, StampedArrival } from '../domain/index.ts';
import { messageOf } from '../domain/index.ts';
import type { DiskReport } from '../files/index.ts';
import { makeFolder } from '../files/index.ts';
import { lineOf } from './event-lines.ts';
import type { FileReport, JournalFile } from './journal-file.ts';
import type { FormerPart } from './journal-parts.ts';
import { partFile } from './journal-parts.ts';
import { PackedFile } from './packed-file.ts';
import { PlainFile } from './plain-file.ts';
import { recordedCommand } from './shown-words.ts';

/** Version of the format. Journals of format 1 have no events. */
export const FORMAT = 2;
export const CHAIN_EVERY = 1000;
/**
 * Whether a chain record closes its journal. Only a closing one follows another chain record or a header
 * (`isSecond`), or stands at a record that is no multiple of 1,000.
 */
export const isClosing = (seq: number, isSecond: boolean): boolean => isSecond || seq % CHAIN_EVERY !== 0;
/** Interval of packing, ms. A kill may lose unpacked records and those being packed: less than a second. */
const PACK_MS = 500;
const RETRY_MS = 1000;
/** Bytes held in memory before the journal ends torn: some minutes of a busy bot. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** Bytes held in memory at which `ready` waits. */
const HELD_BYTES_TO_WAIT = 8 * 1024 * 1024;
/** Unpacked bytes that are packed at once, before the interval is due. */
const UNPACKED_BYTES_TO_PACK = 1024 * 1024;
/** Bytes of text in one part: a minute of 300 busy games, half an hour of 18 busy markets. */
const PART_BYTES = 256 * 1024 * 1024;

/** A strategy file as it was loaded. */
export type RecordedFile = {
  readonly file: string;
  readonly sha256: string;
  /** Absent when the file is no text or too long to be recorded. */
  readonly source?: string;
};

export type RecordedStrategy = RecordedFile & {
  /** Actual path, from the folder of the configuration file. Absent when it is `file`. */
  readonly at?: string;
  /** Direct and indirect imports except packages. Paths from the folder of the configuration file. */
  readonly imports?: readonly RecordedFile[];
};

export type JournalHeader = {
  readonly version: string;
  /** Effective configuration with secrets hidden. Values from the environment are given as `${NAME}`. */
  readonly config: unknown;
  readonly strategies: readonly RecordedStrategy[];
  readonly profile: unknown;
  /** Path of the configuration file, relative to the folder of the journal. */
  readonly configFile?: string;
  /** True for a backtest, which has other housekeeping settings. Absent for a live run. */
  readonly backtest?: true;
  /** The gate that the run is judged by, and the hash of its file. */
  readonly gate?: { readonly name: string; readonly sha256: string };
  /** The part before. Absent in the first part. */
  readonly after?: FormerPart;
};

export class JournalWriter {
  readonly file: string;
  readonly #report: DiskReport;
  readonly #partBytes: number;
  #header: JournalHeader;
  /** Open files. The last one is written; the ones before it stay until all of their data is on the disk. */
  readonly #files: JournalFile[] = [];
  /** Number of the last part, from 1. */
  #number = 1;
  #hash: Hash = createHash('sha256');
  #length = 0;
  #unpacked = 0;
  #cannotOpenPart = false;
  #seq = 0;
  #records = 0;
  #timer: NodeJS.Timeout | undefined;
  #isRefused = false;
  #closed = false;
  #broken = false;

  /**
   * @param file packed when its name ends with `.zst`
   * @param partBytes bytes of text after which a part ends
   * @throws the error of the file system
   */
  constructor(file: string, header: JournalHeader, report: DiskReport, partBytes = PART_BYTES) {
    this.file = file;
    this.#header = header;
    this.#report = report;
    this.#partBytes = partBytes;
    makeFolder(dirname(file));
    this.#files.push(this.#open(file));
    this.#push({ journal: FORMAT, ...header });
    this.#pack();
    // the header is secured, so that the owner of the journal is known from the start
    this.#last.secure();
  }

  /** Bytes that wait for the disk. */
  get waiting(): number {
    return this.#sum(({ waiting }) => waiting);
  }

  /** The file of the current part. */
  get writing(): string {
    return this.#last.file;
  }

  /** Why the disk refuses it, or why it ended before its run. Undefined when it is being written. */
  get refused(): string | undefined {
    if (this.#broken) return `ended before its run: ${this.#refusal}`;
    return this.#isRefused ? `cannot be written: ${this.#refusal}` : undefined;
  }

  /** Hands everything to the kernel before it returns. For a process that ends without `close`. */
  secure(): void {
    for (const file of this.#files) if (!file.isDone) file.secure();
  }

  /** True when the journal ended before its run. */
  get isTorn(): boolean {
    return this.#broken;
  }

  /**
   * Records a step. A step that sends a request, and all before it, are in the kernel when this returns,
   * unless the disk refuses.
   */
  record(input: StampedArrival, commands: readonly Command[], events: readonly RunEvent[] = []): void {
    if (this.#broken || this.#closed) return;
    this.#seq = input.seq;
    this.#push({ seq: input.seq, t: input.t, mono: input.mono, in: input.in });
    if (commands.length > 0 || events.length > 0) {
      const out = commands.length > 0 ? commands.map(recordedCommand) : undefined;
      const ev = events.length > 0 ? events.map(lineOf) : undefined;
      this.#push({ seq: input.seq, out, ev });
    }
    this.#records += 1;
    if (this.#records % CHAIN_EVERY === 0) this.#chainOrOpenPart();
    // the next run must know of the request (last-requests.ts)
    if (commands.some(isSent)) this.#last.secure();
    if (this.#unpacked >= UNPACKED_BYTES_TO_PACK) this.#pack();
    else this.#packLater(PACK_MS);
  }

  /** Records a new header, when the configuration or the strategies of the run change. */
  recordHeader(header: JournalHeader): void {
    if (this.#broken || this.#closed) return;
    this.#header = header;
    this.#push({ journal: FORMAT, ...header });
    this.#packLater(PACK_MS);
  }

  #push(line: unknown): void {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    this.#hash.update(bytes);
    this.#last.appendLine(bytes);
    this.#length += bytes.length;
    this.#unpacked += bytes.length;
  }

  /** Writes a chain record and returns the chain. `next` is the number of the part that follows. */
  #chain(next?: number): string {
    const chain = this.#hash.copy().digest('hex');
    this.#push({ seq: this.#seq, chain, next });
    return chain;
  }

  #chainOrOpenPart(): void {
    const part = this.#number;
    const next = this.#length < this.#partBytes ? undefined : this.#openPart(part + 1);
    const chain = this.#chain(next === undefined ? undefined : part + 1);
    if (next === undefined) return;
    // after a kill nothing may be missing before the next part
    this.#last.secure();
    this.#last.finish();
    this.#files.push(next);
    this.#number += 1;
    this.#hash = createHash('sha256');
    this.#length = 0;
    const after: FormerPart = { part, seq: this.#seq, chain };
    this.#push({ journal: FORMAT, ...this.#header, after });
    this.#last.secure();
  }

  #open(file: string): JournalFile {
    return file.endsWith('.zst') ? new PackedFile(file, this.#fileReport) : new PlainFile(file, this.#fileReport);
  }

  /** Opens the file of a part. Undefined when it cannot be opened: the part before then continues. */
  #openPart(number: number): JournalFile | undefined {
    try {
      const file = this.#open(partFile(this.file, number));
      this.#cannotOpenPart = false;
      return file;
    } catch (error) {
      if (!this.#cannotOpenPart)
        this.#report.problem(
          `the journal cannot continue in a new part, and continues in the present one: ${messageOf(error)}`,
        );
      this.#cannotOpenPart = true;
      return undefined;
    }
  }

  #packLater(ms: number): void {
    this.#timer ??= setTimeout(() => this.#pack(), ms);
  }

  #pack(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#unpacked = 0;
    for (const file of this.#files) file.pack();
    while (this.#files.length > 1 && this.#files[0]?.isDone === true) this.#files.shift();
    if (this.#sum(({ held }) => held) > MAX_HELD_BYTES) this.#break('too much waits for the disk');
    else if (this.#isRefused || this.#files.length > 1) this.#packLater(RETRY_MS);
  }

  get #last(): JournalFile {
    return this.#files.at(-1) as JournalFile;
  }

  #sum(bytesOf: (file: JournalFile) => number): number {
    return this.#files.reduce((sum, file) => sum + bytesOf(file), 0);
  }

  /** Handles refused writes: they must neither stop the bot nor fill its memory. */
  readonly #fileReport: FileReport = {
    refused: ({ message }) => {
      if (!this.#isRefused && !this.#closed)
        this.#report.problem(`the journal cannot be written, tried again every second: ${message}`);
      this.#isRefused = true;
      this.#refusals += 1;
      this.#refusal = message;
      if (!this.#closed) this.#packLater(RETRY_MS);
    },
    taken: () => {
      if (!this.#isRefused || this.waiting > 0) return;
      this.#isRefused = false;
      this.#report.resumed('the journal is written again; nothing of it is missing');
    },
    failed: ({ message }) => this.#break(message),
  };
  #refusals = 0;
  /** Message of the last refusal. */
  #refusal = '';

  #break(reason: string): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#broken) return;
    this.#broken = true;
    this.#refusal = reason;
    for (const file of this.#files) file.abandon();
    this.#report.problem(`the journal ends here, before its run does: ${reason}`);
  }

  /** Resolves when it can take more records, or the disk refuses. For callers faster than a disk. */
  async ready(): Promise<void> {
    await setImmediate();
    const isFull = (): boolean => this.#sum(({ held }) => held) > HELD_BYTES_TO_WAIT;
    while (isFull() && !this.#broken && !this.#isRefused) await sleep(5);
  }

  /** Writes the remaining records and the closing chain record. */
  async close(): Promise<void> {
    if (!this.#closed && !this.#broken) this.#chain();
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#last.finish();
    while (this.#files.some(({ isDone }) => !isDone)) {
      const before = this.#refusals;
      for (const file of this.#files) file.pack();
      await Promise.all(this.#files.map((file) => file.idle()));
      // the disk refused once more: give up
      if (this.#refusals > before) break;
    }
    for (const file of this.#files) if (!file.isDone) file.secure();
    if (this.waiting > 0) this.#break(this.#refusal);
    // a packed file that is not complete keeps its tail
    for (const file of this.#files) file.abandon();
  }
}

/** Whether a command is a request with effects at the exchange. */
const isSent = (command: Command): boolean =>
  'permit' in command || command.type === 'cancel-all' || command.type === 'switch-mode';
