// The request windows without a clock: the same rule as src/exchange/windows.ts keeps with Bottleneck (DESIGN rule 1). A
// permit is one send; it is free again W + margin after the request can no longer be counted.
export type WindowRule = {
  readonly requests: number;
  readonly windowMs: number;
  readonly marginMs: number;
};

const MAX_MARGIN_MS = 1000;
const MARGIN_DECAY_MS = 600_000;

export class WindowLedger {
  readonly #rule: WindowRule;
  /** When each permit that is not in somebody's hands is free, soonest first. */
  readonly #free: number[];
  readonly #out = new Set<number>();
  #permits = 0;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #widened = 1;
  #widenedAt = 0;

  /** `freeAt`: when the permits are free for the first time, monotonic ms; the others are free at once. */
  constructor(rule: WindowRule, freeAt: readonly number[] = []) {
    this.#rule = rule;
    const unused = Math.max(0, rule.requests - freeAt.length);
    const used = [...freeAt].sort((a, b) => b - a).slice(0, rule.requests);
    this.#free = [...new Array<number>(unused).fill(Number.NEGATIVE_INFINITY), ...used.reverse()];
  }

  /** When the next permit is free; undefined while all are out. */
  get nextAt(): number | undefined {
    const next = this.#free[0];
    return next === undefined ? undefined : Math.max(next, this.#heldUntil);
  }

  /** Hands out every permit that is free now. */
  take(now: number): readonly number[] {
    const taken: number[] = [];
    while (this.nextAt !== undefined && this.nextAt <= now) {
      this.#free.shift();
      this.#permits += 1;
      this.#out.add(this.#permits);
      taken.push(this.#permits);
    }
    return taken;
  }

  /** The request of this permit can no longer be counted after `endMs`. */
  end(permit: number, endMs: number, now: number): void {
    if (!this.#out.delete(permit)) return;
    const at = Math.max(endMs, now) + this.#rule.windowMs + this.marginMs(now);
    let index = this.#free.length;
    while (index > 0 && (this.#free[index - 1] as number) > at) index -= 1;
    this.#free.splice(index, 0, at);
  }

  /** Gives no permit for a while; `widen`: the exchange counted more than we did, so the margin doubles. */
  hold(forMs: number, widen: boolean, now: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, now + forMs);
    if (!widen) return;
    this.#widened = Math.min(MAX_MARGIN_MS / this.#rule.marginMs, this.#widening(now) * 2);
    this.#widenedAt = now;
  }

  marginMs(now: number): number {
    return this.#rule.marginMs * this.#widening(now);
  }

  /** Falls back to 1 over ten minutes. */
  #widening(now: number): number {
    const left = 1 - (now - this.#widenedAt) / MARGIN_DECAY_MS;
    return this.#widened <= 1 || left <= 0 ? 1 : 1 + (this.#widened - 1) * left;
  }
}
