// What is believed of one request window of the exchange (rules.md, 1). A 429 that our own count does not explain is
// believed: the margin doubles, and no more permits go round than the exchange was seen to take. Both beliefs fade in a
// straight line over ten minutes. Pure; whoever keeps the permits (Bottleneck live, a ledger on the virtual clock) asks here.

/** At most `requests` in any `windowMs`, counted at the exchange. */
export type WindowRule = {
  readonly requests: number;
  readonly windowMs: number;
  /** Added to the window before a permit is used again: unequal ways to the exchange, timers. */
  readonly marginMs: number;
};

const MAX_MARGIN_MS = 1000;
const FADES_MS = 600_000;
/** Windows of sends that are remembered: an answer may be late. */
const REMEMBERED = 16;

export class WindowBelief {
  readonly rule: WindowRule;
  /** When requests left, oldest first; as far back as they matter. */
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

  /** A request leaves. */
  applySent(at: number): void {
    this.#sent.push(at);
    if (this.#sent.length <= REMEMBERED * this.rule.requests) return;
    this.#sent = this.#sent.slice((-REMEMBERED * this.rule.requests) / 2);
  }

  /** The exchange answered 429 to the request that left at `sentAt`. */
  applyRefused(sentAt: number, now: number): void {
    const { requests, windowMs, marginMs } = this.rule;
    const counted = this.#sent.filter((at) => at > sentAt - windowMs && at <= sentAt).length;
    const allowed = this.permits(now);
    // one stray 429 must not stop the bot: each takes half at most
    this.#lowered = Math.max(1, Math.min(allowed, Math.max(counted - 1, Math.floor(allowed / 2)), requests));
    this.#loweredAt = now;
    this.#widened = Math.min(MAX_MARGIN_MS / marginMs, this.#widening(now) * 2);
    this.#widenedAt = now;
  }

  /** The exchange wants no request for a while. */
  hold(forMs: number, now: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, now + forMs);
  }

  /** Before this no permit is handed out. */
  get heldUntil(): number {
    return this.#heldUntil;
  }

  /** How many permits may go round: in hand, on their way, and waiting to be used again. */
  permits(now: number): number {
    const { requests } = this.rule;
    return Math.floor(this.#lowered + (requests - this.#lowered) * faded(this.#loweredAt, now));
  }

  marginMs(now: number): number {
    return this.rule.marginMs * this.#widening(now);
  }

  /** When a permit may be used again whose request can no longer be counted after `endMs`. */
  freeAt(endMs: number, now: number): number {
    return Math.max(endMs, now) + this.rule.windowMs + this.marginMs(now);
  }

  #widening(now: number): number {
    return this.#widened - (this.#widened - 1) * faded(this.#widenedAt, now);
  }
}

/** 0 at first, 1 from ten minutes on. */
const faded = (since: number, now: number): number => Math.min(1, Math.max(0, (now - since) / FADES_MS));

/** Permits of a window that counts as used: all of them come a window later. */
export const allUsed = ({ requests, windowMs, marginMs }: WindowRule, now: number): readonly number[] =>
  new Array<number>(requests).fill(now + windowMs + marginMs);
