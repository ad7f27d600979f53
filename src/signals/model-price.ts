// The fair price of a market of the exchange by the model of its game, in the exchange's orientation.
import type { DrawRule, Market, Period } from '../domain/index.ts';
import type { Bet, FittedGame } from '../pricing/index.ts';

export type ModelPrice = {
  /** Fair probability of the market's first side. */
  readonly p: number;
  /** Its standard error. */
  readonly error: number;
};

/** Prices closer to 0 or 1 than this are none: no one quotes them, and the model knows little of them. */
const NEAREST = 0.001;

/**
 * Undefined when the model says next to nothing of the market.
 * @param part `isTurned`: the model's home team is the exchange's away team
 */
export function modelPrice(
  fitted: FittedGame,
  { type, line }: Pick<Market, 'type' | 'line'>,
  { period, draw, isTurned }: { readonly period: Period; readonly draw: DrawRule; readonly isTurned: boolean },
): ModelPrice | undefined {
  const isOther = isTurned && type !== 'total';
  const side = type === 'total' ? 'over' : isOther ? 'away' : 'home';
  const bet: Bet = { type, side, period, line: isOther && line !== undefined ? 0 - line : line };
  const { fair } = fitted.priceOf(bet, draw);
  // a total has no price in play when the score is not known
  if (!(fair > NEAREST && fair < 1 - NEAREST)) return undefined;
  return { p: fair, error: fitted.errorOf(bet) };
}
