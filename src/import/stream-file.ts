// Reads one stream file, message by message, in the order of time. Where it cannot be read, it ends with a
// problem.
import { messageOf, userText } from '../domain/index.ts';
import type { RawFile } from './raw-files.ts';
import { rawChunks } from './raw-files.ts';
import type { StreamMessage } from './stream-line.ts';
import { parseStreamLine } from './stream-line.ts';

const NEWLINE = 10;
/** A longer line is no message: a line with a thousand markets has a few megabytes. */
const LONGEST_LINE = 64 * 1024 * 1024;

export class StreamFile {
  readonly raw: RawFile;
  /** The reason why reading ended early. Undefined when there is none. */
  problem: string | undefined;
  /** Whether the file has definitions, prices of last trades, and books. */
  hasDefinition = false;
  hasLast = false;
  hasLadder = false;
  /** The next message. Undefined at the end. */
  head: StreamMessage | undefined;
  readonly #messages: AsyncGenerator<readonly StreamMessage[]>;
  #batch: readonly StreamMessage[] = [];
  #nextIndex = 0;
  #latest = 0;

  /** @param progress receives the number of bytes read so far */
  constructor(raw: RawFile, progress: (bytes: number) => void) {
    this.raw = raw;
    this.#messages = this.#read(progress);
  }

  /** Advances to the next message. */
  async advance(): Promise<void> {
    while (this.#nextIndex >= this.#batch.length) {
      const next = (await this.#messages.next()) as IteratorResult<readonly StreamMessage[], undefined>;
      if (next.value === undefined) {
        this.head = undefined;
        return;
      }
      this.#batch = next.value;
      this.#nextIndex = 0;
    }
    this.head = this.#batch[this.#nextIndex];
    this.#nextIndex += 1;
  }

  async close(): Promise<void> {
    this.head = undefined;
    await this.#messages.return(undefined);
  }

  async *#read(progress: (bytes: number) => void): AsyncGenerator<readonly StreamMessage[]> {
    let rest: Buffer[] = [];
    let line = 0;
    let batch: StreamMessage[] = [];
    const add = (bytes: Buffer): void => {
      line += 1;
      const text = line === 1 ? userText(bytes) : bytes.toString();
      if (text.trim() === '') return;
      const message = parseStreamLine(text);
      if (typeof message === 'string') throw new Error(`line ${line}: ${message}`);
      if (message !== undefined) batch.push(this.#inOrder(message));
    };
    try {
      for await (const chunk of rawChunks(this.raw, progress)) {
        let from = 0;
        for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
          if (end === from && rest.length === 0) line += 1;
          else {
            rest.push(chunk.subarray(from, end));
            add(Buffer.concat(rest));
            rest = [];
          }
          from = end + 1;
        }
        if (from < chunk.length) rest.push(chunk.subarray(from));
        if (rest.reduce((sum, { length }) => sum + length, 0) > LONGEST_LINE)
          throw new Error(`line ${line + 1}: it is too long for a message`);
        yield batch;
        batch = [];
      }
      if (rest.length > 0) add(Buffer.concat(rest));
    } catch (error) {
      this.problem = messageOf(error);
    }
    if (batch.length > 0) yield batch;
  }

  #inOrder(message: StreamMessage): StreamMessage {
    for (const { definition, runners } of message.markets) {
      if (definition !== undefined) this.hasDefinition = true;
      for (const { hasLast, toBack, toLay, bestToBack, bestToLay } of runners) {
        if (hasLast) this.hasLast = true;
        if ((toBack ?? toLay ?? bestToBack ?? bestToLay) !== undefined) this.hasLadder = true;
      }
    }
    // after a clock is set back, later messages keep the latest time
    this.#latest = Math.max(this.#latest, message.t);
    return message.t === this.#latest ? message : { ...message, t: this.#latest };
  }
}
