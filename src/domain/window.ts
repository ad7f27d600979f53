// The belief about one request window of the exchange (rules.md, 1). A 429 that the own count does not
// explain is believed: the margin doubles, and no more permits circulate than the exchange was seen to
// accept. Both effects fade linearly over ten minutes. Pure; the keeper of the permits (Bottleneck live, a
// ledger on the virtual clock) queries it.

/** A request limit: at most `requests` in any `windowMs`, counted at the exchange. */
export type WindowRule = {
  readonly requests: number;
  readonly windowMs: number;
  /** Added to the window before a permit is used again: covers unequal delays to the exchange, and timers. */
  readonly marginMs: number;
};

const MAX_MARGIN_MS = 1000;
const FADES_MS = 600_000;
/** The number of windows of sends that are kept: an answer may be late. */
const REMEMBERED = 16;

export class WindowBelief {
  readonly rule: WindowRule;
  /** Times of sent requests, monotonic ms, oldest first; as far back as they matter. */
  #sent: number[] = [];
  #heldUntil = Number.NEGATIVE_INFINITY;
  #widened = 1;
  #widenedAt = 0;
  #lowered: number;
  #loweredAt = 0;

  constructor(rule: WindowRule) {
    this.rule = rule;
    this.#lowered = rule.requests;
  }

  /** Records that a request leaves. */
  applySent(sentAt: number): void {
    this.#sent.push(sentAt);
    if (this.#sent.length <= REMEMBERED * this.rule.requests) return;
    this.#sent = this.#sent.slice((-REMEMBERED * this.rule.requests) / 2);
  }

  /** Records a 429 to the request that left at `sentAt`. */
  applyRefused(sentAt: number, now: number): void {
    const { requests, windowMs, marginMs } = this.rule;
    const counted = this.#sent.filter((time) => time > sentAt - windowMs && time <= sentAt).length;
    const allowed = this.permits(now);
    // a single unexplained 429 must not stop the bot: each one halves the permits at most
    this.#lowered = Math.max(1, Math.min(allowed, Math.max(counted - 1, Math.floor(allowed / 2)), requests));
    this.#loweredAt = now;
    this.#widened = Math.min(MAX_MARGIN_MS / marginMs, this.#widening(now) * 2);
    this.#widenedAt = now;
  }

  /** Stops requests for a while, as the exchange demands. */
  hold(forMs: number, now: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, now + forMs);
  }

  /** No permit is handed out before this time, monotonic ms. */
  get heldUntil(): number {
    return this.#heldUntil;
  }

  /** The number of permits that may circulate: in hand, in use, and waiting for reuse. */
  permits(now: number): number {
    const { requests } = this.rule;
    return Math.floor(this.#lowered + (requests - this.#lowered) * faded(this.#loweredAt, now));
  }

  marginMs(now: number): number {
    return this.rule.marginMs * this.#widening(now);
  }

  /** When a permit may be used again if its request can no longer be counted after `endMs`, monotonic ms. */
  freeAt(endMs: number, now: number): number {
    return Math.max(endMs, now) + this.rule.windowMs + this.marginMs(now);
  }

  #widening(now: number): number {
    return this.#widened - (this.#widened - 1) * faded(this.#widenedAt, now);
  }
}

/** The faded share: 0 at first, 1 from ten minutes on. */
const faded = (since: number, now: number): number => Math.min(1, Math.max(0, (now - since) / FADES_MS));

/** The release times of a window whose permits all count as used now. */
export const allUsed = ({ requests, windowMs, marginMs }: WindowRule, now: number): readonly number[] =>
  new Array<number>(requests).fill(now + windowMs + marginMs);
