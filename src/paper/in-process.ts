// The paper exchange without sockets, on a virtual clock: requests are calls, frames are callbacks, and the
// caller advances time. It is deterministic: events and their order depend only on the calls.
import type { Admitted, ExchangeReply, ExchangeRequest } from './api/exchange.ts';
import type { FeedTransport } from './api/feeds.ts';
import { withOlderNames } from './api/field-names.ts';
import type { Payload } from './api/payload.ts';
import type { Headers } from './api/sessions.ts';
import type { FeedName } from './faults/plan.ts';
import type { Lane } from './timetable.ts';
import { Timetable } from './timetable.ts';
import type { VenueAccount } from '../venue/index.ts';
import { createIds } from '../venue/index.ts';
import type { WorldOptions } from './world.ts';
import { World } from './world.ts';

export type InProcessOptions = WorldOptions & {
  /** Unix milliseconds at which the clock starts. */
  readonly startMs: number;
  /** How often a connection is pinged, and how long its answer may take. */
  readonly ping?: { readonly intervalMs: number; readonly timeoutMs: number };
  /**
   * Whether time jumps to the next event, for long recordings. Synthetic traders and timed faults need the
   * steady clock.
   */
  readonly leaps?: boolean;
  /** Whether payloads are passed as values, without writing and parsing JSON. */
  readonly withoutText?: boolean;
};

/** The end of a request: an answer, or a broken connection. */
export type Ending = ExchangeReply | 'reset';

export type FrameHandlers = {
  readonly frame: (event: string, payload: Payload) => void;
  /** The transport's heartbeat, which shows that the connection is alive. */
  readonly ping?: () => void;
  readonly closed: () => void;
};
export type Connection = { readonly close: () => void };

/** Interval of the venue's ticks, the same as the server's. */
const TICK_MS = 25;
const DEFAULT_PING = { intervalMs: 25_000, timeoutMs: 20_000 };

type Link = Admitted & { readonly handlers: FrameHandlers; frozen: boolean };

export class InProcessExchange {
  readonly world: World;
  /** A connection without any message for this long is dead, ms. */
  readonly silenceMs: number;
  readonly withoutText: boolean;
  readonly #pingMs: number;
  readonly #leaps: boolean;
  readonly #links = new Set<Link>();
  readonly #timers = new Timetable();
  #nowMs: number;

  constructor(options: InProcessOptions) {
    const { intervalMs, timeoutMs } = options.ping ?? DEFAULT_PING;
    this.#pingMs = intervalMs;
    this.silenceMs = intervalMs + timeoutMs;
    this.#nowMs = options.startMs;
    this.withoutText = options.withoutText ?? false;
    this.world = new World(options, {
      now: () => this.#nowMs,
      at: (atMs, action) => this.at(atMs, action),
      newToken: createIds(options.seed ?? 1, 'token'),
      withoutText: this.withoutText,
    });
    this.world.exchange.feeds.transport = this.#transport();
    this.world.open();
    this.#leaps = options.leaps ?? false;
    if (!this.#leaps) this.#tickEvery(TICK_MS);
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Calls back when the clock reaches this time. */
  at(atMs: number, action: () => void): void {
    this.#timers.at(Math.max(atMs, this.#nowMs), action);
  }

  /** A cheaper form of `at`, for times that never decrease. */
  lane(): Lane {
    const lane = this.#timers.lane();
    return (atMs, action) => lane(Math.max(atMs, this.#nowMs), action);
  }

  /** Advances the clock to this time. Everything that is due on the way happens in order. */
  advanceTo(ms: number): void {
    const timers = this.#timers;
    for (let next = timers.first; next !== undefined && next.atMs <= ms; next = timers.first) {
      if (this.#leaps) this.#letVenueAct(next.atMs);
      // the venue may have planned something earlier
      if (next !== timers.first) continue;
      timers.shift();
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.action();
    }
    if (this.#leaps) this.#letVenueAct(ms);
    this.#nowMs = Math.max(this.#nowMs, ms);
  }

  /** Lets the venue do what is due up to this time, each at its own time. */
  #letVenueAct(untilMs: number): void {
    for (let due = this.world.venue.nextDueMs; due <= untilMs;) {
      this.#nowMs = Math.max(this.#nowMs, due);
      this.world.tick();
      const next = this.world.venue.nextDueMs;
      if (next <= due) return;
      due = next;
    }
  }

  /** Sends a request that arrives now. `ended` is called once, or never. */
  request(request: ExchangeRequest, ended: (ending: Ending) => void): void {
    this.world.exchange.request(request, { reply: ended, reset: () => ended('reset') });
  }

  /** Joins a namespace; undefined when the handshake is refused (`not authorized`). */
  connect(
    namespace: string,
    handshake: { readonly headers: Headers; readonly query?: unknown },
    handlers: FrameHandlers,
  ): Connection | undefined {
    const { exchange } = this.world;
    const admitted = exchange.admit(namespace, handshake.headers, handshake.query);
    if (admitted === undefined) return undefined;
    const link: Link = { ...admitted, handlers, frozen: false };
    this.#links.add(link);
    exchange.feeds.joined(link.feed, link.account);
    this.#pingLater(link);
    return { close: () => this.#end(link) };
  }

  #tickEvery(ms: number): void {
    this.at(this.#nowMs + ms, () => {
      this.world.tick();
      this.#tickEvery(ms);
    });
  }

  #pingLater(link: Link): void {
    this.at(this.#nowMs + this.#pingMs, () => {
      if (!this.#links.has(link)) return;
      if (!link.frozen) link.handlers.ping?.();
      this.#pingLater(link);
    });
  }

  #end(link: Link): void {
    if (!this.#links.delete(link)) return;
    this.world.exchange.feeds.left(link.feed, link.account);
    link.handlers.closed();
  }

  #transport(): FeedTransport {
    const linksOf = (feed: FeedName, account: VenueAccount): readonly Link[] =>
      [...this.#links].filter((link) => link.feed === feed && link.account === account);
    const deliver = (link: Link, event: string, payload: Payload): void => {
      if (!link.frozen) link.handlers.frame(event, payload.with(link.older ? withOlderNames : undefined));
    };
    return {
      broadcast: (event, payload, except) => {
        for (const link of this.#links)
          if (link.feed === 'prices' && !except.has(link.account)) deliver(link, event, payload);
      },
      send: (feed, account, event, payload) => {
        for (const link of this.#links)
          if (link.feed === feed && link.account === account) deliver(link, event, payload);
      },
      disconnect: (feed, account) => {
        for (const link of linksOf(feed, account)) this.#end(link);
      },
      freeze: (feed, account) => {
        for (const link of linksOf(feed, account)) link.frozen = true;
      },
    };
  }
}
