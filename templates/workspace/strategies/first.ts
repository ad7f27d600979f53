// Quotes both sides of a market, an edge away from the fair price of the others' book.
import { map } from 'rxjs';
import { z } from 'zod';
import type { MarketView, QuoteIntent } from 'oddsmaker/strategy';
import { centsOfDollars, consensusOf, defineStrategy, dollars, microsOfCents } from 'oddsmaker/strategy';

/** Wider or thinner books than this have no fair price. */
const FAIR = { maxSpread: 0.08, minDepth: microsOfCents(centsOfDollars(50)) };

const params = z.object({
  edge: z.number().min(0).max(0.2).describe('probability kept on each side'),
  risk: dollars.describe('stake of each quote, dollars'),
});

export default defineStrategy({
  name: 'first',
  params,
  create:
    ({ params }) =>
    (views$) =>
      views$.pipe(map((view) => quotesFor(view, params))),
});

function quotesFor(view: MarketView, { edge, risk }: z.output<typeof params>): QuoteIntent {
  const [first, second] = view.sides;
  const fair = consensusOf(first.offers, second.offers, FAIR);
  // an intent replaces the former one: without quotes nothing rests
  if (fair === undefined) return { market: view.market.id, quotes: [], reason: 'no fair price' };
  return {
    market: view.market.id,
    quotes: [
      { side: first.side, risk, probability: fair.p - edge },
      { side: second.side, risk, probability: 1 - fair.p - edge },
    ],
    reason: `fair ${fair.p.toFixed(4)}`,
  };
}
