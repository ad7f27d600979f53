// What bets of a game bring at each of its scores.
import type { DrawRule, HeldPosition } from '../domain/index.ts';
import { dollarsOfMicros, hasThirdOutcome } from '../domain/index.ts';
import type { GameModel } from './game-model.ts';
import type { LinePrice } from './line-price.ts';
import type { Payoff } from './score-grid.ts';

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
 * What a position in a market brings, as bets of its game.
 * @param held the market, and what each side brings if it wins, micro-dollars
 * @param draw what a level score does to the moneyline
 * @returns bets that bring the same at each score
 */
export function holdingsOf(
  { market: { type, line }, position: { first, second, staked } }: HeldPosition,
  draw: DrawRule,
): readonly Holding[] {
  const [firstSide, secondSide] = type === 'total' ? (['over', 'under'] as const) : (['home', 'away'] as const);
  const held: Holding[] = [
    { type, side: firstSide, line, payout: dollarsOfMicros(first), stake: 0 },
    { type, side: secondSide, line, payout: dollarsOfMicros(second), stake: 0 },
  ];
  if (hasThirdOutcome(type, draw)) held.push({ type, side: 'draw', payout: 0 - dollarsOfMicros(staked), stake: 0 });
  return held;
}

/** What bets bring at a score, dollars. @throws RangeError when a payout is no number, or a line is missing */
export function payoffOf({ grid }: Pick<GameModel, 'grid'>, holdings: readonly Holding[]): Payoff {
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
  return { margin: brought(margins), total: brought(totals), winner };
}

/** A bet that a value is above a line, or below it. */
type Leg = { readonly line: number; readonly isFirst: boolean; readonly payout: number; readonly stake: number };

/** The sum of what bets bring, by a value: it changes at their lines alone. */
function brought(legs: readonly Leg[]): (value: number) => number {
  const atLine = [...Map.groupBy(legs, ({ line }) => line)].sort(([a], [b]) => a - b);
  let below = legs.reduce((sum, { isFirst, payout }) => sum + (isFirst ? 0 : payout), 0);
  const on: number[] = [];
  /** Below the first line, between two lines, and above the last. */
  const between = [below];
  for (const [, here] of atLine) {
    on.push(here.reduce((sum, { isFirst, payout, stake }) => sum + stake - (isFirst ? 0 : payout), below));
    below = here.reduce((sum, { isFirst, payout }) => sum + (isFirst ? payout : -payout), below);
    between.push(below);
  }
  return (value) => {
    let [low, high] = [0, atLine.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((atLine[middle]?.[0] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    return (atLine[low]?.[0] === value ? on[low] : between[low]) ?? 0;
  };
}
