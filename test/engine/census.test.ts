// The census of the account: the exchange's lists against the ledger.
import { describe, expect, it } from 'vitest';
import { backtestSettings } from '../../src/setup/core-settings.ts';
import type { Command } from '../../src/domain/index.ts';
import {
  alertsIn,
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
  teams,
} from '../support/core-driver.ts';

const row = (id: string, side: string, odds: number, fields: Readonly<Record<string, unknown>> = {}) => ({
  id,
  gameID: GAME_ID,
  type: 'moneyline',
  participantID: side,
  odds,
  risk: 100,
  offered: 100,
  filled: 0,
  remaining: 100,
  ...fields,
});

describe('orders and plays on the account at the start', () => {
  it('of an earlier run are adopted into their slots, and their fills count as position', () => {
    const driver = new CoreDriver();
    driver.census = {
      orders: [
        row('old-home', 'p-home', 109, { userReference: 'a.main.#0.before-7', filled: 40, remaining: 60 }),
        row('old-away', 'p-away', 109, { userReference: 'a.main.#0.before-8' }),
      ],
      plays: [
        {
          txID: 't1',
          gameID: GAME_ID,
          type: 'moneyline',
          side: 'p-home',
          odds: 109,
          risk: 40,
          orderID: 'old-home',
          userReference: 'a.main.#0.before-7',
        },
      ],
    };
    const commands = driver.start();
    // both slots are taken already
    expect(placesIn(commands)).toEqual([]);
    const status = driver.core.status();
    expect(status).toMatchObject({ openOrders: 2, fills: 0, riskFilled: 0, placed: 0 });
    expect([...driver.core.positions()].map(({ position }) => position.second)).toEqual([-40_000_000]);
    expect(status.pnl.worst).toBeLessThanOrEqual(-60);
    expect(alertsIn(driver.sent, 'ORDER_ADOPTED')).toHaveLength(2);
  });

  it.each([
    ['a.main.#0.before', 'of the bot hedge each other', -10],
    ['a.main.#0.before-cash', 'of the bot in the other player mode do not count in this mode', 0],
    [undefined, 'of another client hedge nothing: their player mode is unknown', -50],
  ])('with the reference %s %s', (ref, _effect, worst) => {
    const driver = new CoreDriver();
    const play = (txID: string, side: string, risk: number) => ({
      txID,
      gameID: GAME_ID,
      type: 'moneyline',
      side,
      odds: 100,
      risk,
      orderID: `of-${txID}`,
      ...(ref === undefined ? {} : { userReference: `${ref}-${txID}` }),
    });
    driver.census = { orders: [], plays: [play('t1', 'p-home', 40), play('t2', 'p-away', 50)] };
    driver.start(HOME, AWAY, { place: 0, cancel: 0 });
    expect(driver.core.status().pnl.worst).toBe(worst);
  });

  it('of a run in the other player mode are cancelled, and their fills hedge nothing', () => {
    const driver = new CoreDriver();
    const refs = ['a.main.#0.before-cash-1', 'a.main.#0.before-2'] as const;
    driver.census = {
      orders: [
        row('old-cash', 'p-home', 109, { userReference: refs[0] }),
        row('old-coins', 'p-away', 109, { userReference: refs[1] }),
      ],
      plays: [],
    };
    const commands = driver.start();
    expect(cancelsIn(commands).map(({ orderIds }) => orderIds)).toEqual([['old-cash']]);
    expect(placesIn(commands).flatMap(({ orders }) => orders.map(({ side }) => side))).toEqual(['home']);
    const filled = (orderID: string, txID: string) =>
      driver.position(
        { orderID, odds: 109, offered: 100, filled: 100, remaining: 0 },
        { txID, filled: 100, odds: 109 },
      );
    filled('old-cash', 't1');
    filled('old-coins', 't2');
    const user = { user: { username: 'demo', id: 'u', playerMode: 'coins', coinsBalance: 10_000 } };
    for (const { read, req } of readsIn(driver.passTime(31_000)))
      if (read.what === 'user') driver.reply(req, { data: user });
    // each mode has its own account: the profit or loss of the cash order does not count in this run
    expect(driver.core.status()).toMatchObject({ fills: 1, riskFilled: 100, inventory: 209 });
    expect([...driver.core.positions()].map(({ position }) => position)).toMatchObject([
      { first: -100_000_000, second: 109_000_000, staked: 100_000_000 },
    ]);
  });

  it('of a run in the other player mode do not count in the position, resting or not', () => {
    const driver = new CoreDriver();
    const ref = 'a.main.#0.before-cash-1';
    const play = { txID: 't1', gameID: GAME_ID, type: 'moneyline', side: 'p-home', odds: 109, risk: 400 };
    driver.census = {
      orders: [row('old-cash', 'p-home', 109, { userReference: ref, risk: 500, filled: 400, remaining: 100 })],
      plays: [{ ...play, orderID: 'old-cash', userReference: ref }],
    };
    driver.start();
    expect([...driver.core.positions()]).toEqual([]);
    expect(driver.core.status()).toMatchObject({ inventory: 0, pnl: { marked: 0 } });
  });

  it('of a strategy that no longer exists are cancelled', () => {
    const driver = new CoreDriver();
    driver.census = {
      orders: [row('gone', 'p-home', 120, { userReference: 'a.other.#0.before-1' })],
      plays: [],
    };
    expect(cancelsIn(driver.start()).flatMap(({ orderIds }) => orderIds)).toContain('gone');
  });

  it.each([
    ['leave', [], []],
    ['cancel', ['web'], []],
    ['refuse', [], [77]],
  ] as const)('of other clients: the policy `%s` holds', (foreign, cancelled, codes) => {
    const driver = new CoreDriver(coreSettings({ foreign }));
    driver.census = { orders: [row('web', 'p-home', 120, { risk: 300, remaining: 300 })], plays: [] };
    const commands = [...driver.start(), ...driver.passTime(4000)];
    expect(cancelsIn(commands).flatMap(({ orderIds }) => orderIds)).toEqual(cancelled);
    if (codes.length === 0) {
      expect(driver.core.status().pnl.worst).toBeLessThanOrEqual(-300);
      return;
    }
    // the run ends in order
    const list = readsIn(driver.sent).findLast(({ read }) => read.what === 'open-orders');
    const first = driver.reply(list?.req ?? 0, { data: { unmatched: [] } });
    const again = readsIn(driver.passTime(1500)).findLast(({ read }) => read.what === 'open-orders');
    const last = driver.reply(again?.req ?? 0, { data: { unmatched: [] } });
    expect(exitsIn([...first, ...last]).map(({ code }) => code)).toEqual(codes);
  });

  it('of other clients are never crossed: the account would trade with itself', () => {
    const driver = new CoreDriver();
    driver.census = { orders: [row('web', 'p-away', -110)], plays: [] };
    const [place] = placesIn([...driver.start(), ...driver.passTime(1000)]);
    expect(place?.orders.map(({ side }) => side)).toEqual(['away']);
  });

  it('count with their whole stake when their game is unknown', () => {
    const driver = new CoreDriver();
    driver.census = {
      orders: [],
      plays: [{ txID: 't9', gameID: 'elsewhere', type: 'total', side: 'over', number: 210.5, odds: 100, risk: 250 }],
    };
    driver.start(HOME, AWAY);
    expect(driver.core.status().pnl.worst).toBeLessThanOrEqual(-250);
  });

  it('of unknown games count with their full size and fill their slots before their game is quoted', () => {
    const driver = new CoreDriver();
    const ownRow = (id: string, side: string): unknown =>
      row(id, side, 109, { gameID: 'closed', userReference: `a.main.#0.before-${id}` });
    const foreign = row('web', 'p-home', 109, { gameID: 'elsewhere' });
    driver.census = { orders: [ownRow('1', 'c-home'), ownRow('2', 'c-away'), foreign], plays: [] };
    driver.start(HOME, AWAY, { place: 0, cancel: 0 });
    expect(driver.core.status().pnl.worst).toBe(-300);
    expect(alertsIn(driver.sent, 'FOREIGN_ORDER')).toHaveLength(1);
    // the game is opened: its orders fill the slots
    const [away, home] = teams.map((team) => ({ ...team, id: team.id.replace('p-', 'c-') }));
    const data = JSON.stringify({
      ...(gameEntry(HOME, AWAY) as object),
      id: 'closed',
      messageType: 'marketOpen',
      participants: [away, home],
    });
    const commands = driver.input({ type: 'frame', feed: 'prices', epoch: 1, event: 'gameUpdate', data });
    expect(alertsIn(commands, 'ORDER_ADOPTED')).toHaveLength(2);
    expect(driver.core.status()).toMatchObject({ openOrders: 2 });
    // one of the two outcomes of that game, and the foreign order's possible loss
    expect(driver.core.status().pnl.worst).toBe(-200);
    const placed = placesIn(driver.permits('place', 3)).flatMap(({ orders }) => orders);
    expect(placed.map(({ market }) => market.gameId)).toEqual([GAME_ID, GAME_ID]);
    // the list may have been old
    expect(readsIn(driver.passTime(1000)).map(({ read }) => read.what)).toContain('open-orders');
  });

  it('keep the bot from quoting until they are known', () => {
    const driver = new CoreDriver();
    // the test answers the census
    driver.census = undefined;
    const commands = driver.start();
    expect(placesIn(commands)).toEqual([]);
    expect(driver.core.status().closed).toContain('have not been read');
    const orders = readsIn(driver.sent).find(({ read }) => read.what === 'open-orders');
    const plays = readsIn(driver.reply(orders?.req ?? 0, { data: { unmatched: [] } }));
    expect(plays.map(({ read }) => read.what)).toEqual(['plays']);
    expect(placesIn(driver.reply(plays[0]?.req ?? 0, { data: { matchedBets: [] } }))).toHaveLength(1);
  });
});

describe('a later census', () => {
  const census = (driver: CoreDriver, orders: readonly unknown[], plays: readonly unknown[]): readonly Command[] => {
    const passed: Command[] = [];
    for (let seconds = 0; seconds < 62; seconds += 5) {
      // quiet books would go stale
      passed.push(...driver.frame('p-home', HOME), ...driver.frame('p-away', AWAY), ...driver.passTime(5000));
    }
    const list = readsIn(passed).find(({ read }) => read.what === 'open-orders');
    const next = readsIn(driver.reply(list?.req ?? 0, { data: { unmatched: orders } }));
    const read = next.find(({ read: { what } }) => what === 'plays');
    return driver.reply(read?.req ?? 0, { data: { matchedBets: plays } });
  };

  it('looks up an order that is open in the ledger and missing in the list', () => {
    const driver = new CoreDriver(coreSettings({ markets: { stopBeforeMs: 0 } }));
    const [place] = placesIn(driver.start());
    if (place === undefined) throw new Error('no place');
    const [first = '', second = ''] = driver.accept(place, 'o');
    const commands = census(driver, [row(second, 'p-away', 111)], []);
    expect(readsIn(commands).map(({ read }) => read)).toEqual([{ what: 'order', orderId: first }]);
    expect(alertsIn(commands, 'VIEWS_DIFFER')).toHaveLength(1);
  });

  it('stops counting orders of earlier runs in unknown games once no list shows them', () => {
    const driver = new CoreDriver(coreSettings({ markets: { stopBeforeMs: 0 } }));
    const gone = row('1', 'c-home', 109, { gameID: 'closed', userReference: 'a.main.#0.before-1' });
    driver.census = { orders: [gone], plays: [] };
    driver.start(HOME, AWAY, { place: 0, cancel: 0 });
    expect(driver.core.status().pnl.worst).toBe(-100);
    census(driver, [], []);
    expect(driver.core.status().pnl.worst).toBe(0);
    // its game is opened: there is nothing to adopt
    const [away, home] = teams.map((team) => ({ ...team, id: team.id.replace('p-', 'c-') }));
    const data = JSON.stringify({
      ...(gameEntry(HOME, AWAY) as object),
      id: 'closed',
      messageType: 'marketOpen',
      participants: [away, home],
    });
    const commands = driver.input({ type: 'frame', feed: 'prices', epoch: 1, event: 'gameUpdate', data });
    expect(alertsIn(commands, 'ORDER_ADOPTED')).toEqual([]);
  });

  it('does not take an order of an earlier run that lands late for an order of another bot', () => {
    const driver = new CoreDriver(coreSettings({ markets: { stopBeforeMs: 0 } }));
    driver.start(HOME, AWAY, { place: 0, cancel: 0 });
    const [list] = readsIn(driver.passTime(6000)).filter(({ read }) => read.what === 'open-orders');
    const late = row('late', 'p-home', 111, { userReference: 'a.main.#0.former-1' });
    const [plays] = readsIn(driver.reply(list?.req ?? 0, { data: { unmatched: [late] } }));
    const commands = driver.reply(plays?.req ?? 0, { data: { matchedBets: [] } });
    expect(alertsIn(commands, 'ORDER_ADOPTED')).toHaveLength(1);
    expect(alertsIn(commands, 'SECOND_BOT')).toEqual([]);
  });

  it('does not bring back an order that ended after its look-up was sent', () => {
    const driver = new CoreDriver(coreSettings({ markets: { stopBeforeMs: 0 } }));
    const [place] = placesIn(driver.start());
    if (place === undefined) throw new Error('no place');
    const [first = '', second = ''] = driver.accept(place, 'o');
    const [look] = readsIn(census(driver, [row(second, 'p-away', 111)], []));
    expect(look?.read).toEqual({ what: 'order', orderId: first });
    driver.passTime(100);
    // its slot is filled anew
    const again = driver.position({ orderID: first, odds: 109, offered: 0, filled: 0, remaining: 0 });
    expect(placesIn(again)).toHaveLength(1);
    const order = row(first, 'p-home', 109, { remaining: 100, filled: 0 });
    driver.reply(look?.req ?? 0, { data: { order } });
    expect(driver.core.status().openOrders).toBe(2);
  });

  it('reports another bot also in games without a book, and not for orders that an earlier run left there', () => {
    const driver = new CoreDriver(coreSettings({ markets: { stopBeforeMs: 0 } }));
    const elsewhere = (run: string): unknown =>
      row(`o-${run}`, 'n-home', 111, { gameID: 'another league', userReference: `a.main.#0.${run}-1` });
    driver.census = { orders: [elsewhere('former')], plays: [] };
    driver.start(HOME, AWAY, { place: 0, cancel: 0 });
    const runs = [[elsewhere('former')], [elsewhere('former'), elsewhere('other')]].map((orders) =>
      alertsIn(census(driver, orders, []), 'SECOND_BOT').map(({ fields }) => fields['run']),
    );
    expect(runs).toEqual([[], ['other']]);
  });

  it('is taken within a second after an unknown order appears', () => {
    const driver = new CoreDriver(coreSettings({ markets: { stopBeforeMs: 0 } }));
    driver.start(HOME, AWAY, { place: 0, cancel: 0 });
    census(driver, [], []);
    const report = (n: number): readonly Command[] =>
      driver.position({
        orderID: `s${n}`,
        odds: 111,
        offered: 100,
        filled: 0,
        remaining: 100,
        userReference: `a.main.#${n}.former-${n}`,
      });
    const lists = (commands: readonly Command[]): number =>
      readsIn(commands).filter(({ read }) => read.what === 'open-orders').length;
    const seen = [...report(1), ...driver.passTime(500), ...driver.passTime(500)];
    expect(lists(seen)).toBe(1);
    const [list] = readsIn(seen).filter(({ read }) => read.what === 'open-orders');
    const plays = readsIn(driver.reply(list?.req ?? 0, { data: { unmatched: [] } }));
    driver.reply(plays[0]?.req ?? 0, { data: { matchedBets: [] } });
    for (let n = 2; n < 20; n++) expect(lists(report(n))).toBe(0);
    expect(lists([...driver.passTime(500), ...driver.passTime(500), ...driver.passTime(500)])).toBe(1);
  });

  /**
   * An account whose lists arrive `lagMs` after their requests. `rests` opens another order of an earlier
   * run.
   */
  const slowly = (driver: CoreDriver, lagMs: number) => {
    const open: unknown[] = [];
    let queue: { readonly at: number; readonly req: number; readonly body: unknown }[] = [];
    const heed = (commands: readonly Command[]): void => {
      for (const { req, read } of readsIn(commands)) {
        const data = read.what === 'plays' ? { matchedBets: [] } : { unmatched: [...open] };
        if (read.what === 'plays' || read.what === 'open-orders')
          queue.push({ at: driver.now + lagMs, req, body: { data } });
      }
    };
    const rests = (): Readonly<Record<string, unknown>> => {
      const [id, userReference] = [`s${open.length}`, `a.main.#${open.length}.former-${open.length}`];
      open.push(row(id, 'p-home', 111, { userReference }));
      return { orderID: id, odds: 111, offered: 100, filled: 0, remaining: 100, userReference };
    };
    const live = (ms: number, happens: (elapsedMs: number) => readonly Command[] = () => []): void => {
      for (let elapsedMs = 0; elapsedMs < ms; elapsedMs += 50) {
        heed([...happens(elapsedMs), ...driver.passTime(50)]);
        const due = queue.filter((queued) => queued.at <= driver.now);
        queue = queue.filter((queued) => queued.at > driver.now);
        for (const { req, body } of due) heed(driver.reply(req, body));
      }
    };
    return { open, rests, live };
  };

  it.each([
    ['three unknown orders, the last after the list that the first one caused', 50, [0, 100, 800], []],
    ['an unknown order while lists are slow', 300, [0, 700], []],
    ['an order that came during a feed drop while a list was read', 400, [], [0, 600]],
  ] as const)('is taken again when the one in progress is too old: %s', (_case, lagMs, strangers, drops) => {
    const driver = new CoreDriver(coreSettings({ markets: { stopBeforeMs: 0 } }));
    driver.start(HOME, AWAY, { place: 0, cancel: 0 });
    const { open, rests, live } = slowly(driver, lagMs);
    live(100_000);
    live(5000, (elapsedMs) => {
      const drop = drops.findIndex((dropMs) => dropMs === elapsedMs);
      if (strangers.some((appearsMs) => appearsMs === elapsedMs)) return driver.position(rests());
      if (drop < 0) return [];
      const feed = (status: 'up' | 'down', epoch: number): readonly Command[] =>
        driver.input({ type: 'feed', feed: 'user', status, epoch });
      const down = feed('down', drop + 1);
      if (drop > 0) rests();
      return [...down, ...feed('up', drop + 2)];
    });
    expect(driver.core.status().openOrders).toBe(open.length);
  });

  it('is taken again within seconds when an order of another client came while a census was in progress', () => {
    const driver = new CoreDriver(coreSettings({ markets: { stopBeforeMs: 0 } }));
    driver.start(HOME, AWAY, { place: 0, cancel: 0 });
    const { open, rests, live } = slowly(driver, 400);
    live(100_000);
    const theirs = { orderID: 'human', odds: 110, offered: 50, filled: 0, remaining: 50 };
    live(8000, (elapsedMs) => {
      if (elapsedMs === 0) return driver.position(rests());
      if (elapsedMs !== 600) return [];
      open.push(row('human', 'p-home', 110));
      return driver.position(theirs);
    });
    expect(alertsIn(driver.sent, 'FOREIGN_ORDER').map(({ fields }) => fields['orderId'])).toEqual(['human']);
  });

  it.each([50, 1500])('is taken once a second at most, however many orders appear: lists take %i ms', (lagMs) => {
    const driver = new CoreDriver(coreSettings({ markets: { stopBeforeMs: 0 } }));
    driver.start(HOME, AWAY, { place: 0, cancel: 0 });
    const { open, rests, live } = slowly(driver, lagMs);
    live(100_000);
    const sent = driver.sent.length;
    live(20_000, (elapsedMs) => (elapsedMs < 10_000 ? driver.position(rests()) : []));
    const lists = readsIn(driver.sent.slice(sent)).filter(({ read }) => read.what === 'open-orders');
    expect(lists.length).toBeGreaterThan(2);
    expect(lists.length).toBeLessThan(16);
    expect(driver.core.status().openOrders).toBe(open.length);
  });

  it('reports another bot that places orders under the same instance name now', () => {
    const driver = new CoreDriver(coreSettings({ markets: { stopBeforeMs: 0 } }));
    const left = row('left', 'p-home', 111, { userReference: 'a.main.#7.before-1' });
    const closed = row('closed', 'c-home', 111, { gameID: 'closed', userReference: 'a.main.#7.before-2' });
    driver.census = { orders: [left, closed], plays: [] };
    const [place] = placesIn(driver.start());
    if (place === undefined) throw new Error('no place');
    const [mine = ''] = driver.accept(place, 'o');
    const ref = place.orders[0]?.ref;
    const own = [left, closed, row(mine, 'p-home', 111, { userReference: ref })];
    const others = (...counts: readonly number[]): readonly unknown[] =>
      counts.map((n) => row(`x${n}`, 'p-away', 111, { userReference: `a.main.#0.other-${n}` }));
    const runs = [own, [...own, ...others(1, 2)], [...own, ...others(2, 3)]].map((orders) =>
      alertsIn(census(driver, orders, []), 'SECOND_BOT').map(({ fields }) => fields['run']),
    );
    expect(runs).toEqual([[], ['other'], []]);
  });

  it('counts a fill that no event reported, once', () => {
    const driver = new CoreDriver(coreSettings({ markets: { stopBeforeMs: 0 } }));
    const [place] = placesIn(driver.start());
    if (place === undefined) throw new Error('no place');
    const [first = '', second = ''] = driver.accept(place, 'o');
    const open = [row(first, 'p-home', 111, { filled: 10, remaining: 90 }), row(second, 'p-away', 111)];
    const play = {
      txID: 't1',
      gameID: GAME_ID,
      type: 'moneyline',
      side: 'p-home',
      odds: 111,
      risk: 10,
      orderID: first,
    };
    census(driver, open, [play]);
    expect(driver.core.status()).toMatchObject({ fills: 1, riskFilled: 10 });
    census(driver, open, [play]);
    expect(driver.core.status()).toMatchObject({ fills: 1, riskFilled: 10 });
  });
});

describe('a play without a reference', () => {
  it("hedges as soon as its order turns out to be the bot's own", () => {
    const driver = new CoreDriver();
    const play = (txID: string, side: string, risk: number, fields: object) => ({
      txID,
      gameID: GAME_ID,
      type: 'moneyline',
      side,
      odds: 100,
      risk,
      orderID: `of-${txID}`,
      ...fields,
    });
    const plays = [play('t1', 'p-home', 40, {}), play('t2', 'p-away', 50, { userReference: 'a.main.#0.x-2' })];
    driver.census = { orders: [], plays };
    driver.start(HOME, AWAY, { place: 0, cancel: 0 });
    expect(driver.core.status().pnl.worst).toBe(-50);
    const order = row('of-t1', 'p-home', 100, {
      userReference: 'a.main.#0.x-1',
      offered: 50,
      risk: 50,
      filled: 40,
      remaining: 10,
    });
    const list = readsIn(driver.passTime(10_000)).find(({ read }) => read.what === 'open-orders');
    const next = readsIn(driver.reply(list?.req ?? 0, { data: { unmatched: [order] } }));
    driver.reply(next[0]?.req ?? 0, { data: { matchedBets: plays } });
    // the account was in this player mode after the order had been sent
    const user = readsIn(driver.passTime(16_000)).find(({ read }) => read.what === 'user');
    driver.reply(user?.req ?? 0, { data: { user: { id: 'u', username: 'demo', playerMode: 'coins' } } });
    // 40 won and 50 lost at home; away 50 won, 40 and the resting rest lost
    expect(driver.core.status().pnl.worst).toBe(-10);
  });
});

describe('plays of foreign orders', () => {
  const web = (txID: string, fields: Readonly<Record<string, unknown>> = {}) => ({
    txID,
    gameID: GAME_ID,
    type: 'moneyline',
    side: 'p-home',
    odds: 100,
    risk: 50,
    ...fields,
  });
  /** The commands after the newest census. */
  let last: readonly Command[] = [];
  /** The look-ups of the next census, which lists these plays. */
  const census = (driver: CoreDriver, plays: readonly unknown[]): ReturnType<typeof readsIn> => {
    const list = readsIn(driver.passTime(62_000)).findLast(({ read }) => read.what === 'open-orders');
    const next = readsIn(driver.reply(list?.req ?? 0, { data: { unmatched: [] } }));
    const read = next.find(({ read: { what } }) => what === 'plays');
    last = driver.reply(read?.req ?? 0, { data: { matchedBets: plays } });
    return readsIn(last).filter(({ read: { what } }) => what === 'play');
  };
  const worst = (driver: CoreDriver): number => driver.core.status().pnl.worst;
  /** Nothing is quoted: the worst case is the possible loss of these plays. */
  const driverWith = (plays: readonly unknown[]): CoreDriver => {
    const driver = new CoreDriver();
    driver.census = { orders: [], plays };
    driver.start(HOME, AWAY, { place: 0, cancel: 0 });
    return driver;
  };

  it('in unknown games are looked up when they are listed no longer, and stop counting once they are graded', () => {
    const play = web('t9', { gameID: 'elsewhere', userReference: 'b.main.#0.run-1' });
    const driver = driverWith([play]);
    expect(census(driver, [play])).toEqual([]);
    const [first] = census(driver, []);
    expect(first?.read).toEqual({ what: 'play', txId: 't9' });
    expect(worst(driver)).toBe(-50);
    // not graded yet: it counts and is looked up again
    driver.reply(first?.req ?? 0, { bet: play });
    const [second] = census(driver, []);
    expect(worst(driver)).toBe(-50);
    // an exchange without this look-up
    driver.reply(second?.req ?? 0, { message: 'Cannot GET' }, 404);
    const [third] = census(driver, []);
    expect(worst(driver)).toBe(-50);
    driver.reply(third?.req ?? 0, { bet: { ...play, graded: true, profit: -50 } });
    expect(worst(driver)).toBe(0);
    expect(census(driver, [])).toEqual([]);
    expect(driver.core.realized).toBe(-50);
  });

  it('stop counting once a list shows them as graded, and those graded before the start are not booked', () => {
    const driver = driverWith([web('t1'), { ...web('old'), graded: true, profit: -50 }]);
    expect(worst(driver)).toBe(-50);
    census(driver, [
      { ...web('t1'), graded: true, profit: 45 },
      { ...web('old'), graded: true, profit: -50 },
    ]);
    expect(worst(driver)).toBe(0);
    expect(driver.core.realized).toBe(45);
  });

  it('whose game has ended ungraded are named once, with their possible loss and the command to settle them', () => {
    const driver = driverWith([web('t1')]);
    const data = JSON.stringify({ id: GAME_ID, messageType: 'marketClosed', ended: true });
    driver.input({ type: 'frame', feed: 'prices', epoch: 1, event: 'gameUpdate', data });
    const named = [1, 2, 3].map(() => {
      census(driver, [web('t1')]);
      return alertsIn(last, 'GAME_UNGRADED');
    });
    const settle = `oddsmaker ctl <config> settle ${GAME_ID} <home>-<away> --yes`;
    const alert: unknown = expect.objectContaining({
      level: 'warn',
      fields: { gameId: GAME_ID, eventName: 'Away @ Home', plays: 1, mayLose: 50, settle },
    });
    // a grade may come with the end
    expect(named).toEqual([[], [alert], []]);
  });

  it('whose game has ended are read every `gradesEvery` until they are graded', () => {
    const driver = new CoreDriver({ ...coreSettings(), gradesEveryMs: 8000 });
    let plays: readonly unknown[] = [web('t1')];
    driver.census = { orders: [], plays };
    driver.start(HOME, AWAY, { place: 0, cancel: 0 });
    /** The times at which the lists were read within `ms`, in seconds. */
    const asked = (ms: number): readonly number[] => {
      const from = driver.now;
      const times: number[] = [];
      const serve = (commands: readonly Command[]): void => {
        for (const { req, read } of readsIn(commands)) {
          if (read.what === 'open-orders') {
            times.push((driver.now - from) / 1000);
            serve(driver.reply(req, { data: { unmatched: [] } }));
          }
          if (read.what === 'plays') serve(driver.reply(req, { data: { matchedBets: plays } }));
        }
      };
      while (driver.now - from < ms) serve(driver.passTime(250));
      return times;
    };
    asked(120_000);
    const data = JSON.stringify({ id: GAME_ID, messageType: 'marketClosed', ended: true });
    driver.input({ type: 'frame', feed: 'prices', epoch: 1, event: 'gameUpdate', data });
    const times = asked(300_000);
    const apart = times.map((time, i) => time - (times[i - 1] ?? 0));
    expect(Math.max(...apart)).toBeLessThan(9);
    expect(Math.min(...apart.slice(1))).toBeGreaterThanOrEqual(8);
    plays = [{ ...web('t1'), graded: true, profit: 50 }];
    asked(10_000);
    expect(driver.core.realized).toBe(50);
    expect(asked(300_000).length).toBeLessThanOrEqual(6);
  });

  it('without a reference are looked up by txID when their game has ended', () => {
    const driver = driverWith([web('t1')]);
    expect(census(driver, [])).toEqual([]);
    const data = JSON.stringify({ id: GAME_ID, messageType: 'marketClosed', ended: true });
    driver.input({ type: 'frame', feed: 'prices', epoch: 1, event: 'gameUpdate', data });
    const [read] = census(driver, []);
    expect(read?.read).toEqual({ what: 'play', txId: 't1' });
    driver.reply(read?.req ?? 0, { bet: { ...web('t1'), graded: true, profit: 50 } });
    expect(worst(driver)).toBe(0);
    expect(driver.core.realized).toBe(50);
  });

  it('are looked up in small numbers at each census, each in its turn', () => {
    const ids = Array.from({ length: 50 }, (_none, n) => `t${n}`);
    const driver = driverWith(ids.map((id) => web(id, { gameID: 'elsewhere' })));
    const asked: string[] = [];
    for (let n = 0; n < 3; n++) {
      const reads = census(driver, []);
      expect(reads.length).toBeLessThanOrEqual(20);
      for (const { req, read } of reads) {
        if (read.what !== 'play') continue;
        asked.push(read.txId);
        driver.reply(req, { bet: web(read.txId, { gameID: 'elsewhere', graded: false }) });
      }
    }
    expect(new Set(asked)).toEqual(new Set(ids));
  });

  it('are looked up one at a time while the exchange reports none', () => {
    const ids = Array.from({ length: 50 }, (_none, n) => `t${n}`);
    const driver = driverWith(ids.map((id) => web(id, { gameID: 'elsewhere' })));
    const asked: number[] = [];
    for (const answers of [false, false, true, true]) {
      const reads = census(driver, []);
      asked.push(reads.length);
      for (const { req, read } of reads)
        if (answers && read.what === 'play') driver.reply(req, { bet: web(read.txId, { graded: false }) });
        else driver.input({ type: 'failure', req, failure: 'foreign-body', detail: '404, not its own' });
    }
    expect(asked).toEqual([20, 1, 1, 20]);
  });

  it('of earlier runs are looked up by their reference', () => {
    const ref = 'a.main.#0.run-1';
    const driver = driverWith([web('t9', { gameID: 'elsewhere', userReference: ref })]);
    driver.passTime(62_000);
    const list = readsIn(driver.sent).findLast(({ read }) => read.what === 'open-orders');
    const next = readsIn(driver.reply(list?.req ?? 0, { data: { unmatched: [] } }));
    const reads = readsIn(driver.reply(next[0]?.req ?? 0, { data: { matchedBets: [] } }));
    const [look] = reads.filter(({ read: { what } }) => what === 'reference' || what === 'play');
    expect(look?.read).toEqual({ what: 'reference', ref, gameId: 'elsewhere' });
    expect(worst(driver)).toBe(-50);
    const graded = [{ ...web('t9', { gameID: 'elsewhere', userReference: ref }), graded: true, profit: -50 }];
    driver.reply(look?.req ?? 0, { data: { unmatched: [], matched: [], graded } });
    expect(worst(driver)).toBe(0);
  });
});

describe('a backtest, whose clock jumps', () => {
  it('doubles the wait after each census that found no change, until an order is placed', () => {
    const driver = new CoreDriver(backtestSettings(coreSettings()));
    driver.wall -= 1000 * 3_600_000;
    const leap = (hours: number): readonly Command[] => {
      driver.now += hours * 3_600_000;
      driver.wall += hours * 3_600_000;
      return driver.input({ type: 'tick' });
    };
    const answer = (commands: readonly Command[], list: string, body: unknown): readonly Command[] =>
      readsIn(commands)
        .filter(({ read }) => read.what === list)
        .flatMap(({ req }) => driver.reply(req, { data: body }));
    /** True when the account was read then. */
    const isReadAfter = (hours: number): boolean => {
      const plays = answer(leap(hours), 'open-orders', { unmatched: [] });
      answer(plays, 'plays', { matchedBets: [] });
      return plays.length > 0;
    };
    /** Hours until the account is read again. */
    const wait = (): number => {
      for (let hours = 1; hours < 200; hours++) if (isReadAfter(1)) return hours;
      throw new Error('it is never read again');
    };
    // nothing can be sent: no permits
    driver.start(HOME, AWAY, { place: 0, cancel: 0 });
    // the first reads look for orders that an earlier run sent
    for (let second = 0; second < 60; second++) isReadAfter(1 / 3600);
    const [first, second, third] = [wait(), wait(), wait()];
    expect([second, third]).toEqual([2 * first, 4 * first]);
    const [place] = placesIn(driver.permits('place', 1));
    if (place === undefined) throw new Error('no place');
    driver.accept(place, 'o');
    expect(wait()).toBeLessThanOrEqual(first);
  });
});

describe('an account in a market with few books', () => {
  it('is read nevertheless: an order that an earlier run left in a one-sided market is pulled', () => {
    const driver = new CoreDriver();
    const left = row('left', 'p-home', 105, { userReference: 'a.main.#0.old-1' });
    driver.census = { orders: [left], plays: [] };
    driver.start([{ id: 'left', odds: 105, risk: 100, own: true }], []);
    driver.passTime(2000);
    expect(cancelsIn(driver.sent).flatMap(({ orderIds }) => orderIds)).toContain('left');
  });

  it('is read although the books cannot be read: an order that an earlier run left counts', () => {
    const driver = new CoreDriver();
    const left = row('left', 'p-home', 105, { userReference: 'a.main.#0.old-1' });
    driver.census = { orders: [left], plays: [] };
    driver.input({ type: 'boot', run: 'run' });
    driver.input({ type: 'session', username: 'demo', userId: 'u', mode: 'coins', balance: 10_000 });
    driver.input({ type: 'feed', feed: 'user', status: 'up', epoch: 1 });
    driver.input({ type: 'feed', feed: 'prices', status: 'up', epoch: 1 });
    const asked = new Set<number>();
    for (let left = 60; left > 0; left--) {
      for (const { req, read } of readsIn(driver.sent)) {
        if (read.what !== 'league' || asked.has(req)) continue;
        asked.add(req);
        driver.reply(req, {}, 500);
      }
      driver.passTime(250);
    }
    expect(driver.core.worst).toBe(-100);
    expect(driver.core.status().closed).toContain('books');
  });

  it('is not read before the login', () => {
    const driver = new CoreDriver();
    driver.input({ type: 'boot', run: 'run' });
    expect(readsIn(driver.passTime(60_000))).toEqual([]);
  });
});

describe('an action of another client on the account', () => {
  const report = (driver: CoreDriver, origin: string, unmatched: unknown, matched: unknown) =>
    driver.input({
      type: 'frame',
      feed: 'user',
      epoch: 1,
      event: 'positionUpdate',
      data: JSON.stringify({ gameID: GAME_ID, origin, unmatched, matched }),
    });

  it('counts in exposure at once when it filled, once', () => {
    const driver = new CoreDriver();
    const [place] = placesIn(driver.start());
    if (place === undefined) throw new Error('no place');
    driver.accept(place, 'o');
    const before = driver.core.worst;
    const play = { txID: 'human', filled: 1900, odds: 105, type: 'moneyline', side: 'p-home' };
    for (let time = 0; time < 2; time++) report(driver, 'wager', null, play);
    expect(driver.core.worst).toBe(before - 1900);
    expect(driver.core.status().fills).toBe(0);
  });

  it('is read in a list within seconds when it rests', () => {
    const driver = new CoreDriver();
    const [place] = placesIn(driver.start());
    if (place === undefined) throw new Error('no place');
    driver.accept(place, 'o');
    driver.census = undefined;
    const own = place.orders.map(({ ref, side }, index) => row(`o${index}`, `p-${side}`, 109, { userReference: ref }));
    const answered = new Set<number>();
    const lists = (ms: number): number => {
      let count = 0;
      for (let left = ms; left > 0; left -= 250) {
        driver.frame('p-home', HOME);
        driver.frame('p-away', AWAY);
        for (const { req, read } of readsIn(driver.passTime(250))) {
          if (answered.has(req) || (read.what !== 'open-orders' && read.what !== 'plays')) continue;
          answered.add(req);
          if (read.what === 'open-orders') count += 1;
          driver.reply(req, { data: { unmatched: own, matchedBets: [] } });
        }
        for (const { req, read } of readsIn(driver.sent))
          if (read.what === 'plays' && !answered.has(req)) {
            answered.add(req);
            driver.reply(req, { data: { matchedBets: [] } });
          }
      }
      return count;
    };
    // the first reads look for orders that an earlier run sent
    lists(60_000);
    expect(lists(20_000)).toBeLessThanOrEqual(1);
    const offer = { orderID: 'human', odds: 110, offered: 50, filled: 0, remaining: 50, type: 'moneyline' };
    report(driver, 'offer', { ...offer, side: 'p-home' }, null);
    expect(lists(6000)).toBe(1);
  });
});
