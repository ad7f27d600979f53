// The health of both feeds (rules.md, 4). Quotes are pulled when a feed is down or suspect, or when the
// process stood still. They return after both feeds were healthy for `resumeAfter`.
import type { OwnOrder } from '../account/index.ts';
import type { Denial } from '../risk/index.ts';
import type { CommandBuffer } from './command-buffer.ts';
import { FeedTrust } from './feed-trust.ts';

export class FeedHealth {
  userFeedUp = false;
  userFeedUpSince: number | undefined;
  #drops = 0;
  #healthySince: number | undefined;
  /** When a user feed event was lost, monotonic ms, while no later list of the account has replaced it. */
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

  /** The user feed reported an own order that rests. */
  applyReport(): void {
    this.#trust.applyReport();
  }

  /**
   * A frame of the user feed was dropped: nothing is quoted until lists that were requested later are read.
   */
  applyLostReport(): void {
    this.#missingSince = this.#buffer.now;
  }

  /** The event loop stood still: data that arrived meanwhile is old. */
  applyStall(): void {
    this.#drops += 1;
    this.#healthySince = undefined;
  }

  /**
   * Runs in every step with the state of the price feed. After a drop both feeds must be healthy for
   * `resumeAfter`. `listedAt`: when the newest lists of the account were requested, monotonic ms.
   */
  update(pricesUp: boolean, listedAt = Number.NEGATIVE_INFINITY): void {
    if (this.#missingSince !== undefined && listedAt >= this.#missingSince) this.#missingSince = undefined;
    if (this.#trust.advance(this.#buffer.now, this.userFeedUpSince))
      this.#buffer.alert('info', 'FEED_SUSPECT', 'the user feed reports orders again: all quotes return', {});
    const healthy = pricesUp && this.userFeedUp && !this.#trust.isSuspect && this.#missingSince === undefined;
    if (!healthy && this.#healthySince !== undefined) {
      this.#drops += 1;
      this.#healthySince = undefined;
    }
    if (healthy) this.#healthySince ??= this.#buffer.now;
  }

  /** True when time alone may change the trust in the user feed. */
  get isWaiting(): boolean {
    return this.#trust.isWaiting;
  }

  /**
   * Runs at every housekeeping. `unconfirmed`: accepted orders that the user feed has not reported, and since
   * when.
   */
  housekeep(unconfirmed: Map<OwnOrder, number>): void {
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

  /** How many orders may be placed now. It is one during a trial of the user feed. */
  get mostNew(): number {
    return this.#trust.mostNew;
  }

  /** Runs after the requests of a step were sent. */
  noteSent(orders: Iterable<OwnOrder>): void {
    this.#trust.noteSent(orders);
  }

  /**
   * When the feeds have been healthy for long enough, if they stay healthy; monotonic ms. Infinity when not
   * waiting.
   */
  get resumesAt(): number {
    const resumeAt = (this.#healthySince ?? Number.POSITIVE_INFINITY) + this.#resumeAfter;
    return resumeAt > this.#buffer.now ? resumeAt : Number.POSITIVE_INFINITY;
  }

  get #resumeAfter(): number {
    return this.#drops === 0 ? 0 : this.#resumeAfterMs;
  }

  /** Why the feeds forbid quoting now. Undefined when they allow it. */
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
