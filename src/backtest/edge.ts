// The edge of fills: their expected profit at the price at which their market was marked, at the fill and a
// minute later.
import type { RunFill } from '../run/index.ts';
import { cents } from '../run/index.ts';

/** The edge in dollars over `fills` fills. Only fills with both prices count. */
export type MarkedEdge = {
  readonly fills: number;
  /** Null when there are fills but none has both prices. */
  readonly atFill: number | null;
  readonly after60s: number | null;
};

export function markedEdgeOf(all: readonly RunFill[]): MarkedEdge {
  let fills = 0;
  let atFill = 0;
  let after60s = 0;
  for (const fill of all) {
    const { mark, markLater } = fill;
    // both sums are over the same fills, so that they can be compared
    if (mark === undefined || markLater === undefined) continue;
    fills += 1;
    atFill += expectedProfit(fill, mark);
    after60s += expectedProfit(fill, markLater);
  }
  if (fills === 0 && all.length > 0) return { fills, atFill: null, after60s: null };
  return { fills, atFill: cents(atFill / 1e6), after60s: cents(after60s / 1e6) };
}

/** The expected profit of a fill at a fair probability of its side, micro-dollars. */
const expectedProfit = ({ risk, payout }: RunFill, fair: number): number => fair * (payout - risk) - (1 - fair) * risk;
