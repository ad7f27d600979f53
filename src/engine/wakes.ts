// Schedules the housekeeping of the core, every half second, and requests a tick in case no input arrives. On
// a driven clock, as in a backtest, that tick is as late as the next due work allows.
import type { Parts } from './parts.ts';

/** Housekeeping interval: freshness, opening and closing of markets by time, look-ups. */
const HOUSEKEEPING_MS = 500;

export class Wakes {
  readonly #parts: Parts;
  readonly #idleTickMs: number;
  #nextHousekeeping = 0;
  /** When the open markets or their books next need housekeeping, monotonic ms. Undefined when not known. */
  #bookDue: number | undefined;
  /** The counters of `quoting` and `market` for which `#bookDue` was computed. */
  #bookDueOf = { turns: 0, answersApplied: 0 };
  /** True when an input other than a tick arrived since the last housekeeping. */
  #isNews = false;
  #wakeAt: number | undefined;

  /** `idleTickMs`: the longest time without a tick when nothing is due. */
  constructor(parts: Parts, idleTickMs: number) {
    this.#parts = parts;
    this.#idleTickMs = idleTickMs;
  }

  /** Notes an input that is not a tick. */
  applyNews(): void {
    this.#isNews = true;
  }

  /** A tick arrived. It may be a moment early, so the next one must be requested again. */
  applyTick(): void {
    this.#wakeAt = undefined;
  }

  /** True when housekeeping is due. The call starts the next interval. */
  housekeep(): boolean {
    const { now } = this.#parts.buffer;
    if (now < this.#nextHousekeeping) return false;
    this.#nextHousekeeping = now + HOUSEKEEPING_MS;
    this.#isNews = false;
    this.#bookDue = undefined;
    return true;
  }

  /** Requests the next tick, at the end of a step. */
  ask(): void {
    const { host, signals, held, closing, buffer } = this.#parts;
    const housekeepingAt = this.#idleTickMs <= HOUSEKEEPING_MS ? this.#nextHousekeeping : this.#nextWork();
    const wakeAt = Math.min(host.nextDue ?? housekeepingAt, signals.nextDue, held.nextDue, housekeepingAt);
    if (wakeAt === this.#wakeAt || closing.done) return;
    this.#wakeAt = wakeAt;
    buffer.send({ type: 'wake', at: wakeAt });
  }

  /** When housekeeping next has work, unless an input arrives before; monotonic ms. */
  #nextWork(): number {
    const { account, closing, buffer, health, manager, market, quoting, reconciliation, trading } = this.#parts;
    // in these states housekeeping runs at every interval
    const isBusy =
      closing.since !== undefined ||
      !reconciliation.complete ||
      (market.isUp && !market.complete) ||
      account.news.hasOwnFills ||
      (this.#isNews && trading.watchesLoss);
    if (isBusy) return this.#nextHousekeeping;
    // frames of sides only postpone the due time, so it is not computed again for each frame
    const computedFor = this.#bookDueOf;
    const { turns } = quoting;
    const { answersApplied: answers } = market;
    if (this.#bookDue === undefined || computedFor.turns !== turns || computedFor.answersApplied !== answers) {
      this.#bookDueOf = { turns, answersApplied: answers };
      this.#bookDue = Math.min(market.nextDue(quoting.markets.games), quoting.nextDue());
    }
    const due = Math.min(
      this.#bookDue,
      manager.nextDue(buffer.now),
      health.isWaiting || account.unconfirmed.size > 0 ? buffer.now : Number.POSITIVE_INFINITY,
      this.#parts.nextUserRead,
      health.resumesAt,
      reconciliation.nextDue(manager.spent),
      trading.nextDue,
      quoting.select.nextDue,
      buffer.now + this.#idleTickMs,
    );
    return Math.max(this.#nextHousekeeping, due);
  }
}
