// What a backtest makes of offers that vanish (docs/backtest-fills.md): the three tell how much of a result hangs on what no tape says.
import type { Scenario } from '../report/index.ts';
import type { VanishedShare } from '../traders/index.ts';
import { CANCELS } from '../traders/index.ts';
import type { FillModel } from './fill-model.ts';
import { drawnBy, takenProbability } from './fill-model.ts';

/** As they are shown: the one that is nearest to the truth leads. */
export const SHOWN = ['calibrated', 'pessimistic', 'optimistic'] as const satisfies readonly Scenario[];

/** What the calibrated scenario goes by: a model; or a share of what vanishes at the top of a book, 0 … 1. */
export type Calibrated = { readonly model: FillModel } | { readonly share: number };

/** `seed`: of the draws, one for each offer. */
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
