// Estimates from the public book of one market how often takers come and how often a quote there must move.
// Invariant: each rate depends only on inputs and their times, and starts at its prior.
import { takesIn } from '../domain/index.ts';
import type { Ladder } from '../domain/index.ts';

/**
 * Prior of a market's takers, until `fit-quotes` supplies fitted ones: A fills an hour at the fair price on one
 * side, their fall with the distance k per point, and what the price moves against a fill, points.
 */
export const PRIOR_TAKERS = { A: 6, k: 0.9, adverse: 0.6 } as const;
/** Prior of the moves of the fair price by more than the tolerance, an hour. */
const PRIOR_REQUOTES = 12;
/** A prior counts like a measurement of this many hours. */
const PRIOR_HOURS = 0.5;
/** After this time a measurement counts half. */
const HALF_LIFE_HOURS = 1;
const DECAY_HOURS = HALF_LIFE_HOURS / Math.LN2;
const MS_PER_HOUR = 3_600_000;

/** One state of a book. Both prices are probabilities, in the order of the market's sides. */
export type SeenBook = {
  /** The offers of others. */
  readonly others: readonly [Ladder, Ladder];
  /** The fair probability of the first side. Undefined when the book gives none. */
  readonly fair: number | undefined;
  /** The best offer of each side, own offers included. */
  readonly best: readonly [number | undefined, number | undefined];
};

export class MarketRates {
  #atMs: number | undefined;
  #others: readonly [Ladder, Ladder] | undefined;
  /** The fair price at the last counted move. */
  #anchor: number | undefined;
  /** The share of takers that reach the best offers of both sides, summed. 0 without a fair price. */
  #reach = 0;
  // decayed sums: counts, and the hours of observation that belong to them
  #takes = 0;
  #moves = 0;
  #hours = 0;
  /** Hours weighted by the share of takers that could be seen. */
  #exposure = 0;

  /** Applies the newest book. `tolerance`: the move of the fair price that needs a request. */
  see({ others, fair, best }: SeenBook, tolerance: number, nowMs: number): void {
    this.#pass(nowMs);
    if (this.#others !== undefined && this.#reach > 0)
      for (const index of [0, 1] as const) if (takesIn(this.#others[index], others[index]).length > 0) this.#takes += 1;
    this.#others = others;
    this.#reach = fair === undefined ? 0 : reachOf(fair, best[0]) + reachOf(1 - fair, best[1]);
    if (fair === undefined) return;
    if (this.#anchor !== undefined && Math.abs(fair - this.#anchor) <= tolerance) return;
    if (this.#anchor !== undefined) this.#moves += 1;
    this.#anchor = fair;
  }

  /** Counts a fill of an own quote: an own offer is not among those of others. */
  countFill(): void {
    this.#takes += 1;
  }

  /** The rates at a time, an hour. */
  ratesOf(nowMs: number): {
    /** Fills of a quote at the fair price on one side. */
    readonly A: number;
    /** Takes seen on both sides. */
    readonly takes: number;
    /** Moves of the fair price by more than the tolerance. */
    readonly requotes: number;
  } {
    this.#pass(nowMs);
    return {
      A: (this.#takes + PRIOR_TAKERS.A * PRIOR_HOURS) / (this.#exposure + PRIOR_HOURS),
      takes: this.#takes / Math.max(this.#hours, PRIOR_HOURS),
      requotes: (this.#moves + PRIOR_REQUOTES * PRIOR_HOURS) / (this.#hours + PRIOR_HOURS),
    };
  }

  #pass(nowMs: number): void {
    const hours = Math.max(0, nowMs - (this.#atMs ?? nowMs)) / MS_PER_HOUR;
    this.#atMs = nowMs;
    if (hours === 0) return;
    const left = Math.exp(-hours / DECAY_HOURS);
    const seen = this.#reach > 0 ? DECAY_HOURS * (1 - left) : 0;
    this.#takes *= left;
    this.#moves *= left;
    this.#hours = this.#hours * left + seen;
    this.#exposure = this.#exposure * left + seen * this.#reach;
  }
}

/** The share of a side's takers that reach its best offer: e^(−kδ). */
const reachOf = (fair: number, best: number | undefined): number =>
  best === undefined ? 0 : Math.exp(-PRIOR_TAKERS.k * 100 * Math.max(0, fair - best));
