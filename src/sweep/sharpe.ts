// Whether a Sharpe ratio is more than chance. Probabilistic: D. H. Bailey and M. López de Prado, "The Sharpe ratio efficient
// frontier" (2012). Deflated by the number of trials: the same, "The deflated Sharpe ratio" (2014). Ratios are of one period
// (a day here), never of a year.
import type { Moments } from './moments.ts';
import { normalBelow, normalQuantile } from '../pricing/index.ts';

export const EULER = 0.577_215_664_901_532_9;
/** Daily figures under which there is no Sharpe ratio. */
export const LEAST_DAYS = 30;

export type SharpeMoments = Pick<Moments, 'n' | 'skew' | 'kurtosis'> & { readonly sharpe: number };

/** Undefined: the series is flat. */
export const sharpeOf = ({ mean, deviation }: Moments): number | undefined =>
  deviation === 0 ? undefined : mean / deviation;

/** P(the true ratio is above `benchmark`). */
export function probabilisticSharpe({ sharpe, n, skew, kurtosis }: SharpeMoments, benchmark = 0): number {
  const variance = 1 - skew * sharpe + ((kurtosis - 1) / 4) * sharpe ** 2;
  // impossible moments of a few odd days: nothing can be said for it
  if (variance <= 0) return 0;
  return normalBelow(((sharpe - benchmark) * Math.sqrt(n - 1)) / Math.sqrt(variance));
}

/** What the best of so many trials of no worth would reach. `variance`: of the ratios of the trials. */
export function expectedBest(trials: number, variance: number): number {
  if (trials < 2) return 0;
  const { E } = Math;
  return (
    Math.sqrt(variance) * ((1 - EULER) * normalQuantile(1 - 1 / trials) + EULER * normalQuantile(1 - 1 / (trials * E)))
  );
}

/** P(the true ratio is above what chance alone would have found in so many trials). */
export const deflatedSharpe = (moments: SharpeMoments, trials: number, variance: number): number =>
  probabilisticSharpe(moments, expectedBest(trials, variance));
