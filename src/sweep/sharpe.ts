// Tests whether a Sharpe ratio is more than chance. Probabilistic: D. H. Bailey and M. López de Prado, "The
// Sharpe ratio efficient frontier" (2012). Deflated by the number of trials: the same authors, "The deflated
// Sharpe ratio" (2014). Ratios are per period (here a day), never per year.
import type { Moments } from './moments.ts';
import { normalBelow, normalQuantile } from '../pricing/index.ts';

export const EULER = 0.577_215_664_901_532_9;
/** Fewest daily figures for a Sharpe ratio. */
export const LEAST_DAYS = 30;

export type SharpeMoments = Pick<Moments, 'n' | 'skew' | 'kurtosis'> & { readonly sharpe: number };

/** The Sharpe ratio of a series. Undefined when the series is flat. */
export const sharpeOf = ({ mean, deviation }: Moments): number | undefined =>
  deviation === 0 ? undefined : mean / deviation;

/** P(the true ratio is above `benchmark`). */
export function probabilisticSharpe({ sharpe, n, skew, kurtosis }: SharpeMoments, benchmark = 0): number {
  const variance = 1 - skew * sharpe + ((kurtosis - 1) / 4) * sharpe ** 2;
  // a few extreme days give impossible moments: nothing supports the ratio
  if (variance <= 0) return 0;
  return normalBelow(((sharpe - benchmark) * Math.sqrt(n - 1)) / Math.sqrt(variance));
}

/**
 * The expected best ratio of `trials` points without any edge. `variance`: variance of the ratios of the
 * trials.
 */
export function expectedBest(trials: number, variance: number): number {
  if (trials < 2) return 0;
  const { E } = Math;
  return (
    Math.sqrt(variance) * ((1 - EULER) * normalQuantile(1 - 1 / trials) + EULER * normalQuantile(1 - 1 / (trials * E)))
  );
}

/** P(the true ratio is above the best that chance alone would find in `trials` trials). */
export const deflatedSharpe = (moments: SharpeMoments, trials: number, variance: number): number =>
  probabilisticSharpe(moments, expectedBest(trials, variance));
