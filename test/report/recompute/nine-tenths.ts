// The strategy two-sided with a fair price of its own: nine tenths of the price of the others' book and one tenth of ½. So
// recompute.py knows it from the book alone. An intent has none where the book has none.
import { concatMap, from, map } from 'rxjs';
import { consensusOf, defineStrategy, microsOfCents } from 'oddsmaker/strategy';
import twoSided from '../../../strategies/two-sided.ts';

export default defineStrategy({
  ...twoSided,
  name: 'nine-tenths',
  create: (context) => {
    const { maxSpread, minDepth } = context.params;
    const quote = twoSided.create(context);
    return (views$) =>
      views$.pipe(
        concatMap((view) => {
          const [first, second] = view.sides;
          const consensus = consensusOf(first.offers, second.offers, {
            maxSpread,
            minDepth: microsOfCents(minDepth),
          });
          const own = consensus === undefined ? {} : { fair: 0.05 + 0.9 * consensus.p };
          return quote(from([view])).pipe(map((intent) => ({ ...intent, ...own })));
        }),
      );
  },
});
