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

/** Server-sent events, or a JSON object a line. */
export type EventFormat = 'sse' | 'ndjson';

type Listener = {
  readonly raw: ServerResponse;
  readonly format: EventFormat;
  readonly books: ReadonlySet<string>;
  /** Of what it was told last. */
  number: number;
};

export class EventStream {
  readonly #listeners = new Set<Listener>();
  #timer: NodeJS.Timeout | undefined;
  /** How often somebody began to listen. */
  turns = 0;

  /** How many listen. */
  get listening(): number {
    return this.#listeners.size;
  }

  /** Markets of which somebody wants the book. */
  get books(): ReadonlySet<string> {
    return new Set([...this.#listeners].flatMap(({ books }) => [...books]));
  }

  /** False: there are too many already. */
  add(raw: ServerResponse, format: EventFormat, books: readonly string[]): boolean {
    if (this.#listeners.size >= MOST_CLIENTS) return false;
    const listener: Listener = { raw, format, books: new Set(books), number: 0 };
    this.turns += 1;
    raw.writeHead(200, {
      'content-type': format === 'sse' ? 'text/event-stream' : 'application/x-ndjson',
      'cache-control': 'no-store',
      // proxies would hold it back
      'x-accel-buffering': 'no',
    });
    raw.on('error', () => undefined);
    raw.on('close', () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
    // the headers go out, whatever is told first
    if (format === 'sse') raw.write('retry: 1000\n\n');
    else raw.flushHeaders();
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => {
      // an empty line is none to a reader of lines
      for (const one of this.#listeners) one.raw.write(one.format === 'sse' ? ': alive\n\n' : '\n');
    }, ALIVE_MS).unref();
    return true;
  }

  tell({ event, market, data }: ProgramEvent): void {
    if (this.#listeners.size === 0) return;
    const rest = JSON.stringify(data).slice(1);
    for (const listener of this.#listeners) {
      const { raw, format, books } = listener;
      if (event === 'book' && !books.has(market ?? '')) continue;
      listener.number += 1;
      const { number: n } = listener;
      raw.write(
        format === 'sse'
          ? `id: ${n}\nevent: ${event}\ndata: {"n":${n},${rest}\n\n`
          : `{"n":${n},"event":"${event}",${rest}\n`,
      );
      if (raw.writableLength > MOST_UNREAD_BYTES) raw.destroy();
    }
  }

  close(): void {
    for (const { raw } of this.#listeners) raw.end();
    clearInterval(this.#timer);
    this.#listeners.clear();
  }
}
