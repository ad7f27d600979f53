// Fills that are followed while time goes on: the prices before a moment are the prices of that moment.
import { describe, expect, it } from 'vitest';
import type { GameId, Market, MarketId, Micros, TxId } from '../../src/domain/index.ts';
import { market as marketOf } from '../../src/domain/index.ts';
import { FillTracker, MARKOUT_SECONDS } from '../../src/run/index.ts';

const market: Market = {
  id: 'g/moneyline' as MarketId,
  gameId: 'g' as GameId,
  type: 'moneyline',
  sides: ['home', 'away'],
} as unknown as Market;
const fill = (txId: string, t: number, side: 'home' | 'away' = 'home', isInPlay = false) => ({
  txId: txId as TxId,
  market,
  side,
  risk: 100,
  payout: 205,
  t,
  isInPlay,
});

/** A tracker with a price and a game that can be set. */
function tracked(start = 1_000_000) {
  const tracker = new FillTracker();
  const world = { price: 0.5 as number | undefined, before: undefined as number | undefined, live: false };
  const ports = {
    fairOf: () => world.price,
    fairBefore: () => world.before ?? world.price,
    gameOf: () => ({ start, live: world.live }),
  };
  return {
    tracker,
    world,
    at: (t: number) => tracker.advance(t, ports),
    fill: (...args: Parameters<typeof fill>) => tracker.apply(fill(...args), ports),
    one: () => [...tracker.fills][0],
    later: () => MARKOUT_SECONDS.map((_seconds, at) => [...tracker.fills][0]?.later[at]),
  };
}

describe('a fill that is followed', () => {
  it('has the price before each moment, not the one that came with it', () => {
    const { at, fill, one, later, world } = tracked();
    at(0);
    fill('x', 0);
    expect(one()).toMatchObject({ f0: 0.5, fc: undefined });
    world.price = 0.51;
    at(999);
    world.price = 0.6;
    // it is looked at ten times a second
    at(1000);
    at(1100);
    expect(later()).toEqual([0.51, undefined, undefined, undefined, undefined, undefined]);
    at(4000);
    at(301_000);
    expect(later()).toEqual([0.51, 0.6, 0.6, 0.6, 0.6, 0.6]);
  });

  it('fills at the price from before its cause, whatever the book shows when it is told', () => {
    const { fill, one, world } = tracked();
    world.price = 0.45;
    world.before = 0.5;
    fill('x', 1000);
    expect(one()?.f0).toBe(0.5);
  });

  it('follows its team to another side, and to another market', () => {
    const tracker = new FillTracker();
    const spread = (line: number) => marketOf('g' as GameId, 'spread', line);
    const prices = new Map<string, number>([['g/spread/-3.5', 0.6]]);
    const fairOf = (id: MarketId) => prices.get(id);
    const ports = { fairOf, fairBefore: fairOf, gameOf: () => ({ start: 100_000, live: false }) };
    tracker.apply(
      { ...fill('x', 0), market: spread(-3.5), position: { first: 105 as Micros, second: -100 as Micros } },
      ports,
    );
    tracker.advance(500, ports);
    tracker.advance(1000, ports);
    prices.clear();
    prices.set('g/spread/3.5', 0.4);
    tracker.move('x' as TxId, spread(3.5), 'away', ports);
    tracker.advance(2000, ports);
    prices.set('g/spread/3.5', 0.3);
    tracker.advance(6000, ports);
    tracker.advance(11_000, ports);
    tracker.advance(100_001, ports);
    const [one] = tracker.fills;
    expect(one).toMatchObject({ market: spread(3.5), side: 'away', position: { first: -100, second: 105 } });
    expect([one?.f0, one?.later[0], one?.later[1], one?.fc]).toEqual([0.6, 0.6, 0.6, 0.7]);
    tracker.settle('x' as TxId, 105);
    expect(tracker.takeChanged()).toHaveLength(1);
  });

  it('of the second side has the other probability', () => {
    const { at, fill, one, world } = tracked();
    world.price = 0.7;
    at(0);
    fill('x', 0, 'away');
    at(500);
    at(1500);
    expect(one()?.f0).toBeCloseTo(0.3);
    expect(one()?.later[0]).toBeCloseTo(0.3);
  });

  it('closes with the last good price before the start, or before the game turned live', () => {
    for (const [turn, t] of [
      [() => undefined, 1_000_000],
      [(world: { live: boolean }) => (world.live = true), 500_000],
    ] as const) {
      const { at, fill, one, world } = tracked();
      at(0);
      fill('x', 0);
      world.price = 0.55;
      at(499_999);
      turn(world);
      world.price = 0.9;
      at(t);
      at(t + 1000);
      expect(one()?.fc).toBe(0.55);
    }
  });

  it('in play closes with the last good price of its market, when it is settled', () => {
    const { at, fill, one, tracker, world } = tracked(0);
    world.live = true;
    at(10);
    fill('x', 10, 'home', true);
    world.price = 0.8;
    at(400_000);
    expect(one()?.fc).toBeUndefined();
    tracker.settle('x' as TxId, 105);
    expect(one()).toMatchObject({ fc: 0.8, profit: 105 });
  });

  it('without a good price has none, and is not guessed', () => {
    const { at, fill, one, later, world } = tracked();
    world.price = undefined;
    at(0);
    fill('x', 0);
    at(400_000);
    at(2_000_000);
    expect(one()).toMatchObject({ f0: undefined, fc: undefined });
    expect(later()).toEqual(MARKOUT_SECONDS.map(() => undefined));
  });

  it('counts once, and is told when something of it became known', () => {
    const { at, fill, tracker } = tracked();
    at(0);
    fill('x', 0);
    fill('x', 0);
    expect(tracker.takeChanged()).toHaveLength(1);
    expect(tracker.takeChanged()).toHaveLength(0);
    at(1000);
    expect(tracker.takeChanged().map(({ txId }) => txId)).toEqual(['x']);
  });

  it('bears commission by what it won, in whatever order the market was settled, and whatever was taken back', () => {
    const profits = { a: 100, b: 300, c: -200 };
    const orders = ['abc', 'cba', 'bca', 'cab'] as const;
    for (const order of orders) {
      const { tracker, fill } = tracked();
      tracker.commission = { of: 'market', share: 0.05 };
      for (const txId of ['a', 'b', 'c']) fill(txId, 0);
      const settle = (txId: string) => tracker.settle(txId as TxId, profits[txId as 'a']);
      const takeBack = (txId: string) => tracker.settle(txId as TxId, undefined);
      const kept = () => [...tracker.fills].map(({ commission }) => commission);
      for (const txId of order) settle(txId);
      expect(tracker.shareCommission().map(({ txId }) => txId)).toEqual(expect.arrayContaining(['a', 'b']));
      expect(kept()).toEqual([3, 8, 0]);
      expect(tracker.shareCommission()).toEqual([]);
      takeBack('a');
      expect(kept()).toEqual([0, 5, 0]);
      settle('a');
      expect(kept()).toEqual([3, 8, 0]);
      takeBack('b');
      // nothing is kept of what lost in all, and nothing is paid back
      expect(kept()).toEqual([0, 0, 0]);
    }
  });

  it('has no part in what is kept of fills that do not count', () => {
    const tracker = new FillTracker(10, ({ txId }) => txId !== 'other');
    tracker.commission = { of: 'market', share: 0.05 };
    const ports = { fairOf: () => 0.5, fairBefore: () => 0.5, gameOf: () => undefined };
    for (const txId of ['own', 'other']) tracker.apply(fill(txId, 0), ports);
    tracker.settle('other' as TxId, -1000);
    tracker.settle('own' as TxId, 100);
    expect([...tracker.fills].map(({ commission }) => commission)).toEqual([5, 0]);
  });

  it('goes with the oldest where there are too many', () => {
    const tracker = new FillTracker(2);
    const ports = { fairOf: () => 0.5, fairBefore: () => 0.5, gameOf: () => undefined };
    for (const [index, txId] of ['a', 'b', 'c'].entries()) tracker.apply(fill(txId, index), ports);
    expect([...tracker.fills].map(({ txId }) => txId)).toEqual(['b', 'c']);
  });
});
