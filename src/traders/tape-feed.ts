// Plays a recording into the venue. `prepare` reads up to the start, so that a tape that cannot be read ends the boot;
// `open` builds the book of that moment in one step; `play` delivers what follows when its time has come. It knows time
// only through its ports: a clock and a sleep.
import type { TapeStart } from '../domain/index.ts';
import { frameKeyOf, tapeStartMs } from '../domain/index.ts';
import type { Venue } from '../venue/index.ts';
import { createTapeClock } from './tape-clock.ts';
import type { TapeClock } from './tape-clock.ts';
import type { MarketEvent } from '../tape/index.ts';
import { tapeError } from '../tape/index.ts';
import { TapeTraders } from './tape-traders.ts';

/** What one tape tells, as many events at a time as come easily. */
export type RecordedFeed = {
  readonly name: string;
  readonly events: AsyncIterable<readonly MarketEvent[]>;
  /** It is told as it happens: nothing of it is waited for. */
  readonly isLive?: true;
};

export type FeedTimer = {
  readonly now: () => number;
  /** Resolves at that time, or soon after; at once when it has passed. */
  readonly until: (atMs: number) => Promise<void>;
};

/** Which time of the tape is which time of the venue. */
export type TapeAnchor = { readonly t0Ms: number; readonly fromMs: number };

/** Frames beyond the start that are read before the venue says that it is ready. */
const LOOK_AHEAD = 200;

export class TapeFeed {
  readonly #feed: RecordedFeed;
  readonly #batches: AsyncIterator<readonly MarketEvent[]>;
  readonly #past: MarketEvent[] = [];
  readonly #ahead: MarketEvent[] = [];
  /** What was read last, and how far it was delivered. */
  #batch: readonly MarketEvent[] = [];
  #at = 0;
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
      // it is told to strategies
      if (event.what === 'signal') continue;
      // that a recorder connected, or what it did itself, says nothing of the market
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

  /** Everything in it was told before the start. */
  get isOver(): boolean {
    return this.#ahead.length === 0 && !this.isLive;
  }

  get isLive(): boolean {
    return this.#feed.isLive === true;
  }

  get fromMs(): number {
    return this.#fromMs;
  }

  /** Builds the book at the start. `anchor`: which tape time is which venue time; otherwise the start is now. */
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

  /** Delivers until the end of the tape; the last book stays. Rejects at a line that cannot be read. */
  async play(timer: FeedTimer): Promise<void> {
    for (let busySince = timer.now(); !this.#closed;) {
      const event = this.#ahead.shift() ?? (await this.#next());
      if (event === undefined) return;
      const due = this.isLive ? 0 : (this.#clock?.venueTime(event.ts) ?? 0);
      const now = timer.now();
      // behind its time it still lets others run now and then
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
    // whoever goes on with the recording has missed what happened meanwhile
    else if (event.what !== 'signal')
      this.#traders?.applyGap(event.what === 'down' && event.feed !== false ? undefined : event.tape);
  }

  /** Of what came before the start only the newest frame of each side matters; games keep their order. */
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
      const told = this.#batch[this.#at];
      if (told !== undefined) {
        this.#at += 1;
        return told;
      }
      const next: IteratorResult<readonly MarketEvent[], unknown> = await this.#batches.next();
      if (next.done === true) return undefined;
      this.#batch = next.value;
      this.#at = 0;
    }
  }
}
