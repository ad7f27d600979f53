// The testkit as quants use it.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { debounceTime, interval, map, startWith, switchMap, take, tap } from 'rxjs';
import { StrategyTest } from 'oddsmaker/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { MarketView, Strategy } from '../../src/strategy/index.ts';
import type { QuoteIntent } from '../../src/domain/index.ts';
import { centsOfDollars, toOdds } from '../../src/domain/index.ts';
import { defineStrategy, dollars } from '../../src/strategy/index.ts';
import { folder, ROOT } from '../support/children.ts';

const odds = (value: number) => toOdds(value) ?? (0 as never);
const none = ({ market }: MarketView): QuoteIntent => ({ market: market.id, quotes: [] });

type Create = Strategy<z.ZodObject>['create'];
const made = (create: Create, scope: 'market' | 'game' = 'market') =>
  defineStrategy({ name: 'made', params: z.object({}), scope, create });
const viewing = (intentFor: (view: MarketView) => QuoteIntent) => made(() => (views$) => views$.pipe(map(intentFor)));

/** Quotes home at these odds. */
const asking = (value: number) =>
  viewing(({ market }) => ({
    market: market.id,
    quotes: [{ side: 'home', risk: centsOfDollars(50), odds: odds(value) }],
  }));

describe('a view that the testkit shows', () => {
  it('is like a view of a run: frozen, ladders in order, and a freshness for each side', () => {
    const views: MarketView[] = [];
    const test = new StrategyTest(
      viewing((view) => {
        views.push(view);
        return none(view);
      }),
      {},
      { league: 'NHL' },
    );
    const market = test.market('total', 5.5);
    market
      .book({
        over: [
          [120, 10],
          [-110.5, 20],
        ],
      })
      .freshness('under', 'stale');
    test.pass('90s');
    test.header({ live: true });
    const [first, second, third] = views;
    expect(first?.sides[0].offers.map(({ rung, risk }) => [rung, risk])).toEqual([
      [-105, 20_000_000],
      [200, 10_000_000],
    ]);
    expect(Object.isFrozen(first?.sides[0].offers)).toBe(true);
    expect(first?.sides[1]).toEqual({ side: 'under', offers: [], freshness: 'fresh', own: [] });
    expect(second?.sides.map(({ freshness }) => freshness)).toEqual(['fresh', 'stale']);
    expect(third).toMatchObject({ game: { league: 'NHL', live: true }, time: (first?.time ?? 0) + 90_000 });
    expect(views).toHaveLength(3);
  });

  it('has the fills, and the own offers from the view after the intent', () => {
    const views: MarketView[] = [];
    const test = new StrategyTest(
      viewing(({ market, ...view }) => {
        views.push({ market, ...view });
        const [risk, better] = [centsOfDollars(50), centsOfDollars(20)];
        return {
          market: market.id,
          quotes: [
            { side: 'home', risk, odds: odds(110) },
            { side: 'home', risk: better, odds: odds(105), key: 'better' },
          ],
        };
      }),
      {},
    );
    const market = test.market().show().fill('home', 30);
    expect(views[0]?.sides[0].own).toEqual([]);
    expect(views[1]?.sides[0].own).toMatchObject([{ key: '1', rung: 100, remaining: 40_000_000 }]);
    // 20 at +105 and 10 at +110
    expect(views[1]?.position).toEqual({ first: 32_000_000, second: -30_000_000, staked: 30_000_000 });
    expect(views[1]?.fills.map(({ rung, risk }) => [rung, risk])).toEqual([
      [50, 20_000_000],
      [100, 10_000_000],
    ]);
    // a filled quote that is wanted again rests again; an unchanged quote keeps its filled amount
    market.show();
    expect(views[2]?.sides[0].own).toMatchObject([
      { key: 'better', remaining: 20_000_000 },
      { key: '1', remaining: 40_000_000 },
    ]);
    expect(() => market.fill('home', 61)).toThrow('on home rests less than $61: $60');
    expect(() => market.fill('over', 1)).toThrow('game/moneyline has home and away, not over');
  });
});

describe('the quotes in the testkit', () => {
  it('are rounded in the owner’s favour, and do not cross the offers of others', () => {
    const probability = viewing(({ market }) => ({
      market: market.id,
      quotes: [{ side: 'away', risk: centsOfDollars(12.34), probability: 0.4811, key: 'k' }],
    }));
    const market = new StrategyTest(probability, {}).market();
    expect(market.show().quotes).toEqual([{ side: 'away', odds: 108, risk: 12.34, key: 'k' }]);
    // an offer on home at −115 matches away at +115 and less
    expect(market.book({ home: [[-115, 5]] }).quotes).toMatchObject([{ odds: 116 }]);
    expect(new StrategyTest(asking(-104.5), {}).market().show().quotes).toMatchObject([{ odds: -104 }]);
  });

  it('are left out when their probability has no odds, and are listed in withoutOdds', () => {
    const quotes = [
      { side: 'home', risk: centsOfDollars(10), probability: 1e-9 },
      { side: 'away', risk: centsOfDollars(10), probability: 0.5 },
    ] as const;
    const market = new StrategyTest(
      viewing(({ market }) => ({ market: market.id, quotes })),
      {},
    )
      .market()
      .show();
    expect(market.quotes).toEqual([{ side: 'away', odds: 100, risk: 10 }]);
    expect(market.withoutOdds).toEqual([quotes[0]]);
  });

  it('follow the time of the scheduler, each timer at its own time', () => {
    const times: number[] = [];
    const test = new StrategyTest(
      made(
        ({ scheduler }) =>
          (views$) =>
            views$.pipe(
              debounceTime(200, scheduler),
              switchMap((view) =>
                interval(1000, scheduler).pipe(
                  take(2),
                  startWith(0),
                  map(() => none(view)),
                ),
              ),
              map((intent) => {
                times.push(scheduler.now());
                return intent;
              }),
            ),
      ),
      {},
    );
    const market = test.market().show();
    test.pass('150ms');
    market.show();
    test.pass('5s');
    expect(times).toEqual([350, 1350, 2350]);
    expect(market.intents).toHaveLength(3);
    expect(() => test.pass('soon')).toThrow('"soon" is not a duration');
  });

  it('follow signals, which expire', () => {
    const seen: unknown[] = [];
    const test = new StrategyTest(
      viewing((view) => {
        seen.push(view.signals.get('a'));
        return none(view);
      }),
      {},
    );
    test.market().show();
    test.market('spread', -1).show();
    test.signal({ a: 1, b: 2 }, '2s');
    test.signal({ b: 3 });
    test.pass('3s');
    test.signal({ a: 4 });
    test.signal({ a: null });
    expect(seen).toEqual([undefined, undefined, 1, 1, undefined, undefined, 4, 4, undefined, undefined]);
    expect(() => test.signal({ 'a b': 1 })).toThrow('no name of a signal');
  });

  it('end with their market, and the views complete with the last market of the instance', () => {
    let completed = 0;
    const test = new StrategyTest(
      made(
        () => (views$) =>
          views$.pipe(
            map(({ market }) => ({
              market: market.id,
              quotes: [{ side: market.sides[0], risk: centsOfDollars(1), odds: odds(200) }],
            })),
            tap({ complete: () => (completed += 1) }),
          ),
        'game',
      ),
      {},
    );
    const [moneyline, total] = [test.market().show(), test.market('total', 200).show()];
    moneyline.close();
    expect([moneyline.quotes.length, total.quotes.length, completed]).toEqual([0, 1, 0]);
    total.close();
    expect([total.quotes.length, completed]).toEqual([0, 1]);
  });

  it('come with the log of the strategy', () => {
    const test = new StrategyTest(
      made(({ log }) => (views$) => {
        log('begins', { with: 1 });
        return views$.pipe(map(none));
      }),
      {},
    );
    test.market().show();
    expect(test.logged).toEqual([{ message: 'begins', fields: { with: 1 } }]);
  });

  it('come with each value of the series, and throw what a run would drop', () => {
    let value = 0.5;
    const test = new StrategyTest(
      made(
        ({ log }) =>
          (views$) =>
            views$.pipe(
              tap(() => log.series('fair', value)),
              map(none),
            ),
      ),
      {},
    );
    const market = test.market().show().show();
    const { id } = market.market;
    expect(test.series).toEqual([
      { time: test.time, market: id, name: 'fair', value: 0.5 },
      { time: test.time, market: id, name: 'fair', value: 0.5 },
    ]);
    value = Number.NaN;
    const dropped = 'SERIES_DROPPED: log.series: the value of "fair" is NaN: expected a finite number';
    expect(() => market.show()).toThrow(dropped);
    expect(() => market.show()).toThrow(dropped);
    expect(test.series).toHaveLength(2);
  });
});

describe('a fault that disables a strategy in a run', () => {
  it.each<[string, Strategy<z.ZodObject>, RegExp]>([
    [
      'an error',
      viewing(() => {
        throw new TypeError('boom');
      }),
      /STRATEGY_THREW: test\|game\/moneyline: boom \(testkit\.test\.ts:\d+\)/,
    ],
    ['odds of 0', asking(0), /STRATEGY_BAD_INTENT: .* quote\.odds 0 are not American odds/],
    ['completion', made(() => (views$) => views$.pipe(take(1), map(none))), /STRATEGY_COMPLETED/],
  ])('is thrown by the testkit: %s', (_name, strategy, message) => {
    const market = new StrategyTest(strategy, {}).market();
    expect(() => market.show()).toThrow(message);
    expect(market.show().quotes).toEqual([]);
  });

  it('is thrown by the next call when a timer outside the scheduler emits', async () => {
    const test = new StrategyTest(
      made(() => (views$) => views$.pipe(debounceTime(1), map(none))),
      {},
    );
    const market = test.market().show();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(() => market.show()).toThrow('ASYNC_EMISSION');
  });

  it('is thrown for parameters that the schema refuses', () => {
    const strategy = defineStrategy({
      name: 'made',
      params: z.object({ risk: dollars, edge: z.number() }),
      create: () => (views$) => views$.pipe(map(none)),
    });
    expect(() => new StrategyTest(strategy, { risk: 5000, edge: 0.1 })).toThrow(/^risk: Too big/);
    expect(() => new StrategyTest(strategy, { risk: 1, edge: 0.1, egde: 0.2 } as never)).toThrow(
      'egde: unknown parameter',
    );
  });
});

describe('tests of strategies in any folder', () => {
  it.each(['{"type":"commonjs"}', '{}', undefined])('run with node --test and package.json %s', (manifest) => {
    const home = folder();
    if (manifest !== undefined) writeFileSync(join(home, 'package.json'), manifest);
    writeFileSync(
      join(home, 'one.ts'),
      `import { map } from 'rxjs';
import { z } from 'zod';
import { defineStrategy, dollars, type QuoteIntent } from 'oddsmaker/strategy';
export default defineStrategy({
  name: 'one',
  params: z.object({ risk: dollars }),
  create: ({ params: { risk } }) => (views$) =>
    views$.pipe(map(({ market }): QuoteIntent => ({ market: market.id, quotes: [{ side: 'home', risk, probability: 0.5 }] }))),
});
`,
    );
    writeFileSync(
      join(home, 'one.test.ts'),
      `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Observable } from 'rxjs';
import { StrategyTest } from 'oddsmaker/testkit';
import one from './one.ts';
test('quotes home', () => {
  assert.equal(typeof Observable, 'function');
  const market = new StrategyTest(one, { risk: 25 }).market().show();
  assert.deepEqual(market.quotes, [{ side: 'home', odds: 100, risk: 25 }]);
});
`,
    );
    const register = join(ROOT, 'src/strategy/register.ts');
    const { NODE_TEST_CONTEXT: _outer, NODE_OPTIONS: _options, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', register, '--test', join(home, 'one.test.ts')],
      { encoding: 'utf8', env },
    );
    expect([status, stdout, stderr]).toEqual([0, expect.stringContaining('pass 1'), '']);
  });
});

describe('a wrong use of the testkit', () => {
  const market = () => new StrategyTest(viewing(none), {}).market();
  it.each([
    [
      'a crossed book',
      () => market().book({ home: [[105, 10]], away: [[-110, 10]] }),
      'book: home at 105 and away at -110 cross',
    ],
    ['a locked book', () => market().book({ home: [[105, 10]], away: [[-105, 10]] }), 'cross'],
    ['a book of a negative amount', () => market().book({ home: [[105, -1]] }), 'more than $-1'],
    ['a book of amount NaN', () => market().book({ home: [[105, Number.NaN]] }), 'NaN is not an amount'],
    ['a position of amount NaN', () => market().hold(Number.NaN, 1), 'NaN is not an amount'],
    ['a negative fill', () => market().fill('home', -5), 'must be above 0'],
    ['a spread without a line', () => new StrategyTest(viewing(none), {}).market('spread'), 'line in quarters'],
    ['a line between quarters', () => new StrategyTest(viewing(none), {}).market('total', 3.1), '3.1'],
    ['a moneyline with a line', () => new StrategyTest(viewing(none), {}).market('moneyline', 1), 'no line'],
  ])('is refused: %s', (_name, act, message) => {
    expect(act).toThrow(message);
  });

  it('fails the test file when a timer outside the scheduler emits or the strategy exits, without a later call', () => {
    const home = folder();
    const test = (body: string): string => `import { test } from 'node:test';
import { delay, map } from 'rxjs';
import { z } from 'zod';
import { defineStrategy } from 'oddsmaker/strategy';
import { StrategyTest } from 'oddsmaker/testkit';
const late = defineStrategy({
  name: 'late',
  params: z.object({}),
  create: () => (views$) => ${body},
});
test('shows', async () => {
  new StrategyTest(late, {}).market().show();
  await new Promise((resolve) => setTimeout(resolve, 100));
});
`;
    const quotes = 'map(({ market }) => ({ market: market.id, quotes: [] }))';
    writeFileSync(join(home, 'late.test.ts'), test(`views$.pipe(${quotes}, delay(5))`));
    writeFileSync(join(home, 'exit.test.ts'), test(`process.exit(0)`));
    const { NODE_TEST_CONTEXT: _outer, NODE_OPTIONS: _options, ...env } = process.env;
    for (const [name, message] of [
      ['late', 'ASYNC_EMISSION'],
      ['exit', 'process.exit() is not for strategies'],
    ] as const) {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ['--import', join(ROOT, 'src/strategy/register.ts'), '--test', join(home, `${name}.test.ts`)],
        { encoding: 'utf8', env },
      );
      expect([name, status]).toEqual([name, 1]);
      expect(stdout + stderr).toContain(message);
    }
  });
});

it('restarts a strategy with nothing but what it persisted', () => {
  const seen: unknown[] = [];
  const test = new StrategyTest(
    made(({ persist }) => {
      let views = 0;
      return (views$) =>
        views$.pipe(
          map((view) => {
            seen.push([views, persist.get()]);
            persist.set({ views: (views += 1) });
            return none(view);
          }),
        );
    }),
    {},
  );
  test.market().show().show();
  expect(test.persisted).toEqual({ views: 2 });
  test.restart();
  expect(seen).toEqual([
    [0, undefined],
    [1, { views: 1 }],
    [0, { views: 2 }],
  ]);
});
