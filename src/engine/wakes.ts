// When the core looks after itself: a sweep every half second of inputs, and the tick that it asks for should none come.
// On a clock that is driven, as in a backtest, that tick is as late as everything that may be due allows.
import type { Parts } from './parts.ts';

/** Housekeeping interval: freshness, opening and closing of markets by time, look-ups. */
const SWEEP_MS = 500;

export class Wakes {
  readonly #parts: Parts;
  readonly #idleTickMs: number;
  #nextSweep = 0;
  /** When the books of the open markets, so many, are looked after; undefined: not known. */
  #bookDue: number | undefined;
  #bookDueOf = { turns: 0, told: 0 };
  /** Something came in since the last sweep. */
  #isNews = false;
  #wakeAt: number | undefined;

  /** `idleTickMs`: the longest time without a tick when nothing is due. */
  constructor(parts: Parts, idleTickMs: number) {
    this.#parts = parts;
    this.#idleTickMs = idleTickMs;
  }

  /** An input that is no tick. */
  applyNews(): void {
    this.#isNews = true;
  }

  /** A tick a moment early must be followed by another. */
  applyTick(): void {
    this.#wakeAt = undefined;
  }

  /** True when a sweep is due, which begins with this. */
  sweep(): boolean {
    const { now } = this.#parts.buffer;
    if (now < this.#nextSweep) return false;
    this.#nextSweep = now + SWEEP_MS;
    this.#isNews = false;
    this.#bookDue = undefined;
    return true;
  }

  /** Asks for the next tick, at the end of a step. */
  ask(): void {
    const { host, signals, closing, buffer } = this.#parts;
    const sweep = this.#idleTickMs <= SWEEP_MS ? this.#nextSweep : this.#nextToDo();
    const at = Math.min(host.nextDue ?? sweep, signals.nextDue, sweep);
    if (at === this.#wakeAt || closing.done) return;
    this.#wakeAt = at;
    buffer.send({ type: 'wake', at });
  }

  /** When a sweep has something to do, as far as nothing else comes in before. */
  #nextToDo(): number {
    const { account, closing, buffer, health, manager, market, quoting, reconciliation, trading } = this.#parts;
    // what keeps quotes away ends by an input, or when the account says
    const isBusy =
      closing.since !== undefined ||
      !reconciliation.complete ||
      (market.isUp && !market.complete) ||
      account.news.hasOwnFills ||
      (this.#isNews && trading.watchesLoss);
    if (isBusy) return this.#nextSweep;
    // frames of sides only put off what is due: the markets need not be asked again for each
    const of = this.#bookDueOf;
    const { turns } = quoting;
    const { told } = market;
    if (this.#bookDue === undefined || of.turns !== turns || of.told !== told) {
      this.#bookDueOf = { turns, told };
      this.#bookDue = Math.min(market.nextDue(quoting.openGames), quoting.nextDue());
    }
    const due = Math.min(
      this.#bookDue,
      manager.nextDue(buffer.now),
      health.isWaiting || account.unconfirmed.size > 0 ? buffer.now : Number.POSITIVE_INFINITY,
      this.#parts.nextUserRead,
      health.resumesAt,
      reconciliation.nextDue(manager.spent),
      trading.nextDue,
      buffer.now + this.#idleTickMs,
    );
    return Math.max(this.#nextSweep, due);
  }
}
