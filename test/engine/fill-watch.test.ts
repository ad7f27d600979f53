// Fills that are followed while time goes on: the prices before a moment are the prices of that moment.
import { describe, expect, it } from 'vitest';
import type { GameId, Market, MarketId, RunEvent, StrategyId, TxId } from '../../src/domain/index.ts';
import { market as marketIn, MARKOUT_SECONDS } from '../../src/domain/index.ts';
import { FillWatch } from '../../src/engine/fill-watch.ts';

const GAME = 'g' as GameId;
const moneyline = marketIn(GAME, 'moneyline', undefined);

/** A watch with prices and a game that can be set. */
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
  const at = (now: number): void => {
    buffer.now = now;
    buffer.t = now;
    watch.advance();
  };
  return {
    watch,
    world,
    at,
    fill: (txId: string, market: Market = moneyline, strategy?: string) =>
      watch.add(txId as TxId, market, strategy as StrategyId | undefined),
    markouts: () => events.flatMap((event) => (event.type === 'Markout' ? [event.fair] : [])),
    closes: () => events.filter((event) => event.type === 'CloseTaken'),
  };
}

describe('a fill that is followed', () => {
  it('has the price before each moment, not the one that came with it', () => {
    const { at, fill, markouts, world } = watched();
    at(0);
    fill('x');
    world.prices.set(moneyline.id, 0.51);
    at(999);
    world.prices.set(moneyline.id, 0.6);
    // it is looked at ten times a second
    at(1000);
    at(1100);
    expect(markouts()).toEqual([0.51]);
    at(4000);
    at(301_000);
    expect(markouts()).toEqual([0.51, 0.6, 0.6, 0.6, 0.6, 0.6]);
  });

  it('without a good price has none, and is not guessed', () => {
    const { at, fill, markouts, closes, world } = watched();
    world.prices.clear();
    at(0);
    fill('x');
    at(400_000);
    expect(markouts()).toEqual(MARKOUT_SECONDS.map(() => undefined));
    at(2_000_000);
    expect(closes()).toMatchObject([{ isInPlay: false, prices: {} }]);
  });

  it('follows its team to another market', () => {
    const { at, fill, markouts, closes, watch, world } = watched(100_000);
    const [before, after] = [marketIn(GAME, 'spread', -3.5), marketIn(GAME, 'spread', 3.5)];
    world.prices.set(before.id, 0.6);
    fill('x', before);
    at(500);
    at(1000);
    world.prices.delete(before.id);
    world.prices.set(after.id, 0.4);
    watch.move('x' as TxId, after);
    at(2000);
    world.prices.set(after.id, 0.3);
    at(6000);
    at(11_000);
    expect(markouts()).toEqual([0.6, 0.4, 0.3]);
    at(100_001);
    expect(closes()).toMatchObject([{ market: after.id, prices: { consensus: 0.3 } }]);
  });

  it('closes with the last good price before the start, or before the game turned live', () => {
    for (const [turn, t] of [
      [() => undefined, 1_000_000],
      [(world: { live: boolean }) => (world.live = true), 500_000],
    ] as const) {
      const { at, fill, closes, world } = watched();
      at(0);
      fill('x');
      world.prices.set(moneyline.id, 0.55);
      at(499_999);
      turn(world);
      world.prices.set(moneyline.id, 0.9);
      at(t);
      at(t + 1000);
      expect(closes()).toMatchObject([{ market: moneyline.id, isInPlay: false, prices: { consensus: 0.55 } }]);
    }
  });

  it('in play closes once for its market, with the last good price, when the first of it is settled', () => {
    const { at, fill, closes, watch, world } = watched(0);
    world.live = true;
    at(10);
    fill('x');
    fill('y');
    world.prices.set(moneyline.id, 0.8);
    at(400_000);
    expect(closes()).toEqual([]);
    watch.settle('x' as TxId);
    watch.settle('y' as TxId);
    expect(closes()).toMatchObject([{ isInPlay: true, prices: { consensus: 0.8 } }]);
    watch.end();
    expect(closes()).toHaveLength(1);
  });

  it('in play is told what others took its market for when the run ends, and no last price', () => {
    const { at, fill, closes, watch, world } = watched(0);
    watch.applySignal({ values: { 'odds:g/moneyline': 0.52 } });
    world.own = 0.53;
    at(10);
    fill('x', moneyline, 'main');
    at(20_000);
    watch.end();
    expect(closes()).toMatchObject([{ isInPlay: true, prices: { odds: 0.52 }, own: { main: 0.53 } }]);
    expect(closes()[0]?.prices).not.toHaveProperty('consensus');
  });

  it('knows what its market was worth by whoever said so', () => {
    const { watch, world } = watched();
    watch.applySignal({ values: { 'fair:g/moneyline': 0.49, 'odds:g/moneyline': null } });
    world.own = 0.47;
    const { before, past } = watch.pricesOf(moneyline, 'main' as StrategyId);
    expect(before).toEqual({ consensus: 0.5, own: 0.47, fair: 0.49 });
    expect(past).toEqual({ consensus: 0.5, own: 0.47 });
    expect(watch.pricesOf(moneyline, undefined).before).toEqual({ consensus: 0.5, fair: 0.49 });
  });
});
