// Series that strategies log: the newest value of a second, within limits.
import { describe, expect, it } from 'vitest';
import type { GameId, MarketId, StrategyId } from '../../../src/domain/index.ts';
import { SeriesLog } from '../../../src/strategy/host/index.ts';

const STRATEGY = 'main' as StrategyId;
const place = (market = 'g1/moneyline') => ({
  strategy: STRATEGY,
  game: 'g1' as GameId,
  market: market as MarketId,
});
const taken = (log: SeriesLog, now: number) =>
  log.takeDue(now).map(({ market, points }) => [market, ...points.map(({ name, value }) => `${name} ${value}`)]);

describe('a series', () => {
  it('gives the newest value of each second, and none that is unchanged', () => {
    const log = new SeriesLog();
    for (const value of [0.5, 0.51]) log.log(place(), 'fair', value);
    expect(taken(log, 0)).toEqual([['g1/moneyline', 'fair 0.51']]);
    log.log(place(), 'fair', 0.52);
    expect(taken(log, 999)).toEqual([]);
    log.log(place(), 'fair', 0.53);
    expect(taken(log, 1000)).toEqual([['g1/moneyline', 'fair 0.53']]);
    log.log(place(), 'fair', 0.54);
    log.log(place(), 'fair', 0.53);
    expect(taken(log, 5000)).toEqual([]);
  });

  it('stands with the others of its market, and gives its last value at the end', () => {
    const log = new SeriesLog();
    log.log(place(), 'fair', 0.5);
    log.log(place('g1/total/200'), 'fair', 0.4);
    log.log(place(), 'width', 0.02);
    expect(taken(log, 0)).toEqual([
      ['g1/moneyline', 'fair 0.5', 'width 0.02'],
      ['g1/total/200', 'fair 0.4'],
    ]);
    log.log(place(), 'fair', 0.6);
    expect(taken(log, 1)).toEqual([]);
    expect(taken(log, Number.POSITIVE_INFINITY)).toEqual([['g1/moneyline', 'fair 0.6']]);
  });

  it('of a strategy of whole games has no market', () => {
    const log = new SeriesLog();
    log.log({ ...place(), market: undefined }, 'margin', -0);
    expect(log.takeDue(0)).toEqual([{ strategy: 'main', game: 'g1', points: [{ name: 'margin', value: 0 }] }]);
    expect(Object.is(log.takeDue(0)[0]?.points[0]?.value ?? 0, 0)).toBe(true);
  });

  it('gives its last value when its market closes, and makes room for others', () => {
    const log = new SeriesLog();
    for (let index = 0; index < 5000; index++) log.log(place(`m${index}`), 'fair', 0.5);
    expect(log.log(place('one more'), 'fair', 0.5)).toMatch(/5000 series in open markets are the most/);
    expect(log.takeDue(0)).toHaveLength(5000);
    log.log(place('m0'), 'fair', 0.7);
    log.close(place('m0'));
    expect(taken(log, 1)).toEqual([['m0', 'fair 0.7']]);
    log.log(place('one more'), 'fair', 0.5);
    expect(taken(log, 2)).toEqual([['one more', 'fair 0.5']]);
  });

  it('comes at longer intervals once its strategy has logged 20,000 values', () => {
    const log = new SeriesLog();
    const intervals: number[] = [];
    let before = 0;
    for (let now = 0; now < 25_000_000; now += 500) {
      log.log(place(), 'fair', now);
      if (log.takeDue(now).length === 0) continue;
      intervals.push(now - before);
      before = now;
    }
    expect([intervals[1], intervals[19_999]]).toEqual([1000, 1000]);
    expect(intervals.at(-1)).toBe(2000);
  });
});

describe('a value that cannot be logged', () => {
  it.each([
    ['', 1, /the name "" is not 1 to 40 letters/],
    ['a'.repeat(41), 1, /is not 1 to 40 letters/],
    ['<b>', 1, /the name "<b>"/],
    [7, 1, /the name 7/],
    ['fair', Number.NaN, /the value of "fair" is NaN: expected a finite number/],
    ['fair', Number.POSITIVE_INFINITY, /is Infinity/],
    ['fair', '0.5', /is "0.5"/],
    ['fair', undefined, /is undefined/],
    ['fair', { secret: 1 }, /is a value of type object/],
  ])('is dropped and reported once: %s, %s', (name, value, problem) => {
    const log = new SeriesLog();
    const send = () => log.log(place(), name as string, value as number);
    expect(send()).toMatch(problem);
    expect(send()).toBeUndefined();
    expect(log.takeDue(0)).toEqual([]);
    log.log(place(), 'good', 1);
    expect(taken(log, 0)).toEqual([['g1/moneyline', 'good 1']]);
  });

  it('is one of a 51st name', () => {
    const log = new SeriesLog();
    for (let index = 0; index < 50; index++) expect(log.log(place(), `n${index}`, index)).toBeUndefined();
    expect(log.log(place(), 'n50', 50)).toBe('log.series: "n50" is the 51st name: 50 are the most');
    // a known name goes on in another market
    expect(log.log(place('g1/total/200'), 'n0', 1)).toBeUndefined();
    expect(log.takeDue(0).map(({ points }) => points.length)).toEqual([50, 1]);
  });
});
