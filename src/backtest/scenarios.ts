// What a backtest makes of offers that vanish (DESIGN §8): the three tell how much of a result hangs on what no tape says.
import type { VanishedShare } from '../paper/index.ts';

export const SCENARIOS = ['pessimistic', 'calibrated', 'optimistic'] as const;
export type Scenario = (typeof SCENARIOS)[number];

/** Half of what vanishes at the top of a book counts as taken, until own fills of real runs say otherwise. */
export const CALIBRATED_SHARE = 0.5;

export const VANISHED: Readonly<Record<Scenario, VanishedShare>> = {
  pessimistic: () => 0,
  calibrated: (isTop) => (isTop ? CALIBRATED_SHARE : 0),
  optimistic: () => 1,
};
