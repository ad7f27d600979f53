// What several tapes tell of the market, in the order of time, with a look at what they tell a little later: which ids come
// back, and which markets close. It holds a bounded number of events, however long the tapes are; what it knows of later
// reaches exactly as many events ahead, whatever pieces the tapes are read in, and whatever signals are among them.
import type { GameId, Ladder, OrderId } from '../domain/index.ts';
import { newRows } from '../domain/index.ts';
import type { GameEvent, MarketEvent, SideEvent, SignalEvent } from '../tape/index.ts';
import { sideKeyOf } from '../tape/index.ts';

/** One tape: events in the order of its lines, as many at a time as come easily. */
export type TapeStream = {
  readonly name: string;
  readonly batches: AsyncIterator<readonly MarketEvent[]>;
};

/** Events that are known before they are due, signals not counted. */
const LOOK_AHEAD = 1000;
/** A market that closes within this time had its ladders emptied by that. */
const CLOSING_MS = 5000;
/** A game that is silent for so long was taken off without a word; looked for after as many events. */
const SILENT_MS = 24 * 3_600_000;
const PRUNE_EVERY = 20_000;

type Cursor = {
  readonly stream: TapeStream;
  readonly index: number;
  batch: readonly MarketEvent[];
  at: number;
  done: boolean;
  /** It told something, and its recorder was connected. */
  isConnected: boolean;
};
/** The newest ladder of each side of a game, and when it was told of last. */
type Told = { at: number; readonly sides: Map<string, Ladder> };
export type Longest = { rows: number; ladders: number };
type Later = { readonly ts: number; readonly number: number };

export class MarketSource {
  /** Frames and games told so far, of each tape. */
  readonly frames: number[];
  /** Of each tape, the longest ladder and how many have just its length, as far as the tape does not tell where they are cut. */
  readonly longest: Longest[];
  /** False, before the first `fill`: nobody asks what comes back and what closes. */
  foresees = true;
  readonly #cursors: readonly Cursor[];
  readonly #depth: number | undefined;
  #ahead: MarketEvent[] = [];
  #at = 0;
  /** Read, and told when the market goes on: behind its end they are nothing. */
  #signals: SignalEvent[] = [];
  /** Numbers of the events read, and of the one told last; signals have none. */
  #readNumber = 0;
  #toldNumber = 0;
  #feedIsUp = true;
  /** Ids that come (again): the numbers of the events that bring them. */
  readonly #coming = new Map<OrderId, number[]>();
  /** When games close, or the feed falls. */
  readonly #closing = new Map<GameId | 'feed', Later[]>();
  readonly #read = new Map<GameId, Told>();
  readonly #arrivals = new WeakMap<SideEvent, readonly OrderId[]>();
  readonly #returning = { has: (id: OrderId): boolean => this.#comes(id) };
  readonly #until = (ts: number): Iterable<MarketEvent> => this.#eventsUntil(ts);

  /** @param depth rows of a ladder at most, in tapes that do not tell */
  constructor(streams: readonly TapeStream[], depth?: number) {
    this.#depth = depth;
    this.frames = streams.map(() => 0);
    this.longest = streams.map(() => ({ rows: 0, ladders: 0 }));
    this.#cursors = streams.map((stream, index) => ({
      stream,
      index,
      batch: [],
      at: 0,
      done: false,
      isConnected: false,
    }));
  }

  /** The next event, if it is known already; undefined: call `fill`, and if nothing comes after that, it is the end. */
  next(): MarketEvent | undefined {
    if (this.#readNumber - this.#toldNumber <= LOOK_AHEAD && !this.#isRead) return undefined;
    const event = this.#ahead[this.#at];
    if (event === undefined) return undefined;
    this.#at += 1;
    if (event.what !== 'signal') this.#toldNumber += 1;
    if (this.#at > 4 * LOOK_AHEAD) {
      this.#ahead = this.#ahead.slice(this.#at);
      this.#at = 0;
    }
    if (event.what === 'up' || event.what === 'down') {
      if (event.what === 'down' && event.feed === true) this.#closing.get('feed')?.shift();
      return event;
    }
    if (event.what !== 'own' && event.what !== 'signal') this.#pass(event);
    return event;
  }

  /** The next event, read on for where need be; undefined: that was all. */
  async take(): Promise<MarketEvent | undefined> {
    for (;;) {
      const event = this.next();
      if (event !== undefined) return event;
      if (!(await this.fill())) return this.next();
    }
  }

  /** `next` may ask for more within so many events. */
  isLow(events: number): boolean {
    return this.#readNumber - this.#toldNumber <= LOOK_AHEAD + events;
  }

  /** What `next` gave last was not told to anybody after all. */
  putBack(event: MarketEvent): void {
    if ((event.what === 'side' || event.what === 'game') && event.tape !== undefined)
      this.frames[event.tape] = (this.frames[event.tape] ?? 0) - 1;
  }

  /** Reads on. False: everything was read. */
  async fill(): Promise<boolean> {
    if (this.#isRead) return false;
    while (this.#readNumber - this.#toldNumber <= 2 * LOOK_AHEAD) {
      for (const cursor of this.#cursors) while (!cursor.done && cursor.at >= cursor.batch.length) await refill(cursor);
      const first = earliest(this.#cursors);
      if (first === undefined) return true;
      const other = earliest(this.#cursors.filter((cursor) => cursor !== first));
      const limit = other?.batch[other.at]?.ts ?? Number.POSITIVE_INFINITY;
      // the order of the command line decides between equal times
      const isBefore = (ts: number): boolean =>
        ts < limit || (ts === limit && (other === undefined || first.index < other.index));
      for (
        let event = first.batch[first.at];
        event !== undefined && isBefore(event.ts);
        event = first.batch[first.at]
      ) {
        this.#note(event, first);
        first.at += 1;
      }
    }
    return true;
  }

  /** All of it, as many events at a time as are known. */
  async *batches(): AsyncGenerator<readonly MarketEvent[], void, void> {
    try {
      for (let goesOn = true; goesOn;) {
        goesOn = await this.fill();
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
    return this.#cursors.every(({ done, batch, at }) => done && at >= batch.length);
  }

  #comes(id: OrderId): boolean {
    return (this.#coming.get(id)?.[0] ?? Number.POSITIVE_INFINITY) <= this.#toldNumber + LOOK_AHEAD;
  }

  /** What comes after the event that was told last. */
  *#eventsUntil(ts: number): Generator<MarketEvent, void, void> {
    let number = this.#toldNumber;
    for (let at = this.#at; at < this.#ahead.length; at++) {
      const event = this.#ahead[at];
      if (event === undefined) break;
      if (event.what !== 'signal' && ++number > this.#toldNumber + LOOK_AHEAD) return;
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
      const feed = this.#feedIsUp && !this.#cursors.some(isOn);
      if (feed) this.#feedIsUp = false;
      this.#push({ ts, what: 'down', tape, feed });
      if (feed) this.#willClose('feed', ts);
      return;
    }
    const isAlone = !this.#cursors.some((other) => other !== cursor && isOn(other));
    // it connects although it, or who recorded before it, never told that the connection was lost
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
      for (const [id, told] of this.#read) if (ts - told.at > SILENT_MS) this.#read.delete(id);
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
    let told = this.#read.get(frame.gameId);
    if (told === undefined) this.#read.set(frame.gameId, (told = { at: event.ts, sides: new Map() }));
    told.at = event.ts;
    const { sides } = told;
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
    // its ladders may be older than the frames: whatever the next ones show comes then
    if (game.covers.length > 0 || game.ended === true) this.#read.delete(game.gameId);
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

  #closes(what: GameId | 'feed', ts: number): boolean {
    const next = this.#closing.get(what)?.[0];
    return next !== undefined && next.ts - ts <= CLOSING_MS && next.number <= this.#toldNumber + LOOK_AHEAD;
  }
}

/** Its recorder is connected, and it tells more. */
const isOn = ({ isConnected, done, batch, at }: Cursor): boolean => isConnected && !(done && at >= batch.length);

async function refill(cursor: Cursor): Promise<void> {
  cursor.at = 0;
  const { done, value } = (await cursor.stream.batches.next()) as IteratorResult<readonly MarketEvent[], void>;
  cursor.done = done === true;
  cursor.batch = value ?? [];
}

function earliest(cursors: readonly Cursor[]): Cursor | undefined {
  let first: Cursor | undefined;
  let at = Number.POSITIVE_INFINITY;
  for (const cursor of cursors) {
    const event = cursor.batch[cursor.at];
    if (event === undefined || event.ts >= at) continue;
    first = cursor;
    at = event.ts;
  }
  return first;
}

const NONE: readonly OrderId[] = [];

/** Ids that the ladder before does not have. */
function arrivalsIn(offers: Ladder, before: Ladder | undefined): readonly OrderId[] {
  if (before === undefined) return offers.map(({ id }) => id);
  let arrivals: OrderId[] | undefined;
  for (const { id } of newRows(offers, before))
    if (!before.some((offer) => offer.id === id)) (arrivals ??= []).push(id);
  return arrivals ?? NONE;
}
