// The prices of one who holds bets of the game: with exponential utility, each score weighs by the marginal
// utility of what the bets bring there. Prices of all lines stay coherent, and within 0 and 1. It is the market
// maker of R. Hanson's logarithmic scoring rule with b = 1 / γ; the worst case of the game is γ → ∞.
import type { GameModel } from './game-model.ts';
import type { Holding } from './payoff.ts';
import { payoffOf } from './payoff.ts';
import type { ModelSport } from './sport-models.ts';

/**
 * The model of a game for one who holds bets of it: its prices are those at which he is indifferent.
 * @param model the model of the game
 * @param holdings all bets of the game, payouts in dollars
 * @param gamma aversion to risk, per dollar, at least 0
 * @returns a model whose prices lean away from what is held
 * @throws RangeError when gamma or a payout is no number, or a line is missing
 */
export function tilt<Sport extends ModelSport>(
  model: GameModel<Sport>,
  holdings: readonly Holding[],
  gamma: number,
): GameModel<Sport> {
  if (!(gamma >= 0 && Number.isFinite(gamma))) throw new RangeError(`expected gamma, at least 0: ${gamma}`);
  if (gamma === 0 || holdings.length === 0) return model;
  const { grid } = model;
  const { margin, total, winner } = payoffOf(model, holdings);
  return model.withGrid(
    grid.reweighted({
      margin: (value) => 0 - gamma * margin(value),
      total: (value) => 0 - gamma * total(value),
      winner: (side) => 0 - gamma * winner[side],
    }),
  );
}
