// The scenarios of a backtest: what each assumes of offers that vanish (docs/backtest-fills.md). Together
// they show how much of a result depends on what no tape records.
import { SCENARIOS } from '../report/index.ts';
import type { Scenario } from '../report/index.ts';
import type { VanishedShare } from '../traders/index.ts';
import { CANCELS } from '../traders/index.ts';
import type { FillModel } from './fill-model.ts';
import { drawnBy, takenProbability } from './fill-model.ts';

/** What `--fills` selects: one scenario, the default ones, or all. */
export type FillsFlag = Scenario | 'default' | 'all';

/** The scenarios that `--fills` selects, from fewest fills to most. */
export const selectedBy = (fills: FillsFlag): readonly Scenario[] =>
  fills === 'all' ? SCENARIOS : fills === 'default' ? DEFAULT_SCENARIOS : [fills];

/** An upper bound costs as much as the others, and is no result to read: it is played on request. */
const DEFAULT_SCENARIOS = ['pessimistic', 'calibrated'] as const satisfies readonly Scenario[];

/** Scenarios in the order of display: the most realistic one first. */
export const SHOWN = ['calibrated', 'pessimistic', 'optimistic'] as const satisfies readonly Scenario[];

/**
 * What decides the calibrated scenario: a model, or the share taken of what vanishes at the top of a book, 0
 * … 1.
 */
export type Calibrated = { readonly model: FillModel } | { readonly share: number };

/** The share of a vanished offer that counts as taken. `seed`: seed of the draws, one for each offer. */
export function vanishedIn(scenario: Scenario, calibrated: Calibrated, seed: number): VanishedShare {
  switch (scenario) {
    case 'pessimistic':
      return CANCELS;
    case 'calibrated': {
      if ('model' in calibrated) return drawnBy(takenProbability(calibrated.model), seed);
      const { share } = calibrated;
      return ({ isTop }) => (isTop ? share : 0);
    }
    case 'optimistic':
      return () => 1;
  }
}
