// How far the model's fair price was from the close, by its distance from an even price: main lines are near even,
// alternative lines far.
import type { RunFill } from './run-fill.ts';
import { fine } from './rounding.ts';

/** Fills of spreads and totals whose model price has this distance from even. */
export type ModelDistance = {
  /** Points of probability from even, from and to. The last has no end. */
  readonly from: number;
  readonly to: number | null;
  readonly fills: number;
  /** Mean and root mean square of model − close, points of probability of the side that was backed. */
  readonly mean: number | null;
  readonly rms: number | null;
};

/** Points from even. */
const EDGES = [0, 5, 10, 20] as const;

/** The model against the close, for fills before the start. */
export const modelDistances = (fills: readonly RunFill[]): readonly ModelDistance[] =>
  EDGES.map((from, index) => {
    const to = EDGES[index + 1] ?? null;
    const differences = fills.flatMap(({ market, isInPlay, outside, fc }) => {
      const f0 = outside.model?.f0;
      if (market.type === 'moneyline' || isInPlay || f0 === undefined || fc === undefined) return [];
      const points = 100 * Math.abs(f0 - 0.5);
      return points >= from && (to === null || points < to) ? [100 * (f0 - fc)] : [];
    });
    const count = differences.length;
    const mean = (valueOf: (difference: number) => number): number =>
      differences.reduce((sum, difference) => sum + valueOf(difference), 0) / count;
    return {
      from,
      to,
      fills: count,
      mean: count === 0 ? null : fine(mean((difference) => difference)),
      rms: count === 0 ? null : fine(Math.sqrt(mean((difference) => difference ** 2))),
    };
  });
