import { describe, expect, it } from 'vitest';
import { oddsOf } from '../../src/domain/index.ts';
import {
  AWAY,
  cancelsIn,
  CoreDriver,
  coreSettings,
  exitsIn,
  GAME_ID,
  gameEntry,
  HOME,
  placesIn,
  readsIn,
} from '../support/core-driver.ts';

function quoting(): CoreDriver {
  const driver = new CoreDriver();
  const [place] = placesIn(driver.start());
  if (place === undefined) throw new Error('no place');
  driver.accept(place, 'o');
  return driver;
}

describe('the conditions before anything is quoted', () => {
  it('quotes nothing while most lines read as crossed, and names the setting', () => {
    const driver = new CoreDriver();
    const commands = driver.start([{ id: 'h', odds: -120, risk: 200 }], [{ id: 'a', odds: -110, risk: 200 }]);
    expect(placesIn(commands)).toEqual([]);
    expect(driver.core.status().closed).toMatch(/crossed/);
  });

  it('opens the gate later, when the lines read well', () => {
    const driver = new CoreDriver();
    driver.start([{ id: 'h', odds: -120, risk: 200 }], [{ id: 'a', odds: -110, risk: 200 }]);
    expect(placesIn([...driver.frame('p-home', HOME), ...driver.frame('p-away', AWAY)])).toHaveLength(1);
  });

  it.each([true, false])(
    'halts when an own row stands under another line, even if its id became known later (marked as own: %s)',
    (own) => {
      const driver = new CoreDriver();
      const [place] = placesIn(driver.start());
      const [first] = place?.orders ?? [];
      if (place === undefined || first === undefined) throw new Error('nothing is placed');
      const row = { id: 'o0', odds: oddsOf(first.rung), risk: 100, own };
      const other = { id: 'x', odds: row.odds + 20, risk: 50 };
      const line = { type: 'spread', spread: 3.5 };
      driver.frame('p-home', [row], line);
      driver.accept(place, 'o');
      // the row itself does not change any more
      driver.frame('p-home', [row, other], line);
      driver.frame('p-home', [row, { ...other, risk: 60 }], line);
      expect(driver.core.status().stopping).toBe(true);
    },
  );

  it('halts and names the setting when an own row has other odds than were placed', () => {
    const driver = quoting();
    driver.frame('p-home', [{ id: 'o0', odds: -140, risk: 100, own: true }, ...HOME]);
    const alert = driver.sent.find((command) => command.type === 'alert' && command.code === 'PERSPECTIVE_MISMATCH');
    expect(JSON.stringify(alert)).toContain('exchange.profile.bookPerspective (odds)');
    expect(driver.core.status().stopping).toBe(true);
  });

  it('does not judge by an order of an earlier run: that order may have been edited later', () => {
    const driver = new CoreDriver();
    const row = {
      id: 'old',
      gameID: GAME_ID,
      type: 'moneyline',
      participantID: 'p-home',
      odds: 109,
      risk: 100,
    };
    driver.census = { orders: [{ ...row, userReference: 'a.main.#0.before-7', remaining: 100 }], plays: [] };
    const [place] = placesIn(driver.start());
    if (place === undefined) throw new Error('nothing is placed');
    driver.frame('p-home', [{ id: 'old', odds: 115, risk: 100, own: true }, ...HOME]);
    expect(driver.core.status().stopping).toBe(false);
    // an order of this run decides
    driver.accept(place, 'o');
    driver.frame('p-away', [{ id: 'o0', odds: -140, risk: 100, own: true }, ...AWAY]);
    expect(driver.core.status().stopping).toBe(true);
  });

  it('ends with exit 77 when the account is in another mode and must not be switched', () => {
    const driver = new CoreDriver();
    driver.input({ type: 'boot', run: 'r' });
    driver.input({ type: 'session', username: 'demo', userId: 'u', mode: 'cash', balance: 1 });
    const reads = (): number | undefined =>
      readsIn(driver.sent)
        .filter((command) => command.read.what === 'open-orders')
        .at(-1)?.req;
    driver.reply(reads() ?? 0, { data: { unmatched: [] } });
    driver.passTime(1500);
    const commands = driver.reply(reads() ?? 0, { data: { unmatched: [] } });
    expect(exitsIn(commands)).toMatchObject([{ code: 77 }]);
    expect(driver.core.status().mode).toBe('cash');
  });

  it('switches the mode when it may, and quotes only after the exchange confirmed it', () => {
    const driver = new CoreDriver(coreSettings({ allowModeSwitch: true }));
    driver.input({ type: 'boot', run: 'r' });
    const commands = driver.input({
      type: 'session',
      username: 'demo',
      userId: 'u',
      mode: 'cash',
      balance: 1,
    });
    expect(commands).toMatchObject([{ type: 'switch-mode', mode: 'coins' }]);
    expect(driver.core.status().closed).toBeDefined();
    expect(readsIn(driver.passTime(1000)).map((command) => command.read.what)).toContain('user');
  });

  it.each([
    ['until the mode is read again', () => undefined, 16_000],
    [
      'and reads the mode when the run ends, for its summary',
      (driver: CoreDriver) => driver.input({ type: 'operator', command: 'stop' }),
      500,
    ],
  ])('lets fills of orders that may be in another player mode hedge nothing, %s', (_when, ends, ms) => {
    const driver = new CoreDriver();
    const [place] = placesIn(driver.start());
    if (place === undefined) throw new Error('no place');
    driver.now += 10;
    const ids = driver.accept(place, 'o');
    place.orders.forEach(({ rung, risk }, index) => {
      const odds = oddsOf(rung);
      driver.position(
        { orderID: ids[index], odds, offered: risk / 100, filled: risk / 100, remaining: 0 },
        { txID: `t${index}`, filled: risk / 100, odds },
      );
    });
    // both sides are filled: flat in one mode, and twice the stake at risk if the orders are in different
    // modes
    const apart = driver.core.status().pnl.worst;
    expect(apart).toBeLessThanOrEqual(-200);
    ends(driver);
    driver.passTime(ms);
    const read = readsIn(driver.sent).findLast((command) => command.read.what === 'user');
    const user = { username: 'demo', id: 'u', coinsBalance: 10_000 };
    // a login without a player mode
    driver.input({ type: 'session', username: 'demo', userId: 'u', mode: undefined, balance: 10_000 });
    expect(driver.core.status().pnl.worst).toBe(apart);
    driver.reply(read?.req ?? 0, { data: { user: { ...user, playerMode: 'coins' } } });
    expect(driver.core.status().pnl.worst).toBeGreaterThan(apart + 100);
  });

  it('pulls its quotes when either feed drops, and quotes again resumeAfter later', () => {
    for (const feed of ['prices', 'user'] as const) {
      const driver = quoting();
      expect(cancelsIn(driver.input({ type: 'feed', feed, status: 'down', epoch: 1, reason: 'test' }))).toHaveLength(1);
      const cancel = cancelsIn(driver.sent)[0];
      driver.reply(cancel?.req ?? 0, {
        data: cancel?.orderIds.map((id) => ({ success: true, sessionID: id })),
      });
      const back = driver.input({ type: 'feed', feed, status: 'up', epoch: 2 });
      for (const read of readsIn(back))
        driver.reply(read.req, { data: { games: [gameEntry(HOME, AWAY)], pagination: {} } });
      driver.permits('place', 1);
      expect(placesIn(driver.passTime(4000))).toEqual([]);
      expect(placesIn(driver.passTime(2000)).length).toBeGreaterThan(0);
    }
  });

  it('distrusts a user feed that does not show an accepted order within 3 s', () => {
    const driver = new CoreDriver();
    const [place] = placesIn(driver.start());
    driver.reply(place?.req ?? 0, {
      data: {
        createdSessions: place?.orders.map((order, index) => ({
          matched: [],
          unmatched: { orderID: `o${index}`, offered: 100, remaining: 100, odds: oddsOf(order.rung) },
        })),
      },
    });
    expect(cancelsIn(driver.passTime(2500))).toEqual([]);
    expect(cancelsIn(driver.passTime(1500))).toHaveLength(1);
  });

  it('skips a malformed frame, counts it, and reads the game again', () => {
    const driver = quoting();
    const commands = driver.input({
      type: 'frame',
      feed: 'prices',
      epoch: 1,
      event: 'orderUpdate',
      data: '{"gameID":"game-1","type":"moneyline","participantID":"p-home","sideOrders":[{"id":1}]}',
    });
    expect(driver.core.status().malformed).toBe(1);
    expect(readsIn(commands)).toMatchObject([{ read: { what: 'game' } }]);
    expect(cancelsIn(commands)).toEqual([]);
  });
});

describe('frames that come before the league is read', () => {
  const reading = () => {
    const driver = new CoreDriver();
    driver.input({ type: 'boot', run: 'run' });
    driver.input({ type: 'session', username: 'demo', userId: 'u', mode: 'coins', balance: 10_000 });
    driver.input({ type: 'feed', feed: 'user', status: 'up', epoch: 1 });
    const [read] = readsIn(driver.input({ type: 'feed', feed: 'prices', status: 'up', epoch: 1 }));
    if (read === undefined) throw new Error('the league is not read');
    return { driver, read };
  };

  it('apply their headers in order: a game that went live is not quoted', () => {
    const { driver, read } = reading();
    driver.permits('place', 25);
    for (const [team, live] of [
      ['p-home', false],
      ['p-away', false],
      ['p-home', true],
    ] as const) {
      driver.now += 10;
      driver.frame(team, HOME, { live });
    }
    driver.reply(read.req, {
      data: { market: null, games: [gameEntry(HOME, AWAY)], pagination: { hasNextPage: false } },
    });
    expect(placesIn(driver.passTime(1000))).toEqual([]);
  });

  it('apply the newest frame of each side, however many there were', () => {
    const { driver, read } = reading();
    for (let time = 0; time < 2600; time++) {
      driver.frame('p-home', HOME);
      driver.frame('p-away', AWAY);
    }
    const [home, away] = [[{ id: 'h9', odds: -140, risk: 200 }], [{ id: 'a9', odds: 150, risk: 200 }]];
    driver.frame('p-home', home);
    driver.frame('p-away', away);
    driver.reply(read.req, {
      data: { market: null, games: [gameEntry(home, away)], pagination: { hasNextPage: false } },
    });
    expect(driver.core.markets()[0]?.fair).toBeCloseTo(0.592, 2);
  });
});
