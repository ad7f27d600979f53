// What several tapes tell of the market, in the order of time, with a look at what they tell a little later: which ids come
// back, and which markets close. It holds a bounded number of events, however long the tapes are.
import type { GameId, Ladder, Offer, OrderId } from '../domain/index.ts';
import type { MarketEvent, SideEvent } from '../paper/index.ts';

/** One tape: events in the order of its lines, as many at a time as come easily. */
export type TapeStream = { readonly name: string; readonly batches: AsyncIterator<readonly MarketEvent[]> };

/** Events that are known before they are due. */
const LOOK_AHEAD = 1000;
/** A market that closes within this time had its ladders emptied by that. */
const CLOSING_MS = 5000;

type Cursor = {
  readonly stream: TapeStream;
  batch: readonly MarketEvent[];
  at: number;
  done: boolean;
};

export class MarketSource {
  readonly #cursors: readonly Cursor[];
  #ahead: MarketEvent[] = [];
  #at = 0;
  /** Ids that come (again) among the events ahead, and how often. */
  readonly #coming = new Map<OrderId, number>();
  /** When games close, or the feed falls, among the events ahead. */
  readonly #closing = new Map<GameId | 'feed', number[]>();
  /** The newest ladder of each side that was read. */
  readonly #read = new Map<string, Ladder>();
  readonly #arrivals = new WeakMap<SideEvent, readonly OrderId[]>();

  constructor(streams: readonly TapeStream[]) {
    this.#cursors = streams.map((stream) => ({ stream, batch: [], at: 0, done: false }));
  }

  /** The next event, if it is known already; undefined: call `fill`, and if nothing comes after that, it is the end. */
  next(): MarketEvent | undefined {
    if (this.#ahead.length - this.#at <= LOOK_AHEAD && !this.#isRead) return undefined;
    const event = this.#ahead[this.#at];
    if (event === undefined) return undefined;
    this.#at += 1;
    if (this.#at > 4 * LOOK_AHEAD) {
      this.#ahead = this.#ahead.slice(this.#at);
      this.#at = 0;
    }
    if (event.what === 'side') return this.#pass(event);
    if (event.what === 'down' || isClose(event)) this.#closing.get(keyOf(event))?.shift();
    return event;
  }

  /** Reads on. False: everything was read. */
  async fill(): Promise<boolean> {
    if (this.#isRead) return false;
    while (this.#ahead.length - this.#at <= 2 * LOOK_AHEAD) {
      for (const cursor of this.#cursors)
        if (!cursor.done && cursor.at >= cursor.batch.length) await refill(cursor);
      const first = earliest(this.#cursors);
      if (first === undefined) return true;
      // of one tape alone the whole batch is in order
      const until = earliest(this.#cursors.filter((cursor) => cursor !== first));
      const limit = until?.batch[until.at]?.ts ?? Number.POSITIVE_INFINITY;
      for (
        let event = first.batch[first.at];
        event !== undefined && event.ts <= limit;
        event = first.batch[first.at]
      ) {
        this.#note(event);
        first.at += 1;
      }
    }
    return true;
  }

  async close(): Promise<void> {
    for (const { stream } of this.#cursors) await stream.batches.return?.();
  }

  get #isRead(): boolean {
    return this.#cursors.every(({ done, batch, at }) => done && at >= batch.length);
  }

  #note(event: MarketEvent): void {
    this.#ahead.push(event);
    if (event.what === 'side') {
      const { frame } = event;
      const key = `${frame.gameId}|${frame.type}|${frame.participantId ?? frame.side}|${frame.line}`;
      const arrivals = arrivalsIn(frame.offers, this.#read.get(key));
      this.#read.set(key, frame.offers);
      for (const id of arrivals) this.#coming.set(id, (this.#coming.get(id) ?? 0) + 1);
      if (arrivals.length > 0) this.#arrivals.set(event, arrivals);
    } else if (event.what === 'down' || isClose(event)) {
      const key = keyOf(event);
      const times = this.#closing.get(key);
      if (times === undefined) this.#closing.set(key, [event.ts]);
      else times.push(event.ts);
    }
    if (event.what === 'game' && event.game.ended === true)
      for (const key of this.#read.keys())
        if (key.startsWith(`${event.game.gameId}|`)) this.#read.delete(key);
  }

  #pass(event: SideEvent): SideEvent {
    for (const id of this.#arrivals.get(event) ?? []) {
      const times = (this.#coming.get(id) ?? 1) - 1;
      if (times > 0) this.#coming.set(id, times);
      else this.#coming.delete(id);
    }
    const closes = Math.min(
      this.#closing.get(event.frame.gameId)?.[0] ?? Number.POSITIVE_INFINITY,
      this.#closing.get('feed')?.[0] ?? Number.POSITIVE_INFINITY,
    );
    event.returning = this.#coming;
    event.isClosing = closes - event.ts <= CLOSING_MS;
    return event;
  }
}

const isClose = (event: MarketEvent): boolean =>
  event.what === 'game' && (event.game.messageType === 'marketClosed' || event.game.ended === true);

const keyOf = (event: MarketEvent): GameId | 'feed' => (event.what === 'game' ? event.game.gameId : 'feed');

async function refill(cursor: Cursor): Promise<void> {
  cursor.at = 0;
  const { done, value } = (await cursor.stream.batches.next()) as IteratorResult<
    readonly MarketEvent[],
    void
  >;
  cursor.done = done === true;
  cursor.batch = value ?? [];
}

function earliest(cursors: readonly Cursor[]): Cursor | undefined {
  let first: Cursor | undefined;
  let at = Number.POSITIVE_INFINITY;
  for (const cursor of cursors) {
    const event = cursor.batch[cursor.at];
    // the order of the command line decides between equal times
    if (event === undefined || event.ts >= at) continue;
    first = cursor;
    at = event.ts;
  }
  return first;
}

const NONE: readonly OrderId[] = [];

/** Ids that the ladder before does not have. Offers that did not change are the same objects, in the same order. */
function arrivalsIn(offers: Ladder, before: Ladder | undefined): readonly OrderId[] {
  if (before === undefined) return offers.map(({ id }) => id);
  let arrivals: OrderId[] | undefined;
  let next = 0;
  for (const offer of offers) {
    const at = positionOf(offer, before, next);
    if (at >= 0) next = at + 1;
    else if (!before.some(({ id }) => id === offer.id)) (arrivals ??= []).push(offer.id);
  }
  return arrivals ?? NONE;
}

function positionOf(offer: Offer, before: Ladder, from: number): number {
  for (let at = from; at < before.length && at < from + 8; at++) if (before[at] === offer) return at;
  return -1;
}
