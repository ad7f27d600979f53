// Socket.IO around the exchange's feeds: handshakes, rooms by account, and disconnection of clients that
// never read.
import type { Namespace, Server, Socket } from 'socket.io';
import type { Admitted, Exchange } from '../api/exchange.ts';
import type { FeedTransport } from '../api/feeds.ts';
import { withOlderNames } from '../api/field-names.ts';
import type { Payload } from '../api/payload.ts';
import type { FeedName } from '../faults/plan.ts';
import type { VenueAccount } from '../../venue/index.ts';

const NOT_AUTHORIZED = 'not authorized';
/** Duration of one turn of deliveries. */
const FLUSH_MS = 1;
/** Price sockets that one delivery reaches. A write to each takes about 20 µs, and nothing interrupts it. */
const GROUP_SIZE = 25;
/** When more deliveries wait than this, a turn takes longer. */
const MOST_WAITING = 16_000;
/** A connection with more unsent bytes than this is not reading. */
const MOST_UNSENT_BYTES = 16 * 1024 * 1024;

export class Sockets implements FeedTransport {
  readonly #io: Server;
  readonly #exchange: Exchange;
  readonly #prices: Namespace;
  readonly #joined = new Set<Socket>();
  /** Deliveries of price frames that have not been made yet. */
  readonly #waiting: (() => void)[] = [];
  /** The groups of price sockets, each with its size. A group has a room, and one for the older field names. */
  readonly #groups = new Map<string, number>();
  #groupsMade = 0;
  #flushing: NodeJS.Immediate | undefined;
  /** The private namespace of each account that is connected to it. */
  readonly #users = new Map<VenueAccount, Namespace>();
  /** Number of sockets with the older field names. */
  #older = 0;
  /** WebSockets of half-open connections that their clients have not closed yet. */
  readonly #halfOpen = new Set<WebSocketOfClient>();

  constructor(io: Server, exchange: Exchange) {
    this.#io = io;
    this.#exchange = exchange;
    const { priceNamespace, userNamespace } = exchange.profile;
    this.#prices = io.of(priceNamespace);
    const users = io.of(new RegExp(`^${escapeRegExp(userNamespace)}[^/]+$`));
    // the default namespace is not in the spec, so it is refused
    io.of('/').use((_socket, next) => next(new Error(NOT_AUTHORIZED)));
    for (const namespace of [this.#prices, users]) {
      namespace.use((socket, next) => this.#admit(socket, next));
      namespace.on('connection', (socket) => this.#connected(socket));
    }
    exchange.feeds.transport = this;
  }

  /**
   * Queues a frame: sending it takes time for each reader, so answers to requests go first. Frames keep their
   * order.
   */
  broadcast(event: string, { text }: Payload, except: ReadonlySet<VenueAccount>): void {
    let older: string | undefined;
    for (const group of this.#groups.keys())
      this.#later(() => {
        if (this.#older > 0) older ??= withOlderNames(text);
        this.#broadcast(group, { event, text, older }, except);
      });
  }

  send(feed: FeedName, account: VenueAccount, event: string, { text }: Payload): void {
    if (feed === 'prices') this.#later(() => this.#send(feed, account, event, text));
    else this.#send(feed, account, event, text);
  }

  #later(deliver: () => void): void {
    this.#waiting.push(deliver);
    this.#flushing ??= setImmediate(() => this.#flush());
  }

  /** Delivers for a few milliseconds, then yields to requests. */
  #flush(): void {
    const until = performance.now() + FLUSH_MS;
    let sent = 0;
    while (sent < this.#waiting.length && (performance.now() < until || this.#waiting.length - sent > MOST_WAITING))
      this.#waiting[sent++]?.();
    this.#waiting.splice(0, sent);
    this.#flushing = this.#waiting.length > 0 ? setImmediate(() => this.#flush()) : undefined;
  }

  /** `older`: the text with the older names. Undefined when no socket gets them. */
  #broadcast(
    group: string,
    { event, text, older }: { readonly event: string; readonly text: string; readonly older: string | undefined },
    except: ReadonlySet<VenueAccount>,
  ): void {
    const others = [...except].flatMap((account) => [roomOf(account, false), roomOf(account, true)]);
    this.#prices.to(group).except(others).emit(event, text);
    if (older !== undefined) this.#prices.to(olderIn(group)).except(others).emit(event, older);
  }

  #send(feed: FeedName, account: VenueAccount, event: string, text: string): void {
    const namespace = feed === 'prices' ? this.#prices : this.#users.get(account);
    if (namespace === undefined) return;
    namespace.to(roomOf(account, false)).emit(event, text);
    if (this.#older > 0) namespace.to(roomOf(account, true)).emit(event, withOlderNames(text));
  }

  disconnect(feed: FeedName, account: VenueAccount): void {
    for (const socket of this.#socketsOf(feed, account)) socket.conn.close();
  }

  /**
   * Freezes the connections of an account: nothing passes in either direction. They are not closed either,
   * neither by a ping timeout nor by a later fault.
   */
  freeze(feed: FeedName, account: VenueAccount): void {
    for (const socket of this.#socketsOf(feed, account)) {
      const { transport } = socket.conn;
      transport.send = () => {};
      transport.close = () => {};
      transport.removeAllListeners('packet');
      const { socket: webSocket } = transport as unknown as EngineClient['transport'];
      if (webSocket === undefined || this.#halfOpen.has(webSocket)) continue;
      this.#halfOpen.add(webSocket);
      webSocket.once('close', () => this.#halfOpen.delete(webSocket));
    }
  }

  /** Ends every connection at once, without waiting for closing handshakes. */
  close(): void {
    if (this.#flushing !== undefined) clearImmediate(this.#flushing);
    this.#waiting.length = 0;
    this.#io.disconnectSockets(true);
    const { clients } = this.#io.engine as unknown as {
      readonly clients: Readonly<Record<string, EngineClient>>;
    };
    for (const client of Object.values(clients)) client.transport.socket?.terminate();
    for (const webSocket of this.#halfOpen) webSocket.terminate();
    this.#io.engine.close();
  }

  /** Ends connections that have stopped reading. */
  dropIdle(): void {
    for (const socket of this.#joined) {
      if (unsentBytes(socket) > MOST_UNSENT_BYTES) socket.conn.close(true);
    }
  }

  *#socketsOf(feed: FeedName, account: VenueAccount): Generator<Socket> {
    for (const socket of this.#joined) {
      const joined = joinedOf(socket);
      if (joined?.feed === feed && joined.account === account) yield socket;
    }
  }

  #admit(socket: Socket, next: (error?: Error) => void): void {
    const { headers, query, auth } = socket.handshake;
    const admitted =
      this.#exchange.admit(socket.nsp.name, headers, query) ?? this.#exchange.admit(socket.nsp.name, {}, auth);
    if (admitted === undefined) {
      next(new Error(NOT_AUTHORIZED));
      return;
    }
    (socket.data as { joined?: Admitted }).joined = admitted;
    next();
  }

  #connected(socket: Socket): void {
    const joined = joinedOf(socket);
    if (joined === undefined) return;
    const { feed, account } = joined;
    const group = feed === 'prices' ? this.#joinGroup() : undefined;
    const rooms = group === undefined ? [] : [joined.older ? olderIn(group) : group];
    void socket.join([roomOf(account, joined.older), ...rooms]);
    if (joined.older) this.#older++;
    this.#joined.add(socket);
    if (feed === 'user') this.#users.set(account, socket.nsp);
    this.#exchange.feeds.joined(feed, account);
    socket.on('disconnect', () => {
      this.#joined.delete(socket);
      if (group !== undefined) this.#leaveGroup(group);
      if (joined.older) this.#older--;
      this.#exchange.feeds.left(feed, account);
    });
  }

  /** Adds a price socket to the first group with room. */
  #joinGroup(): string {
    const open = [...this.#groups].find(([, size]) => size < GROUP_SIZE)?.[0];
    const group = open ?? `group ${(this.#groupsMade += 1)}`;
    this.#groups.set(group, (this.#groups.get(group) ?? 0) + 1);
    return group;
  }

  #leaveGroup(group: string): void {
    const size = (this.#groups.get(group) ?? 0) - 1;
    if (size > 0) this.#groups.set(group, size);
    else this.#groups.delete(group);
  }
}

/** The room of the sockets of a group that also get the older field names. */
const olderIn = (group: string): string => `${group} older`;

const roomOf = ({ id }: VenueAccount, older: boolean): string => (older ? `${id} older` : id);

/** The WebSocket inside Engine.IO, which is untyped there. A polling transport has none. */
type WebSocketOfClient = {
  readonly terminate: () => void;
  readonly once: (event: 'close', listener: () => void) => void;
};
type EngineClient = { readonly transport: { readonly socket?: WebSocketOfClient } };

const joinedOf = (socket: Socket): Admitted | undefined => (socket.data as { joined?: Admitted }).joined;

function unsentBytes(socket: Socket): number {
  const { transport, writeBuffer } = socket.conn as unknown as {
    readonly transport: { readonly socket?: { readonly bufferedAmount?: number } };
    readonly writeBuffer: readonly { readonly data?: unknown }[];
  };
  let waiting = transport.socket?.bufferedAmount ?? 0;
  for (const { data } of writeBuffer) waiting += typeof data === 'string' ? data.length : 64;
  return waiting;
}

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
