// Joins the others' best offer on each side, as long as that price keeps an edge against the book's
// consensus.
import { map } from 'rxjs';
import { z } from 'zod';
import type { Quote, QuoteIntent } from 'oddsmaker/strategy';
import {
  consensusOf,
  defineStrategy,
  dollarAmount,
  dollars,
  inventoryOf,
  microsOfCents,
  oddsOf,
  probabilityOfRung,
} from 'oddsmaker/strategy';

export default defineStrategy({
  name: 'join-best',
  params: z.object({
    risk: dollars.describe('stake of each quote, dollars'),
    minEdge: z.number().min(0).max(0.2).default(0.001).describe('least edge against the consensus, probability'),
    maxSpread: z
      .number()
      .gt(0)
      .max(1)
      .default(0.08)
      .describe('widest spread of the others that is a price, probability'),
    minDepth: dollarAmount.prefault(50).describe('least payout on each side inside maxSpread, dollars'),
    inventoryLimit: dollarAmount.prefault(1000).describe('payoff difference at which the adding side stops, dollars'),
  }),
  create:
    ({ params }) =>
    (views$) =>
      views$.pipe(
        map((view): QuoteIntent => {
          const market = view.market.id;
          const [first, second] = view.sides;
          const limits = { maxSpread: params.maxSpread, minDepth: microsOfCents(params.minDepth) };
          const consensus = consensusOf(first.offers, second.offers, limits);
          if (consensus === undefined) return { market, quotes: [], reason: 'no fair price' };
          const limit = microsOfCents(params.inventoryLimit);
          const inventory = inventoryOf(view.position);
          const quotes: Quote[] = [];
          for (const { side, fair, adds } of [
            { side: first, fair: consensus.p, adds: inventory },
            { side: second, fair: 1 - consensus.p, adds: -inventory },
          ]) {
            const best = side.offers[0];
            if (best === undefined || adds >= limit || fair - probabilityOfRung(best.rung) < params.minEdge) continue;
            quotes.push({ side: side.side, risk: params.risk, odds: oddsOf(best.rung) });
          }
          return { market, quotes };
        }),
      ),
});
