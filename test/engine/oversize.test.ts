// A frame that was too long to be read: its content is unknown until something newer shows it.
import { describe, expect, it } from 'vitest';
import type { Feed } from '../../src/domain/index.ts';
import {
  alertsIn,
  AWAY,
  cancelsIn,
  CoreDriver,
  GAME_ID,
  gameEntry,
  HOME,
  placesIn,
  readsIn,
} from '../support/core-driver.ts';

const HEAD = `{"gameID":"${GAME_ID}","sport":"basketball","league":"NBA","live":false,"type":"moneyline","participantID":"p-home","sideOrders":[{"id":"h9","ty`;

function quoting(): CoreDriver {
  const driver = new CoreDriver();
  const [place] = placesIn(driver.start());
  if (place === undefined) throw new Error('it does not quote');
  driver.accept(place, 'o');
  return driver;
}

const long = (driver: CoreDriver, feed: Feed, event: string, head: string) =>
  driver.input({ type: 'long-frame', feed, epoch: 1, event, bytes: 66_000_000, head });

const answerGame = (driver: CoreDriver, req: number) => driver.reply(req, { data: { game: gameEntry(HOME, AWAY) } });

describe('a frame over exchange.maxFrame', () => {
  it('of one side makes that side unknown, reads its game, and is counted', () => {
    const driver = quoting();
    const commands = long(driver, 'prices', 'orderUpdate', HEAD);
    expect(driver.core.status().oversize).toEqual({ prices: 1, user: 0 });
    expect(alertsIn(commands, 'FRAME_OVERSIZE')).toMatchObject([
      { level: 'warn', fields: { bytes: 66_000_000, gameId: GAME_ID } },
    ]);
    const [read] = readsIn(commands);
    expect(read?.read).toEqual({ what: 'game', gameId: GAME_ID });
    // its market has an unknown side: its resting orders are pulled
    expect(cancelsIn(commands).flatMap(({ orderIds }) => orderIds)).toEqual(expect.arrayContaining(['o0', 'o1']));
    driver.now += 10;
    const back = answerGame(driver, read?.req ?? 0);
    expect(readsIn(back)).toEqual([]);
    expect(driver.core.status().closed).toBeUndefined();
  });

  it('is not repaired by a read that was sent before it', () => {
    const driver = quoting();
    const [early] = readsIn(
      driver.input({ type: 'frame', feed: 'prices', epoch: 1, event: 'orderUpdate', data: HEAD }),
    );
    driver.now += 10;
    const commands = long(driver, 'prices', 'orderUpdate', HEAD);
    expect(cancelsIn(commands)).toHaveLength(1);
    driver.now += 10;
    answerGame(driver, early?.req ?? 0);
    expect(driver.core.markets()[0]?.freshness).toEqual(['unknown', 'fresh']);
    // that read was in flight, so the next one is sent after it
    const again = readsIn(driver.passTime(6000)).find(({ read }) => read.what === 'game');
    answerGame(driver, again?.req ?? 0);
    expect(driver.core.markets()[0]?.freshness).toEqual(['fresh', 'fresh']);
  });

  it('without a game in its beginning makes every side of the feed unknown, and the leagues are read', () => {
    const driver = quoting();
    const commands = long(driver, 'prices', 'orderUpdate', '{"sideOrders":[{"id":"');
    expect(readsIn(commands).map(({ read }) => read.what)).toEqual(['league']);
    expect(cancelsIn(commands)).toHaveLength(1);
    driver.now += 10;
    const [read] = readsIn(commands);
    driver.reply(read?.req ?? 0, {
      data: { market: null, games: [gameEntry(HOME, AWAY)], pagination: { hasNextPage: false } },
    });
    expect(driver.core.status().wanted).toBe(2);
  });

  it('of a game makes all sides of the game unknown', () => {
    const driver = quoting();
    const commands = long(driver, 'prices', 'gameUpdate', `{"id":"${GAME_ID}","league":"NBA","sta`);
    expect(readsIn(commands)).toMatchObject([{ read: { what: 'game', gameId: GAME_ID } }]);
    expect(cancelsIn(commands)).toHaveLength(1);
  });

  it('of the user feed keeps all quotes back until lists are read that were requested later', () => {
    const driver = quoting();
    driver.now += 10;
    const commands = long(driver, 'user', 'positionUpdate', '');
    expect(alertsIn(commands, 'FRAME_OVERSIZE')).toMatchObject([{ level: 'error' }]);
    expect(driver.core.status().closed).toMatch(/too long: the account is read first/);
    expect(cancelsIn(commands)).toHaveLength(1);
    // however long that takes
    driver.census = undefined;
    const asked = driver.passTime(20_000);
    expect(driver.core.status().closed).toMatch(/too long/);
    const orders = [...commands, ...asked, ...driver.sent].find(
      (command) => command.type === 'read' && command.read.what === 'open-orders',
    );
    expect(orders).toBeDefined();
    const last = readsIn(driver.sent).findLast(({ read }) => read.what === 'open-orders');
    const next = driver.reply(last?.req ?? 0, { data: { unmatched: [] } });
    const [plays] = readsIn(next);
    driver.reply(plays?.req ?? 0, { data: { matchedBets: [] } });
    expect(driver.core.status().closed).toMatch(/a moment ago/);
    // resumeAfter
    driver.passTime(5500);
    expect(driver.core.status().closed).toBeUndefined();
  });
});
