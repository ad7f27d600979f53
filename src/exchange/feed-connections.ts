// The connections of one feed. Each one is an epoch: `up` and `down` are part of the stream of its frames,
// since messages sent while it is down are lost. A new connection is up once its namespace is connected. If
// the previous connection died without any packet after that (half open), the new one must first receive a
// packet, a ping or a frame: otherwise the bot would reconnect for ever.
import type { Observable } from 'rxjs';
import { Subject } from 'rxjs';
import type { Feed, FeedConnection, FeedFault, Input, Received, Timers } from '../domain/index.ts';
import type { Session, SessionPorts } from './session.ts';
import type { SocketPort, SocketsPort } from './ports.ts';

/** The messages of a feed: its connection, and its frames as received. */
export type FeedArrival = Extract<Received, { type: 'frame' | 'long-frame' }> | Extract<Input, { type: 'feed' }>;

export type FeedPorts = {
  readonly sockets: SocketsPort;
  readonly session: Pick<Session, 'token' | 'relogin'>;
  readonly timers: Timers;
  /** Receives the reason why a feed does not connect, for the log. */
  readonly warn?: SessionPorts['warn'];
};

/** The library's reason for a connection without any packet for pingInterval + pingTimeout. */
const DEAD = 'ping timeout';
const LOG_EVERY_MS = 60_000;
const RECONNECT_MS = { first: 250, longest: 5000 };

export class FeedConnections {
  readonly #feed: Feed;
  readonly #arrivals = new Subject<FeedArrival>();
  readonly #reads = new Subject<Input>();
  readonly #ports: FeedPorts;
  readonly #socket: SocketPort;
  #epoch = 0;
  #up = false;
  /** True when a packet arrived on this connection since its namespace was connected. */
  #isAlive = false;
  /** True when the previous connection died without any packet. */
  #isDoubted = false;
  /** True while a doubted feed is connected again and no packet has arrived. */
  #onTrial = false;
  #closed = false;
  /** The token of the last handshake. */
  #token: string | undefined;
  #fault: FeedFault | undefined;
  /** When the current fault was logged last, monotonic ms; undefined when it was not. */
  #loggedAt: number | undefined;
  #wait = RECONNECT_MS.first;
  #callOff = (): void => undefined;

  constructor(feed: Feed, ports: FeedPorts) {
    this.#feed = feed;
    this.#ports = ports;
    this.#socket = ports.sockets(feed, {
      connected: () => {
        this.#isAlive = false;
        if (this.#isDoubted) this.#onTrial = true;
        else this.#begin();
      },
      packet: () => {
        this.#isAlive = true;
        this.#isDoubted = false;
        if (this.#onTrial) this.#begin();
      },
      refused: (fault, isUnauthorized) => {
        this.#refuse(fault, isUnauthorized);
        this.#end(fault.cause);
        if (isUnauthorized) ports.session.relogin(() => this.#reconnectLater(), this.#token);
        else this.#reconnectLater();
      },
      closed: (reason) => {
        // a connection that the other side closed proves that this side is alive
        if (reason === DEAD && !this.#isAlive) this.#isDoubted = true;
        this.#end(reason);
        this.#reconnectLater();
      },
      frame: (event, data) => this.#arrivals.next({ type: 'frame', feed, epoch: this.#epoch, event, data }),
      longFrame: (event, bytes, head) =>
        this.#arrivals.next({ type: 'long-frame', feed, epoch: this.#epoch, event, bytes, head }),
      read: (position) => this.#reads.next(position),
    });
  }

  /** All messages between `connect` and `close`, over all connections. Hot. */
  get arrivals$(): Observable<FeedArrival> {
    return this.#arrivals;
  }

  /** Events that arrive parsed, in process, in their order among the others. Hot. */
  get reads$(): Observable<Input> {
    return this.#reads;
  }

  get connection(): FeedConnection {
    return { address: this.#socket.address, wasUp: this.#epoch > 0, fault: this.#fault };
  }

  connect(): void {
    if (this.#closed) return;
    this.#token = this.#ports.session.token;
    this.#socket.connect(this.#token);
  }

  close(): void {
    this.#closed = true;
    this.#callOff();
    this.#socket.close();
  }

  /**
   * Logs a refusal at once and every minute, until the feed is up again. An expired token is renewed first:
   * only the next refusal is logged.
   */
  #refuse(fault: FeedFault, isUnauthorized: boolean): void {
    const isRenewable = isUnauthorized && this.#fault === undefined;
    this.#fault = fault;
    const now = this.#ports.timers.now();
    const isLogged = this.#loggedAt !== undefined && now - this.#loggedAt < LOG_EVERY_MS;
    if (this.#closed || isLogged || isRenewable) return;
    this.#loggedAt = now;
    this.#ports.warn?.('a feed cannot connect, trying again', {
      feed: this.#feed,
      cause: fault.cause,
      address: this.#socket.address,
      setting: fault.setting,
    });
  }

  #begin(): void {
    this.#onTrial = false;
    this.#fault = undefined;
    this.#loggedAt = undefined;
    this.#epoch += 1;
    this.#up = true;
    this.#wait = RECONNECT_MS.first;
    this.#arrivals.next({ type: 'feed', feed: this.#feed, status: 'up', epoch: this.#epoch });
  }

  #end(reason: string): void {
    this.#onTrial = false;
    if (!this.#up || this.#closed) return;
    this.#up = false;
    this.#arrivals.next({ type: 'feed', feed: this.#feed, status: 'down', epoch: this.#epoch, reason });
  }

  #reconnectLater(): void {
    if (this.#closed) return;
    this.#callOff();
    this.#callOff = this.#ports.timers.after(this.#wait, () => this.connect());
    this.#wait = Math.min(this.#wait * 2, RECONNECT_MS.longest);
  }
}
