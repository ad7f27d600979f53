// Socket.IO around the exchange's feeds: handshakes, rooms by account, and an end for clients that never read.
import type { Namespace, Server, Socket } from 'socket.io';
import type { Exchange } from '../api/exchange.ts';
import type { FeedTransport } from '../api/feeds.ts';
import type { FeedName } from '../faults/plan.ts';
import type { Account } from '../venue/account.ts';

const NOT_AUTHORIZED = 'not authorized';
/** A connection with more than this unsent is not reading. */
const MOST_UNSENT_BYTES = 16 * 1024 * 1024;

type Joined = { readonly feed: FeedName; readonly account: Account };

export class Sockets implements FeedTransport {
  readonly #io: Server;
  readonly #exchange: Exchange;
  readonly #prices: Namespace;
  readonly #joined = new Set<Socket>();

  constructor(io: Server, exchange: Exchange) {
    this.#io = io;
    this.#exchange = exchange;
    const { priceNamespace, userNamespace } = exchange.profile;
    this.#prices = io.of(priceNamespace);
    const users = io.of(new RegExp(`^${escapeRegExp(userNamespace)}[^/]+$`));
    for (const namespace of [this.#prices, users]) {
      namespace.use((socket, next) => this.#admit(socket, next));
      namespace.on('connection', (socket) => this.#connected(socket));
    }
    exchange.feeds.transport = this;
  }

  broadcast(event: string, text: string, except: ReadonlySet<Account>): void {
    if (except.size === 0) this.#prices.emit(event, text);
    else this.#prices.except([...except].map(({ id }) => id)).emit(event, text);
  }

  send(feed: FeedName, account: Account, event: string, text: string): void {
    if (feed === 'prices') this.#prices.to(account.id).emit(event, text);
    else this.#io.of(this.#exchange.profile.userNamespace + account.username).emit(event, text);
  }

  disconnect(feed: FeedName, account: Account): void {
    for (const socket of this.#of(feed, account)) socket.conn.close();
  }

  freeze(feed: FeedName, account: Account): void {
    for (const socket of this.#of(feed, account)) {
      const { transport } = socket.conn;
      transport.send = () => {};
      transport.removeAllListeners('packet');
    }
  }

  /** Ends connections that have stopped reading. */
  dropIdle(): void {
    for (const socket of this.#joined) {
      if (unsentBytes(socket) > MOST_UNSENT_BYTES) socket.conn.close(true);
    }
  }

  *#of(feed: FeedName, account: Account): Generator<Socket> {
    for (const socket of this.#joined) {
      const joined = joinedOf(socket);
      if (joined?.feed === feed && joined.account === account) yield socket;
    }
  }

  #admit(socket: Socket, next: (error?: Error) => void): void {
    const { headers, query, auth } = socket.handshake;
    const admitted =
      this.#exchange.admit(socket.nsp.name, headers, query) ??
      this.#exchange.admit(socket.nsp.name, {}, auth);
    if (admitted === undefined) {
      next(new Error(NOT_AUTHORIZED));
      return;
    }
    (socket.data as { joined?: Joined }).joined = admitted;
    next();
  }

  #connected(socket: Socket): void {
    const joined = joinedOf(socket);
    if (joined === undefined) return;
    const { feed, account } = joined;
    void socket.join(account.id);
    this.#joined.add(socket);
    this.#exchange.feeds.joined(feed, account);
    socket.on('disconnect', () => {
      this.#joined.delete(socket);
      this.#exchange.feeds.left(feed, account);
    });
  }
}

const joinedOf = (socket: Socket): Joined | undefined => (socket.data as { joined?: Joined }).joined;

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
