// Aversion to risk in words that a person has: at this dollar difference the price moves by so many points.
import { logit } from '../domain/index.ts';

/**
 * The γ of `tilt` at which an even price moves by `points` for one who holds a difference of `leanAt` dollars
 * between both sides.
 * @param lean `leanAt`: dollars, above 0; `points`: points of probability, 0 to 50
 * @returns γ per dollar
 * @throws RangeError when a value is out of range
 * @example aversion({ leanAt: 500, points: 2 })   // 0.00016
 */
export function aversion({ leanAt, points }: { readonly leanAt: number; readonly points: number }): number {
  if (!(leanAt > 0 && Number.isFinite(leanAt))) throw new RangeError(`expected dollars above 0: ${leanAt}`);
  if (!(points >= 0 && points < 50)) throw new RangeError(`expected points, 0 to 50: ${points}`);
  return logit(0.5 + points / 100) / leanAt;
}
