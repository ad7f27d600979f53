// Follows a file of signals that another program appends to: one JSON message, or a list of messages, per
// line. A file that exists at the start is read from its end, because its old lines are no current prices. A
// file that appears later is read from its beginning. The file may be truncated or replaced.
import type { FileHandle } from 'node:fs/promises';
import { open, stat } from 'node:fs/promises';
import { messageOf, readJson, systemCodeOf, userText } from '../domain/index.ts';
import type { SignalSource, SignalLog } from './source.ts';
import { UnusableData, SourceHealth } from './source.ts';

export type FollowPorts = {
  readonly take: (messages: readonly unknown[]) => void;
  readonly log: SignalLog;
  /** Monotonic ms. */
  readonly now: () => number;
};

const POLL_EVERY_MS = 200;
const PIECE_BYTES = 65_536;
/** Pieces read in one poll. The rest waits for the next poll, so that the bot is never held up. */
const MOST_PIECES = 16;
/** Bytes. Longer lines are skipped and counted. */
const LONGEST_LINE = 65_536;
/** A file that is being replaced may be missing for this long before it is reported. */
const MISSING_GRACE_MS = 5000;
const NEWLINE = 10;

export class FollowedFile implements SignalSource {
  readonly name: string;
  readonly #path: string;
  readonly #ports: FollowPorts;
  readonly #health: SourceHealth;
  readonly #oddities: UnusableData;
  #handle: FileHandle | undefined;
  /**
   * Id (device and inode) of the file that `#position` refers to. A file that is opened again continues from
   * there.
   */
  #id: string | undefined;
  /** Id of the file that has replaced it on disk, once seen. */
  #replacementId: string | undefined;
  #position = 0;
  /** The beginning of a line whose end has not been written yet. */
  #partialLine: Buffer = Buffer.alloc(0);
  /** Whether the bytes up to the next newline are skipped, as the rest of an unusable line. */
  #skips = false;
  #isFirstPoll = true;
  #lines = 0;
  #isClosed = false;
  #polling: Promise<void>;
  #timer: NodeJS.Timeout | undefined;

  /**
   * Starts to follow a file: polls it at once, and then five times a second.
   * @param path absolute path
   */
  constructor(path: string, ports: FollowPorts) {
    this.name = `file ${path}`;
    this.#path = path;
    this.#ports = ports;
    this.#health = new SourceHealth(this.name, ports.log, ports.now);
    this.#oddities = new UnusableData(this.name, ports.log);
    this.#polling = this.#turn();
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
    await this.#polling;
    await this.#closeFile();
  }

  async #turn(): Promise<void> {
    try {
      await this.#poll();
      this.#isFirstPoll = false;
    } catch (error) {
      await this.#closeFile();
      this.#health.fail(`the file cannot be read: ${messageOf(error)}`);
    }
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#polling = this.#turn();
    }, POLL_EVERY_MS).unref();
  }

  async #poll(): Promise<void> {
    // first the rest of the open file, then the one that may have replaced it
    if (this.#handle !== undefined && !(await this.#readOn(this.#handle))) return;
    const found = await statOf(this.#path);
    if (found === undefined) {
      this.#health.fail('the file is not there: it is read from its beginning once it is', MISSING_GRACE_MS);
      return;
    }
    if (!found.isFile()) throw new Error('it is no file');
    this.#health.works();
    const id = `${found.dev} ${found.ino}`;
    if (this.#handle !== undefined) {
      if (this.#id === id) return;
      // the writer may still append to the old file: it is read once more at the next poll
      const isNews = this.#replacementId !== id;
      this.#replacementId = id;
      if (isNews) return;
    }
    await this.#closeFile();
    this.#handle = await open(this.#path, 'r');
    if (this.#id !== id) {
      this.#begin('torn');
      this.#id = id;
      if (this.#isFirstPoll) await this.#goToEnd(this.#handle, found.size);
    }
    await this.#readOn(this.#handle);
  }

  /** Moves to the end of the file. A line that is not finished there is skipped. */
  async #goToEnd(handle: FileHandle, size: number): Promise<void> {
    this.#position = size;
    if (size === 0) return;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
    this.#skips = bytesRead === 1 && buffer[0] !== NEWLINE;
  }

  /** Reads from the current position. Returns false when there is more to read. */
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
      // piece by piece, so that other work runs in between
      if (messages.length > 0) this.#ports.take(messages);
    }
    return isAtEnd;
  }

  /** Splits a piece into lines and adds their messages. */
  #split(piece: Buffer, messages: unknown[]): void {
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, from)) {
      const rest = piece.subarray(from, end);
      if (this.#skips) this.#skips = false;
      else this.#line(Buffer.concat([this.#partialLine, rest]), messages);
      this.#partialLine = Buffer.alloc(0);
      from = end + 1;
    }
    if (this.#skips) return;
    this.#partialLine = Buffer.concat([this.#partialLine, piece.subarray(from)]);
    if (this.#partialLine.length <= LONGEST_LINE) return;
    this.#oddities.note('too long', { bytes: this.#partialLine.length });
    this.#partialLine = Buffer.alloc(0);
    this.#skips = true;
  }

  /** Adds the messages of one line. */
  #line(bytes: Buffer, messages: unknown[]): void {
    let text: string;
    try {
      // programs that append may put a byte-order mark before each line
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

  /** Moves to the beginning of the file. An unfinished line is lost and noted as `why`. */
  #begin(why: string): void {
    if (this.#partialLine.length > 0)
      this.#oddities.note(why, { line: this.#partialLine.toString('utf8').slice(0, 100) });
    this.#partialLine = Buffer.alloc(0);
    this.#position = 0;
    this.#skips = false;
  }

  async #closeFile(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close().catch(() => undefined);
  }
}

/** The file's status. Undefined when it does not exist. */
async function statOf(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
