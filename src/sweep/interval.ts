// How far a sum over games may be chance: the bootstrap over games, never over fills, which hang together.
import { createRandom } from '../domain/index.ts';

/** Under so many games there is no interval. */
export const LEAST_GAMES = 30;
const DRAWS = 2000;
const TAIL = 0.025;

export type Interval = { readonly low: number; readonly high: number };

/** 95 % of the sum (divided by the sum of `per`, where there is one). Undefined: too few games. */
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
  return { low: at(sums, TAIL), high: at(sums, 1 - TAIL) };
}

/** Linear between the two nearest. */
function at(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1);
  const low = sorted[Math.floor(place)] ?? 0;
  const high = sorted[Math.ceil(place)] ?? low;
  return low + (high - low) * (place - Math.floor(place));
}
