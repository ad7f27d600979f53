// Quotes nothing for a while after the price has jumped: takers may then know the reason for the jump. Time
// comes from the scheduler that `create` receives, so that a backtest and a replay wait as long.
import { concat, map, of, switchMap, timer } from 'rxjs';
import { z } from 'zod';
import type { MarketView, QuoteIntent } from 'oddsmaker/strategy';
import { centsOfDollars, consensusOf, defineStrategy, dollars, microsOfCents } from 'oddsmaker/strategy';

const FAIR = { maxSpread: 0.08, minDepth: microsOfCents(centsOfDollars(50)) };

const schema = z.object({
  edge: z.number().min(0).max(0.2).describe('probability kept on each side'),
  risk: dollars.describe('stake of each offer, dollars'),
  jump: z.number().gt(0).max(0.5).default(0.02).describe('a move of the fair price by so much is a jump, probability'),
  wait: z.number().gt(0).max(60).default(3).describe('seconds without an offer after one'),
});

type Params = z.output<typeof schema>;

export default defineStrategy({
  name: 'wait-after-jump',
  params: schema,
  create:
    ({ params, scheduler }) =>
    (views$) => {
      let before: number | undefined;
      let quietFrom = 0;
      return views$.pipe(
        switchMap((view) => {
          const market = view.market.id;
          const fair = fairOf(view);
          if (fair === undefined) return of({ market, quotes: [], reason: 'no fair price' });
          if (before !== undefined && Math.abs(fair - before) >= params.jump)
            quietFrom = view.time + params.wait * 1000;
          before = fair;
          const quotes = quotesAt(view, fair, params);
          const left = quietFrom - view.time;
          if (left <= 0) return of(quotes);
          // the next view replaces the one that waits
          const nothing: QuoteIntent = { market, quotes: [], reason: 'the price jumped' };
          return concat(of(nothing), timer(left, scheduler).pipe(map(() => quotes)));
        }),
      );
    },
});

const fairOf = ({ sides: [first, second] }: MarketView): number | undefined =>
  consensusOf(first.offers, second.offers, FAIR)?.p;

const quotesAt = ({ market, sides: [first, second] }: MarketView, p: number, { edge, risk }: Params): QuoteIntent => ({
  market: market.id,
  quotes: [
    { side: first.side, risk, probability: p - edge },
    { side: second.side, risk, probability: 1 - p - edge },
  ],
  reason: `fair ${p.toFixed(4)}`,
});
