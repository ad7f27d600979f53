// Stakes that let a bankroll grow fastest, for several bets of one game at once: they depend on each other.
import type { GameModel } from './game-model.ts';
import type { Holding } from './payoff.ts';
import { payoffOf } from './payoff.ts';
import { zeroOf } from './zero-of.ts';

/** A bet that is offered. */
export type KellyBet = Omit<Holding, 'payout' | 'stake'> & {
  /** What one dollar of payout costs, 0 to 1. */
  readonly price: number;
};

/**
 * The stakes that maximise the expected logarithm of the bankroll: max E log(1 + Σ xᵢ (Yᵢ / cᵢ − 1)), x ≥ 0.
 * (J. L. Kelly, "A new interpretation of information rate", Bell System Technical Journal 35, 1956.)
 * @param model the model of the game
 * @param bets what is offered
 * @returns the stakes and the growth they bring
 * @throws RangeError when a price is not between 0 and 1, or a line is missing
 */
export function kelly(
  model: GameModel,
  bets: readonly KellyBet[],
): {
  /** Shares of the bankroll, in the order of the bets. */
  readonly stakes: readonly number[];
  /** The expected logarithm of the growth of the bankroll. */
  readonly growth: number;
} {
  for (const { price } of bets)
    if (!(price > 0 && price < 1)) throw new RangeError(`expected a price, 0 to 1: ${price}`);
  const outcomes = outcomesOf(model, bets);
  const stakes = bets.map(() => 0);
  const wealth = outcomes.map(() => 1);
  // one stake at a time, by Newton's method: the function is concave
  for (let round = 0, moved = 1; round < MOST_ROUNDS && moved > CLOSE; round++) {
    moved = 0;
    for (const [bet, stake] of stakes.entries()) {
      const better = Math.max(0, bestStake(bet, stake, outcomes, wealth));
      const change = better - stake;
      if (change === 0) continue;
      stakes[bet] = better;
      for (const [index, { gains }] of outcomes.entries())
        wealth[index] = (wealth[index] ?? 0) + change * (gains[bet] ?? 0);
      moved = Math.max(moved, Math.abs(change));
    }
  }
  const growth = outcomes.reduce((sum, { p }, index) => sum + p * Math.log(wealth[index] ?? 0), 0);
  return { stakes, growth };
}

const MOST_ROUNDS = 10_000;
const CLOSE = 1e-12;

/** What each dollar staked gains at scores where all bets end alike, and their probability. */
type Outcome = { p: number; readonly gains: readonly number[] };

function outcomesOf(model: GameModel, bets: readonly KellyBet[]): readonly Outcome[] {
  const payoffs = bets.map(({ price, ...bet }) => ({
    price,
    payoff: payoffOf(model, [{ ...bet, payout: 1, stake: price }]),
  }));
  const outcomes = new Map<string, Outcome>();
  for (const { margin, total, winner, p } of model.grid.scores()) {
    const gains = payoffs.map(
      ({ price, payoff }) => (payoff.margin(margin) + payoff.total(total) + payoff.winner[winner]) / price - 1,
    );
    const key = gains.join(' ');
    const known = outcomes.get(key);
    if (known === undefined) outcomes.set(key, { p, gains });
    else known.p += p;
  }
  return [...outcomes.values()];
}

/** The best stake of one bet while all others stay, between 0 and what would risk the whole bankroll. */
function bestStake(bet: number, stake: number, outcomes: readonly Outcome[], wealth: readonly number[]): number {
  const slope = (other: number): number =>
    outcomes.reduce((sum, { p, gains }, index) => {
      const gain = gains[bet] ?? 0;
      return sum + (p * gain) / ((wealth[index] ?? 0) + (other - stake) * gain);
    }, 0);
  // the bankroll must stay above 0 at every score
  let most = Number.POSITIVE_INFINITY;
  for (const [index, { gains }] of outcomes.entries()) {
    const gain = gains[bet] ?? 0;
    if (gain < 0) most = Math.min(most, stake - (wealth[index] ?? 0) / gain);
  }
  return slope(0) <= 0 ? 0 : zeroOf(slope, 0, most);
}
