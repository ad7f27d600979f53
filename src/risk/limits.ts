// The hard limits of a run: the `risk` section of the YAML file, in the units of the core.
import type { Cents, Micros } from '../domain/index.ts';

/**
 * The price band without a consensus. `hold`: it uses the odds feed, then the last good consensus, and
 * without either the quote is held back. `own`: the strategy's own fair price comes third. `off`: there is no
 * band.
 */
export type BandWithout = 'hold' | 'own' | 'off';

/** The most that the last good consensus may be old in play, ms: a play or two make a price obsolete. */
export const MOST_BAND_AGE_IN_PLAY_MS = 10_000;

export type RiskLimits = {
  readonly maxOrderRisk: Cents;
  readonly minOrderRisk: Cents;
  readonly maxMarketLoss?: Micros | undefined;
  readonly maxGameLoss: Micros;
  /** The largest mean loss at the worst 5 % of a game's scores (`shortfall.ts`). */
  readonly maxGameShortfall?: Micros | undefined;
  readonly maxLeagueLoss?: Micros | undefined;
  readonly maxTotalLoss: Micros;
  readonly maxOpenOrders: number;
  /** The largest share of the balance that resting and in-flight orders may lock. */
  readonly maxCreditUse: number;
  /** The largest distance of a quote from the consensus, probability. */
  readonly priceBand: number;
  readonly bandWithout: BandWithout;
  /**
   * How long the last good consensus replaces a missing one, ms; in play `MOST_BAND_AGE_IN_PLAY_MS` at most.
   */
  readonly bandAgeMs: number;
  /** True when what is held elsewhere may lower the worst case too. False: only where it worsens it. */
  readonly heldHedges: boolean;
  readonly staleAfterMs: number;
  readonly resumeAfterMs: number;
};
