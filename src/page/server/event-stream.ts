// The way back to programs (docs/signals.md): fills, own quotes, marks, and books of the markets that were asked for, as they
// happen, each with a number; and the events of the run for who asks for them, which can be resumed. A listener that does not
// read is dropped: numbers tell what it missed.
import type { ServerResponse } from 'node:http';
import type { RunEvent, StampedArrival } from '../../domain/index.ts';
import { recordedEvent } from '../../journal/index.ts';

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

/** What somebody who listens wants to hear. */
export type Wanted = {
  readonly format: EventFormat;
  /** Markets of which the books are told. */
  readonly books: readonly string[];
  /** Events of the run; `all`: whatever their type. */
  readonly types?: readonly string[] | 'all' | undefined;
  /** Only events behind this place of the run, `SEQ` or `SEQ.INDEX`: those that are kept are told at once. */
  readonly after?: string | undefined;
};

/** An event of the run, and its place: the number of its step, and its own in it, from 0. */
type KeptEvent = {
  readonly seq: number;
  readonly index: number;
  readonly t: number;
  readonly event: RunEvent;
};

/** Events of the run that are kept for who comes back. */
const MOST_KEPT_EVENTS = 10_000;

type Listener = {
  readonly raw: ServerResponse;
  readonly format: EventFormat;
  readonly books: ReadonlySet<string>;
  readonly types: ReadonlySet<string> | 'all' | undefined;
  /** Bytes that it was told at once when it came back. */
  mayWait: number;
  /** Of what it was told last. */
  number: number;
};

export class EventStream {
  readonly #listeners = new Set<Listener>();
  /** The newest of the run. */
  #events: KeptEvent[] = [];
  /** Older ones were dropped. */
  #forgot = false;
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
  add(raw: ServerResponse, { format, books, types, after }: Wanted): boolean {
    if (this.#listeners.size >= MOST_CLIENTS) return false;
    const listener: Listener = {
      raw,
      format,
      books: new Set(books),
      number: 0,
      mayWait: 0,
      types: types === 'all' || types === undefined ? types : new Set(types),
    };
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
    if (types !== undefined && after !== undefined) this.#resume(listener, after);
    this.#timer ??= setInterval(() => {
      // an empty line is none to a reader of lines
      for (const one of this.#listeners) one.raw.write(one.format === 'sse' ? ': alive\n\n' : '\n');
    }, ALIVE_MS).unref();
    return true;
  }

  /** What happened in a step of the run. */
  tellRun({ seq, t }: Pick<StampedArrival, 'seq' | 't'>, events: readonly RunEvent[]): void {
    for (const [index, event] of events.entries()) {
      const kept = { seq, index, t, event };
      this.#events.push(kept);
      for (const listener of this.#listeners) {
        this.#tellEvent(listener, kept);
        this.#dropIfSlow(listener);
      }
    }
    if (this.#events.length <= 2 * MOST_KEPT_EVENTS) return;
    this.#events = this.#events.slice(-MOST_KEPT_EVENTS);
    this.#forgot = true;
  }

  /** What came since; where that is not all there, a gap is told first. */
  #resume(listener: Listener, after: string): void {
    const [seq = 0, index = Number.POSITIVE_INFINITY] = after.split('.').map(Number);
    const isBehind = (one: KeptEvent): boolean => one.seq > seq || (one.seq === seq && one.index > index);
    const first = this.#events[0];
    const last = this.#events.at(-1);
    const isMissing = first !== undefined && this.#forgot && first.seq > seq;
    // it listened to another run
    const isOfAnother = last === undefined ? seq > 0 : last.seq < seq;
    if (isMissing || isOfAnother)
      this.#write(listener, 'Gap', { after, from: isOfAnother ? (last?.seq ?? 0) : first?.seq });
    for (const kept of this.#events) if (isBehind(kept)) this.#tellEvent(listener, kept);
    listener.mayWait = listener.raw.writableLength;
  }

  #tellEvent(listener: Listener, { seq, index, t, event }: KeptEvent): void {
    const { types } = listener;
    if (types === undefined || (types !== 'all' && !types.has(event.type))) return;
    // as the journal has it: without secrets
    this.#write(listener, event.type, { seq, t, ...recordedEvent(event) }, `${seq}.${index}`);
  }

  tell({ event, market, data }: ProgramEvent): void {
    if (this.#listeners.size === 0) return;
    for (const listener of this.#listeners) {
      if (event === 'book' && !listener.books.has(market ?? '')) continue;
      this.#write(listener, event, data);
      this.#dropIfSlow(listener);
    }
  }

  /** What it was told to catch up may wait. */
  #dropIfSlow({ raw, mayWait }: Listener): void {
    if (raw.writableLength > MOST_UNREAD_BYTES + mayWait) raw.destroy();
  }

  /** `place`: from where it can be resumed. Of who hears the run, only its events have one. */
  #write(listener: Listener, event: string, data: Readonly<Record<string, unknown>>, place?: string): void {
    const { raw, format, types } = listener;
    listener.number += 1;
    const n = listener.number;
    const rest = JSON.stringify(data).slice(1);
    const id = types === undefined ? `id: ${n}\n` : place === undefined ? '' : `id: ${place}\n`;
    raw.write(
      format === 'sse' ? `${id}event: ${event}\ndata: {"n":${n},${rest}\n\n` : `{"n":${n},"event":"${event}",${rest}\n`,
    );
  }

  close(): void {
    for (const { raw } of this.#listeners) raw.end();
    clearInterval(this.#timer);
    this.#listeners.clear();
  }
}
