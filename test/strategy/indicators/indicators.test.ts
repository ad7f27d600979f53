// Indicators, by numbers worked out by hand.
import fc from 'fast-check';
import { lastValueFrom, from, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Indicator, MarketView } from 'oddsmaker/indicators';
import {
  ewma,
  jumpGuard,
  microprice,
  realisedVolatility,
  rollingQuantile,
  through,
  timeToStart,
  tradeImbalance,
} from 'oddsmaker/indicators';
import { StrategyTest } from 'oddsmaker/testkit';
import twoSided from '../../../strategies/two-sided.ts';

const HOUR_MS = 3_600_000;
const series = (indicator: Indicator, values: readonly (readonly [value: number, t: number])[]) =>
  values.map(([value, t]) => indicator(value, t));

describe('ewma', () => {
  it('moves half the way after one half life, and three quarters after two', () => {
    expect(
      series(ewma({ halfLife: 1000 }), [
        [10, 0],
        [20, 1000],
        [20, 2000],
        [0, 4000],
      ]),
    ).toEqual([10, 15, 17.5, 4.375]);
  });

  it('does not depend on how often an unchanged value comes', () => {
    const often = ewma({ halfLife: 700 });
    const once = ewma({ halfLife: 700 });
    for (const mean of [often, once]) mean(1, 0);
    for (let t = 10; t <= 1000; t += 10) often(2, t);
    expect(often(2, 1000)).toBeCloseTo(once(2, 1000) ?? 0, 12);
  });

  it('ignores what is no number, and a time that falls counts as none', () => {
    expect(
      series(ewma({ halfLife: 1000 }), [
        [Number.NaN, 0],
        [4, 0],
        [Number.POSITIVE_INFINITY, 500],
        [8, -100],
      ]),
    ).toEqual([undefined, 4, 4, 4]);
    expect(() => ewma({ halfLife: 0 })).toThrow('expected a halfLife above 0 ms');
  });
});

describe('realisedVolatility', () => {
  const p = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds));

  it('is the root of the squared moves an hour, over the window', () => {
    const volatility = realisedVolatility({ window: HOUR_MS });
    expect(volatility(p(0), 0)).toBeUndefined();
    // one move of .1 in a quarter of an hour: √(.01 / .25)
    expect(volatility(p(0.1), HOUR_MS / 4)).toBeCloseTo(0.2, 9);
    // and one of .2: √(.05 / .5)
    expect(volatility(p(-0.1), HOUR_MS / 2)).toBeCloseTo(Math.sqrt(0.1), 9);
    // the first move is gone: √(.04 + .01) / (5/4 hours since the price before the second)
    expect(volatility(p(0), 1.5 * HOUR_MS)).toBeCloseTo(Math.sqrt(0.05 / 1.25), 9);
  });

  it('ignores prices that are no probability', () => {
    const volatility = realisedVolatility({ window: 1000 });
    expect(
      series(volatility, [
        [0, 0],
        [0.5, 0],
        [1, 10],
        [Number.NaN, 20],
      ]),
    ).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe('rollingQuantile', () => {
  it('is the median of the last values, between two of them where they are even', () => {
    const median = rollingQuantile({ window: 10, q: 0.5 });
    expect(
      series(median, [
        [3, 0],
        [1, 1],
        [2, 2],
        [9, 11],
        [Number.NaN, 12],
      ]),
    ).toEqual([3, 2, 2, 2, 2]);
    expect(median(7, 13)).toBe(8);
  });

  it('is that of a sorted list, whatever comes', () => {
    const value = fc.record({ value: fc.integer({ min: -20, max: 20 }), later: fc.integer({ min: 0, max: 40 }) });
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 200 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (values, q) => {
          const quantile = rollingQuantile({ window: 100, q });
          const seen: { value: number; t: number }[] = [];
          let t = 0;
          for (const each of values) {
            t += each.later;
            seen.push({ value: each.value, t });
            const sorted = seen
              .filter((sample) => t - sample.t <= 100)
              .map((sample) => sample.value)
              .sort((a, b) => a - b);
            const place = (sorted.length - 1) * q;
            const [low = 0, high = 0] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
            expect(quantile(each.value, t)).toBeCloseTo(low + (high - low) * (place - Math.floor(place)), 9);
          }
        },
      ),
    );
  });

  it('refuses a quantile beyond 1 and a window of no time', () => {
    expect(() => rollingQuantile({ window: 10, q: 1.5 })).toThrow('within 0 and 1');
    expect(() => rollingQuantile({ window: 0, q: 0.5 })).toThrow('expected a window above 0 ms');
  });
});

describe('tradeImbalance', () => {
  it('is the share of the first side less that of the second, and unknown without trades', () => {
    const imbalance = tradeImbalance({ window: 1000 });
    expect(
      series(imbalance, [
        [0, 0],
        [30, 0],
        [-10, 500],
        [0, 1001],
        [0, 1501],
      ]),
    ).toEqual([undefined, 1, 0.5, -1, undefined]);
  });
});

describe('of one view', () => {
  function viewOf(home: readonly [number, number][], away: readonly [number, number][]): MarketView {
    const market = new StrategyTest(twoSided, { edge: 0.02, risk: 20 }).market('moneyline');
    market.book({ home, away });
    return market.view;
  }

  it('microprice lies between the best offers, nearer to the smaller one', () => {
    // bid .48, pays out 100; ask .52 (away at .48), pays out 300
    const view = viewOf([[108.33, 48]], [[108.33, 144]]);
    const [bid, ask] = [100 / 208.3, 1 - 100 / 208.3];
    expect(microprice(view)).toBeCloseTo((bid * 3 + ask * 1) / 4, 4);
    expect(microprice(viewOf([[105, 10]], []))).toBeUndefined();
  });

  it('timeToStart is what is left until the game begins', () => {
    const view = viewOf([[105, 10]], [[105, 10]]);
    expect(timeToStart(view)).toBe(2 * HOUR_MS);
    expect(timeToStart({ game: view.game, time: view.game.start + 5 })).toBe(-5);
  });
});

it('an indicator as an operator begins anew with each subscription', async () => {
  const means$ = from([
    [10, 0],
    [20, 1000],
  ] as const).pipe(
    through(() => ewma({ halfLife: 1000 })),
    toArray(),
  );
  expect(await lastValueFrom(means$)).toEqual([10, 15]);
  expect(await lastValueFrom(means$)).toEqual([10, 15]);
});

describe('jumpGuard', () => {
  const guarded = () => jumpGuard({ sigmas: 3, window: 5000, least: 0.02, coolOff: 4000, gone: 3000 });

  it('pulls after a jump in any market, then asks for wider quotes, then for the usual ones', () => {
    const guard = guarded();
    guard.see('a', 0.5, 0);
    guard.see('b', 0.4, 0);
    expect(guard.stateAt(0)).toBe('quoting');
    guard.see('b', 0.46, 1000);
    expect([1000, 4999, 5000, 8999, 9000].map(guard.stateAt)).toEqual(['pulled', 'pulled', 'wide', 'wide', 'quoting']);
    expect(guard.dues(1000)).toEqual([4000, 8000]);
    expect(guard.dues(9000)).toEqual([]);
    expect(guard.why).toBe('b moved by 6.0 points in 5 s');
  });

  it('pulls when a market loses its price, once, and not for one that had none', () => {
    const guard = guarded();
    guard.see('a', undefined, 0);
    expect(guard.stateAt(0)).toBe('quoting');
    guard.see('a', 0.5, 1000);
    guard.see('a', undefined, 2000);
    guard.see('a', undefined, 4000);
    expect([2000, 4999, 5000].map(guard.stateAt)).toEqual(['pulled', 'pulled', 'quoting']);
    expect(guard.why).toBe('a lost its price');
  });
});
