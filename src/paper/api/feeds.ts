// Both feeds, independent of the transport. A changed side is serialized once and sent to every client; only
// accounts with own offers on it get a separate text, with `createdBy` on their rows. A fault plan may drop,
// repeat, delay or reorder the frames of an account.
import type { FeedName } from '../faults/plan.ts';
import type { Faults } from '../faults/faults.ts';
import type { WireProfile } from '../../wire/index.ts';
import type {
  VenueAccount,
  GameMessageType,
  PositionRecord,
  VenueSink,
  SideBook,
  VenueGame,
  VenueOrder,
} from '../../venue/index.ts';
import type { BookJson } from './book-json.ts';
import type { ExchangePorts } from './exchange-ports.ts';
import { namedBy } from './field-names.ts';
import { positionJson } from './order-json.ts';
import { positionAsRead } from './order-reading.ts';
import { Payload } from './payload.ts';

/** The transport of the frames: Socket.IO, or calls within the process. */
export type FeedTransport = {
  /** Sends to every price connection except those of these accounts. */
  readonly broadcast: (event: string, payload: Payload, except: ReadonlySet<VenueAccount>) => void;
  /** Sends to the connections of one account. */
  readonly send: (feed: FeedName, account: VenueAccount, event: string, payload: Payload) => void;
  /** Ends the connections of an account. */
  readonly disconnect: (feed: FeedName, account: VenueAccount) => void;
  /** Freezes the connections of an account: they stay open, but nothing passes any more. */
  readonly freeze: (feed: FeedName, account: VenueAccount) => void;
};

const NO_TRANSPORT: FeedTransport = {
  broadcast: () => {},
  send: () => {},
  disconnect: () => {},
  freeze: () => {},
};
const NO_OWNERS: ReadonlySet<VenueAccount> = new Set();
const NONE_SPENT: readonly VenueOrder[] = [];

type Held = { readonly frames: (() => void)[]; untilMs: number };

export class Feeds implements VenueSink {
  transport: FeedTransport = NO_TRANSPORT;
  faults: Faults | undefined;
  readonly #book: BookJson;
  readonly #timer: Pick<ExchangePorts, 'now' | 'at' | 'withoutText'>;
  readonly #profile: WireProfile;
  /** The number of connections of each connected account. */
  readonly #present: Readonly<Record<FeedName, Map<VenueAccount, number>>> = {
    prices: new Map(),
    user: new Map(),
  };
  /** The accounts' offers of each side when its last update was sent. */
  readonly #rested = new WeakMap<SideBook, readonly VenueOrder[]>();
  /** Frames of an account's feed that wait: a delayed frame, and all frames behind it. */
  readonly #held: Readonly<Record<FeedName, Map<VenueAccount, Held>>> = { prices: new Map(), user: new Map() };

  constructor(book: BookJson, profile: WireProfile, timer: Pick<ExchangePorts, 'now' | 'at' | 'withoutText'>) {
    this.#book = book;
    this.#profile = profile;
    this.#timer = timer;
  }

  joined(feed: FeedName, account: VenueAccount): void {
    const present = this.#present[feed];
    present.set(account, (present.get(account) ?? 0) + 1);
  }

  left(feed: FeedName, account: VenueAccount): void {
    const present = this.#present[feed];
    const count = (present.get(account) ?? 1) - 1;
    if (count > 0) present.set(account, count);
    else present.delete(account);
  }

  present(feed: FeedName): readonly VenueAccount[] {
    return [...this.#present[feed].keys()];
  }

  sideChanged(side: SideBook): void {
    const spent = this.#spentOf(side);
    if (this.#present.prices.size === 0) return;
    this.#publish('orderUpdate', this.#ownersOf(side), (viewer) => this.#book.orderUpdate(side, viewer, spent));
  }

  gameChanged(game: VenueGame, messageType: GameMessageType | undefined): void {
    if (this.#present.prices.size === 0) return;
    const owners = new Set<VenueAccount>();
    for (const book of game.books.values())
      for (const side of book.sides) for (const owner of this.#ownersOf(side)) owners.add(owner);
    this.#publish('gameUpdate', owners, (viewer) => this.#book.game(game, viewer, messageType));
  }

  position(account: VenueAccount, record: PositionRecord): void {
    if (!this.#present.user.has(account)) return;
    const payload =
      this.#timer.withoutText === true
        ? Payload.ofRead(positionAsRead(record))
        : Payload.ofValue(positionJson(record)).with(namedBy(this.#profile));
    this.#send('user', account, 'positionUpdate', payload);
  }

  /** Offers that rested at the side's last update and were fully taken since (wire profile, `showsSpent`). */
  #spentOf(side: SideBook): readonly VenueOrder[] {
    if (!this.#profile.showsSpent) return NONE_SPENT;
    const before = this.#rested.get(side) ?? NONE_SPENT;
    this.#rested.set(side, [...side.orders]);
    return before.filter(({ status }) => status === 'filled');
  }

  #publish(
    event: string,
    owners: ReadonlySet<VenueAccount>,
    jsonFor: (viewer: VenueAccount | undefined) => string,
  ): void {
    const payloadFor = (viewer: VenueAccount | undefined): Payload =>
      Payload.ofText(jsonFor(viewer)).with(namedBy(this.#profile));
    if (this.faults?.touchesFrames === true) {
      const shared = payloadFor(undefined);
      for (const viewer of this.#present.prices.keys())
        this.#send('prices', viewer, event, owners.has(viewer) ? payloadFor(viewer) : shared);
      return;
    }
    if (this.#present.prices.size > owners.size) this.transport.broadcast(event, payloadFor(undefined), owners);
    for (const owner of owners) this.transport.send('prices', owner, event, payloadFor(owner));
  }

  #send(feed: FeedName, account: VenueAccount, event: string, payload: Payload): void {
    if (this.faults?.touchesFrames !== true) {
      this.transport.send(feed, account, event, payload);
      return;
    }
    const nowMs = this.#timer.now();
    const { delaysMs, overtaken } = this.faults.frame(feed, account.username, nowMs);
    for (const delayMs of delaysMs) {
      const deliver = (): void => this.transport.send(feed, account, event, payload);
      if (!overtaken) this.#sendInTurn(feed, account, nowMs + delayMs, deliver);
      else if (delayMs <= 0) deliver();
      else this.#timer.at(nowMs + delayMs, deliver);
    }
  }

  /** Delivers at that time, or later when frames before it are still waiting. */
  #sendInTurn(feed: FeedName, account: VenueAccount, dueMs: number, deliver: () => void): void {
    const held = this.#held[feed].get(account) ?? { frames: [], untilMs: 0 };
    if (dueMs <= this.#timer.now() && held.frames.length === 0) {
      deliver();
      return;
    }
    this.#held[feed].set(account, held);
    held.frames.push(deliver);
    held.untilMs = Math.max(held.untilMs, dueMs);
    // timers with nearly equal times may fire in any order, so each delivers the oldest waiting frame
    this.#timer.at(held.untilMs, () => held.frames.shift()?.());
  }

  #ownersOf(side: SideBook): ReadonlySet<VenueAccount> {
    let owners: Set<VenueAccount> | undefined;
    for (const { account } of side.orders)
      if (!account.internal && this.#present.prices.has(account)) (owners ??= new Set()).add(account);
    return owners ?? NO_OWNERS;
  }
}
