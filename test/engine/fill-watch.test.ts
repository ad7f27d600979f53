// Markouts and closes of fills as time passes: the prices before a moment are the prices of that moment.
import { describe, expect, it } from 'vitest';
import type { GameId, Market, RunEvent, StrategyId, TxId } from '../../src/domain/index.ts';
import { market as marketIn, MARKOUT_SECONDS } from '../../src/domain/index.ts';
import { FillWatch } from '../../src/engine/fill-watch.ts';
import { Prices } from '../../src/engine/prices.ts';

const GAME = 'g' as GameId;
const moneyline = marketIn(GAME, 'moneyline', undefined);

/** A watch with prices and a game that the test can set. A price is known from a moment on. */
function watched(start = 1_000_000) {
  const events: RunEvent[] = [];
  const buffer = { now: 0, t: 0, raise: (event: RunEvent) => void events.push(event) };
  const prices = new Prices();
  const world = { own: undefined as number | undefined, ownUntil: Number.POSITIVE_INFINITY, live: false };
  const watch = new FillWatch({
    buffer,
    prices,
    quoting: { ownFairs: { before: (_market, _strategy, t) => (t <= world.ownUntil ? world.own : undefined) } },
    gameOf: () => ({ start, live: world.live }),
  });
  /** `t`: the wall clock, when it was set. */
  const advanceTo = (now: number, t = now): void => {
    buffer.now = now;
    buffer.t = t;
    watch.advance();
  };
  return {
    watch,
    world,
    advanceTo,
    price: (p: number, from: number, market = moneyline) => prices.note(market.id, p, true, from),
    fill: (txId: string, market: Market = moneyline, strategy?: string) =>
      watch.watchFill(txId as TxId, market, strategy as StrategyId | undefined),
    markouts: () => events.flatMap((event) => (event.type === 'Markout' ? [event.fair] : [])),
    closes: () => events.filter((event) => event.type === 'CloseTaken'),
  };
}

describe('a fill that is followed', () => {
  it('closes with the own price before the start, also when the strategy has none any more', () => {
    const { advanceTo, closes, fill, price, world } = watched(10_000);
    price(0.5, -1000);
    advanceTo(0);
    fill('x', moneyline, 'main');
    Object.assign(world, { own: 0.45, ownUntil: 10_005 });
    advanceTo(9990);
    // the watch looks ten times a second: the start is seen after the quotes were withdrawn
    advanceTo(10_095);
    expect(closes()).toMatchObject([{ prices: { consensus: 0.5 }, own: { main: 0.45 } }]);
  });

  it('has the price before each markout time, not the price that came with it', () => {
    const { advanceTo, fill, markouts, price } = watched();
    price(0.5, -1000);
    advanceTo(0);
    fill('x');
    price(0.51, 400);
    price(0.6, 1000);
    // the watch looks ten times a second
    advanceTo(1000);
    advanceTo(1100);
    expect(markouts()).toEqual([0.51]);
    advanceTo(4000);
    advanceTo(301_000);
    expect(markouts()).toEqual([0.51, 0.6, 0.6, 0.6, 0.6, 0.6]);
  });

  it('has the newest price before a markout time, however long ago the watch looked', () => {
    const { advanceTo, fill, markouts, price } = watched();
    price(0.5, -1000);
    advanceTo(0);
    fill('x');
    advanceTo(950);
    price(0.52, 960);
    price(0.53, 999);
    price(0.6, 1010);
    advanceTo(1020);
    advanceTo(1090);
    expect(markouts()).toEqual([0.53]);
  });

  it('has the price some seconds later by the monotonic clock, when the wall clock was set', () => {
    const { advanceTo, fill, markouts, price } = watched();
    price(0.5, -1000);
    advanceTo(0);
    fill('x');
    // one hour forward
    price(0.52, 3_600_600);
    price(0.6, 3_601_000);
    advanceTo(1000, 3_601_000);
    expect(markouts()).toEqual([0.52]);
  });

  it('has the markouts that are due when the run ends between two lookups', () => {
    const { advanceTo, fill, markouts, price, watch } = watched();
    price(0.5, -1000);
    advanceTo(0);
    fill('x');
    advanceTo(950);
    price(0.52, 980);
    advanceTo(1010);
    expect(markouts()).toEqual([]);
    watch.endRun();
    expect(markouts()).toEqual([0.52]);
  });

  it('has no markout without a good price: none is guessed', () => {
    const { advanceTo, fill, markouts, closes } = watched();
    advanceTo(0);
    fill('x');
    advanceTo(400_000);
    expect(markouts()).toEqual(MARKOUT_SECONDS.map(() => undefined));
    advanceTo(2_000_000);
    expect(closes()).toMatchObject([{ isInPlay: false, prices: {} }]);
  });

  it('follows its team to another market', () => {
    const { advanceTo, fill, markouts, closes, price, watch } = watched(100_000);
    const [before, after] = [marketIn(GAME, 'spread', -3.5), marketIn(GAME, 'spread', 3.5)];
    price(0.6, -1000, before);
    fill('x', before);
    advanceTo(500);
    advanceTo(1000);
    price(0.4, 1500, after);
    watch.move('x' as TxId, after);
    advanceTo(2000);
    advanceTo(6000);
    price(0.3, 7000, after);
    advanceTo(11_000);
    expect(markouts()).toEqual([0.6, 0.4, 0.3]);
    advanceTo(100_001);
    expect(closes()).toMatchObject([{ market: after.id, prices: { consensus: 0.3 } }]);
  });

  it('closes with the last good price before the start, or before the game turned live', () => {
    for (const [turn, t] of [
      [() => undefined, 1_000_000],
      [(world: { live: boolean }) => (world.live = true), 500_000],
    ] as const) {
      const { advanceTo, fill, closes, price, world } = watched();
      price(0.5, -1000);
      advanceTo(0);
      fill('x');
      price(0.55, t - 200);
      advanceTo(t - 150);
      turn(world);
      price(0.9, t);
      advanceTo(t);
      advanceTo(t + 1000);
      expect(closes()).toMatchObject([{ market: moneyline.id, isInPlay: false, prices: { consensus: 0.55 } }]);
    }
  });

  it('closes with the last good price before the start, also when it is new', () => {
    const { advanceTo, fill, closes, price } = watched();
    price(0.5, -1000);
    advanceTo(0);
    fill('x');
    advanceTo(999_950);
    price(0.56, 999_990);
    advanceTo(1_000_040);
    price(0.9, 1_000_010);
    advanceTo(1_000_060);
    expect(closes()).toMatchObject([{ prices: { consensus: 0.56 } }]);
  });

  it("in play closes once for its market, with the last good price, when the market's first fill is settled", () => {
    const { advanceTo, fill, closes, price, watch, world } = watched(0);
    world.live = true;
    price(0.5, 0);
    advanceTo(10);
    fill('x');
    fill('y');
    price(0.8, 100);
    advanceTo(400_000);
    expect(closes()).toEqual([]);
    watch.settle('x' as TxId);
    watch.settle('y' as TxId);
    expect(closes()).toMatchObject([{ isInPlay: true, prices: { consensus: 0.8 } }]);
    watch.endRun();
    expect(closes()).toHaveLength(1);
  });

  it('in play closes with the other prices of its market when the run ends, without a last consensus', () => {
    const { advanceTo, fill, closes, watch, world } = watched(0);
    watch.applySignal({ values: { 'odds:g/moneyline': 0.52 } });
    world.own = 0.53;
    advanceTo(10);
    fill('x', moneyline, 'main');
    advanceTo(20_000);
    watch.endRun();
    expect(closes()).toMatchObject([{ isInPlay: true, prices: { odds: 0.52 }, own: { main: 0.53 } }]);
    expect(closes()[0]?.prices).not.toHaveProperty('consensus');
  });

  it('knows each price of its market by source', () => {
    const { advanceTo, price, watch, world } = watched();
    price(0.5, 0);
    advanceTo(6000);
    watch.applySignal({ values: { 'fair:g/moneyline': 0.49, 'odds:g/moneyline': null } });
    world.own = 0.47;
    const { before, past } = watch.pricesOf(moneyline, 'main' as StrategyId);
    expect(before).toEqual({ consensus: 0.5, own: 0.47, fair: 0.49 });
    expect(past).toEqual({ consensus: 0.5, own: 0.47 });
    expect(watch.pricesOf(moneyline, undefined).before).toEqual({ consensus: 0.5, fair: 0.49 });
  });
});
