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

type Listener = { readonly raw: ServerResponse; readonly books: ReadonlySet<string> };

export class EventStream {
  readonly #listeners = new Set<Listener>();
  #number = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Somebody begins to listen, or nobody does any more. */
  readonly #changed: (books: ReadonlySet<string> | undefined) => void;

  constructor(changed: (books: ReadonlySet<string> | undefined) => void = () => undefined) {
    this.#changed = changed;
  }

  /** False: there are too many already. */
  add(raw: ServerResponse, books: readonly string[]): boolean {
    if (this.#listeners.size >= MOST_CLIENTS) return false;
    const listener = { raw, books: new Set(books) };
    raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    raw.on('error', () => undefined);
    raw.on('close', () => {
      this.#listeners.delete(listener);
      this.#tellChanged();
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
    raw.write(`retry: 1000\n: from number ${this.#number + 1}\n\n`);
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => {
      for (const { raw: one } of this.#listeners) one.write(': alive\n\n');
    }, ALIVE_MS).unref();
    this.#tellChanged();
    return true;
  }

  #tellChanged(): void {
    this.#changed(
      this.#listeners.size === 0
        ? undefined
        : new Set([...this.#listeners].flatMap(({ books }) => [...books])),
    );
  }

  tell({ event, market, data }: ProgramEvent): void {
    if (this.#listeners.size === 0) return;
    this.#number += 1;
    const text = `id: ${this.#number}\nevent: ${event}\ndata: ${JSON.stringify({ n: this.#number, ...data })}\n\n`;
    for (const { raw, books } of this.#listeners) {
      if (event === 'book' && !books.has(market ?? '')) continue;
      raw.write(text);
      if (raw.writableLength > MOST_UNREAD_BYTES) raw.destroy();
    }
  }

  close(): void {
    for (const { raw } of this.#listeners) raw.end();
    clearInterval(this.#timer);
    this.#listeners.clear();
  }
}
