// Several quotes on each side, larger the farther they are from fair: near ones earn from small takers, far
// ones from takers who need size at once. Each quote has a key, so that it stays the same order when the
// price moves.
import { map } from 'rxjs';
import { z } from 'zod';
import type { MarketView, Quote, QuoteIntent } from 'oddsmaker/strategy';
import { centsOfDollars, consensusOf, defineStrategy, dollars, microsOfCents } from 'oddsmaker/strategy';

const FAIR = { maxSpread: 0.08, minDepth: microsOfCents(centsOfDollars(50)) };

const schema = z.object({
  edge: z.number().min(0).max(0.2).describe('probability kept by the nearest offer'),
  step: z.number().gt(0).max(0.1).default(0.01).describe('probability from one offer to the next'),
  levels: z.int().min(1).max(5).default(3).describe('offers on each side'),
  risk: dollars.describe('stake of the nearest offer, dollars; each next one has as much more'),
});

export default defineStrategy({
  name: 'ladder',
  params: schema,
  create:
    ({ params }) =>
    (views$) =>
      views$.pipe(map((view) => ladderFor(view, params))),
});

function ladderFor(view: MarketView, { edge, step, levels, risk }: z.output<typeof schema>): QuoteIntent {
  const market = view.market.id;
  const [first, second] = view.sides;
  const fair = consensusOf(first.offers, second.offers, FAIR);
  if (fair === undefined) return { market, quotes: [], reason: 'no fair price' };
  const quotes: Quote[] = [];
  for (let level = 0; level < levels; level++) {
    const away = edge + level * step;
    const size = (risk * (level + 1)) as typeof risk;
    for (const [side, p] of [
      [first.side, fair.p],
      [second.side, 1 - fair.p],
    ] as const)
      if (p - away > 0.01) quotes.push({ side, risk: size, probability: p - away, key: `level-${level + 1}` });
  }
  return { market, quotes, reason: `fair ${fair.p.toFixed(4)}` };
}
