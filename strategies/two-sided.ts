// Quotes both sides of a market around the consensus of the others' book, keeping an edge on each side and
// leaning against inventory. Quotes nothing where the book is too wide or too thin to have a fair price.
import { map } from 'rxjs';
import { z } from 'zod';
import type { MarketView, Quote, QuoteIntent } from 'oddsmaker/strategy';
import {
  consensusOf,
  defineStrategy,
  dollarAmount,
  dollars,
  inventoryOf,
  microsOfCents,
  shiftLogOdds,
} from 'oddsmaker/strategy';

const schema = z.object({
  edge: z
    .number()
    .min(0)
    .max(0.2)
    .describe('probability kept on each side')
    .meta({ sweep: [0.005, 0.04] }),
  risk: dollars.describe('stake of each quote, dollars'),
  maxSpread: z.number().gt(0).max(1).default(0.08).describe('widest spread of the others that is a price, probability'),
  minDepth: dollarAmount.prefault(50).describe('least payout on each side inside maxSpread, dollars'),
  skew: z
    .number()
    .min(0)
    .max(5)
    .default(0.2)
    .describe('shift of the fair price in log-odds at the inventory limit')
    .meta({ sweep: [0, 1] }),
  inventoryLimit: dollarAmount
    .prefault(1000)
    .describe('payoff difference between the outcomes at which the adding side stops, dollars'),
});

type Params = z.output<typeof schema>;

export default defineStrategy({
  name: 'two-sided',
  params: schema,
  create:
    ({ params }) =>
    (views$) =>
      views$.pipe(map((view) => quoteBothSides(view, params))),
});

function quoteBothSides(view: MarketView, params: Params): QuoteIntent {
  const [first, second] = view.sides;
  const consensus = consensusOf(first.offers, second.offers, {
    maxSpread: params.maxSpread,
    minDepth: microsOfCents(params.minDepth),
  });
  if (consensus === undefined) return { market: view.market.id, quotes: [], reason: 'no fair price' };
  const limit = microsOfCents(params.inventoryLimit);
  const inventory = inventoryOf(view.position);
  const lean = limit === 0 ? 0 : Math.max(-1, Math.min(1, inventory / limit));
  const p = shiftLogOdds(consensus.p, -params.skew * lean);
  const quotes: Quote[] = [];
  if (inventory < limit) quotes.push({ side: first.side, risk: params.risk, probability: p - params.edge });
  if (inventory > -limit) quotes.push({ side: second.side, risk: params.risk, probability: 1 - p - params.edge });
  return {
    market: view.market.id,
    quotes: quotes.filter((quote) => 'probability' in quote && quote.probability > 0.01),
    reason: `fair ${consensus.p.toFixed(4)}`,
  };
}
