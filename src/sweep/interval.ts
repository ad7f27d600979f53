// The confidence interval of a sum over games, by a bootstrap over games. Fills are not drawn one by one,
// because fills of a game depend on each other.
import { createRandom } from '../domain/index.ts';

/** Fewest games for an interval. */
export const LEAST_GAMES = 30;
const DRAWS = 2000;
const TAIL = 0.025;

export type Interval = { readonly low: number; readonly high: number };

/** The 95 % interval of the sum, divided by the sum of `per` when `isRatio`. Undefined: too few games. */
export function intervalOf(
  games: readonly { readonly value: number; readonly per: number }[],
  isRatio: boolean,
  seed = 1,
): Interval | undefined {
  if (games.length < LEAST_GAMES) return undefined;
  const random = createRandom(seed, 'interval');
  const sums = Array.from({ length: DRAWS }, () => {
    let value = 0;
    let per = 0;
    for (let n = 0; n < games.length; n++) {
      const game = games[Math.floor(random.next() * games.length)];
      value += game?.value ?? 0;
      per += game?.per ?? 0;
    }
    return isRatio ? (per === 0 ? 0 : value / per) : value;
  }).sort((a, b) => a - b);
  return { low: quantileOf(sums, TAIL), high: quantileOf(sums, 1 - TAIL) };
}

/** The quantile `share` of sorted numbers, linear between the two nearest. */
function quantileOf(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1);
  const low = sorted[Math.floor(place)] ?? 0;
  const high = sorted[Math.ceil(place)] ?? low;
  return low + (high - low) * (place - Math.floor(place));
}
