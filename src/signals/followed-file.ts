// A file of signals that another program appends to, one JSON message (or a list of them) a line. What stood in it before is no
// price now: it is followed from its end; one that comes later from its beginning. It may be cut, or replaced by another.
import type { FileHandle } from 'node:fs/promises';
import { open, stat } from 'node:fs/promises';
import { messageOf, readJson, systemCodeOf, userText } from '../domain/index.ts';
import type { SignalSource, SignalLog } from './source.ts';
import { Oddities, SourceHealth } from './source.ts';

export type FollowPorts = {
  readonly take: (messages: readonly unknown[]) => void;
  readonly log: SignalLog;
  /** Monotonic ms. */
  readonly now: () => number;
};

const LOOK_EVERY_MS = 200;
const PIECE_BYTES = 65_536;
/** At one look: the rest waits for the next one, so that the bot is never held up. */
const MOST_PIECES = 16;
/** A longer line is none. */
const LONGEST_LINE = 65_536;
/** A file that is replaced is away for a moment. */
const AWAY_MS = 5000;
const NEWLINE = 10;

export class FollowedFile implements SignalSource {
  readonly name: string;
  readonly #path: string;
  readonly #ports: FollowPorts;
  readonly #health: SourceHealth;
  readonly #oddities: Oddities;
  #handle: FileHandle | undefined;
  /** Of the file that `#position` is in: one that is opened again is read on there. */
  #id: string | undefined;
  /** The file that takes its place. */
  #next: string | undefined;
  #position = 0;
  /** Of a line whose end is not there yet. */
  #torn: Buffer = Buffer.alloc(0);
  /** What comes is the rest of a line that is no use. */
  #skips = false;
  #isFirstLook = true;
  #lines = 0;
  #isClosed = false;
  #looking: Promise<void>;
  #timer: NodeJS.Timeout | undefined;

  /** `path`: absolute. Looks at once, and then five times a second. */
  constructor(path: string, ports: FollowPorts) {
    this.name = `file ${path}`;
    this.#path = path;
    this.#ports = ports;
    this.#health = new SourceHealth(this.name, ports.log, ports.now);
    this.#oddities = new Oddities(this.name, ports.log);
    this.#looking = this.#turn();
  }

  get problem(): string | undefined {
    return this.#health.problem;
  }

  get details(): Readonly<Record<string, unknown>> {
    return { open: this.#handle !== undefined, lines: this.#lines, ...this.#oddities.counts };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#looking;
    await this.#leave();
  }

  async #turn(): Promise<void> {
    try {
      await this.#look();
      this.#isFirstLook = false;
    } catch (error) {
      await this.#leave();
      this.#health.fail(`the file cannot be read: ${messageOf(error)}`);
    }
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#looking = this.#turn();
    }, LOOK_EVERY_MS).unref();
  }

  async #look(): Promise<void> {
    // what the former one still got, before the one that took its place
    if (this.#handle !== undefined && !(await this.#readOn(this.#handle))) return;
    const there = await statOf(this.#path);
    if (there === undefined) {
      this.#health.fail('the file is not there: it is read from its beginning once it is', AWAY_MS);
      return;
    }
    if (!there.isFile()) throw new Error('it is no file');
    this.#health.works();
    const id = `${there.dev} ${there.ino}`;
    if (this.#handle !== undefined) {
      if (this.#id === id) return;
      // whoever writes may still be at the former one: it is read once more at the next look
      const isNews = this.#next !== id;
      this.#next = id;
      if (isNews) return;
    }
    await this.#leave();
    this.#handle = await open(this.#path, 'r');
    if (this.#id !== id) {
      this.#begin('torn');
      this.#id = id;
      if (this.#isFirstLook) await this.#goToEnd(this.#handle, there.size);
    }
    await this.#readOn(this.#handle);
  }

  async #goToEnd(handle: FileHandle, size: number): Promise<void> {
    this.#position = size;
    if (size === 0) return;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
    this.#skips = bytesRead === 1 && buffer[0] !== NEWLINE;
  }

  /** False: there is more. */
  async #readOn(handle: FileHandle): Promise<boolean> {
    const { size } = await handle.stat();
    if (size < this.#position) this.#begin('cut');
    let isAtEnd = false;
    for (let pieces = 0; pieces < MOST_PIECES && !isAtEnd && !this.#isClosed; pieces++) {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(PIECE_BYTES), 0, PIECE_BYTES, this.#position);
      isAtEnd = bytesRead === 0;
      this.#position += bytesRead;
      const messages: unknown[] = [];
      this.#split(buffer.subarray(0, bytesRead), messages);
      // piece by piece: others have their turns in between
      if (messages.length > 0) this.#ports.take(messages);
    }
    return isAtEnd;
  }

  #split(piece: Buffer, messages: unknown[]): void {
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, from)) {
      const rest = piece.subarray(from, end);
      if (this.#skips) this.#skips = false;
      else this.#line(Buffer.concat([this.#torn, rest]), messages);
      this.#torn = Buffer.alloc(0);
      from = end + 1;
    }
    if (this.#skips) return;
    this.#torn = Buffer.concat([this.#torn, piece.subarray(from)]);
    if (this.#torn.length <= LONGEST_LINE) return;
    this.#oddities.note('too long', { bytes: this.#torn.length });
    this.#torn = Buffer.alloc(0);
    this.#skips = true;
  }

  #line(bytes: Buffer, messages: unknown[]): void {
    let text: string;
    try {
      // programs that append may put a mark before each line
      text = userText(bytes);
    } catch (error) {
      this.#lines += 1;
      this.#oddities.note('no UTF-8', { problem: messageOf(error) });
      return;
    }
    if (text.trim() === '') return;
    this.#lines += 1;
    const read = readJson(text);
    if (!read.ok) this.#oddities.note('no JSON', { line: text.slice(0, 100), problem: read.problem });
    else if (Array.isArray(read.value)) messages.push(...(read.value as readonly unknown[]));
    else messages.push(read.value);
  }

  /** At the beginning again; `why` the line that was not at its end is lost. */
  #begin(why: string): void {
    if (this.#torn.length > 0) this.#oddities.note(why, { line: this.#torn.toString('utf8').slice(0, 100) });
    this.#torn = Buffer.alloc(0);
    this.#position = 0;
    this.#skips = false;
  }

  async #leave(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close().catch(() => undefined);
  }
}

async function statOf(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
