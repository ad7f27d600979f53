// Both Socket.IO namespaces. Every payload is a string of JSON. A changed side is serialized once and sent to everybody;
// only accounts that own offers on it get a text of their own, with `createdBy` on their rows and on nobody else's.
import type { Namespace, Server, Socket } from 'socket.io';
import type { Account } from './account.ts';
import type { BookJson } from './book-json.ts';
import type { GameMessageType, PositionRecord, VenueSink } from './events.ts';
import type { SideBook, VenueGame } from './market-book.ts';
import { positionJson } from './order-json.ts';
import type { Sessions } from './sessions.ts';
import { tokenOf } from './sessions.ts';
import type { Venue } from './venue.ts';

const NOT_AUTHORIZED = 'not authorized';

export class Feeds implements VenueSink {
  readonly #io: Server;
  readonly #prices: Namespace;
  readonly #book: BookJson;
  readonly #sessions: Sessions;
  readonly #userNamespace: string;
  /** Accounts with price sockets, and how many. */
  readonly #watching = new Map<Account, number>();
  readonly #listening = new Map<Account, number>();

  constructor(io: Server, venue: Venue, book: BookJson, sessions: Sessions) {
    this.#io = io;
    this.#book = book;
    this.#sessions = sessions;
    this.#userNamespace = venue.profile.userNamespace;
    this.#prices = io.of(venue.profile.priceNamespace);
    this.#prices.use((socket, next) => this.#admit(socket, () => true, next));
    this.#prices.on('connection', (socket) => this.#joined(socket, this.#watching));
    const users = io.of(new RegExp(`^${escapeRegExp(this.#userNamespace)}[^/]+$`));
    users.use((socket, next) =>
      this.#admit(socket, (account) => this.#nameOf(account) === socket.nsp.name, next),
    );
    users.on('connection', (socket) => this.#joined(socket, this.#listening));
  }

  sideChanged(side: SideBook): void {
    if (this.#watching.size === 0) return;
    const owners = this.#owners(side.orders.map((order) => order.account));
    this.#broadcast('orderUpdate', owners, (viewer) => this.#book.orderUpdate(side, viewer));
  }

  gameChanged(game: VenueGame, messageType: GameMessageType | undefined): void {
    if (this.#watching.size === 0) return;
    const accounts: Account[] = [];
    for (const book of game.books.values())
      for (const side of book.sides) for (const order of side.orders) accounts.push(order.account);
    this.#broadcast('gameUpdate', this.#owners(accounts), (viewer) =>
      this.#book.game(game, viewer, messageType),
    );
  }

  position(account: Account, record: PositionRecord): void {
    if (this.#listening.has(account))
      this.#io.of(this.#nameOf(account)).emit('positionUpdate', positionJson(record));
  }

  #broadcast(
    event: string,
    owners: ReadonlySet<Account>,
    textFor: (viewer: Account | undefined) => string,
  ): void {
    if (owners.size === 0) {
      this.#prices.emit(event, textFor(undefined));
      return;
    }
    if (this.#watching.size > owners.size)
      this.#prices.except([...owners].map((owner) => owner.id)).emit(event, textFor(undefined));
    for (const owner of owners) this.#prices.to(owner.id).emit(event, textFor(owner));
  }

  #owners(accounts: readonly Account[]): ReadonlySet<Account> {
    const owners = new Set<Account>();
    for (const account of accounts) if (!account.exempt && this.#watching.has(account)) owners.add(account);
    return owners;
  }

  #nameOf(account: Account): string {
    return this.#userNamespace + account.username;
  }

  #admit(socket: Socket, mayJoin: (account: Account) => boolean, next: (error?: Error) => void): void {
    const { headers, query, auth } = socket.handshake;
    const account = this.#sessions.find(tokenOf({ headers, query }) ?? tokenOf({ headers: {}, query: auth }));
    if (account === undefined || account.status !== 'active' || !mayJoin(account)) {
      next(new Error(NOT_AUTHORIZED));
      return;
    }
    (socket.data as { account?: Account }).account = account;
    next();
  }

  #joined(socket: Socket, present: Map<Account, number>): void {
    const { account } = socket.data as { account?: Account };
    if (account === undefined) return;
    void socket.join(account.id);
    present.set(account, (present.get(account) ?? 0) + 1);
    socket.on('disconnect', () => {
      const left = (present.get(account) ?? 1) - 1;
      if (left > 0) present.set(account, left);
      else present.delete(account);
    });
  }
}

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
