// What a backtest makes of offers that vanish (DESIGN §8): the three tell how much of a result hangs on what no tape says.
import type { VanishedShare } from '../paper/index.ts';
import { CANCELS } from '../paper/index.ts';

export const SCENARIOS = ['pessimistic', 'calibrated', 'optimistic'] as const;
export type Scenario = (typeof SCENARIOS)[number];

/** Half of what vanishes at the top of a book counts as taken, until own fills of real runs say otherwise (calibration.ts). */
export const ASSUMED_SHARE = 0.5;

/** `calibratedShare`: of what vanishes at the top of a book, 0 … 1. */
export function vanishedIn(scenario: Scenario, calibratedShare = ASSUMED_SHARE): VanishedShare {
  switch (scenario) {
    case 'pessimistic':
      return CANCELS;
    case 'calibrated':
      return (isTop) => (isTop ? calibratedShare : 0);
    case 'optimistic':
      return () => 1;
  }
}
