// The journal: every input and every command of one run, NDJSON with sequence numbers (DESIGN §6). Each 1,000th record
// and the last one are followed by the sha256 of everything before, so that tampering and tears both show. Lines are
// gathered and written behind the bot's back; only `close` waits for the disk. What a disk refuses waits in memory, and is
// written once it takes again; when too much waits, the journal ends there for good, torn.
import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, openSync, write } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Command, StampedInput } from '../domain/index.ts';
import type { DiskReport } from './disk-report.ts';
import { makeFolder } from './folder.ts';

export const CHAIN_EVERY = 1000;
const FLUSH_MS = 50;
const RETRY_MS = 1000;
/** Characters that wait for a disk: some minutes of a busy bot. */
const MAX_WAITING = 64 * 1024 * 1024;
const MANY_WAITING = 8 * 1024 * 1024;

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
};

export class JournalWriter {
  readonly file: string;
  readonly #fd: number;
  readonly #hash = createHash('sha256');
  #lines: string[] = [];
  #seq = 0;
  #records = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing = false;
  #isRefused = false;
  /** What the disk refused, until it is tried again. */
  #retry: { readonly timer: NodeJS.Timeout; readonly again: () => void } | undefined;
  /** Characters in `#lines`. */
  #waiting = 0;
  #closed = false;
  #broken = false;
  readonly #report: DiskReport;

  constructor(file: string, header: JournalHeader, report: DiskReport) {
    this.file = file;
    this.#report = report;
    makeFolder(dirname(file));
    this.#fd = openSync(file, 'wx');
    this.#push(JSON.stringify({ journal: 1, ...header }));
  }

  /** The run went on behind its end. */
  get isTorn(): boolean {
    return this.#broken;
  }

  record(input: StampedInput, commands: readonly Command[]): void {
    if (this.#broken || this.#closed) return;
    this.#seq = input.seq;
    this.#push(JSON.stringify({ seq: input.seq, t: input.t, mono: input.mono, in: input.in }));
    if (commands.length > 0) this.#push(JSON.stringify({ seq: input.seq, out: commands }));
    this.#records += 1;
    if (this.#records % CHAIN_EVERY === 0) this.#chain();
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
    this.#lines.push(text);
    this.#waiting += text.length;
  }

  #chain(): void {
    this.#push(JSON.stringify({ seq: this.#seq, chain: this.#hash.copy().digest('hex') }));
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#writing || this.#lines.length === 0) {
      if (this.#waiting > MAX_WAITING) this.#break('too much waits for the disk');
      return;
    }
    const bytes = Buffer.from(this.#lines.join(''));
    this.#lines = [];
    this.#waiting = 0;
    this.#writing = true;
    this.#write(bytes, 0);
  }

  #write(bytes: Buffer, from: number): void {
    write(this.#fd, bytes, from, bytes.length - from, null, (error, written) => {
      if (this.#broken) {
        this.#writing = false;
        return;
      }
      if (error !== null) {
        this.#refused(error, () => this.#write(bytes, from));
        return;
      }
      if (from + written < bytes.length) {
        this.#write(bytes, from + written);
        return;
      }
      if (this.#isRefused) this.#report.resumed('the journal is written again; nothing of it is missing');
      this.#isRefused = false;
      this.#writing = false;
      if (this.#lines.length > 0)
        this.#timer ??= setTimeout(() => {
          this.#flush();
        }, FLUSH_MS);
    });
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
    this.#lines = [];
    this.#waiting = 0;
    if (this.#broken) return;
    this.#broken = true;
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
      appendFileSync(this.#fd, this.#lines.join(''));
    } catch (error) {
      this.#break(error instanceof Error ? error.message : String(error));
    } finally {
      closeSync(this.#fd);
    }
  }
}
