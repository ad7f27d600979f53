// The one stream of the page (docs/reference/page-stream.md): a snapshot, then differences, at most four a second; and the market that a client looks
// at. What changed is worked out once for all. A client that reads slowly misses differences and is told all anew when it has
// read; one that does not read at all is dropped: nobody costs the bot more than one snapshot.
import type { ServerResponse } from 'node:http';
import { changedFields } from '../changes.ts';
import type { Role } from './access.ts';
import { EventSink, eventText } from './sse.ts';
import type { MarketView, PageState } from '../state.ts';
import { changeOf } from '../state-change.ts';

export type PageSource = {
  readonly state: () => PageState;
  /** Undefined: there is no such market. */
  readonly market: (id: string) => MarketView | undefined;
};

type Client = {
  readonly sink: EventSink;
  readonly market: string | undefined;
  /** It missed something. */
  isBehind: boolean;
  /** Since when it does not read, monotonic ms. */
  stuckSince: number | undefined;
  /** As it was told last. */
  told: MarketView | undefined;
};

const EVERY_MS = 250;
/** With very many markets less often: it may take no more than this share of the time. */
const MOST_OF_THE_TIME = 0.04;
const SLOWEST_MS = 1000;
const MOST_CLIENTS = 32;
const STUCK_MS = 5000;
/** Something is said at least this often, so that silence means that nobody is there. */
const ALIVE_MS = 1000;

export class PageStream {
  readonly #source: PageSource;
  readonly #failed: (error: unknown) => void;
  readonly #clients = new Set<Client>();
  #before: PageState | undefined;
  #timer: NodeJS.Timeout | undefined;
  #toldAt = 0;

  /** `failed`: told of what must not happen. */
  constructor(source: PageSource, failed: (error: unknown) => void = () => undefined) {
    this.#source = source;
    this.#failed = failed;
  }

  /** How many are connected. */
  get clients(): number {
    return this.#clients.size;
  }

  /** False: there are too many already. `market`: the one it looks at; `zips`: it unpacks gzip. */
  add(
    raw: ServerResponse,
    { role, market, zips }: { readonly role: Role; readonly market: string | undefined; readonly zips: boolean },
  ): boolean {
    if (this.#clients.size >= MOST_CLIENTS) return false;
    const sink = new EventSink(raw, zips, () => this.#remove(client));
    const client: Client = { sink, market, isBehind: false, stuckSince: undefined, told: undefined };
    sink.write(`retry: 1000\n${eventText('hello', { role, everyMs: EVERY_MS })}`);
    // what fails, fails before anybody is kept
    const state = this.#before ?? this.#source.state();
    this.#clients.add(client);
    this.#timer ??= setTimeout(() => this.#turn(), EVERY_MS).unref();
    // as all others have it: the next difference is theirs as well
    this.#before ??= state;
    sink.send('snapshot', state);
    this.#tellMarket(client);
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

  /** Whoever looks may fail, and not the bot: they are sent away, and may come again. */
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
    const isDue = change !== undefined || now - this.#toldAt >= ALIVE_MS;
    if (isDue) this.#toldAt = now;
    const difference = isDue ? eventText('change', { seq: state.seq, t: state.t, ...change }) : undefined;
    let snapshot: string | undefined;
    for (const client of this.#clients) {
      if (!reads(client, now)) continue;
      if (client.isBehind) {
        client.sink.write((snapshot ??= eventText('snapshot', state)));
        client.isBehind = false;
      } else if (difference !== undefined) client.sink.write(difference);
      this.#tellMarket(client);
    }
  }

  #tellMarket(client: Client): void {
    if (client.market === undefined) return;
    const view = this.#source.market(client.market) ?? { id: client.market, ladder: null, path: [] };
    const { told } = client;
    const change = told === undefined ? view : changedFields(told, view);
    client.told = view;
    if (change === undefined) return;
    const last = told?.path.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY;
    // of its path only what is new
    const path = view.path.filter(([t]) => t > last);
    client.sink.send('market', { ...change, id: view.id, path, isNew: told === undefined });
  }

  close(): void {
    for (const { sink } of this.#clients) sink.end(eventText('bye', {}));
    clearTimeout(this.#timer);
    this.#clients.clear();
  }
}

/** False: it does not read now, and was told nothing. */
function reads(client: Client, now: number): boolean {
  if (client.sink.waiting === 0) {
    client.stuckSince = undefined;
    return true;
  }
  client.isBehind = true;
  client.told = undefined;
  client.stuckSince ??= now;
  if (now - client.stuckSince > STUCK_MS) client.sink.destroy();
  return false;
}
