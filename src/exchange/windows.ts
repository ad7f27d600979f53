// The request windows (DESIGN rule 1). A permit is one send; it comes back W + margin after the request can no longer be
// counted: after the exchange's own answer was read or, without one, after send + lateArrival. For successive users i, j
// of one permit: counted_j ≥ sent_j ≥ end_i + W + margin > counted_i + W, so each of N permits is counted at most once
// in any W. Bottleneck takes milliseconds to start a job, so jobs are kept started: each is a permit in hand, waiting.
import Bottleneck from 'bottleneck';
import { Observable } from 'rxjs';

export type WindowSettings = {
  readonly requests: number;
  readonly windowMs: number;
  readonly marginMs: number;
  /** The window holds nothing of ours at the start: known only when the exchange was started with us. */
  readonly knownEmpty: boolean;
};

const MAX_MARGIN_MS = 1000;
const MARGIN_DECAY_MS = 600_000;

export class PermitWindow {
  readonly #settings: WindowSettings;
  readonly #limiter: Bottleneck;
  readonly #release = new Map<number, () => void>();
  readonly #now: () => number;
  readonly #timers = new Set<NodeJS.Timeout>();
  #grant: (permit: number) => void = () => undefined;
  #permits = 0;
  #heldUntil = 0;
  #widened = 1;
  #widenedAt = 0;
  #closed = false;

  constructor(settings: WindowSettings, now: () => number) {
    this.#settings = settings;
    this.#now = now;
    this.#limiter = new Bottleneck({ maxConcurrent: settings.requests });
  }

  /** Permits as they become free: N at the start (a window later, unless it is known to be empty), then one per return. */
  readonly permits$ = new Observable<number>((subscriber) => {
    this.#grant = (permit) => {
      subscriber.next(permit);
    };
    const first = this.#settings.knownEmpty ? 0 : this.#settings.windowMs + this.#settings.marginMs;
    this.#after(first, () => {
      for (let i = 0; i < this.#settings.requests; i++) this.#fetch();
    });
    return () => {
      this.close();
    };
  });

  /** Starts one more job; it hands out its permit when it runs and lives until the permit is returned. */
  #fetch(): void {
    if (this.#closed) return;
    this.#limiter
      .schedule(
        () =>
          new Promise<void>((resolve) => {
            this.#permits += 1;
            const permit = this.#permits;
            this.#release.set(permit, resolve);
            this.#after(this.#heldUntil - this.#now(), () => {
              this.#grant(permit);
            });
          }),
      )
      .catch(() => undefined); // only at close: waiting jobs are dropped
  }

  /** The request of this permit can no longer be counted after `endMs` (monotonic; now when an answer was read). */
  end(permit: number, endMs: number): void {
    const release = this.#release.get(permit);
    if (release === undefined) return;
    this.#release.delete(permit);
    this.#after(endMs - this.#now() + this.#settings.windowMs + this.marginMs, () => {
      release();
      this.#fetch();
    });
  }

  /** Gives no permit for a while; `widen`: the exchange counted more than we did, so the margin doubles. */
  hold(forMs: number, widen: boolean): void {
    this.#heldUntil = Math.max(this.#heldUntil, this.#now() + forMs);
    if (!widen) return;
    this.#widened = Math.min(MAX_MARGIN_MS / this.#settings.marginMs, this.#currentWidening() * 2);
    this.#widenedAt = this.#now();
  }

  get marginMs(): number {
    return this.#settings.marginMs * this.#currentWidening();
  }

  /** Back to 1 in a straight line over ten minutes. */
  #currentWidening(): number {
    const left = 1 - (this.#now() - this.#widenedAt) / MARGIN_DECAY_MS;
    return this.#widened <= 1 || left <= 0 ? 1 : 1 + (this.#widened - 1) * left;
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
