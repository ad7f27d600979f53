// The journal: every input and every command of one run, NDJSON with sequence numbers (DESIGN §6). Each 1,000th record
// and the last one are followed by the sha256 of everything before, so that tampering and tears both show. Lines are
// gathered and written behind the bot's back; only `close` waits for the disk.
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, write, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command, StampedInput } from '../domain/index.ts';

export const CHAIN_EVERY = 1000;
const FLUSH_MS = 50;

export type JournalHeader = {
  readonly version: string;
  /** Effective configuration, secrets hidden. */
  readonly config: unknown;
  readonly strategies: readonly { readonly file: string; readonly sha256: string }[];
  readonly profile: unknown;
  /** From the folder of the journal to the configuration file. */
  readonly configFile?: string;
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
  #broken = false;
  readonly #failed: (error: Error) => void;

  /** @param failed told once when the disk refuses a write; the bot goes on without a journal. */
  constructor(file: string, header: JournalHeader, failed: (error: Error) => void) {
    this.file = file;
    this.#failed = failed;
    mkdirSync(dirname(file), { recursive: true });
    this.#fd = openSync(file, 'wx');
    this.#push(JSON.stringify({ journal: 1, ...header }));
  }

  record(input: StampedInput, commands: readonly Command[]): void {
    if (this.#broken) return;
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
  }

  #chain(): void {
    this.#push(JSON.stringify({ seq: this.#seq, chain: this.#hash.copy().digest('hex') }));
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#writing || this.#lines.length === 0) return;
    const bytes = Buffer.from(this.#lines.join(''));
    this.#lines = [];
    this.#writing = true;
    this.#write(bytes, 0);
  }

  #write(bytes: Buffer, from: number): void {
    write(this.#fd, bytes, from, bytes.length - from, null, (error, written) => {
      if (error) {
        this.#break(error);
        return;
      }
      if (from + written < bytes.length) {
        this.#write(bytes, from + written);
        return;
      }
      this.#writing = false;
      if (this.#lines.length > 0)
        this.#timer ??= setTimeout(() => {
          this.#flush();
        }, FLUSH_MS);
    });
  }

  /** A journal that cannot be written must not stop the bot, nor fill its memory. */
  #break(error: Error): void {
    this.#broken = true;
    this.#writing = false;
    this.#lines = [];
    this.#failed(error);
  }

  /** Writes what is left, with the closing chain record. */
  async close(): Promise<void> {
    while (this.#writing) await new Promise((resolve) => setTimeout(resolve, 5));
    // the write that just ended may have planned another: it would find this descriptor closed, or somebody else's
    clearTimeout(this.#timer);
    try {
      if (this.#broken) return;
      this.#chain();
      writeSync(this.#fd, this.#lines.join(''));
    } catch (error) {
      this.#break(error instanceof Error ? error : new Error(String(error)));
    } finally {
      // whatever is recorded from now on has no file
      this.#broken = true;
      closeSync(this.#fd);
    }
  }
}
