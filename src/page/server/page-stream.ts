// The stream of the page (docs/reference/page-stream.md): a snapshot, then differences, at most four a
// second, and the market that a client views. Differences are computed once for all clients. A slow client
// misses differences and gets a new snapshot once it has read; one that does not read is disconnected. No
// client costs more than a snapshot.
import type { ServerResponse } from 'node:http';
import { changedFields } from '../changes.ts';
import type { Role } from './access.ts';
import { EventSink, eventText } from './sse.ts';
import type { MarketView, PageState } from '../state.ts';
import { changeOf } from '../state-change.ts';

export type PageSource = {
  readonly state: () => PageState;
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
  #timer: NodeJS.Timeout | undefined;
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
    sink.write(`retry: 1000\n${eventText('hello', { role, everyMs: EVERY_MS })}`);
    // an error must occur before the client is added
    const state = this.#before ?? this.#source.state();
    this.#clients.add(client);
    this.#timer ??= setTimeout(() => this.#turn(), EVERY_MS).unref();
    // the state that all clients have: the next difference applies to it
    this.#before ??= state;
    sink.send('snapshot', state);
    this.#sendMarket(client);
    return true;
  }

  #remove(client: Client): void {
    this.#clients.delete(client);
    if (this.#clients.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#before = undefined;
  }

  #turn(): void {
    const began = performance.now();
    try {
      this.#tick();
    } catch (error) {
      this.#fail(error);
    }
    const ms = (performance.now() - began) / MOST_OF_THE_TIME;
    this.#timer = undefined;
    if (this.#clients.size > 0)
      this.#timer = setTimeout(() => this.#turn(), Math.min(SLOWEST_MS, Math.max(EVERY_MS, ms))).unref();
  }

  /** Disconnects all clients after an error, which must not affect the bot. They may reconnect. */
  #fail(error: unknown): void {
    this.#failed(error);
    for (const { sink } of this.#clients) sink.destroy();
    this.#clients.clear();
    this.#before = undefined;
  }

  #tick(): void {
    const now = performance.now();
    const state = this.#source.state();
    const change = this.#before === undefined ? undefined : changeOf(this.#before, state);
    this.#before = state;
    const isDue = change !== undefined || now - this.#sentAt >= ALIVE_MS;
    if (isDue) this.#sentAt = now;
    const difference = isDue ? eventText('change', { seq: state.seq, t: state.t, ...change }) : undefined;
    let snapshot: string | undefined;
    for (const client of this.#clients) {
      if (!reads(client, now)) continue;
      if (client.isBehind) {
        client.sink.write((snapshot ??= eventText('snapshot', state)));
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
    for (const { sink } of this.#clients) sink.endStream(eventText('bye', {}));
    clearTimeout(this.#timer);
    this.#clients.clear();
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
