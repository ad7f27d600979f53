// The journal: every input and every command of one run, NDJSON with sequence numbers (DESIGN §6). Each 1,000th record
// and the last one are followed by the sha256 of everything before, so that tampering and tears both show. Lines are
// gathered and written behind the bot's back; only `close` waits for the disk. What a disk refuses waits in memory, and is
// written once it takes again; when too much waits, the journal ends there for good, torn. A long journal goes on in
// another part, whose first line has the chain of the one before; parts that ended are packed, all but the last of them:
// what starts next reads the tails of the last two (last-requests.ts).
import type { Hash } from 'node:crypto';
import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, openSync, write } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Command, StampedInput } from '../domain/index.ts';
import { messageOf } from '../domain/index.ts';
import type { DiskReport } from './disk-report.ts';
import { makeFolder } from './folder.ts';
import { Packer } from './journal-packer.ts';
import type { FormerPart } from './journal-parts.ts';
import { partFile } from './journal-parts.ts';

export const CHAIN_EVERY = 1000;
/** Of chain records, the closing one alone comes behind another or a header (`isSecond`), or where no regular one stands. */
export const isClosing = (seq: number, isSecond: boolean): boolean => isSecond || seq % CHAIN_EVERY !== 0;
const FLUSH_MS = 50;
const RETRY_MS = 1000;
/** Characters that wait for a disk: some minutes of a busy bot. */
const MAX_WAITING = 64 * 1024 * 1024;
const MANY_WAITING = 8 * 1024 * 1024;
/** Characters of one part: a minute of 300 busy games, an hour of a few. */
const PART_CHARS = 256 * 1024 * 1024;

export type JournalHeader = {
  readonly version: string;
  /** Effective configuration, secrets hidden. */
  readonly config: unknown;
  readonly strategies: readonly { readonly file: string; readonly sha256: string }[];
  readonly profile: unknown;
  /** From the folder of the journal to the configuration file. */
  readonly configFile?: string;
  /** Of a backtest, whose housekeeping is its own; absent: of a live run. */
  readonly backtest?: true;
  /** Of every part but the first. */
  readonly after?: FormerPart;
};

/** One file of a journal, and what waits for it. */
type Part = { readonly number: number; readonly file: string; readonly fd: number; lines: string[] };

export class JournalWriter {
  readonly file: string;
  readonly #header: JournalHeader;
  readonly #report: DiskReport;
  readonly #partChars: number;
  readonly #packer: Packer;
  /** The last one is gone on with; those before it until all of them is on the disk. */
  readonly #parts: Part[];
  /** Of the last part. */
  #hash: Hash = createHash('sha256');
  #chars = 0;
  #cannotTurn = false;
  /** The file of the part that ended last. */
  #newestEnded: string | undefined;
  #seq = 0;
  #records = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing = false;
  #isRefused = false;
  /** What the disk refused, until it is tried again. */
  #retry: { readonly timer: NodeJS.Timeout; readonly again: () => void } | undefined;
  /** Characters that are not handed to the disk yet. */
  #waiting = 0;
  #closed = false;
  #broken = false;
  /** The last one. */
  #refusal = '';

  /** `partChars`: a part that has as many characters ends. */
  constructor(file: string, header: JournalHeader, report: DiskReport, partChars = PART_CHARS) {
    this.file = file;
    this.#header = header;
    this.#report = report;
    this.#partChars = partChars;
    this.#packer = new Packer(report.problem);
    makeFolder(dirname(file));
    this.#parts = [{ number: 1, file, fd: openSync(file, 'wx'), lines: [] }];
    this.#push(JSON.stringify({ journal: 1, ...header }));
  }

  /** Characters that wait for the disk. */
  get waiting(): number {
    return this.#waiting;
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

  /** The run went on behind its end. */
  get isTorn(): boolean {
    return this.#broken;
  }

  /** Packs files of other runs behind its back. */
  pack(files: readonly string[]): void {
    for (const file of files) this.#packer.add(file);
  }

  record(input: StampedInput, commands: readonly Command[]): void {
    if (this.#broken || this.#closed) return;
    this.#seq = input.seq;
    this.#push(JSON.stringify({ seq: input.seq, t: input.t, mono: input.mono, in: input.in }));
    if (commands.length > 0) this.#push(JSON.stringify({ seq: input.seq, out: commands }));
    this.#records += 1;
    if (this.#records % CHAIN_EVERY === 0) this.#chainOrTurn();
    // a restart must know what was sent (window-use.ts)
    if (commands.some((command) => 'permit' in command)) this.#flush();
    else
      this.#timer ??= setTimeout(() => {
        this.#flush();
      }, FLUSH_MS);
  }

  #push(line: string): void {
    const text = `${line}\n`;
    this.#hash.update(text);
    this.#last.lines.push(text);
    this.#chars += text.length;
    this.#waiting += text.length;
  }

  /** `next`: the number of the part that follows. */
  #chain(next?: number): string {
    const chain = this.#hash.copy().digest('hex');
    this.#push(JSON.stringify({ seq: this.#seq, chain, next }));
    return chain;
  }

  #chainOrTurn(): void {
    const { number: part } = this.#last;
    const next = this.#chars < this.#partChars ? undefined : this.#openPart(part + 1);
    const chain = this.#chain(next?.number);
    if (next === undefined) return;
    this.#parts.push(next);
    this.#hash = createHash('sha256');
    this.#chars = 0;
    const after: FormerPart = { part, seq: this.#seq, chain };
    this.#push(JSON.stringify({ journal: 1, ...this.#header, after }));
  }

  /** Undefined: it cannot be opened, so the one before goes on. */
  #openPart(number: number): Part | undefined {
    const file = partFile(this.file, number);
    try {
      const fd = openSync(file, 'wx');
      this.#cannotTurn = false;
      return { number, file, fd, lines: [] };
    } catch (error) {
      if (!this.#cannotTurn)
        this.#report.problem(
          `the journal cannot go on in a part of its own, and goes on as it is: ${messageOf(error)}`,
        );
      this.#cannotTurn = true;
      return undefined;
    }
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const part = this.#first;
    if (this.#writing || part.lines.length === 0) {
      if (this.#waiting > MAX_WAITING) this.#break('too much waits for the disk');
      return;
    }
    const text = part.lines.join('');
    part.lines = [];
    this.#waiting -= text.length;
    this.#writing = true;
    this.#write(part, Buffer.from(text), 0);
  }

  #write(part: Part, bytes: Buffer, from: number): void {
    write(part.fd, bytes, from, bytes.length - from, null, (error, written) => {
      if (this.#broken) {
        this.#writing = false;
        return;
      }
      if (error !== null) {
        this.#refused(error, () => this.#write(part, bytes, from));
        return;
      }
      if (from + written < bytes.length) {
        this.#write(part, bytes, from + written);
        return;
      }
      if (this.#isRefused) this.#report.resumed('the journal is written again; nothing of it is missing');
      this.#isRefused = false;
      this.#writing = false;
      if (part !== this.#last && part.lines.length === 0) this.#leave(part);
      if (this.#first.lines.length > 0)
        this.#timer ??= setTimeout(() => {
          this.#flush();
        }, FLUSH_MS);
    });
  }

  /** All of it is on the disk. */
  #leave(part: Part): void {
    this.#parts.shift();
    this.#closeFile(part);
    if (this.#newestEnded !== undefined) this.#packer.add(this.#newestEnded);
    this.#newestEnded = part.file;
  }

  #closeFile({ fd, file }: Part): void {
    try {
      closeSync(fd);
    } catch (error) {
      this.#report.problem(`${file} may lack its end: ${messageOf(error)}`);
    }
  }

  get #first(): Part {
    return this.#parts[0] as Part;
  }

  get #last(): Part {
    return this.#parts.at(-1) as Part;
  }

  /** A journal that cannot be written must not stop the bot, nor fill its memory. */
  #refused({ message }: Error, again: () => void): void {
    if (this.#closed) {
      this.#writing = false;
      this.#break(message);
      return;
    }
    if (!this.#isRefused)
      this.#report.problem(`the journal cannot be written, tried again every second: ${message}`);
    this.#isRefused = true;
    this.#refusal = message;
    const timer = setTimeout(() => {
      this.#retry = undefined;
      again();
    }, RETRY_MS);
    this.#retry = { timer, again };
  }

  #break(reason: string): void {
    // a write that is under way tells its end itself
    if (this.#retry !== undefined) this.#writing = false;
    clearTimeout(this.#retry?.timer);
    this.#retry = undefined;
    for (const part of this.#parts) part.lines = [];
    this.#waiting = 0;
    if (this.#broken) return;
    this.#broken = true;
    this.#refusal = reason;
    this.#report.problem(`the journal ends here, before its run does: ${reason}`);
  }

  /** Resolves when it can take more, or the disk refuses: for whoever makes records faster than a disk takes them. */
  async ready(): Promise<void> {
    await setImmediate();
    while (this.#waiting > MANY_WAITING && !this.#broken && !this.#isRefused) await sleep(5);
  }

  /** Writes what is left, with the closing chain record. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#retry !== undefined) {
      const { timer, again } = this.#retry;
      clearTimeout(timer);
      this.#retry = undefined;
      // the last try
      again();
    }
    while (this.#writing) await sleep(5);
    // the write that just ended may have planned another: it would find this descriptor closed, or somebody else's
    clearTimeout(this.#timer);
    try {
      if (this.#broken) return;
      this.#chain();
      // all of it, or it throws
      for (const { fd, lines } of this.#parts) appendFileSync(fd, lines.join(''));
    } catch (error) {
      this.#break(messageOf(error));
    } finally {
      for (const part of this.#parts) this.#closeFile(part);
      await this.#packer.close();
    }
  }
}
