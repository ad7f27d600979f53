// A window ledger behind the door's port: it hands out free permits, and checks again when the next one is
// free.
import type { Timers } from '../domain/index.ts';
import type { WindowPort } from './ports.ts';
import type { WindowLedger } from './window-ledger.ts';

export class LedgerWindow implements WindowPort {
  readonly #ledger: WindowLedger;
  readonly #timers: Timers;
  #give: (permit: number) => void = () => undefined;
  /** When it checks again, monotonic ms. */
  #checkAt = Number.POSITIVE_INFINITY;
  #isOpen = false;

  constructor(ledger: WindowLedger, timers: Timers) {
    this.#ledger = ledger;
    this.#timers = timers;
  }

  open(grant: (permit: number) => void): void {
    this.#give = grant;
    this.#isOpen = true;
    this.#grant();
  }

  spend(permit: number, sentAt: number): void {
    this.#ledger.spend(permit, sentAt);
  }

  endRequest(permit: number, endMs: number): void {
    this.#ledger.endRequest(permit, endMs, this.#timers.now());
    this.#grant();
  }

  giveBack(permit: number): void {
    this.#ledger.giveBack(permit, this.#timers.now());
    this.#grant();
  }

  refused(sentAt: number): number {
    return this.#ledger.refused(sentAt, this.#timers.now());
  }

  hold(forMs: number): void {
    this.#ledger.hold(forMs, this.#timers.now());
  }

  close(): void {
    this.#isOpen = false;
  }

  #grant(): void {
    if (!this.#isOpen) return;
    const now = this.#timers.now();
    for (const permit of this.#ledger.take(now)) this.#give(permit);
    const { nextAt } = this.#ledger;
    if (nextAt === undefined || this.#checkAt <= nextAt) return;
    this.#checkAt = nextAt;
    // at least one millisecond: the resolution of the clock may be coarser than the difference
    this.#timers.after(Math.max(1, Math.ceil(nextAt - now)), () => {
      this.#checkAt = Number.POSITIVE_INFINITY;
      this.#grant();
    });
  }
}
