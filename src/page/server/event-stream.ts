// The event stream for programs (docs/signals.md): fills, own quotes, marks and the books of requested
// markets, each with a number; on request also the events of the run, which can be resumed. A client that
// does not read is disconnected; the numbers show what it missed.
import type { ServerResponse } from 'node:http';
import type { RunEvent, StampedArrival } from '../../domain/index.ts';
import { recordedEvent } from '../../journal/index.ts';

export type ProgramEvent = {
  readonly event: 'fill' | 'quote' | 'mark' | 'book';
  /** The market of a book. */
  readonly market?: string;
  readonly data: Readonly<Record<string, unknown>>;
};

const MOST_CLIENTS = 16;
const MOST_UNREAD_BYTES = 1_000_000;
const ALIVE_MS = 5000;

/** The format of a stream: server-sent events, or one JSON object per line. */
export type EventFormat = 'sse' | 'ndjson';

/** The subscription of a client. */
export type Wanted = {
  readonly format: EventFormat;
  /** Markets whose books are sent. */
  readonly books: readonly string[];
  /** Types of run events to send. Undefined: none. */
  readonly types?: readonly string[] | 'all' | undefined;
  /** Sends run events after this position only, `SEQ` or `SEQ.INDEX`. Kept events are sent at once. */
  readonly after?: string | undefined;
};

/** A run event and its position: the number of its step, and its index in the step, from 0. */
type KeptEvent = {
  readonly seq: number;
  readonly index: number;
  readonly t: number;
  readonly event: RunEvent;
};

/** How many run events are kept for clients that reconnect. */
const MOST_KEPT_EVENTS = 10_000;

type Listener = {
  readonly raw: ServerResponse;
  readonly format: EventFormat;
  readonly books: ReadonlySet<string>;
  readonly types: ReadonlySet<string> | 'all' | undefined;
  /** Unread bytes of the events sent at its reconnect, which do not count as slow reading. */
  mayWait: number;
  /** The number of the last message. */
  number: number;
};

export class EventStream {
  readonly #listeners = new Set<Listener>();
  /** The newest events of the run. */
  #events: KeptEvent[] = [];
  /** Whether older events were dropped. */
  #forgot = false;
  #timer: NodeJS.Timeout | undefined;
  /** The number of clients that ever connected. */
  turns = 0;

  /** The number of connected clients. */
  get listening(): number {
    return this.#listeners.size;
  }

  /** Markets whose book a client subscribed to. */
  get books(): ReadonlySet<string> {
    return new Set([...this.#listeners].flatMap(({ books }) => [...books]));
  }

  /** Adds a client. False when there are too many. */
  addClient(raw: ServerResponse, { format, books, types, after }: Wanted): boolean {
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
      // proxies would buffer the stream
      'x-accel-buffering': 'no',
    });
    raw.on('error', () => undefined);
    raw.on('close', () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
    // sends the headers before the first message
    if (format === 'sse') raw.write('retry: 1000\n\n');
    else raw.flushHeaders();
    this.#listeners.add(listener);
    if (types !== undefined && after !== undefined) this.#resume(listener, after);
    this.#timer ??= setInterval(() => {
      // readers of lines ignore an empty line
      for (const { raw: stream, format: kind } of this.#listeners) stream.write(kind === 'sse' ? ': alive\n\n' : '\n');
    }, ALIVE_MS).unref();
    return true;
  }

  /** Sends the events of a step of the run. */
  sendRunEvents({ seq, t }: Pick<StampedArrival, 'seq' | 't'>, events: readonly RunEvent[]): void {
    for (const [index, event] of events.entries()) {
      const kept = { seq, index, t, event };
      this.#events.push(kept);
      for (const listener of this.#listeners) {
        this.#sendRunEvent(listener, kept);
        this.#dropIfSlow(listener);
      }
    }
    if (this.#events.length <= 2 * MOST_KEPT_EVENTS) return;
    this.#events = this.#events.slice(-MOST_KEPT_EVENTS);
    this.#forgot = true;
  }

  /** Sends the events after a position. A `Gap` event comes first when some are no longer kept. */
  #resume(listener: Listener, after: string): void {
    const [seq = 0, index = Number.POSITIVE_INFINITY] = after.split('.').map(Number);
    const isAfter = (kept: KeptEvent): boolean => kept.seq > seq || (kept.seq === seq && kept.index > index);
    const first = this.#events[0];
    const last = this.#events.at(-1);
    const isMissing = first !== undefined && this.#forgot && first.seq > seq;
    // the position is of another run
    const isOfAnother = last === undefined ? seq > 0 : last.seq < seq;
    if (isMissing || isOfAnother)
      this.#write(listener, 'Gap', { after, from: isOfAnother ? (last?.seq ?? 0) : first?.seq });
    for (const kept of this.#events) if (isAfter(kept)) this.#sendRunEvent(listener, kept);
    listener.mayWait = listener.raw.writableLength;
  }

  #sendRunEvent(listener: Listener, { seq, index, t, event }: KeptEvent): void {
    const { types } = listener;
    if (types === undefined || (types !== 'all' && !types.has(event.type))) return;
    // redacted, as in the journal
    this.#write(listener, event.type, { seq, t, ...recordedEvent(event) }, `${seq}.${index}`);
  }

  /** Sends an event to all clients that subscribed to it. */
  send({ event, market, data }: ProgramEvent): void {
    if (this.#listeners.size === 0) return;
    for (const listener of this.#listeners) {
      if (event === 'book' && !listener.books.has(market ?? '')) continue;
      this.#write(listener, event, data);
      this.#dropIfSlow(listener);
    }
  }

  /** Disconnects a client with too many unread bytes, apart from the events of its reconnect. */
  #dropIfSlow({ raw, mayWait }: Listener): void {
    if (raw.writableLength > MOST_UNREAD_BYTES + mayWait) raw.destroy();
  }

  /**
   * Writes a message. `place`: the position to resume from; in a stream with run events, only those have one.
   */
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
