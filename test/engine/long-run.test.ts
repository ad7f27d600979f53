// A process that runs for months: what it must forget, and what it must not.
import { describe, expect, it } from 'vitest';
import type { Cents, OrderRef, Rung, UnansweredOrder } from '../../src/domain/index.ts';
import { market, microsOfDollars, oddsOf } from '../../src/domain/index.ts';
import {
  AWAY,
  cancelsIn,
  CoreDriver,
  coreSettings,
  gameEntry,
  GAME_ID,
  HOME,
  placesIn,
  readsIn,
  START,
} from '../support/core-driver.ts';

const ended = JSON.stringify({ id: GAME_ID, ended: true, messageType: 'marketClosed' });

function start(): CoreDriver {
  const driver = new CoreDriver();
  const [place] = placesIn(driver.start());
  if (place === undefined) throw new Error('no place');
  driver.accept(place, 'o');
  return driver;
}

/** The game ends; the exchange cancels its orders and reports that. */
function end(driver: CoreDriver): void {
  driver.input({ type: 'frame', feed: 'prices', epoch: 1, event: 'gameUpdate', data: ended });
  const orderIds = new Set(cancelsIn(driver.sent).flatMap((cancel) => cancel.orderIds));
  expect(orderIds.size).toBeGreaterThan(0);
  for (const cancel of cancelsIn(driver.sent))
    driver.reply(cancel.req, {
      data: cancel.orderIds.map((sessionID) => ({ sessionID, success: true, filled: 0 })),
    });
}

/** Time passes, and the exchange shows an account without open orders and plays at each read. */
function passQuietly(driver: CoreDriver, seconds: number): void {
  for (let second = 0; second < seconds; second++)
    for (const { req, read } of readsIn(driver.passTime(1000))) {
      if (read.what === 'open-orders') {
        const then = readsIn(driver.reply(req, { data: { unmatched: [] } }));
        for (const plays of then) driver.reply(plays.req, { data: { matchedBets: [] } });
      }
    }
}

describe('a market that is no longer quoted', () => {
  it('still marks fills while its cancels are in flight', () => {
    const safety = { state: 'active', haltAtLoss: microsOfDollars(50), losingFills: undefined } as const;
    const driver = new CoreDriver(coreSettings({ safety }));
    // its quotes are pulled a minute before the start
    driver.wall = START - 62_000;
    const [place] = placesIn(driver.start());
    const [first] = place?.orders ?? [];
    if (place === undefined || first === undefined) throw new Error('nothing is placed');
    const [orderID] = driver.accept(place, 'o');
    expect(cancelsIn(driver.passTime(3000))).toHaveLength(1);
    expect(driver.core.status().markets).toBe(0);
    const odds = oddsOf(first.rung);
    const filled = first.risk / 100;
    driver.position({ orderID, odds, offered: filled, filled, remaining: 0 }, { txID: 't0', filled, odds });
    driver.passTime(1000);
    const { pnl, fills, trading } = driver.core.status();
    expect(fills).toBe(1);
    // not the worst case of the position
    expect(Math.abs(pnl.marked)).toBeLessThan(0.1 * filled);
    expect(trading).toBe('active');
  });
});

describe('reading the status', () => {
  const unanswered = (ref: string, side: 'home' | 'away', sentT: number): UnansweredOrder => ({
    order: {
      ref: ref as OrderRef,
      market: market(GAME_ID, 'moneyline'),
      side,
      rung: 100 as Rung,
      risk: 10_000 as Cents,
    },
    sentT,
  });

  it('does not change the decisions of a step: the worst case of a game whose sport becomes known later', () => {
    const worst = (isRead: boolean): number => {
      const driver = new CoreDriver();
      driver.census = undefined;
      const sentT = driver.wall - 1000;
      const orders = [unanswered('a.main.#0.q-1', 'home', sentT), unanswered('a.main.#0.q-2', 'away', sentT)];
      driver.input({ type: 'boot', run: 'r', unanswered: orders });
      driver.input({ type: 'session', username: 'demo', userId: 'u', mode: 'coins', balance: 10_000 });
      if (isRead) driver.core.status();
      const [read] = readsIn(driver.input({ type: 'feed', feed: 'prices', status: 'up', epoch: 1 }));
      // in play: it is not quoted
      const games = [gameEntry(HOME, AWAY, { live: true })];
      driver.reply(read?.req ?? -1, { data: { market: null, games, pagination: { hasNextPage: false } } });
      return driver.core.status().pnl.worst;
    };
    // home and away of a basketball game do not both lose
    expect([worst(false), worst(true)]).toEqual([-100, -100]);
  });
});

describe('a game that has ended', () => {
  it('is forgotten when nothing is open or held in it, and is a new game when it is reported again', () => {
    const driver = start();
    end(driver);
    expect(driver.core.gameOf(GAME_ID)?.ended).toBe(true);
    passQuietly(driver, 180);
    expect(driver.core.gameOf(GAME_ID)).toBeUndefined();
    // a late frame makes the bot read the game, and the answer is believed
    const [read] = readsIn(driver.frame('p-home', HOME));
    expect(read?.read).toEqual({ what: 'game', gameId: GAME_ID });
    driver.reply(read?.req ?? -1, { data: { game: gameEntry([], [], { ended: true }) } });
    expect(driver.core.gameOf(GAME_ID)?.ended).toBe(true);
    passQuietly(driver, 180);
    expect(driver.core.gameOf(GAME_ID)).toBeUndefined();
  });
});
