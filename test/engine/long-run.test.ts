// What a process that runs for months must let go of.
import { describe, expect, it } from 'vitest';
import {
  cancelsIn,
  CoreDriver,
  gameEntry,
  GAME_ID,
  HOME,
  placesIn,
  readsIn,
} from '../support/core-driver.ts';

const ended = JSON.stringify({ id: GAME_ID, ended: true, messageType: 'marketClosed' });

function start(): CoreDriver {
  const driver = new CoreDriver();
  const [place] = placesIn(driver.start());
  if (place === undefined) throw new Error('no place');
  driver.accept(place, 'o');
  return driver;
}

/** The game ends; the exchange takes its orders off, and tells so. */
function end(driver: CoreDriver): void {
  driver.input({ type: 'frame', feed: 'prices', epoch: 1, event: 'gameUpdate', data: ended });
  const orderIds = new Set(cancelsIn(driver.sent).flatMap((cancel) => cancel.orderIds));
  expect(orderIds.size).toBeGreaterThan(0);
  for (const cancel of cancelsIn(driver.sent))
    driver.reply(cancel.req, {
      data: cancel.orderIds.map((sessionID) => ({ sessionID, success: true, filled: 0 })),
    });
}

/** Time passes, and the exchange shows an account without open orders and plays whenever it is asked. */
function passQuietly(driver: CoreDriver, seconds: number): void {
  for (let second = 0; second < seconds; second++)
    for (const { req, read } of readsIn(driver.pass(1000))) {
      if (read.what === 'open-orders') {
        const then = readsIn(driver.reply(req, { data: { unmatched: [] } }));
        for (const plays of then) driver.reply(plays.req, { data: { matchedBets: [] } });
      }
    }
}

describe('a game that is over', () => {
  it('is forgotten when nothing is open or held in it, and is a new one when it is told of again', () => {
    const driver = start();
    end(driver);
    expect(driver.core.gameOf(GAME_ID)?.ended).toBe(true);
    passQuietly(driver, 180);
    expect(driver.core.gameOf(GAME_ID)).toBeUndefined();
    // a frame that comes late asks what game that is, and the answer is believed
    const [read] = readsIn(driver.frame('p-home', HOME));
    expect(read?.read).toEqual({ what: 'game', gameId: GAME_ID });
    driver.reply(read?.req ?? -1, { data: { game: gameEntry([], [], { ended: true }) } });
    expect(driver.core.gameOf(GAME_ID)?.ended).toBe(true);
    passQuietly(driver, 180);
    expect(driver.core.gameOf(GAME_ID)).toBeUndefined();
  });
});
