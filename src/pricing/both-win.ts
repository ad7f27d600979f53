// Whether two bets of a game may both win: two that cannot, for more than 1 together, lose whatever happens.
import type { Bet } from './fit.ts';

/**
 * Whether two bets of one game, or of one period of it, may both win.
 * @param bet a bet
 * @param other another bet, of the same period
 * @returns false for two sides of one line, and for lines that exclude each other, such as home −7.5 and away +3.5
 * @example canBothWin({ type: 'moneyline', side: 'away' }, { type: 'spread', side: 'home', line: -3.5 })   // false
 */
export function canBothWin(bet: Bet, other: Bet): boolean {
  if ((bet.type === 'total') !== (other.type === 'total')) return true;
  if (bet.side === 'draw' || other.side === 'draw') return bet.side === other.side || bet.type !== other.type;
  if (isAbove(bet) === isAbove(other)) return true;
  const [above, below] = isAbove(bet) ? [bet, other] : [other, bet];
  return thresholdOf(below) > thresholdOf(above);
}

/** A bet with the probability at which it is offered. */
export type OfferedBet = Bet & {
  /** The game of the bet, or the part of one. */
  readonly gameId: string;
  /** The probability at which it is offered. */
  readonly probability: number;
};

/**
 * What an offer must give up so that no other offer that cannot win with it adds up to over 1 together with it. A taker
 * of both would win whatever happens.
 * @param offer an offer
 * @param others all offers, this one among them
 * @returns probability to subtract from it; the other offer gives up as much
 */
export function excessOver(offer: OfferedBet, others: Iterable<OfferedBet>): number {
  let most = 0;
  for (const other of others)
    if (other.gameId === offer.gameId && !canBothWin(offer, other))
      most = Math.max(most, offer.probability + other.probability - 1);
  return most === 0 ? 0 : most / 2 + LEAST_GAP;
}

/** Two such offers end a little below 1. */
const LEAST_GAP = 1e-4;

/** Whether a bet wins above its threshold. */
const isAbove = ({ side }: Bet): boolean => side === 'home' || side === 'over';

/** Home −3.5 wins above a margin of 3.5, over 44.5 above a total of 44.5, a moneyline above a margin of 0. */
const thresholdOf = ({ type, line = 0 }: Bet): number => (type === 'spread' ? 0 - line : line);
