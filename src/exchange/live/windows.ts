// The request windows (rules.md, 1). A permit is one send; it comes back W + margin after the request can no
// longer be counted: after the exchange's own answer was read or, without one, after send + lateArrival. For
// successive users i, j of one permit: counted_j ≥ sent_j ≥ end_i + W + margin > counted_i + W, so each of N
// permits is counted at most once in any W. Bottleneck takes milliseconds to start a job, so jobs are kept
// started: each one is a waiting permit. It must not use the wall clock: all durations here are of `now`,
// which is monotonic.
import Bottleneck from 'bottleneck';
import type { WindowRule } from '../../domain/index.ts';
import { WindowBelief } from '../../domain/index.ts';
import type { WindowPort } from '../ports.ts';

export class PermitWindow implements WindowPort {
  readonly #belief: WindowBelief;
  readonly #freeAt: readonly number[];
  readonly #limiter: Bottleneck;
  readonly #release = new Map<number, () => void>();
  readonly #now: () => number;
  readonly #timers = new Set<NodeJS.Timeout>();
  #grant: (permit: number) => void = () => undefined;
  #permits = 0;
  /** Circulating permits: started, in hand, in use, or waiting for reuse. */
  #circulating = 0;
  #closed = false;

  /** `freeAt`: when used permits become free, on the clock of `now`; the others are free at once. */
  constructor(rule: WindowRule, now: () => number, freeAt: readonly number[] = []) {
    this.#belief = new WindowBelief(rule);
    this.#freeAt = [...freeAt].sort((a, b) => b - a).slice(0, rule.requests);
    this.#now = now;
    this.#limiter = withoutWallClock(new Bottleneck({ maxConcurrent: rule.requests }));
  }

  /** Hands out permits as they become free. */
  open(grant: (permit: number) => void): void {
    this.#grant = grant;
    const { requests } = this.#belief.rule;
    this.#circulating = requests;
    for (let i = 0; i < requests; i++) {
      const freeAt = this.#freeAt[i];
      if (freeAt === undefined) this.#fetch();
      else
        this.#after(freeAt - this.#now(), () => {
          this.#fetch();
        });
    }
  }

  /** Starts one more job; it hands out its permit when it runs, and lasts until the permit is returned. */
  #fetch(): void {
    if (this.#closed) return;
    this.#limiter
      .schedule(
        () =>
          new Promise<void>((resolve) => {
            this.#permits += 1;
            const permit = this.#permits;
            this.#release.set(permit, resolve);
            this.#handOut(permit);
          }),
      )
      .catch(() => undefined); // only at close: waiting jobs are dropped
  }

  #handOut(permit: number): void {
    const wait = this.#belief.heldUntil - this.#now();
    if (wait > 0)
      this.#after(wait, () => {
        this.#handOut(permit);
      });
    else this.#grant(permit);
  }

  /** Records that the request of this permit leaves. */
  spend(permit: number, sentAt: number): void {
    if (this.#release.has(permit)) this.#belief.applySent(sentAt);
  }

  /**
   * Records that the request of this permit can no longer be counted after `endMs` (monotonic ms; now when an
   * answer was read).
   */
  endRequest(permit: number, endMs: number): void {
    const now = this.#now();
    this.#return(permit, this.#belief.freeAt(endMs, now) - now);
  }

  /** Returns an unused permit, which is free at once. */
  giveBack(permit: number): void {
    this.#return(permit, 0);
  }

  #return(permit: number, inMs: number): void {
    const release = this.#release.get(permit);
    if (release === undefined) return;
    this.#release.delete(permit);
    this.#after(inMs, () => {
      release();
      this.#circulating -= 1;
      // fewer permits while the belief is lowered, more again as it fades
      for (const allowed = this.#belief.permits(this.#now()); this.#circulating < allowed; this.#circulating++)
        this.#fetch();
    });
  }

  /**
   * Records a 429 to the request that left at `sentAt`. Returns how many permits must be returned unused, if
   * possible.
   */
  refused(sentAt: number): number {
    const now = this.#now();
    this.#belief.applyRefused(sentAt, now);
    return Math.max(0, this.#circulating - this.#belief.permits(now));
  }

  /** Hands out no permit for a while. */
  hold(forMs: number): void {
    this.#belief.hold(forMs, this.#now());
  }

  get marginMs(): number {
    return this.#belief.marginMs(this.#now());
  }

  #after(ms: number, run: () => void): void {
    if (ms <= 0) {
      run();
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!this.#closed) run();
    }, Math.ceil(ms));
    this.#timers.add(timer);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const release of this.#release.values()) release();
    this.#release.clear();
    this.#limiter.stop({ dropWaitingJobs: true }).catch(() => undefined);
  }
}

/**
 * Removes the wall clock from a limiter. Bottleneck's local store records the wall time of every start and
 * starts no job before it: after a step back of the wall clock by N s it would hand out nothing for N s. Only
 * `minTime`, which is 0 here, needs that record; a store that cannot keep it starts each job as soon as there
 * is room. The public interface has no other way (docs/adr/0012).
 */
function withoutWallClock(limiter: Bottleneck): Bottleneck {
  const { _store: store } = limiter as unknown as { readonly _store: object };
  Object.defineProperty(store, '_nextRequest', { get: () => 0, set: () => undefined });
  return limiter;
}
