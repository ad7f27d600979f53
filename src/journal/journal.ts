// The journal (docs/reference/journals.md): every input of one run, with the commands and events that it caused, as NDJSON with
// sequence numbers. Each 1,000th record and the last one are followed by the sha256 of everything before, so that tampering and tears both show. A step that sends
// a request is in the kernel before `record` returns (rules.md, 15); everything else is within half a second, packed
// where the file is named `.zst`. What a disk refuses waits in memory, and is written once it takes again; when too much
// waits, the journal ends there for good, torn. A long journal goes on in another part, whose first line has the chain of
// the one before.
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

/** Journals of format 1 have no events. */
export const FORMAT = 2;
export const CHAIN_EVERY = 1000;
/** Of chain records, the closing one alone comes behind another or a header (`isSecond`), or where no regular one stands. */
export const isClosing = (seq: number, isSecond: boolean): boolean => isSecond || seq % CHAIN_EVERY !== 0;
/** A kill may lose what came since, and what was being packed: together less than a second. */
const PACK_MS = 500;
const RETRY_MS = 1000;
/** Bytes that are kept for a disk: some minutes of a busy bot. */
const MAX_HELD = 64 * 1024 * 1024;
const MANY_HELD = 8 * 1024 * 1024;
/** So many are packed at once, however fast they come. */
const MANY_UNPACKED = 1024 * 1024;
/** Bytes of the text of one part: a minute of 300 busy games, half an hour of 18 busy markets. */
const PART_BYTES = 256 * 1024 * 1024;

/** A file as a strategy was loaded from it. */
export type RecordedFile = {
  readonly file: string;
  readonly sha256: string;
  /** Absent: it is no text, or too long to be kept. */
  readonly source?: string;
};

export type RecordedStrategy = RecordedFile & {
  /** Where it truly lies, from the folder of the configuration file; absent: where `file` says. */
  readonly at?: string;
  /** Files of its own that it imports, and that these import, named from the folder of the configuration file. */
  readonly imports?: readonly RecordedFile[];
};

export type JournalHeader = {
  readonly version: string;
  /** Effective configuration, secrets hidden: what is of the environment, by its name. */
  readonly config: unknown;
  readonly strategies: readonly RecordedStrategy[];
  readonly profile: unknown;
  /** From the folder of the journal to the configuration file. */
  readonly configFile?: string;
  /** Of a backtest, whose housekeeping is its own; absent: of a live run. */
  readonly backtest?: true;
  /** The gate that the run is judged by, and the hash of its file. */
  readonly gate?: { readonly name: string; readonly sha256: string };
  /** Of every part but the first. */
  readonly after?: FormerPart;
};

export class JournalWriter {
  readonly file: string;
  readonly #report: DiskReport;
  readonly #partBytes: number;
  #header: JournalHeader;
  /** The last one is gone on with; those before it until all of them is on the disk. */
  readonly #files: JournalFile[] = [];
  /** Of the last part. */
  #number = 1;
  #hash: Hash = createHash('sha256');
  #length = 0;
  #unpacked = 0;
  #cannotTurn = false;
  #seq = 0;
  #records = 0;
  #timer: NodeJS.Timeout | undefined;
  #isRefused = false;
  #closed = false;
  #broken = false;

  /** `file`: packed when its name ends with `.zst`. `partBytes`: a part whose text has as many bytes ends. @throws the error of the file system */
  constructor(file: string, header: JournalHeader, report: DiskReport, partBytes = PART_BYTES) {
    this.file = file;
    this.#header = header;
    this.#report = report;
    this.#partBytes = partBytes;
    makeFolder(dirname(file));
    this.#files.push(this.#open(file));
    this.#push({ journal: FORMAT, ...header });
    this.#pack();
    // whose it is can be told from the first moment on
    this.#last.secure();
  }

  /** Bytes that wait for the disk. */
  get waiting(): number {
    return this.#sum(({ waiting }) => waiting);
  }

  /** The file that is gone on with. */
  get writing(): string {
    return this.#last.file;
  }

  /** Why the disk does not take it, or why it ended before its run; undefined: it is written. */
  get refused(): string | undefined {
    if (this.#broken) return `ended before its run: ${this.#refusal}`;
    return this.#isRefused ? `cannot be written: ${this.#refusal}` : undefined;
  }

  /** Everything is handed to the kernel when this returns: for a process that ends without `close`. */
  secure(): void {
    for (const file of this.#files) if (!file.isDone) file.secure();
  }

  /** The run went on behind its end. */
  get isTorn(): boolean {
    return this.#broken;
  }

  /** What was handed over when this returns, unless the disk refuses: every step that sends, and all before it. */
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
    if (this.#records % CHAIN_EVERY === 0) this.#chainOrTurn();
    // what starts next must know of it (last-requests.ts)
    if (commands.some(isSent)) this.#last.secure();
    if (this.#unpacked >= MANY_UNPACKED) this.#pack();
    else this.#packLater(PACK_MS);
  }

  /** The run goes on with another configuration or other strategies than its header tells. */
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

  /** `next`: the number of the part that follows. */
  #chain(next?: number): string {
    const chain = this.#hash.copy().digest('hex');
    this.#push({ seq: this.#seq, chain, next });
    return chain;
  }

  #chainOrTurn(): void {
    const part = this.#number;
    const next = this.#length < this.#partBytes ? undefined : this.#openPart(part + 1);
    const chain = this.#chain(next === undefined ? undefined : part + 1);
    if (next === undefined) return;
    // a kill must not leave a hole before the next one
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

  /** Undefined: it cannot be opened, so the one before goes on. */
  #openPart(number: number): JournalFile | undefined {
    try {
      const file = this.#open(partFile(this.file, number));
      this.#cannotTurn = false;
      return file;
    } catch (error) {
      if (!this.#cannotTurn)
        this.#report.problem(
          `the journal cannot go on in a part of its own, and goes on as it is: ${messageOf(error)}`,
        );
      this.#cannotTurn = true;
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
    if (this.#sum(({ held }) => held) > MAX_HELD) this.#break('too much waits for the disk');
    else if (this.#isRefused || this.#files.length > 1) this.#packLater(RETRY_MS);
  }

  get #last(): JournalFile {
    return this.#files.at(-1) as JournalFile;
  }

  #sum(bytesOf: (file: JournalFile) => number): number {
    return this.#files.reduce((sum, file) => sum + bytesOf(file), 0);
  }

  /** A journal that cannot be written must not stop the bot, nor fill its memory. */
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
  /** The last one. */
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

  /** Resolves when it can take more, or the disk refuses: for whoever makes records faster than a disk takes them. */
  async ready(): Promise<void> {
    await setImmediate();
    const isFull = (): boolean => this.#sum(({ held }) => held) > MANY_HELD;
    while (isFull() && !this.#broken && !this.#isRefused) await sleep(5);
  }

  /** Writes what is left, with the closing chain record. */
  async close(): Promise<void> {
    if (!this.#closed && !this.#broken) this.#chain();
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#last.finish();
    while (this.#files.some(({ isDone }) => !isDone)) {
      const before = this.#refusals;
      for (const file of this.#files) file.pack();
      await Promise.all(this.#files.map((file) => file.idle()));
      // that was the last try
      if (this.#refusals > before) break;
    }
    for (const file of this.#files) if (!file.isDone) file.secure();
    if (this.waiting > 0) this.#break(this.#refusal);
    // what its packed file lacks is in its tail
    for (const file of this.#files) file.abandon();
  }
}

/** A request that changes something at the exchange. */
const isSent = (command: Command): boolean =>
  'permit' in command || command.type === 'cancel-all' || command.type === 'switch-mode';
