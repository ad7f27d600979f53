// From the price of a line to the margin that makes it fair.
import type { GameState, NormalParameters } from './game-model.ts';
import { modelFor } from './game-model.ts';
import type { ModelSport } from './sport-models.ts';
import { zeroOf } from './zero-of.ts';

/** Points beyond any margin of a game. */
const FARTHEST = 200;

/**
 * Finds the `margin` of a model at which home has this fair price at a line.
 * @param p the fair probability of home, 0 to 1
 * @param line home's line, points; 0 is the moneyline where a level score returns the stakes
 * @param settings `sport`: basketball when left out; the deviation of the margin; the rule of a level score
 * @returns points
 * @throws RangeError when p is no probability, the line is not a multiple of 0.25, or no margin has this price
 * @example marginFor(0.5, -7, { sport: 'football' })   // 8.366
 */
export function marginFor(
  p: number,
  line = 0,
  {
    sport = 'basketball',
    draw,
    ...deviations
  }: Pick<GameState, 'draw'> &
    Pick<NormalParameters, 'marginDeviation' | 'totalDeviation'> & {
      readonly sport?: Extract<ModelSport, 'basketball' | 'football' | 'college football' | 'other'>;
    } = {},
): number {
  if (!(p > 0 && p < 1)) throw new RangeError(`expected a probability, 0 to 1: ${p}`);
  const fairAt = (margin: number): number =>
    modelFor(sport, { totalDeviation: 1, ...deviations, margin, total: 0 }, draw === undefined ? {} : { draw }).spread(
      line,
    ).fair;
  if (!(fairAt(-FARTHEST) < p && fairAt(FARTHEST) > p)) throw new RangeError(`no margin gives ${p} at ${line}`);
  return zeroOf((margin) => p - fairAt(margin), -FARTHEST, FARTHEST);
}
