// The scenarios of a backtest: what each assumes of offers that vanish (docs/backtest-fills.md). Together
// they show how much of a result depends on what no tape records.
import type { Scenario } from '../report/index.ts';
import type { VanishedShare } from '../traders/index.ts';
import { CANCELS } from '../traders/index.ts';
import type { FillModel } from './fill-model.ts';
import { drawnBy, takenProbability } from './fill-model.ts';

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
