// Plays a recording into the venue. `prepare` reads up to the start, so that an unreadable tape fails the
// boot; `open` builds the book of the start in one step; `play` delivers later events when they are due. Time
// comes only from its ports: a clock and a sleep.
import type { TapeStart } from '../domain/index.ts';
import { frameKeyOf, tapeStartMs } from '../domain/index.ts';
import type { Venue } from '../venue/index.ts';
import { createTapeClock } from './tape-clock.ts';
import type { TapeClock } from './tape-clock.ts';
import type { MarketEvent } from '../tape/index.ts';
import { tapeError } from '../tape/index.ts';
import { TapeTraders } from './tape-traders.ts';

/** One tape as market events, in batches. */
export type RecordedFeed = {
  readonly name: string;
  readonly events: AsyncIterable<readonly MarketEvent[]>;
  /** True for a source in real time, which is delivered without waiting. */
  readonly isLive?: true;
};

export type FeedTimer = {
  readonly now: () => number;
  /** Resolves at that time or soon after, or at once when it has passed. */
  readonly until: (atMs: number) => Promise<void>;
};

/** The venue time `t0Ms` of the tape time `fromMs`. */
export type TapeAnchor = { readonly t0Ms: number; readonly fromMs: number };

/** The number of frames after the start that are read before the venue reports that it is ready. */
const LOOK_AHEAD = 200;

export class TapeFeed {
  readonly #feed: RecordedFeed;
  readonly #batches: AsyncIterator<readonly MarketEvent[]>;
  readonly #past: MarketEvent[] = [];
  readonly #ahead: MarketEvent[] = [];
  /** The current batch, and the index of its next event. */
  #batch: readonly MarketEvent[] = [];
  #nextIndex = 0;
  #fromMs = 0;
  #traders: TapeTraders | undefined;
  #clock: TapeClock | undefined;
  #closed = false;
  #thinAt = 4096;

  constructor(feed: RecordedFeed) {
    this.#feed = feed;
    this.#batches = feed.events[Symbol.asyncIterator]();
  }

  async prepare(start: TapeStart | undefined): Promise<void> {
    if (this.isLive) return;
    let first: number | undefined;
    while (this.#ahead.length < LOOK_AHEAD) {
      const event = await this.#next();
      if (event === undefined) break;
      // signals are for strategies, not for the venue
      if (event.what === 'signal') continue;
      // a recorder's connections and own takes say nothing about the market
      if (first === undefined && (event.what === 'side' || event.what === 'game'))
        this.#fromMs = tapeStartMs(start, (first = event.ts));
      if (first === undefined || event.ts <= this.#fromMs) this.#past.push(event);
      else this.#ahead.push(event);
      if (this.#past.length > this.#thinAt) this.#thin();
    }
    if (first === undefined) throw tapeError(this.#feed.name, 1, 'no frame of a price feed in this file');
  }

  get name(): string {
    return this.#feed.name;
  }

  /** True when no event after the start was read. */
  get isOver(): boolean {
    return this.#ahead.length === 0 && !this.isLive;
  }

  get isLive(): boolean {
    return this.#feed.isLive === true;
  }

  get fromMs(): number {
    return this.#fromMs;
  }

  /** Builds the book at the start. @param anchor the tape time of a venue time. Default: the start is now */
  open(
    venue: Venue,
    speed: number,
    asLeague: string | undefined,
    nowMs: number,
    anchor: TapeAnchor = { t0Ms: nowMs, fromMs: this.#fromMs },
  ): void {
    const clock = createTapeClock(anchor.t0Ms, anchor.fromMs, speed);
    this.#clock = clock;
    const traders = new TapeTraders({ venue, clock, asLeague });
    this.#traders = traders;
    venue.reopened = (game, atMs) => traders.crossAll(game, atMs);
    this.#thin();
    venue.run(nowMs, () => {
      for (const event of this.#past.splice(0)) this.#apply(event, nowMs, true);
    });
  }

  /**
   * Delivers events until the end of the tape; the last book stays. Rejects at a line that cannot be read.
   */
  async play(timer: FeedTimer): Promise<void> {
    for (let busySince = timer.now(); !this.#closed;) {
      const event = this.#ahead.shift() ?? (await this.#next());
      if (event === undefined) return;
      const due = this.isLive ? 0 : (this.#clock?.venueTime(event.ts) ?? 0);
      const now = timer.now();
      // when late it still yields to other work now and then
      if (due > now || now - busySince > 10) {
        await timer.until(due);
        busySince = timer.now();
        if (this.#closed) return;
      }
      this.#apply(event, Math.max(due, timer.now()), false);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#batches.return?.();
  }

  #apply(event: MarketEvent, nowMs: number, building: boolean): void {
    if (event.what === 'side') this.#traders?.applySide(event, nowMs, building);
    else if (event.what === 'game') this.#traders?.applyGame(event, nowMs, building);
    else if (event.what === 'own') this.#traders?.applyOwn(event, nowMs, building);
    // changes across a lost connection are missing in the recording
    else if (event.what !== 'signal')
      this.#traders?.applyGap(event.what === 'down' && event.feed !== false ? undefined : event.tape);
  }

  /** Drops frames before the start except the newest of each side. Games keep their order. */
  #thin(): void {
    const newest = new Map<string, MarketEvent>();
    let games = 0;
    for (const event of this.#past) {
      const key = event.what !== 'side' ? `game ${games++}` : frameKeyOf(event.frame);
      newest.delete(key);
      newest.set(key, event);
    }
    this.#past.length = 0;
    for (const event of newest.values()) this.#past.push(event);
    this.#thinAt = Math.max(4096, 2 * this.#past.length);
  }

  async #next(): Promise<MarketEvent | undefined> {
    for (;;) {
      const event = this.#batch[this.#nextIndex];
      if (event !== undefined) {
        this.#nextIndex += 1;
        return event;
      }
      const next: IteratorResult<readonly MarketEvent[], unknown> = await this.#batches.next();
      if (next.done === true) return undefined;
      this.#batch = next.value;
      this.#nextIndex = 0;
    }
  }
}
