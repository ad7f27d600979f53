// Indicators that need no past: numbers of one view.
import { probabilityOfRung } from '../../domain/index.ts';
import type { MarketView } from '../view.ts';

/**
 * The price between the best offers, nearer to the one with less behind it: (bid · askSize + ask · bidSize) /
 * (bidSize + askSize). The sizes are what the best offers would pay out.
 * @param view a view of a market
 * @returns the probability of the first side. Undefined when a side has no offer of others, or the offers cross
 */
export function microprice({ sides: [first, second] }: Pick<MarketView, 'sides'>): number | undefined {
  const [bid, other] = [first.offers[0], second.offers[0]];
  if (bid === undefined || other === undefined) return undefined;
  const [low, high] = [probabilityOfRung(bid.rung), 1 - probabilityOfRung(other.rung)];
  const [bidSize, askSize] = [bid.untaken / low, other.untaken / (1 - high)];
  const size = bidSize + askSize;
  return high < low || !(size > 0) ? undefined : (low * askSize + high * bidSize) / size;
}

/**
 * The time until the game starts.
 * @param view a view of a market
 * @returns ms, below 0 after the start
 */
export const timeToStart = ({ game, time }: Pick<MarketView, 'game' | 'time'>): number => game.start - time;
