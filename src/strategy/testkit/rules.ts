// Rules that a strategy must keep at all times, whatever its market does.
import { inventoryOf, microsOfDollars, probabilityOf, toOdds } from '../../domain/index.ts';
import type { MarketTest } from './market-test.ts';

/**
 * Checks a market after a call of the test.
 * @param market the market under test
 * @returns the problem; undefined when there is none
 */
export type Rule = (market: MarketTest) => string | undefined;

/** Settings of `neverQuotesThroughFair`. */
export type FairRule = {
  /**
   * Returns the fair probability of the first side. By default the consensus of the others' book.
   * @param market the market under test
   */
  readonly fair?: (market: MarketTest) => number | undefined;
  /**
   * How far a quote may be beyond fair, as probability, for strategies that lean against their inventory.
   * Default 0.
   */
  readonly slack?: number;
};

/**
 * Makes a rule: no quote pays its taker more than the fair price. The implied probability of a quote is at
 * most the fair probability of its side. The rule always holds while there is no fair price.
 * @param by where the fair price comes from, and the slack
 * @returns the rule
 */
export function neverQuotesThroughFair(by: FairRule = {}): Rule {
  const { fair = (market: MarketTest) => market.consensus, slack = 0 } = by;
  return (market) => {
    const p = fair(market);
    if (p === undefined) return undefined;
    for (const { side, odds } of market.quotes) {
      const worth = side === market.market.sides[0] ? p : 1 - p;
      const known = toOdds(odds);
      const asked = known === undefined ? 1 : probabilityOf(known);
      if (asked > worth + slack + 1e-9)
        return `it quotes through fair: ${side} ${odds > 0 ? '+' : ''}${odds} costs ${asked.toFixed(4)} and is worth ${worth.toFixed(4)}`;
    }
    return undefined;
  };
}

/**
 * Makes a rule: no quote adds to an inventory that is at its limit.
 * @param limit payoff difference between the outcomes, dollars
 * @returns the rule
 */
export function neverAddsToCappedSide(limit: number): Rule {
  return (market) => {
    const inventory = inventoryOf(market.position);
    const most = microsOfDollars(limit);
    const [first, second] = market.market.sides;
    const capped = inventory >= most ? first : -inventory >= most ? second : undefined;
    return market.quotes.some(({ side }) => side === capped)
      ? `it adds to a capped side: it quotes ${capped}, and holds $${Math.abs(inventory) / 1e6} of ${limit} there`
      : undefined;
  };
}
