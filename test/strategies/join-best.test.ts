import fc from 'fast-check';
import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Ladder, Micros, Position, QuoteIntent } from '../../src/domain/index.ts';
import { consensusOf, microsOfDollars, probabilityOf } from '../../src/domain/index.ts';
import type { MarketView } from '../../src/strategy/index.ts';
import strategy from '../../strategies/join-best.ts';
import { MONEYLINE, offer, viewOf } from '../strategy/fixtures.ts';
import { contextWith } from './context.ts';

function intentFor(view: MarketView, params: Readonly<Record<string, unknown>> = {}): QuoteIntent {
  let intent: QuoteIntent | undefined;
  strategy
    .create(contextWith(strategy.params.parse({ risk: 25, ...params })))(of(view))
    .subscribe((emitted) => (intent = emitted));
  expect(intent).toBeDefined();
  return intent as QuoteIntent;
}

const holding = (dollars: number): Position => ({
  first: (dollars * 1_000_000) as Micros,
  second: 0 as Micros,
  staked: 0 as Micros,
});
const plain = ({ quotes }: QuoteIntent) =>
  quotes.map((quote) => [quote.side, 'odds' in quote ? quote.odds : Number.NaN, quote.risk]);

const HOME: Ladder = [offer(50, 500), offer(60, 500)];
const AWAY: Ladder = [offer(40, 500), offer(90, 500)];

describe('join-best', () => {
  it("joins the others' best offer on each side", () => {
    expect(plain(intentFor(viewOf(MONEYLINE, { first: HOME, second: AWAY })))).toEqual([
      ['home', 105, 2500],
      ['away', 104, 2500],
    ]);
  });

  it('leaves out a side whose best offer has no edge', () => {
    const parts = { first: [offer(50, 100)], second: [offer(50, 10_000)] };
    // almost all size is on away, so the fair price is close to the offer on home
    expect(plain(intentFor(viewOf(MONEYLINE, parts), { minEdge: 0.01 }))).toEqual([['away', 105, 2500]]);
    expect(plain(intentFor(viewOf(MONEYLINE, parts), { minEdge: 0.2 }))).toEqual([]);
  });

  it.each([
    [0, ['home', 'away']],
    [999, ['home', 'away']],
    [1000, ['away']],
    [-1000, ['home']],
  ])('at an inventory of $%d quotes %j, since a side that adds to it stops at the limit', (dollars, sides) => {
    const view = viewOf(MONEYLINE, { first: HOME, second: AWAY, position: holding(dollars) });
    expect(intentFor(view).quotes.map(({ side }) => side)).toEqual(sides);
  });

  it.each<[string, Ladder, Ladder]>([
    ['is one-sided', HOME, []],
    ['is too wide', [offer(350, 500)], HOME],
    ['is too thin', [offer(50, 5)], AWAY],
    ['is crossed', [offer(-50, 500)], AWAY],
  ])('quotes nothing when the book %s', (_name, first, second) => {
    expect(intentFor(viewOf(MONEYLINE, { first, second }))).toEqual({
      market: MONEYLINE.id,
      quotes: [],
      reason: 'no fair price',
    });
  });

  it('never quotes beyond its edge', () => {
    const ladder = fc
      .tuple(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 50, max: 5000 }))
      .map(([rung, dollars]) => [offer(rung, dollars)]);
    fc.assert(
      fc.property(ladder, ladder, fc.integer({ min: 0, max: 20 }), (first, second, thousandths) => {
        const minEdge = thousandths / 1000;
        const { quotes } = intentFor(viewOf(MONEYLINE, { first, second }), { minEdge });
        const consensus = consensusOf(first, second, { maxSpread: 0.08, minDepth: microsOfDollars(50) });
        for (const quote of quotes) {
          const p = consensus?.p ?? Number.NaN;
          const fair = quote.side === 'home' ? p : 1 - p;
          const asked = 'odds' in quote ? probabilityOf(quote.odds) : quote.probability;
          expect(fair - asked).toBeGreaterThanOrEqual(minEdge - 1e-12);
        }
      }),
    );
  });
});
