// The prices of one who holds bets of the game: with exponential utility, each score weighs by the marginal
// utility of what the bets bring there. Prices of all lines stay coherent, and within 0 and 1. It is the market
// maker of R. Hanson's logarithmic scoring rule with b = 1 / γ; the worst case of the game is γ → ∞.
import type { GameModel } from './game-model.ts';
import type { Distribution, LinePrice } from './line-price.ts';
import type { Winner } from './score-grid.ts';
import type { ModelSport } from './sport-models.ts';

/** What a bet of a game pays. */
export type Holding = {
  /** The type of the market. */
  readonly type: 'moneyline' | 'spread' | 'total';
  /** Whose bet: home or away (or `draw`), over or under. */
  readonly side: 'home' | 'away' | 'draw' | 'over' | 'under';
  /** Home's line of a spread, or the total. */
  readonly line?: number | undefined;
  /** Dollars paid when it wins, stake included. Negative: the other way round. */
  readonly payout: number;
  /** Dollars that come back when it pushes. Left out: the payout at the fair price. */
  readonly stake?: number;
};

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
  const least = Math.min(winner.home, winner.draw, winner.away);
  return model.withGrid(
    grid.reweighted({
      margin: utility(margin, grid.margin, gamma),
      total: utility(total, grid.total, gamma),
      winner: (side) => Math.exp(-gamma * (winner[side] - least)),
    }),
  );
}

/** What bets bring at a score, dollars: the sum of what its margin, its total and its winner bring. */
export type Payoff = {
  readonly margin: (margin: number) => number;
  readonly total: (total: number) => number;
  readonly winner: Readonly<Record<Winner, number>>;
};

export function payoffOf({ grid }: GameModel, holdings: readonly Holding[]): Payoff {
  const winner = { home: 0, draw: 0, away: 0 };
  const margins: Leg[] = [];
  const totals: Leg[] = [];
  for (const holding of holdings) {
    const { type, side, line, payout } = holding;
    if (!Number.isFinite(payout)) throw new RangeError(`expected a payout in dollars: ${payout}`);
    const stakeAt = ({ fair }: LinePrice): number => holding.stake ?? (Number.isNaN(fair) ? 0 : payout * fair);
    if (type === 'moneyline') {
      if (side === 'over' || side === 'under') throw new RangeError(`a moneyline has no side ${side}`);
      winner[side] += payout;
      if (grid.draw === 'push' && side !== 'draw') winner.draw += stakeAt(grid.moneyline(side));
      continue;
    }
    if (line === undefined) throw new RangeError(`a ${type} needs a line`);
    const isFirst = side === 'home' || side === 'over';
    const price = type === 'spread' ? grid.spread(line) : grid.over(line);
    const stake = stakeAt(isFirst ? price : { ...price, fair: 1 - price.fair });
    const above = type === 'spread' ? 0 - line : line;
    const legs = type === 'spread' ? margins : totals;
    // a quarter line is half a bet on each neighbouring line
    const halves = Number.isInteger(above * 2) ? [above] : [above - 0.25, above + 0.25];
    for (const half of halves)
      legs.push({ line: half, isFirst, payout: payout / halves.length, stake: stake / halves.length });
  }
  return { margin: (value) => brought(margins, value), total: (value) => brought(totals, value), winner };
}

/** A bet that a value is above a line, or below it. */
type Leg = { readonly line: number; readonly isFirst: boolean; readonly payout: number; readonly stake: number };

function brought(legs: readonly Leg[], value: number): number {
  let sum = 0;
  for (const { line, isFirst, payout, stake } of legs)
    if (value === line) sum += stake;
    else if (value > line === isFirst) sum += payout;
  return sum;
}

/** e^(−γ · payoff), at most 1 for the values of a distribution. */
function utility(payoff: (value: number) => number, { from, probabilities }: Distribution, gamma: number) {
  const values = Float64Array.from({ length: probabilities.length }, (_none, index) => payoff(from + index));
  const least = values.reduce((min, value) => Math.min(min, value), Number.POSITIVE_INFINITY);
  return (value: number): number => Math.exp(-gamma * ((values[value - from] ?? least) - least));
}
