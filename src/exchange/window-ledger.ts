// The permits of a request window without timers: the same rule as src/exchange/live/windows.ts implements
// with Bottleneck (rules.md, 1). A permit is one send; it is free again W + margin after the request can no
// longer be counted.
import type { WindowRule } from '../domain/index.ts';
import { WindowBelief } from '../domain/index.ts';

export class WindowLedger {
  readonly #belief: WindowBelief;
  /** When each permit that is not handed out becomes free, monotonic ms, the earliest first. */
  readonly #free: number[];
  readonly #out = new Set<number>();
  #permits = 0;

  /** `freeAt`: when used permits become free, monotonic ms; the others are free at once. */
  constructor(rule: WindowRule, freeAt: readonly number[] = []) {
    this.#belief = new WindowBelief(rule);
    const unused = Math.max(0, rule.requests - freeAt.length);
    const used = [...freeAt].sort((a, b) => b - a).slice(0, rule.requests);
    this.#free = [...new Array<number>(unused).fill(Number.NEGATIVE_INFINITY), ...used.reverse()];
  }

  /** When the next permit is free, monotonic ms; undefined while all are handed out. */
  get nextAt(): number | undefined {
    const next = this.#free[0];
    return next === undefined ? undefined : Math.max(next, this.#belief.heldUntil);
  }

  /** Hands out every free permit. */
  take(now: number): readonly number[] {
    const taken: number[] = [];
    this.#settle(now);
    while (this.nextAt !== undefined && this.nextAt <= now) {
      this.#free.shift();
      this.#permits += 1;
      this.#out.add(this.#permits);
      taken.push(this.#permits);
    }
    return taken;
  }

  /** Records that the request of this permit leaves. */
  spend(permit: number, sentAt: number): void {
    if (this.#out.has(permit)) this.#belief.applySent(sentAt);
  }

  /** Records that the request of this permit can no longer be counted after `endMs`. */
  endRequest(permit: number, endMs: number, now: number): void {
    if (!this.#out.delete(permit)) return;
    const freeAt = this.#belief.freeAt(endMs, now);
    let index = this.#free.length;
    while (index > 0 && (this.#free[index - 1] as number) > freeAt) index -= 1;
    this.#free.splice(index, 0, freeAt);
    this.#settle(now);
  }

  /** Returns an unused permit, which is free at once. */
  giveBack(permit: number, now: number): void {
    if (!this.#out.delete(permit)) return;
    this.#free.unshift(Number.NEGATIVE_INFINITY);
    this.#settle(now);
  }

  /**
   * Records a 429 to the request that left at `sentAt`. Returns how many permits must be returned unused, if
   * possible.
   */
  refused(sentAt: number, now: number): number {
    this.#belief.applyRefused(sentAt, now);
    this.#settle(now);
    return Math.max(0, this.#out.size + this.#free.length - this.#belief.permits(now));
  }

  /** Hands out no permit for a while. */
  hold(forMs: number, now: number): void {
    this.#belief.hold(forMs, now);
  }

  marginMs(now: number): number {
    return this.#belief.marginMs(now);
  }

  /**
   * Adjusts the number of permits to the belief: surplus free ones are removed, and added again as the belief
   * fades.
   */
  #settle(now: number): void {
    const allowed = this.#belief.permits(now);
    while (this.#out.size + this.#free.length > allowed && (this.#free[0] ?? Number.POSITIVE_INFINITY) <= now)
      this.#free.shift();
    while (this.#out.size + this.#free.length < allowed) this.#free.unshift(Number.NEGATIVE_INFINITY);
  }
}
