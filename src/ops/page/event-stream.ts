// The way back to programs (DESIGN §6, Signals): fills, own quotes, marks, and books of the markets that were asked for, as they
// happen, each with a number. A listener that does not read is dropped: numbers tell what it missed.
import type { ServerResponse } from 'node:http';

export type ProgramEvent = {
  readonly event: 'fill' | 'quote' | 'mark' | 'book';
  /** Of a book: its market. */
  readonly market?: string;
  readonly data: Readonly<Record<string, unknown>>;
};

const MOST_CLIENTS = 16;
const MOST_UNREAD_BYTES = 1_000_000;
const ALIVE_MS = 5000;

type Listener = {
  readonly raw: ServerResponse;
  readonly books: ReadonlySet<string>;
  /** Of what it was told last. */
  number: number;
};

export class EventStream {
  readonly #listeners = new Set<Listener>();
  #timer: NodeJS.Timeout | undefined;
  /** How often somebody began to listen. */
  turns = 0;

  /** Somebody listens. */
  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  /** Markets of which somebody wants the book. */
  get books(): ReadonlySet<string> {
    return new Set([...this.#listeners].flatMap(({ books }) => [...books]));
  }

  /** False: there are too many already. */
  add(raw: ServerResponse, books: readonly string[]): boolean {
    if (this.#listeners.size >= MOST_CLIENTS) return false;
    const listener: Listener = { raw, books: new Set(books), number: 0 };
    this.turns += 1;
    raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    raw.on('error', () => undefined);
    raw.on('close', () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
    raw.write('retry: 1000\n\n');
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => {
      for (const { raw: one } of this.#listeners) one.write(': alive\n\n');
    }, ALIVE_MS).unref();
    return true;
  }

  tell({ event, market, data }: ProgramEvent): void {
    if (this.#listeners.size === 0) return;
    const rest = JSON.stringify(data).slice(1);
    for (const listener of this.#listeners) {
      const { raw, books } = listener;
      if (event === 'book' && !books.has(market ?? '')) continue;
      listener.number += 1;
      raw.write(`id: ${listener.number}\nevent: ${event}\ndata: {"n":${listener.number},${rest}\n\n`);
      if (raw.writableLength > MOST_UNREAD_BYTES) raw.destroy();
    }
  }

  close(): void {
    for (const { raw } of this.#listeners) raw.end();
    clearInterval(this.#timer);
    this.#listeners.clear();
  }
}
