// Scripted markets of the testkit, and its rules that hold at all times and catch faulty strategies.
import { map } from 'rxjs';
import { MarketScript, neverAddsToCappedSide, neverQuotesThroughFair, StrategyTest } from 'oddsmaker/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { MarketView } from '../../src/strategy/index.ts';
import type { QuoteIntent, Side } from '../../src/domain/index.ts';
import { centsOfDollars, consensusOf } from '../../src/domain/index.ts';
import { defineStrategy } from '../../src/strategy/index.ts';

type Wanted = (view: MarketView) => readonly (readonly [side: Side, probability: number])[];

const quoting = (wanted: Wanted, views: MarketView[] = []) =>
  defineStrategy({
    name: 'made',
    params: z.object({}),
    create: () => (views$) =>
      views$.pipe(
        map((view): QuoteIntent => {
          views.push(view);
          const quotes = wanted(view).map(([side, probability]) => ({ side, probability, risk: centsOfDollars(50) }));
          return { market: view.market.id, quotes };
        }),
      ),
  });

const fairOf = ({ sides: [first, second] }: MarketView): number | undefined =>
  consensusOf(first.offers, second.offers)?.p;
/** Quotes around the book with an edge of one point on each side. */
const AROUND: Wanted = (view) => {
  const p = fairOf(view);
  return p === undefined
    ? []
    : [
        ['home', p - 0.01],
        ['away', 1 - p - 0.01],
      ];
};

function scripted(wanted: Wanted, fair = 0.5) {
  const views: MarketView[] = [];
  const test = new StrategyTest(quoting(wanted, views), {});
  const market = test.market();
  const script = new MarketScript(test, market, { fair });
  return { test, market, script, views, sides: () => market.quotes.map(({ side }) => side) };
}

describe('MarketScript', () => {
  it('begins with a book around the fair price, with three offers on each side', () => {
    const { market, views } = scripted(AROUND);
    expect(market.consensus).toBeCloseTo(0.5, 2);
    expect(views[0]?.sides.map(({ offers }) => offers.length)).toEqual([3, 3]);
  });

  it('moves the price at once with lineMove, and step by step with drift', () => {
    const { market, script, views, test } = scripted(AROUND);
    script.lineMove(0.1);
    expect([script.fair, market.consensus]).toEqual([0.6, expect.closeTo(0.6, 2)]);
    expect(market.fills).toEqual([]);
    const [before, began] = [views.length, test.time];
    script.drift(-0.2, '60s', 10);
    expect(script.fair).toBeCloseTo(0.4, 9);
    expect([views.length - before, test.time - began]).toEqual([10, 60_000]);
    const prices = views.slice(before).map((view) => fairOf(view) ?? 0);
    expect(prices).toEqual([...prices].sort((a, b) => b - a));
  });

  it('takes stale quotes at a goal before the book shows it, then empties that side and restores it', () => {
    const { market, script, views } = scripted(AROUND);
    const before = views.length;
    script.goal('home', 0.15);
    expect(market.fills.map(({ side, risk }) => [side, risk])).toEqual([['away', 50_000_000]]);
    const seen = views.slice(before).map((view) => fairOf(view));
    expect(seen).toEqual([expect.closeTo(0.5, 2), undefined, expect.closeTo(0.645, 2)]);
    script.goal('away', 0.15);
    expect(market.fills.map(({ side }) => side)).toEqual(['away', 'home']);
    expect(script.fair).toBeCloseTo(0.5, 9);
  });

  it('takes no quote at a goal that still has an edge', () => {
    const { market, script } = scripted(() => [['away', 0.3]]);
    script.goal('home', 0.15);
    expect(market.fills).toEqual([]);
  });

  it('takes all of one side in a sweep, and restores the offers of others at the same price', () => {
    const { market, script, test } = scripted(AROUND);
    const began = test.time;
    script.sweep('home', '2s');
    expect(market.fills.map(({ side }) => side)).toEqual(['home']);
    expect([market.consensus, test.time - began]).toEqual([expect.closeTo(0.5, 2), 2000]);
  });

  it('shows unknown sides while the feed is cut, then fresh sides at the new price', () => {
    const { script, views } = scripted(AROUND);
    const before = views.length;
    script.feedCut('15s', 0.1);
    const seen = views.slice(before).map(({ sides }) => sides.map(({ freshness }) => freshness));
    expect(seen).toContainEqual(['unknown', 'unknown']);
    expect(seen.at(-1)).toEqual(['fresh', 'fresh']);
    expect(fairOf(views.at(-1) as MarketView)).toBeCloseTo(0.6, 2);
  });

  it('refuses a price that leaves no room for books', () => {
    const { script } = scripted(AROUND);
    expect(() => script.lineMove(0.5)).toThrow('has no room for books');
    expect(() => script.drift(0.1, 'soon')).toThrow('"soon" is not a duration');
  });
});

describe('a rule of the testkit', () => {
  it('neverQuotesThroughFair catches a quote that stays at an old price', () => {
    const { test, script } = scripted(() => [['home', 0.49]]);
    test.always(neverQuotesThroughFair());
    script.lineMove(0.02).drift(-0.02, '1s', 2);
    expect(() => script.lineMove(-0.03)).toThrow(
      /^game\/moneyline: it quotes through fair: home \+1\d\d costs 0\.48\d\d and is worth 0\.4\d\d\d$/,
    );
  });

  it('neverQuotesThroughFair accepts another fair price and an allowed slack', () => {
    const { test, script } = scripted(() => [['away', 0.52]], 0.5);
    test.always(neverQuotesThroughFair({ slack: 0.03 }));
    script.lineMove(0.005);
    test.always(neverQuotesThroughFair({ fair: () => script.fair }));
    expect(() => script.lineMove(0.001)).toThrow('quotes through fair: away');
  });

  it('neverAddsToCappedSide catches a quote that adds to a position at its limit', () => {
    const { test, market, script } = scripted(AROUND);
    test.always(neverAddsToCappedSide(150));
    script.sweep('home');
    // a risk of 50 wins about 50: an inventory of 100
    expect(() => script.sweep('home')).toThrow(/it adds to a capped side: it quotes home, and holds \$20\d/);
    expect(() => market.hold(-200, 0)).toThrow('it quotes away');
    expect(() => market.hold(149, 0)).not.toThrow();
  });

  it('accepts a strategy that keeps it', () => {
    const { test, script, sides } = scripted((view) =>
      AROUND(view).filter(([side]) => (side === 'home' ? view.position.first < 1 : view.position.second < 1)),
    );
    test.always(neverQuotesThroughFair()).always(neverAddsToCappedSide(1));
    script.sweep('home').lineMove(0.05).goal('away', 0.2).drift(0.1, '10s').feedCut('5s').sweep('away');
    expect(sides().length).toBeLessThanOrEqual(2);
  });
});
