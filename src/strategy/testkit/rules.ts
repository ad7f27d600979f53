// What holds of a strategy at all times, whatever its market does.
import { inventoryOf, microsOfDollars, probabilityOf, toOdds } from '../../domain/index.ts';
import type { MarketTest } from './market-test.ts';

/** Looks at a market as it stands behind a call of the test. @returns what is wrong; undefined: nothing */
export type Rule = (market: MarketTest) => string | undefined;

/** What `neverQuotesThroughFair` goes by. */
export type FairRule = {
  /** Probability of the first side; the consensus of the others' book, unless something else is told. */
  readonly fair?: (market: MarketTest) => number | undefined;
  /** Probability that a quote may be beyond it, for strategies that lean against what they hold; 0 unless told. */
  readonly slack?: number;
};

/**
 * No quote pays its taker more than the fair price: a home quote asks for less than the fair probability of home, an away quote for
 * less than that of away. Where there is no fair price it says nothing.
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
 * Nothing is quoted on a side that would add to an inventory at its limit.
 * @param limit payoff difference between the outcomes, dollars
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
