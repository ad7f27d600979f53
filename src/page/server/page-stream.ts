// The stream of the page (docs/reference/page-stream.md): a snapshot, then differences, at most four a
// second, and the market that a client views. Differences are computed once for all clients, in short parts
// between the steps of the bot: a frame that arrives meanwhile waits for one part at most. A slow client
// misses differences and gets a new snapshot once it has read; one that does not read is disconnected. No
// client costs more than a snapshot.
import type { ServerResponse } from 'node:http';
import { changedFields } from '../changes.ts';
import type { Parts } from '../parts.ts';
import { wholeOf } from '../parts.ts';
import type { Role } from './access.ts';
import { eventBytes, EventSink } from './sse.ts';
import type { MarketView, PageState } from '../state.ts';
import { changeInParts } from '../state-change.ts';

export type PageSource = {
  /** Reads the state. Steps may pass between two parts; what is read before them is then older. */
  readonly stateInParts: () => Parts<PageState>;
  /** Undefined for an unknown market. */
  readonly market: (id: string) => MarketView | undefined;
};

type Client = {
  readonly sink: EventSink;
  readonly market: string | undefined;
  /** Whether it missed a difference. */
  isBehind: boolean;
  /** When it stopped reading, monotonic ms. Undefined while it reads. */
  stuckSince: number | undefined;
  /** The market as last sent. */
  sent: MarketView | undefined;
};

const EVERY_MS = 250;
/** How long the parts of a turn may run before frames and answers are processed. */
const PART_MS = 0.4;
/** The largest share of time that the stream may use. With very many markets, it is sent less often. */
const MOST_OF_THE_TIME = 0.04;
const SLOWEST_MS = 1000;
const MOST_CLIENTS = 32;
const STUCK_MS = 5000;
/** The longest time between two messages, so that silence means a lost connection. */
const ALIVE_MS = 1000;

export class PageStream {
  readonly #source: PageSource;
  readonly #failed: (error: unknown) => void;
  readonly #clients = new Set<Client>();
  #before: PageState | undefined;
  /** The snapshot of a state, as it is sent. */
  #snapshot: { readonly state: PageState; readonly bytes: Buffer } | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The rest of a turn that has begun. */
  #parts: NodeJS.Immediate | undefined;
  #sentAt = 0;

  /** `failed` receives internal errors. */
  constructor(source: PageSource, failed: (error: unknown) => void = () => undefined) {
    this.#source = source;
    this.#failed = failed;
  }

  /** The number of connected clients. */
  get clients(): number {
    return this.#clients.size;
  }

  /** Adds a client. False when there are too many. `market`: the one it views. `zips`: it accepts gzip. */
  addClient(
    raw: ServerResponse,
    { role, market, zips }: { readonly role: Role; readonly market: string | undefined; readonly zips: boolean },
  ): boolean {
    if (this.#clients.size >= MOST_CLIENTS) return false;
    const sink = new EventSink(raw, zips, () => this.#remove(client));
    const client: Client = { sink, market, isBehind: false, stuckSince: undefined, sent: undefined };
    sink.write('retry: 1000\n');
    sink.send('hello', { role, everyMs: EVERY_MS });
    // an error must occur before the client is added
    const state = this.#before ?? wholeOf(this.#source.stateInParts());
    this.#clients.add(client);
    if (this.#parts === undefined) this.#timer ??= setTimeout(() => this.#turn(), EVERY_MS).unref();
    // the state that all clients have: the next difference applies to it
    this.#before ??= state;
    sink.write(this.#snapshotOf(state));
    this.#sendMarket(client);
    return true;
  }

  #remove(client: Client): void {
    this.#clients.delete(client);
    if (this.#clients.size > 0) return;
    this.#stopTurns();
  }

  #stopTurns(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#parts);
    this.#timer = undefined;
    this.#parts = undefined;
    this.#before = undefined;
    this.#snapshot = undefined;
  }

  #turn(): void {
    this.#timer = undefined;
    this.#proceed(this.#tick(), performance.now(), 0);
  }

  /** Does some parts of a turn, and the others later. `usedMs`: what the former parts took. */
  #proceed(turn: Parts<void>, began: number, usedMs: number): void {
    this.#parts = undefined;
    const from = performance.now();
    let now = from;
    try {
      for (let isDone = false; !isDone; now = performance.now()) {
        if (now - from > PART_MS) {
          this.#parts = setImmediate(() => this.#proceed(turn, began, usedMs + now - from));
          return;
        }
        isDone = turn.next().done === true;
      }
    } catch (error) {
      this.#fail(error);
    }
    if (this.#clients.size === 0) return;
    const pauseMs = Math.min(SLOWEST_MS, Math.max(EVERY_MS, (usedMs + now - from) / MOST_OF_THE_TIME));
    this.#timer = setTimeout(() => this.#turn(), Math.max(0, pauseMs - (now - began))).unref();
  }

  #snapshotOf(state: PageState): Buffer {
    if (this.#snapshot?.state !== state) this.#snapshot = { state, bytes: eventBytes('snapshot', state) };
    return this.#snapshot.bytes;
  }

  /** Disconnects all clients after an error, which must not affect the bot. They may reconnect. */
  #fail(error: unknown): void {
    this.#failed(error);
    for (const { sink } of this.#clients) sink.destroy();
    this.#clients.clear();
    this.#stopTurns();
  }

  *#tick(): Parts<void> {
    const state = yield* this.#source.stateInParts();
    const change = this.#before === undefined ? undefined : yield* changeInParts(this.#before, state);
    const now = performance.now();
    const isDue = change !== undefined || now - this.#sentAt >= ALIVE_MS;
    if (isDue) this.#sentAt = now;
    const difference = isDue ? eventBytes('change', { seq: state.seq, t: state.t, ...change }) : undefined;
    // in one part, so that a client that connects meanwhile gets a state and all changes after it
    this.#before = state;
    for (const client of this.#clients) {
      if (!reads(client, now)) continue;
      if (client.isBehind) {
        client.sink.write(this.#snapshotOf(state));
        client.isBehind = false;
      } else if (difference !== undefined) client.sink.write(difference);
      this.#sendMarket(client);
    }
  }

  #sendMarket(client: Client): void {
    if (client.market === undefined) return;
    const view = this.#source.market(client.market) ?? { id: client.market, ladder: null, path: [] };
    const { sent } = client;
    const change = sent === undefined ? view : changedFields(sent, view);
    client.sent = view;
    if (change === undefined) return;
    const last = sent?.path.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY;
    // only the new points of its path
    const path = view.path.filter(([t]) => t > last);
    client.sink.send('market', { ...change, id: view.id, path, isNew: sent === undefined });
  }

  close(): void {
    for (const { sink } of this.#clients) sink.endStream(eventBytes('bye', {}));
    this.#clients.clear();
    this.#stopTurns();
  }
}

/** Whether a client reads. A client that does not is marked as behind, and later disconnected. */
function reads(client: Client, now: number): boolean {
  if (client.sink.waiting === 0) {
    client.stuckSince = undefined;
    return true;
  }
  client.isBehind = true;
  client.sent = undefined;
  client.stuckSince ??= now;
  if (now - client.stuckSince > STUCK_MS) client.sink.destroy();
  return false;
}
