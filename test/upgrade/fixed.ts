// A strategy as a user writes it: quotes both sides of each market at the same odds.
import { map } from 'rxjs';
import { z } from 'zod';
import { americanOdds, defineStrategy, dollars, type QuoteIntent } from 'oddsmaker/strategy';

export default defineStrategy({
  name: 'fixed',
  params: z.object({ risk: dollars, odds: americanOdds }),
  create:
    ({ params }) =>
    (views$) =>
      views$.pipe(
        map((view): QuoteIntent => ({
          market: view.market.id,
          quotes: view.sides.map(({ side }) => ({ side, risk: params.risk, odds: params.odds })),
        })),
      ),
});
