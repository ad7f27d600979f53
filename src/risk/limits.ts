// The hard limits of a run, as the YAML file's `risk` section gives them, in the units of the core.
import type { Cents, Micros } from '../domain/index.ts';

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
  readonly staleAfterMs: number;
  readonly resumeAfterMs: number;
};
