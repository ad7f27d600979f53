import fc from 'fast-check';
import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Ladder, Micros, Position, Quote, QuoteIntent } from '../../src/domain/index.ts';
import { consensusOf, microsOfDollars, probabilityOfRung, rungAtMost } from '../../src/domain/index.ts';
import type { MarketView } from '../../src/strategy/index.ts';
import strategy from '../../strategies/two-sided.ts';
import { MONEYLINE, offer, TOTAL, viewOf } from '../strategy/fixtures.ts';
import { contextWith } from './context.ts';

const PARAMS = { edge: 0.02, risk: 100 };

function intentFor(view: MarketView, params: Readonly<Record<string, unknown>> = {}): QuoteIntent {
  const views$ = new Subject<MarketView>();
  const intents: QuoteIntent[] = [];
  strategy
    .create(contextWith(strategy.params.parse({ ...PARAMS, ...params })))(views$)
    .subscribe((intent) => intents.push(intent));
  views$.next(view);
  expect(intents).toHaveLength(1);
  return intents[0] as QuoteIntent;
}

const probabilities = (quotes: readonly Quote[]): Record<string, number> =>
  Object.fromEntries(quotes.map((quote) => [quote.side, 'probability' in quote ? quote.probability : Number.NaN]));

/** A position that pays this many dollars more when the first side wins. */
const holding = (dollars: number): Position => ({
  first: (dollars * 1_000_000) as Micros,
  second: 0 as Micros,
  staked: 0 as Micros,
});

/** +105 on both sides: fair 0.5. */
const EVEN: Ladder = [offer(50, 500)];
const even = (dollars = 0) => viewOf(MONEYLINE, { first: EVEN, second: EVEN, position: holding(dollars) });

describe('two-sided', () => {
  it('quotes both sides with the edge on each, for the configured risk', () => {
    const { market, quotes } = intentFor(even());
    expect(market).toBe(MONEYLINE.id);
    expect(quotes.map(({ side, risk }) => [side, risk])).toEqual([
      ['home', 10_000],
      ['away', 10_000],
    ]);
    expect(probabilities(quotes)['home']).toBeCloseTo(0.48, 10);
    expect(probabilities(quotes)['away']).toBeCloseTo(0.48, 10);
  });

  it('quotes over and under of a total', () => {
    const { quotes } = intentFor(viewOf(TOTAL, { first: EVEN, second: EVEN }));
    expect(quotes.map(({ side }) => side)).toEqual(['over', 'under']);
  });

  it('moves both quotes in the same direction, against inventory', () => {
    const flat = probabilities(intentFor(even()).quotes);
    const long = probabilities(intentFor(even(500)).quotes);
    const short = probabilities(intentFor(even(-500)).quotes);
    expect(long['home']).toBeLessThan(flat['home'] as number);
    expect(long['away']).toBeGreaterThan(flat['away'] as number);
    expect(short['home']).toBeGreaterThan(flat['home'] as number);
    expect(short['away']).toBeLessThan(flat['away'] as number);
    expect((long['home'] as number) + (long['away'] as number)).toBeCloseTo(0.96, 10);
    expect(long['home']).toBeCloseTo(short['away'] as number, 10);
  });

  it.each([
    [999.99, ['home', 'away']],
    [1000, ['away']],
    [5000, ['away']],
    [-999.99, ['home', 'away']],
    [-1000, ['home']],
  ])('at an inventory of $%d quotes %j, since a side that adds to it stops at the limit', (dollars, sides) => {
    expect(intentFor(even(dollars)).quotes.map(({ side }) => side)).toEqual(sides);
  });

  it('leans beyond the inventory limit no further than at the limit', () => {
    expect(probabilities(intentFor(even(50_000)).quotes)['away']).toBe(
      probabilities(intentFor(even(1000)).quotes)['away'],
    );
  });

  it.each<[string, Ladder, Ladder]>([
    ['has no offer on one side', EVEN, []],
    ['is empty', [], []],
    ['is too wide', [offer(350, 500)], [offer(50, 500)]],
    ['is too thin', [offer(50, 10)], EVEN],
    ['is deep only far away', [offer(50, 10), offer(500, 5000)], EVEN],
    ['is crossed', [offer(-50, 500)], [offer(40, 500)]],
    ['is locked', [offer(-50, 500)], [offer(50, 500)]],
  ])('quotes nothing, with the reason, when the book %s', (_name, first, second) => {
    const intent = intentFor(viewOf(MONEYLINE, { first, second }));
    expect(intent).toEqual({ market: MONEYLINE.id, quotes: [], reason: 'no fair price' });
  });

  it('quotes no side whose price would be beyond the odds range', () => {
    const first = [offer(40_000, 5000)];
    const second = [offer(-38_000, 5000)];
    const { quotes } = intentFor(viewOf(MONEYLINE, { first, second }), { minDepth: 1 });
    expect(quotes.map(({ side }) => side)).toEqual(['away']);
  });

  const ladders = fc
    .array(fc.record({ up: fc.integer({ min: 0, max: 60 }), dollars: fc.integer({ min: 1, max: 2000 }) }), {
      minLength: 1,
      maxLength: 6,
    })
    .map((rows) => rows.toSorted((a, b) => a.up - b.up));
  const books = fc
    .record({
      best: fc.integer({ min: -6000, max: 6000 }),
      gap: fc.integer({ min: -20, max: 400 }),
      first: ladders,
      second: ladders,
      dollars: fc.integer({ min: -1500, max: 1500 }),
      edge: fc.integer({ min: 0, max: 100 }).map((n) => n / 1000),
    })
    .map(({ best, gap, first, second, dollars, edge }) => ({
      edge,
      dollars,
      view: viewOf(MONEYLINE, {
        first: first.map((row) => offer(best + row.up + 0, row.dollars)),
        second: second.map((row) => offer(gap - best + row.up + 0, row.dollars)),
        position: holding(dollars),
      }),
    }));

  it('never quotes beyond its edge, in probability and on the ladder', () => {
    let quoted = 0;
    fc.assert(
      fc.property(books, ({ view, edge, dollars }) => {
        const { quotes } = intentFor(view, { edge });
        const [first, second] = view.sides;
        const consensus = consensusOf(first.offers, second.offers, {
          maxSpread: 0.08,
          minDepth: microsOfDollars(50),
        });
        if (consensus === undefined) {
          expect(quotes).toEqual([]);
          return;
        }
        quoted += 1;
        const asked = probabilities(quotes);
        for (const [side, q] of Object.entries(asked)) {
          const fair = side === 'home' ? consensus.p : 1 - consensus.p;
          const adds = side === 'home' ? dollars >= 0 : dollars <= 0;
          // a lean gives up edge only on the side that reduces inventory
          if (adds) expect(q).toBeLessThanOrEqual(fair - edge + 1e-12);
          const rung = rungAtMost(q, 1);
          if (rung !== undefined) expect(probabilityOfRung(rung)).toBeLessThanOrEqual(q + 1e-9);
        }
        const { home, away } = asked;
        if (home !== undefined && away !== undefined) expect(home + away).toBeLessThanOrEqual(1 - 2 * edge + 1e-12);
      }),
      { numRuns: 500 },
    );
    expect(quoted).toBeGreaterThan(50);
  });

  it('quotes a lower probability for a side as its position grows', () => {
    fc.assert(
      fc.property(books, fc.integer({ min: 1, max: 500 }), ({ view, edge, dollars }, added) => {
        const before = probabilities(intentFor(view, { edge }).quotes);
        const after = probabilities(intentFor({ ...view, position: holding(dollars + added) }, { edge }).quotes);
        const { home: homeBefore, away: awayBefore } = before;
        const { home: homeAfter, away: awayAfter } = after;
        if (homeBefore !== undefined && homeAfter !== undefined) expect(homeAfter).toBeLessThanOrEqual(homeBefore);
        if (awayBefore !== undefined && awayAfter !== undefined) expect(awayAfter).toBeGreaterThanOrEqual(awayBefore);
      }),
    );
  });

  it.each([
    [{ edge: -0.01 }],
    [{ edge: 0.21 }],
    [{ risk: 0 }],
    [{ maxSpread: 0 }],
    [{ skew: 6 }],
    [{ inventoryLimit: -1 }],
  ])('refuses %j', (params) => {
    expect(strategy.params.safeParse({ ...PARAMS, ...params }).success).toBe(false);
  });
});
