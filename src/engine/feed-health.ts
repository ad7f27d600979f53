// The health of both feeds (rules.md, 4): quotes are pulled when one is down or suspect, or when the process stood still, and
// come back after both were healthy for a while.
import type { OwnOrder } from '../account/index.ts';
import type { Denial } from '../risk/index.ts';
import type { CommandBuffer } from './command-buffer.ts';
import { FeedTrust } from './feed-trust.ts';

export class FeedHealth {
  userFeedUp = false;
  userFeedUpSince: number | undefined;
  #drops = 0;
  #healthySince: number | undefined;
  /** Since when an event of the user feed is missing that no list of the account has made up for. */
  #missingSince: number | undefined;
  readonly #trust: FeedTrust;
  readonly #buffer: CommandBuffer;
  readonly #resumeAfterMs: number;

  constructor(buffer: CommandBuffer, resumeAfterMs: number) {
    this.#buffer = buffer;
    this.#resumeAfterMs = resumeAfterMs;
    this.#trust = new FeedTrust(resumeAfterMs);
  }

  applyUserFeed(status: 'up' | 'down'): void {
    this.userFeedUp = status === 'up';
    this.userFeedUpSince = this.userFeedUp ? this.#buffer.now : undefined;
  }

  /** The user feed reported an own order that rests now. */
  applyReport(): void {
    this.#trust.applyReport();
  }

  /** A frame of the user feed was dropped: nothing is quoted until lists that were asked for later are read. */
  applyLostReport(): void {
    this.#missingSince = this.#buffer.now;
  }

  /** The event loop stood still: what came meanwhile is old. */
  applyStall(): void {
    this.#drops += 1;
    this.#healthySince = undefined;
  }

  /**
   * Called at every step with the state of the price feed: after a drop both must be healthy for resumeAfter. `listedAt`: when the
   * lists of the account were asked for that were read last.
   */
  update(pricesUp: boolean, listedAt = Number.NEGATIVE_INFINITY): void {
    if (this.#missingSince !== undefined && listedAt >= this.#missingSince) this.#missingSince = undefined;
    if (this.#trust.advance(this.#buffer.now, this.userFeedUpSince))
      this.#buffer.alert('info', 'FEED_SUSPECT', 'the user feed reports orders again: all quotes come back', {});
    const healthy = pricesUp && this.userFeedUp && !this.#trust.isSuspect && this.#missingSince === undefined;
    if (!healthy && this.#healthySince !== undefined) {
      this.#drops += 1;
      this.#healthySince = undefined;
    }
    if (healthy) this.#healthySince ??= this.#buffer.now;
  }

  /** Time alone may change what is believed of the user feed. */
  get isWaiting(): boolean {
    return this.#trust.isWaiting;
  }

  /** Called at every sweep. `unconfirmed`: orders that landed and that the user feed has not reported, and since when. */
  sweep(unconfirmed: Map<OwnOrder, number>): void {
    const suspicion = this.#trust.watch(this.#buffer.now, unconfirmed, this.userFeedUpSince);
    if (suspicion === undefined) return;
    const { order, waitMs } = suspicion;
    this.#buffer.alert(
      'warn',
      'FEED_SUSPECT',
      'an accepted order has no positionUpdate: quotes are pulled, then one is tried',
      { ref: order.ref, orderId: order.id?.orderId, waitMs },
    );
  }

  /** How many orders may be placed now: one, while the user feed is tried. */
  get mostNew(): number {
    return this.#trust.mostNew;
  }

  /** After what was sent in a step. */
  noteSent(orders: Iterable<OwnOrder>): void {
    this.#trust.noteSent(orders);
  }

  /** When the feeds have been healthy for long enough, if they stay so. */
  get resumesAt(): number {
    const at = (this.#healthySince ?? Number.POSITIVE_INFINITY) + this.#resumeAfter;
    return at > this.#buffer.now ? at : Number.POSITIVE_INFINITY;
  }

  get #resumeAfter(): number {
    return this.#drops === 0 ? 0 : this.#resumeAfterMs;
  }

  /** Why nothing may be quoted now, as far as the feeds are concerned. */
  get closed(): Denial | undefined {
    if (this.#healthySince === undefined)
      return {
        control: 'gate',
        reason:
          this.#missingSince === undefined
            ? this.#trust.isSuspect
              ? 'the user feed is suspect'
              : 'a feed is down'
            : 'a frame of the user feed was too long: the account is read first',
      };
    return this.#buffer.now - this.#healthySince < this.#resumeAfter
      ? { control: 'gate', reason: 'the feeds came back a moment ago' }
      : undefined;
  }
}
