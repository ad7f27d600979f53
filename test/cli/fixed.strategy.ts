// Offers the same odds on both sides of every market.
import { map } from 'rxjs';
import { z } from 'zod';
import { americanOdds, defineStrategy, dollars } from '../../src/strategy/index.ts';
import type { QuoteIntent } from '../../src/strategy/index.ts';

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
