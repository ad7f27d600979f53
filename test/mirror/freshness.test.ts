import { describe, expect, it } from 'vitest';
import { MirrorFixture, rows, teams } from './fixtures.ts';

const moneyline = { homeMoneylines: rows([['h', -105, 100]]), awayMoneylines: rows([['a', 102, 100]]) };

describe('a side', () => {
  it('is unknown until a frame or a read covers it', () => {
    const fixture = new MirrorFixture().up();
    fixture.update({ league: 'NBA', start: '2030-01-01T12:00:00.000Z', participants: teams }, 0);
    fixture.home([], 1);
    expect(fixture.freshness(1)).toEqual(['fresh', 'unknown']);
    fixture.away([], 2);
    expect(fixture.freshness(2)).toEqual(['fresh', 'fresh']);
  });

  it('of a line that a whole read did not show is known to be empty', () => {
    const fixture = new MirrorFixture().up();
    fixture.read(moneyline, 0);
    const spread = {
      type: 'spread',
      spread: -3.5,
      participantID: 'p-home',
      sideOrders: rows([['s', 105, 10]]),
    };
    fixture.frame(spread, 5);
    expect(fixture.freshness(5, 10_000, 'spread', -3.5)).toEqual(['fresh', 'fresh']);
    // the read covered the away side at 0, the frame the home side at 5
    expect(fixture.freshness(10_002, 10_000, 'spread', -3.5)).toEqual(['fresh', 'stale']);
  });

  it('of a line that no whole read of this epoch could have shown is unknown', () => {
    const fixture = new MirrorFixture().up();
    fixture.read(moneyline, 0);
    fixture.down().up();
    fixture.frame({ type: 'spread', spread: -3.5, participantID: 'p-home' }, 5);
    expect(fixture.freshness(5, 10_000, 'spread', -3.5)).toEqual(['fresh', 'unknown']);
  });

  it('is fresh up to staleAfter and stale after it', () => {
    const fixture = new MirrorFixture().up();
    fixture.read(moneyline, 100);
    expect(fixture.freshness(10_100)).toEqual(['fresh', 'fresh']);
    expect(fixture.freshness(10_101)).toEqual(['stale', 'stale']);
  });

  it('becomes fresh alone by a frame, and with its whole game by a read that shows the same book', () => {
    const fixture = new MirrorFixture().up();
    fixture.read(moneyline, 0);
    fixture.home([['h', -105, 100]], 9000);
    expect(fixture.freshness(10_001)).toEqual(['fresh', 'stale']);
    fixture.read(moneyline, 11_000, 10_500);
    expect(fixture.freshness(20_000)).toEqual(['fresh', 'fresh']);
  });

  it('becomes fresh by a gameUpdate only when the gameUpdate contains it', () => {
    const fixture = new MirrorFixture().up();
    fixture.read(moneyline, 0);
    fixture.update({ homeMoneylines: [], live: true }, 9000);
    expect(fixture.freshness(10_001)).toEqual(['fresh', 'stale']);
  });

  it('becomes unknown when the feed goes down, and is still unknown when it is up again', () => {
    const fixture = new MirrorFixture().up();
    fixture.read(moneyline, 0);
    fixture.down();
    expect(fixture.freshness(1)).toEqual(['unknown', 'unknown']);
    fixture.up();
    expect(fixture.freshness(2)).toEqual(['unknown', 'unknown']);
    fixture.home([], 3);
    expect(fixture.freshness(3)).toEqual(['fresh', 'unknown']);
    fixture.read(moneyline, 5, 4);
    expect(fixture.freshness(5)).toEqual(['fresh', 'fresh']);
  });

  it('keeps its last ladder while it is unknown, for the operator', () => {
    const fixture = new MirrorFixture().up();
    fixture.read(moneyline, 0);
    fixture.down();
    expect(fixture.ids()).toEqual([['h'], ['a']]);
  });

  it('is not covered by a frame of an earlier or later epoch', () => {
    const fixture = new MirrorFixture().up();
    fixture.read(moneyline, 0);
    fixture.down().up();
    for (const epoch of [0, 1, 3]) expect(fixture.home([], 5, epoch)).toBe('old-epoch');
    expect(fixture.freshness(5)).toEqual(['unknown', 'unknown']);
    expect(fixture.ids()).toEqual([['h'], ['a']]);
  });
});

describe('the price feed of the mirror', () => {
  it('has an epoch only while it is up', () => {
    const fixture = new MirrorFixture();
    expect(fixture.mirror.epoch).toBe(0);
    fixture.up();
    expect(fixture.mirror.epoch).toBe(1);
    fixture.down();
    expect(fixture.mirror.epoch).toBe(0);
    fixture.up();
    expect(fixture.mirror.epoch).toBe(2);
  });

  it('touches every market when it goes up or down, so that all are decided anew', () => {
    const fixture = new MirrorFixture().up();
    fixture.read({ ...moneyline, over: { '210.5': rows([['o', 105, 10]]) } }, 0);
    fixture.drain();
    fixture.down();
    expect(fixture.drain()).toBe(2);
    fixture.up();
    expect(fixture.drain()).toBe(2);
  });

  it('covers nothing before its first connection', () => {
    const fixture = new MirrorFixture();
    expect(fixture.read(moneyline, 0)).toBeUndefined();
    expect(fixture.mirror.games.size).toBe(0);
  });
});
