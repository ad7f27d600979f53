// The lives of one feed's connection. Each is an epoch: `up` and `down` are told in the stream of its frames, since what is
// sent while it is down is lost. One that comes back is up once its namespace is connected. Where the connection before died without
// a packet behind that (half open), a new one must bring a packet first, a ping or a frame: else it would go round for ever.
import type { Observable } from 'rxjs';
import { Subject } from 'rxjs';
import type { Feed, FeedConnection, FeedFault, Input, Received, Timers } from '../domain/index.ts';
import type { Session, SessionPorts } from './session.ts';
import type { SocketPort, SocketsPort } from './ports.ts';

/** What comes of a feed: its connection, and its frames as received. */
export type FeedArrival = Extract<Received, { type: 'frame' | 'long-frame' }> | Extract<Input, { type: 'feed' }>;

export type FeedPorts = {
  readonly sockets: SocketsPort;
  readonly session: Pick<Session, 'token' | 'relogin'>;
  readonly timers: Timers;
  /** Given why a feed does not connect, for the log. */
  readonly say?: SessionPorts['say'];
};

/** The library's word for a transport without any packet for pingInterval + pingTimeout. */
const DEAD = 'ping timeout';
const SAY_EVERY_MS = 60_000;
const RECONNECT_MS = { first: 250, longest: 5000 };

export class FeedConnections {
  readonly #feed: Feed;
  readonly #arrivals = new Subject<FeedArrival>();
  readonly #reads = new Subject<Input>();
  readonly #ports: FeedPorts;
  readonly #socket: SocketPort;
  #epoch = 0;
  #up = false;
  /** Some packet came over this connection since its namespace was connected. */
  #heard = false;
  /** The connection before died unheard. */
  #isDoubted = false;
  /** Connected again while it is doubted, and nothing came over it yet. */
  #onTrial = false;
  #closed = false;
  /** Of the newest handshake. */
  #token: string | undefined;
  #fault: FeedFault | undefined;
  /** When the present fault was said last, monotonic ms; undefined: it was not. */
  #saidAt: number | undefined;
  #wait = RECONNECT_MS.first;
  #callOff = (): void => undefined;

  constructor(feed: Feed, ports: FeedPorts) {
    this.#feed = feed;
    this.#ports = ports;
    this.#socket = ports.sockets(feed, {
      connected: () => {
        this.#heard = false;
        if (this.#isDoubted) this.#onTrial = true;
        else this.#begin();
      },
      packet: () => {
        this.#heard = true;
        this.#isDoubted = false;
        if (this.#onTrial) this.#begin();
      },
      refused: (fault, isUnauthorized) => {
        this.#refuse(fault, isUnauthorized);
        this.#end(fault.cause);
        if (isUnauthorized) ports.session.relogin(() => this.#again(), this.#token);
        else this.#again();
      },
      closed: (reason) => {
        // of a connection that the other side closed, that side is alive
        if (reason === DEAD && !this.#heard) this.#isDoubted = true;
        this.#end(reason);
        this.#again();
      },
      frame: (event, data) => this.#arrivals.next({ type: 'frame', feed, epoch: this.#epoch, event, data }),
      longFrame: (event, bytes, head) =>
        this.#arrivals.next({ type: 'long-frame', feed, epoch: this.#epoch, event, bytes, head }),
      read: (position) => this.#reads.next(position),
    });
  }

  /** All that comes of it between `connect` and `close`, over however many connections. Hot. */
  get arrivals$(): Observable<FeedArrival> {
    return this.#arrivals;
  }

  /** Events that came read, in process, in their order among the others. Hot. */
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

  /** Said at once and every minute, until it is up again. A token that has run out is renewed first: the refusal after that is said. */
  #refuse(fault: FeedFault, isUnauthorized: boolean): void {
    const isRenewable = isUnauthorized && this.#fault === undefined;
    this.#fault = fault;
    const now = this.#ports.timers.now();
    const isSaid = this.#saidAt !== undefined && now - this.#saidAt < SAY_EVERY_MS;
    if (this.#closed || isSaid || isRenewable) return;
    this.#saidAt = now;
    this.#ports.say?.('a feed cannot connect, trying again', {
      feed: this.#feed,
      cause: fault.cause,
      address: this.#socket.address,
      setting: fault.setting,
    });
  }

  #begin(): void {
    this.#onTrial = false;
    this.#fault = undefined;
    this.#saidAt = undefined;
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

  #again(): void {
    if (this.#closed) return;
    this.#callOff();
    this.#callOff = this.#ports.timers.after(this.#wait, () => this.connect());
    this.#wait = Math.min(this.#wait * 2, RECONNECT_MS.longest);
  }
}
