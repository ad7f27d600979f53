// Quotes both sides of a market around the price of an outside model: the signal `fair:<market>`, the
// probability of the market's first side (home, over). Quotes nothing while there is no such signal.
import { map } from 'rxjs';
import { z } from 'zod';
import type { MarketView, Quote, QuoteIntent } from 'oddsmaker/strategy';
import { defineStrategy, dollarAmount, dollars, inventoryOf, microsOfCents } from 'oddsmaker/strategy';

const schema = z.object({
  edge: z.number().min(0).max(0.2).describe('probability kept on each side'),
  risk: dollars.describe('stake of each quote, dollars'),
  prefix: z.string().default('fair:').describe('name of the signal, before the id of the market'),
  inventoryLimit: dollarAmount
    .prefault(1000)
    .describe('payoff difference between the outcomes at which the adding side stops, dollars'),
});

type Params = z.output<typeof schema>;

export default defineStrategy({
  name: 'own-price',
  params: schema,
  create:
    ({ params }) =>
    (views$) =>
      views$.pipe(map((view) => quoteAround(view, params))),
});

function quoteAround(view: MarketView, { edge, risk, prefix, inventoryLimit }: Params): QuoteIntent {
  const market = view.market.id;
  const fair = view.signals.get(`${prefix}${market}`);
  if (fair === undefined) return { market, quotes: [], reason: 'no price of our own' };
  if (fair <= edge || fair >= 1 - edge) return { market, quotes: [], reason: 'no room for the edge' };
  const [first, second] = view.sides;
  const limit = microsOfCents(inventoryLimit);
  const inventory = inventoryOf(view.position);
  const quotes: Quote[] = [];
  if (inventory < limit) quotes.push({ side: first.side, risk, probability: fair - edge });
  if (inventory > -limit) quotes.push({ side: second.side, risk, probability: 1 - fair - edge });
  return { market, quotes, reason: `fair ${fair.toFixed(4)}`, fair };
}
