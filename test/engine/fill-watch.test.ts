// Markouts and closes of fills as time passes: the prices before a moment are the prices of that moment.
import { describe, expect, it } from 'vitest';
import type { GameId, Market, MarketId, RunEvent, StrategyId, TxId } from '../../src/domain/index.ts';
import { market as marketIn, MARKOUT_SECONDS } from '../../src/domain/index.ts';
import { FillWatch } from '../../src/engine/fill-watch.ts';

const GAME = 'g' as GameId;
const moneyline = marketIn(GAME, 'moneyline', undefined);

/** A watch with prices and a game that the test can set. */
function watched(start = 1_000_000) {
  const events: RunEvent[] = [];
  const buffer = { now: 0, t: 0, raise: (event: RunEvent) => void events.push(event) };
  const world = {
    prices: new Map<MarketId, number>([[moneyline.id, 0.5]]),
    own: undefined as number | undefined,
    live: false,
  };
  const watch = new FillWatch({
    buffer,
    prices: { fairOf: (id) => world.prices.get(id), fairBefore: (id) => world.prices.get(id) },
    quoting: { ownFairs: { before: () => world.own } },
    gameOf: () => ({ start, live: world.live }),
  });
  const advanceTo = (now: number): void => {
    buffer.now = now;
    buffer.t = now;
    watch.advance();
  };
  return {
    watch,
    world,
    advanceTo,
    fill: (txId: string, market: Market = moneyline, strategy?: string) =>
      watch.watchFill(txId as TxId, market, strategy as StrategyId | undefined),
    markouts: () => events.flatMap((event) => (event.type === 'Markout' ? [event.fair] : [])),
    closes: () => events.filter((event) => event.type === 'CloseTaken'),
  };
}

describe('a fill that is followed', () => {
  it('has the price before each markout time, not the price that came with it', () => {
    const { advanceTo, fill, markouts, world } = watched();
    advanceTo(0);
    fill('x');
    world.prices.set(moneyline.id, 0.51);
    advanceTo(999);
    world.prices.set(moneyline.id, 0.6);
    // the watch advances ten times a second
    advanceTo(1000);
    advanceTo(1100);
    expect(markouts()).toEqual([0.51]);
    advanceTo(4000);
    advanceTo(301_000);
    expect(markouts()).toEqual([0.51, 0.6, 0.6, 0.6, 0.6, 0.6]);
  });

  it('has no markout without a good price: none is guessed', () => {
    const { advanceTo, fill, markouts, closes, world } = watched();
    world.prices.clear();
    advanceTo(0);
    fill('x');
    advanceTo(400_000);
    expect(markouts()).toEqual(MARKOUT_SECONDS.map(() => undefined));
    advanceTo(2_000_000);
    expect(closes()).toMatchObject([{ isInPlay: false, prices: {} }]);
  });

  it('follows its team to another market', () => {
    const { advanceTo, fill, markouts, closes, watch, world } = watched(100_000);
    const [before, after] = [marketIn(GAME, 'spread', -3.5), marketIn(GAME, 'spread', 3.5)];
    world.prices.set(before.id, 0.6);
    fill('x', before);
    advanceTo(500);
    advanceTo(1000);
    world.prices.delete(before.id);
    world.prices.set(after.id, 0.4);
    watch.move('x' as TxId, after);
    advanceTo(2000);
    world.prices.set(after.id, 0.3);
    advanceTo(6000);
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
      const { advanceTo, fill, closes, world } = watched();
      advanceTo(0);
      fill('x');
      world.prices.set(moneyline.id, 0.55);
      advanceTo(499_999);
      turn(world);
      world.prices.set(moneyline.id, 0.9);
      advanceTo(t);
      advanceTo(t + 1000);
      expect(closes()).toMatchObject([{ market: moneyline.id, isInPlay: false, prices: { consensus: 0.55 } }]);
    }
  });

  it("in play closes once for its market, with the last good price, when the market's first fill is settled", () => {
    const { advanceTo, fill, closes, watch, world } = watched(0);
    world.live = true;
    advanceTo(10);
    fill('x');
    fill('y');
    world.prices.set(moneyline.id, 0.8);
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
    const { watch, world } = watched();
    watch.applySignal({ values: { 'fair:g/moneyline': 0.49, 'odds:g/moneyline': null } });
    world.own = 0.47;
    const { before, past } = watch.pricesOf(moneyline, 'main' as StrategyId);
    expect(before).toEqual({ consensus: 0.5, own: 0.47, fair: 0.49 });
    expect(past).toEqual({ consensus: 0.5, own: 0.47 });
    expect(watch.pricesOf(moneyline, undefined).before).toEqual({ consensus: 0.5, fair: 0.49 });
  });
});
