// What the exchange keeps of winnings, where it does: a share of each market's net winnings, or of each play that won.
import { ZERO } from './money.ts';
import type { Market, MarketId } from './market.ts';
import type { Micros } from './money.ts';
import { swapKept } from './teams.ts';

export type CommissionRule = {
  readonly of: 'market' | 'win';
  /** 0 … 1. */
  readonly share: number;
};
export const NO_COMMISSION: CommissionRule = { of: 'market', share: 0 };

/** What is kept in all of plays of one market that were settled, in micro-dollars; each brought so much. */
export function commissionOf({ of, share }: CommissionRule, profits: readonly number[]): number {
  const won =
    of === 'win'
      ? profits.reduce((sum, profit) => sum + Math.max(0, profit), 0)
      : Math.max(
          0,
          profits.reduce((sum, profit) => sum + profit, 0),
        );
  return Math.round(share * won);
}

/**
 * The same by play: of a market, those that won bear it by what they won. Sums to `commissionOf` to a micro-dollar a play.
 */
export function commissionsOf(rule: CommissionRule, profits: readonly number[]): readonly number[] {
  const all = commissionOf(rule, profits);
  const won = profits.reduce((sum, profit) => sum + Math.max(0, profit), 0);
  return profits.map((profit) => (won > 0 ? Math.round((all * Math.max(0, profit)) / won) : 0));
}

/** Keeps, play by play, what is kept of each market so far. */
export class Commission {
  readonly #rule: CommissionRule;
  /** What was settled of each market, micro-dollars. */
  readonly #net = new Map<MarketId, number>();

  constructor(rule: CommissionRule) {
    this.#rule = rule;
  }

  /** What former runs settled of a market. */
  restore(market: MarketId, net: number): void {
    this.#net.set(market, (this.#net.get(market) ?? 0) + net);
  }

  /** Home and away of the game of these markets changed places. */
  swapTeams(markets: Iterable<Market>): void {
    swapKept(this.#net, markets);
  }

  /** A play of a market brought `profit`, or did not after all (`by` −1). Returns what is kept more; below 0: less. */
  charge(market: MarketId | undefined, profit: number, by: 1 | -1 = 1): Micros {
    if (this.#rule.share === 0 || market === undefined) return ZERO;
    if (this.#rule.of === 'win') return (by * commissionOf(this.#rule, [profit])) as Micros;
    const before = this.#net.get(market) ?? 0;
    const after = before + by * profit;
    if (after === 0) this.#net.delete(market);
    else this.#net.set(market, after);
    return (commissionOf(this.#rule, [after]) - commissionOf(this.#rule, [before])) as Micros;
  }
}
