// The hard limits of a run, as the YAML file's `risk` section gives them, in the units of the core.
import type { Cents, Micros } from '../domain/index.ts';

/**
 * What the price band does without a consensus. `hold`: it goes by the odds feed, then by the last good consensus, and without
 * either the quote is held back. `own`: the strategy's own fair price comes third. `off`: there is no band.
 */
export type BandWithout = 'hold' | 'own' | 'off';

/** In play a price is an old one after a play or two. */
export const MOST_BAND_AGE_IN_PLAY_MS = 10_000;

export type RiskLimits = {
  readonly maxOrderRisk: Cents;
  readonly minOrderRisk: Cents;
  readonly maxMarketLoss?: Micros | undefined;
  readonly maxGameLoss: Micros;
  readonly maxLeagueLoss?: Micros | undefined;
  readonly maxTotalLoss: Micros;
  readonly maxOpenOrders: number;
  /** Share of the balance that resting and in-flight orders may lock. */
  readonly maxCreditUse: number;
  /** Largest distance of a quote from the consensus, probability. */
  readonly priceBand: number;
  readonly bandWithout: BandWithout;
  /** The last good consensus stands for the consensus for so long, ms; in play for `MOST_BAND_AGE_IN_PLAY_MS` at most. */
  readonly bandAgeMs: number;
  readonly staleAfterMs: number;
  readonly resumeAfterMs: number;
};
