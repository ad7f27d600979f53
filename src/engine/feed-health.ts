// The health of both feeds (DESIGN rule 4): quotes are pulled when one is down or suspect, or when the process stood still, and
// come back after both were healthy for a while.
import type { Denial } from '../risk/index.ts';
import type { Desk } from './desk.ts';

/** An accepted order without a positionUpdate for this long makes the user feed suspect. */
const FEED_SUSPECT_MS = 3000;

export class FeedHealth {
  userFeedUp = false;
  userFeedUpSince: number | undefined;
  #drops = 0;
  #healthySince: number | undefined;
  #suspect = false;
  readonly #desk: Desk;
  readonly #resumeAfterMs: number;

  constructor(desk: Desk, resumeAfterMs: number) {
    this.#desk = desk;
    this.#resumeAfterMs = resumeAfterMs;
  }

  applyUserFeed(status: 'up' | 'down'): void {
    this.userFeedUp = status === 'up';
    this.userFeedUpSince = this.userFeedUp ? this.#desk.now : undefined;
  }

  /** The event loop stood still: what came meanwhile is old. */
  applyStall(): void {
    this.#drops += 1;
    this.#healthySince = undefined;
  }

  /** Called at every step with the state of the price feed: after a drop both must be healthy for resumeAfter. */
  update(pricesUp: boolean): void {
    const healthy = pricesUp && this.userFeedUp && !this.#suspect;
    if (!healthy && this.#healthySince !== undefined) {
      this.#drops += 1;
      this.#healthySince = undefined;
    }
    if (healthy) this.#healthySince ??= this.#desk.now;
  }

  get isSuspect(): boolean {
    return this.#suspect;
  }

  /** Called at every sweep. `unconfirmed`: since when orders rest that the user feed has not reported. */
  sweep(unconfirmed: Iterable<number>): void {
    let suspect = false;
    for (const since of unconfirmed) if (this.#desk.now - since > FEED_SUSPECT_MS) suspect = true;
    if (suspect && !this.#suspect)
      this.#desk.alert(
        'warn',
        'FEED_SUSPECT',
        'an accepted order has no positionUpdate: quotes are pulled',
        {},
      );
    this.#suspect = suspect;
  }

  /** When the feeds have been healthy for long enough, if they stay so. */
  get resumesAt(): number {
    const at = (this.#healthySince ?? Number.POSITIVE_INFINITY) + this.#resumeAfter;
    return at > this.#desk.now ? at : Number.POSITIVE_INFINITY;
  }

  get #resumeAfter(): number {
    return this.#drops === 0 ? 0 : this.#resumeAfterMs;
  }

  /** Why nothing may be quoted now, as far as the feeds are concerned. */
  get closed(): Denial | undefined {
    if (this.#healthySince === undefined)
      return { control: 'gate', reason: this.#suspect ? 'the user feed is suspect' : 'a feed is down' };
    return this.#desk.now - this.#healthySince < this.#resumeAfter
      ? { control: 'gate', reason: 'the feeds came back a moment ago' }
      : undefined;
  }
}
