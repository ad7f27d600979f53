// Counts how long slots waited, in whole milliseconds, and the value of that waiting. Memory stays bounded.
import { eachPhase, phaseOf } from '../domain/index.ts';
import type { Phase, Why } from '../domain/index.ts';
import type { PermitFacts } from './run-facts.ts';
import type { MsCounts } from './order-tally.ts';
import { countMs, msOfRank } from './order-tally.ts';

/** A slot that waited this long while permits were short waited for a permit, not for the next step, ms. */
const SCARCE_MS = 100;

export class Waits {
  readonly #counts = new Map<number, number>();
  #total = 0;
  #waitedMs = 0;
  #staleness = 0;
  readonly #scarce = { count: 0, value: 0 };

  /** @param isShort true when few permits were left at the time of sending */
  addWait({ waitedMs, value }: Pick<Why, 'waitedMs' | 'value'>, isShort: boolean): void {
    countMs(this.#counts, waitedMs);
    this.#total += 1;
    this.#waitedMs += waitedMs;
    this.#staleness += (value * waitedMs) / 1000;
    if (!isShort || waitedMs < SCARCE_MS) return;
    this.#scarce.count += 1;
    this.#scarce.value += value;
  }

  get facts(): Pick<PermitFacts, 'served' | 'waitedMs' | 'staleness' | 'scarce'> {
    const { count, value } = this.#scarce;
    return {
      served: this.#total,
      waitedMs: this.#waitedMs,
      staleness: this.#staleness,
      scarce: { count, value },
    };
  }

  /** Number of waits by their length in whole milliseconds. */
  get counts(): MsCounts {
    return this.#counts;
  }

  /** Percentiles of the waiting time, ms; 0 when nothing waited. */
  quantiles(): WaitQuantiles {
    return waitQuantiles(this.#counts);
  }
}

export type WaitQuantiles = { readonly p50: number; readonly p95: number };

/** Percentiles of counted waiting times, ms; 0 when there are none. */
export function waitQuantiles(counts: MsCounts): WaitQuantiles {
  let total = 0;
  for (const count of counts.values()) total += count;
  const quantile = (share: number): number => msOfRank(counts, Math.ceil(share * total)) ?? 0;
  return { p50: quantile(0.5), p95: quantile(0.95) };
}

/** An order of a request, placed or cancelled. */
export type Asked = { readonly why: Why | undefined; readonly isInPlay?: true };

/**
 * Use of permits before the start of games and in play. A request with orders of both phases is split between
 * them.
 */
export class PhasePermits {
  readonly #phases = eachPhase(() => ({ waits: new Waits(), place: 0, cancel: 0 }));

  /** A request without orders counts as before the start. */
  addRequest(kind: 'place' | 'cancel', orders: readonly Asked[], isShort: boolean): void {
    if (orders.length === 0) this.#phases.prematch[kind] += 1;
    for (const { why, isInPlay = false } of orders) {
      const phase = this.#phases[phaseOf({ isInPlay })];
      phase[kind] += 1 / orders.length;
      if (why !== undefined) phase.waits.addWait(why, isShort);
    }
  }

  factsIn(phase: Phase): PermitFacts {
    const { waits, place, cancel } = this.#phases[phase];
    return { ...waits.facts, place, cancel };
  }
}
