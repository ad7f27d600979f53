// The exchange's commission on winnings: a share of each market's net winnings, or of each winning play.
import { ZERO } from './money.ts';
import type { Market, MarketId } from './market.ts';
import type { Micros } from './money.ts';
import { swapKept } from './teams.ts';

/** The exchange's commission on winnings. */
export type CommissionRule = {
  /** What it is charged on: the net winnings of each market, or each winning play. */
  readonly of: 'market' | 'win';
  /** The share of the winnings, 0 … 1. */
  readonly share: number;
};
export const NO_COMMISSION: CommissionRule = { of: 'market', share: 0 };

/** The total commission on settled plays of one market with these profits, micro-dollars. */
export function commissionOf({ of: base, share }: CommissionRule, profits: readonly number[]): number {
  const won =
    base === 'win'
      ? profits.reduce((sum, profit) => sum + Math.max(0, profit), 0)
      : Math.max(
          0,
          profits.reduce((sum, profit) => sum + profit, 0),
        );
  return Math.round(share * won);
}

/**
 * The commission of each play: in a market, the winning plays bear it in proportion to their profits. The sum
 * equals `commissionOf` within a micro-dollar a play.
 */
export function commissionsOf(rule: CommissionRule, profits: readonly number[]): readonly number[] {
  const all = commissionOf(rule, profits);
  const won = profits.reduce((sum, profit) => sum + Math.max(0, profit), 0);
  return profits.map((profit) => (won > 0 ? Math.round((all * Math.max(0, profit)) / won) : 0));
}

/** Tracks the commission of each market, play by play. */
export class Commission {
  readonly #rule: CommissionRule;
  /** The settled net result of each market, micro-dollars. */
  readonly #net = new Map<MarketId, number>();

  constructor(rule: CommissionRule) {
    this.#rule = rule;
  }

  /** Adds the net result of a market from former runs. */
  restore(market: MarketId, net: number): void {
    this.#net.set(market, (this.#net.get(market) ?? 0) + net);
  }

  /** Moves markets of a game whose home and away changed places. */
  swapTeams(markets: Iterable<Market>): void {
    swapKept(this.#net, markets);
  }

  /**
   * Adds a play's profit to a market, or removes it (`by` −1). Returns the change of the commission; below 0
   * when it decreases.
   */
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
