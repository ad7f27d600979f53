// Merges the market events of several tapes in the order of time, and looks ahead: which order ids come back,
// and which markets close. It holds a bounded number of events, however long the tapes are. The look-ahead
// always reaches the same number of events, whatever pieces the tapes are read in and whatever signals are
// among them.
import type { GameId, Ladder, OrderId } from '../domain/index.ts';
import { elementAt, newRows, withLast } from '../domain/index.ts';
import type { GameEvent, MarketEvent, SideEvent, SignalEvent } from '../tape/index.ts';
import { sideKeyOf } from '../tape/index.ts';

/** The events of one tape in the order of its lines, in batches of any size. */
export type TapeStream = {
  readonly name: string;
  readonly batches: AsyncIterator<readonly MarketEvent[]>;
};

/** The look-ahead, in events. Signals are not counted. */
const LOOK_AHEAD = 1000;
/** Ladders that empty within this time before their market closes count as emptied by the close. */
const CLOSING_MS = 5000;
/**
 * A game without messages for this long was removed without a notice. It is forgotten at a check every
 * PRUNE_EVERY events.
 */
const SILENT_MS = 24 * 3_600_000;
const PRUNE_EVERY = 20_000;

type Cursor = {
  readonly stream: TapeStream;
  readonly index: number;
  batch: readonly MarketEvent[];
  position: number;
  done: boolean;
  /** The tape has had an event, and its recorder is connected. */
  isConnected: boolean;
};
/** The newest ladder of each side of a game, and the time of the last frame. */
type NewestSides = { seenMs: number; readonly sides: Map<string, Ladder> };
export type Longest = { rows: number; ladders: number };
type Later = { readonly ts: number; readonly number: number };

export class MarketSource {
  /** Per tape: the frames and game messages returned so far. */
  readonly frames: number[];
  /**
   * Per tape: the longest ladder, and the number of ladders of just that length. Only frames that do not
   * state where their ladders are cut are counted.
   */
  readonly longest: Longest[];
  /**
   * Whether the source looks ahead. Set it to false before the first `fill` when returning ids and closes are
   * not used.
   */
  foresees = true;
  readonly #cursors: readonly Cursor[];
  readonly #depth: number | undefined;
  #ahead: MarketEvent[] = [];
  #position = 0;
  /**
   * Signals that were read but wait for the next market event. Signals after the last market event are
   * dropped.
   */
  #signals: SignalEvent[] = [];
  /** The numbers of the newest event read, and of the newest event returned. Signals have no number. */
  #readNumber = 0;
  #returnedNumber = 0;
  #feedIsUp = true;
  /** Order ids that will appear (again), with the numbers of the events in which they do. */
  readonly #coming = new Map<OrderId, number[]>();
  /** When games close, or the feed goes down. */
  readonly #closing = new Map<GameId | 'feed', Later[]>();
  readonly #newest = new Map<GameId, NewestSides>();
  readonly #arrivals = new WeakMap<SideEvent, readonly OrderId[]>();
  readonly #returning = { has: (id: OrderId): boolean => this.#comes(id) };
  readonly #until = (ts: number): Iterable<MarketEvent> => this.#eventsUntil(ts);

  /** @param depth most rows of a ladder, for tapes that do not state it */
  constructor(streams: readonly TapeStream[], depth?: number) {
    this.#depth = depth;
    this.frames = streams.map(() => 0);
    this.longest = streams.map(() => ({ rows: 0, ladders: 0 }));
    this.#cursors = streams.map((stream, index) => ({
      stream,
      index,
      batch: [],
      position: 0,
      done: false,
      isConnected: false,
    }));
  }

  /**
   * The next event that has been read. Undefined: call `fill` and try again; if there is still none, the
   * tapes have ended.
   */
  next(): MarketEvent | undefined {
    if (this.#readNumber - this.#returnedNumber <= LOOK_AHEAD && !this.#isRead) return undefined;
    const event = this.#ahead[this.#position];
    if (event === undefined) return undefined;
    this.#position += 1;
    if (event.what !== 'signal') this.#returnedNumber += 1;
    if (this.#position > 4 * LOOK_AHEAD) {
      this.#ahead = this.#ahead.slice(this.#position);
      this.#position = 0;
    }
    if (event.what === 'up' || event.what === 'down') {
      if (event.what === 'down' && event.feed === true) this.#closing.get('feed')?.shift();
      return event;
    }
    if (event.what !== 'own' && event.what !== 'signal') this.#pass(event);
    return event;
  }

  /** The next event; reads more where needed. Undefined at the end of the tapes. */
  async take(): Promise<MarketEvent | undefined> {
    for (;;) {
      const event = this.next();
      if (event !== undefined) return event;
      if (!(await this.fill())) return this.next();
    }
  }

  /** Whether `next` may run out within this number of events. */
  isLow(events: number): boolean {
    return this.#readNumber - this.#returnedNumber <= LOOK_AHEAD + events;
  }

  /** Takes back the event that `next` returned last: it was not played, so it is not counted. */
  putBack(event: MarketEvent): void {
    if ((event.what === 'side' || event.what === 'game') && event.tape !== undefined)
      this.frames[event.tape] = (this.frames[event.tape] ?? 0) - 1;
  }

  /** Reads more events. Returns false when everything has been read. */
  async fill(): Promise<boolean> {
    if (this.#isRead) return false;
    while (this.#readNumber - this.#returnedNumber <= 2 * LOOK_AHEAD) {
      for (const cursor of this.#cursors)
        while (!cursor.done && cursor.position >= cursor.batch.length) await refill(cursor);
      const first = earliest(this.#cursors);
      if (first === undefined) return true;
      const other = earliest(this.#cursors.filter((cursor) => cursor !== first));
      const limit = other?.batch[other.position]?.ts ?? Number.POSITIVE_INFINITY;
      // the order of tapes on the command line decides between equal times
      const isBefore = (ts: number): boolean =>
        ts < limit || (ts === limit && (other === undefined || first.index < other.index));
      for (
        let event = first.batch[first.position];
        event !== undefined && isBefore(event.ts);
        event = first.batch[first.position]
      ) {
        this.#note(event, first);
        first.position += 1;
      }
    }
    return true;
  }

  /** All events, in batches of what has been read. */
  async *batches(): AsyncGenerator<readonly MarketEvent[], void, void> {
    try {
      for (let hasMore = true; hasMore;) {
        hasMore = await this.fill();
        const events: MarketEvent[] = [];
        for (let event = this.next(); event !== undefined; event = this.next()) events.push(event);
        if (events.length > 0) yield events;
      }
    } finally {
      await this.close();
    }
  }

  async close(): Promise<void> {
    for (const { stream } of this.#cursors) await stream.batches.return?.();
  }

  get #isRead(): boolean {
    return this.#cursors.every(({ done, batch, position }) => done && position >= batch.length);
  }

  #comes(id: OrderId): boolean {
    return (this.#coming.get(id)?.[0] ?? Number.POSITIVE_INFINITY) <= this.#returnedNumber + LOOK_AHEAD;
  }

  /** The events after the newest one returned, up to a time and within the look-ahead. */
  *#eventsUntil(ts: number): Generator<MarketEvent, void, void> {
    let number = this.#returnedNumber;
    for (let index = this.#position; index < this.#ahead.length; index++) {
      const event = this.#ahead[index];
      if (event === undefined) break;
      if (event.what !== 'signal' && ++number > this.#returnedNumber + LOOK_AHEAD) return;
      if (event.ts > ts) return;
      yield event;
    }
  }

  #push(event: MarketEvent): void {
    for (const signal of this.#signals) this.#ahead.push(signal);
    this.#signals = [];
    this.#ahead.push(event);
    this.#readNumber += 1;
  }

  #note(event: MarketEvent, cursor: Cursor): void {
    if (event.what === 'signal') {
      this.#signals.push(event);
      return;
    }
    const { ts } = event;
    const tape = cursor.index;
    if (event.what === 'down') {
      cursor.isConnected = false;
      const feed = this.#feedIsUp && !this.#cursors.some(isPlaying);
      if (feed) this.#feedIsUp = false;
      this.#push({ ts, what: 'down', tape, feed });
      if (feed) this.#willClose('feed', ts);
      return;
    }
    const isAlone = !this.#cursors.some((other) => other !== cursor && isPlaying(other));
    // a recorder connects, but no loss of the former connection was recorded
    if (event.what === 'up' && this.#feedIsUp && this.#readNumber > 0 && isAlone) {
      this.#feedIsUp = false;
      this.#push({ ts, what: 'down', feed: true });
      this.#willClose('feed', ts);
    }
    cursor.isConnected = true;
    const feed = !this.#feedIsUp;
    this.#feedIsUp = true;
    if (event.what === 'up' || feed) this.#push({ ts, what: 'up', tape, feed });
    if (event.what === 'up') return;
    event.tape = tape;
    if (event.what === 'side' && this.#depth !== undefined) event.depth ??= this.#depth;
    this.#push(event);
    if (event.what === 'own' || !this.foresees) return;
    if (this.#readNumber % PRUNE_EVERY === 0)
      for (const [id, newest] of this.#newest) if (ts - newest.seenMs > SILENT_MS) this.#newest.delete(id);
    if (event.what === 'game') this.#noteGame(event);
    else this.#noteSide(event);
  }

  #noteLength({ frame, exhausted }: SideEvent, longest: Longest): void {
    const rows = frame.offers.length + exhausted.length;
    if (rows > longest.rows) Object.assign(longest, { rows, ladders: 0 });
    if (rows === longest.rows) longest.ladders += 1;
  }

  #noteSide(event: SideEvent): void {
    const { frame } = event;
    const key = sideKeyOf(event);
    let newest = this.#newest.get(frame.gameId);
    if (newest === undefined) this.#newest.set(frame.gameId, (newest = { seenMs: event.ts, sides: new Map() }));
    newest.seenMs = event.ts;
    const { sides } = newest;
    const arrivals = arrivalsIn(frame.offers, sides.get(key));
    sides.set(key, frame.offers);
    for (const id of arrivals) {
      const numbers = this.#coming.get(id);
      if (numbers === undefined) this.#coming.set(id, [this.#readNumber]);
      else numbers.push(this.#readNumber);
    }
    if (arrivals.length > 0) this.#arrivals.set(event, arrivals);
  }

  #noteGame({ ts, game }: GameEvent): void {
    // a read's ladders may be older than the frames: every id in the next frames counts as an arrival
    if (game.covers.length > 0 || game.ended === true) this.#newest.delete(game.gameId);
    if (game.messageType === 'marketClosed' || game.ended === true) this.#willClose(game.gameId, ts);
  }

  #willClose(key: GameId | 'feed', ts: number): void {
    const later = { ts, number: this.#readNumber };
    const times = this.#closing.get(key);
    if (times === undefined) this.#closing.set(key, [later]);
    else times.push(later);
  }

  #pass(event: SideEvent | GameEvent): void {
    if (event.tape !== undefined) {
      this.frames[event.tape] = (this.frames[event.tape] ?? 0) + 1;
      const longest = this.longest[event.tape];
      if (event.what === 'side' && event.depth === this.#depth && longest !== undefined)
        this.#noteLength(event, longest);
    }
    if (!this.foresees) return;
    const gameId = event.what === 'side' ? event.frame.gameId : event.game.gameId;
    if (event.what === 'side')
      for (const id of this.#arrivals.get(event) ?? []) {
        const numbers = this.#coming.get(id);
        numbers?.shift();
        if (numbers?.length === 0) this.#coming.delete(id);
      }
    else if (event.game.messageType === 'marketClosed' || event.game.ended === true) {
      const times = this.#closing.get(gameId);
      times?.shift();
      if (times?.length === 0) this.#closing.delete(gameId);
    }
    event.returning = this.#returning;
    event.until = this.#until;
    event.isClosing = this.#closing.size > 0 && (this.#closes(gameId, event.ts) || this.#closes('feed', event.ts));
  }

  #closes(key: GameId | 'feed', ts: number): boolean {
    const next = this.#closing.get(key)?.[0];
    return next !== undefined && next.ts - ts <= CLOSING_MS && next.number <= this.#returnedNumber + LOOK_AHEAD;
  }
}

/** Whether the recorder of a tape is connected and the tape has more events. */
const isPlaying = ({ isConnected, done, batch, position }: Cursor): boolean =>
  isConnected && !(done && position >= batch.length);

async function refill(cursor: Cursor): Promise<void> {
  cursor.position = 0;
  const { done, value } = (await cursor.stream.batches.next()) as IteratorResult<readonly MarketEvent[], void>;
  cursor.done = done === true;
  cursor.batch = value ?? [];
}

function earliest(cursors: readonly Cursor[]): Cursor | undefined {
  let first: Cursor | undefined;
  let firstMs = Number.POSITIVE_INFINITY;
  for (const cursor of cursors) {
    const event = cursor.batch[cursor.position];
    if (event === undefined || event.ts >= firstMs) continue;
    first = cursor;
    firstMs = event.ts;
  }
  return first;
}

const NONE: readonly OrderId[] = [];

/** Ids of a ladder that the former ladder does not have. */
function arrivalsIn(offers: Ladder, before: Ladder | undefined): readonly OrderId[] {
  if (before === undefined) return offers.map(({ id }) => id);
  let arrivals: OrderId[] | undefined;
  const changed = newRows(offers, before);
  for (let row = 0; row < changed.length; row++) {
    const { id } = elementAt(changed, row);
    if (!before.some((offer) => offer.id === id)) arrivals = withLast(arrivals, id);
  }
  return arrivals ?? NONE;
}
