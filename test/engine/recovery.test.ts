// The start, recovery and end of a run: orders and plays of earlier runs in games that open later, orders
// that keep their id, and the last reads of a stop. The account answers every read with the truth.
import { describe, expect, it } from 'vitest';
import type { Command } from '../../src/domain/index.ts';
import { oddsOf } from '../../src/domain/index.ts';
import { parsePlayLookup, wireProfileSchema } from '../../src/wire/index.ts';
import {
  alertsIn,
  AWAY,
  cancelsIn,
  CoreDriver,
  coreSettings,
  editsIn,
  exitsIn,
  GAME_ID,
  gameEntry,
  HOME,
  placesIn,
  readsIn,
  teams,
} from '../support/core-driver.ts';

const REF = 'a.main.#0.before-1';

/** An order of an earlier run: $100 on home, $40 of it taken. */
const orderIn = (gameID: string, side: string) => ({
  id: 'o1',
  gameID,
  type: 'moneyline',
  participantID: side,
  odds: 109,
  userReference: REF,
  risk: 100,
  offered: 100,
  filled: 40,
  remaining: 60,
});
const playIn = (gameID: string, side: string, risk = 40) => ({
  txID: `t${risk}`,
  gameID,
  type: 'moneyline',
  side,
  odds: 109,
  risk,
  orderID: 'o1',
  userReference: REF,
});

type Account = {
  readonly orders: readonly unknown[];
  readonly plays: readonly unknown[];
  /** The status of a look-up of a play. */
  readonly betStatus?: number;
  /** Look-ups by reference so far. */
  trails?: number;
};

/** Answers every read of these commands and of the commands that the answers cause. */
function answer(driver: CoreDriver, commands: readonly Command[], account: Account): void {
  const { orders, plays, betStatus = 200 } = account;
  const bodyOf = (what: string): unknown =>
    what === 'open-orders'
      ? { data: { unmatched: orders } }
      : what === 'plays'
        ? { data: { matchedBets: plays } }
        : what === 'reference'
          ? { data: { unmatched: orders, matched: plays, graded: [] } }
          : what === 'play'
            ? {}
            : what === 'user'
              ? { data: { user: { id: 'u', username: 'demo', playerMode: 'coins' } } }
              : undefined;
  for (const { read, req } of readsIn(commands)) {
    if (read.what === 'reference') account.trails = (account.trails ?? 0) + 1;
    const body = bodyOf(read.what);
    const status = read.what === 'play' ? betStatus : 200;
    if (body !== undefined) answer(driver, driver.reply(req, body, status), account);
    else if (read.what === 'order') answer(driver, driver.reply(req, {}, 404), account);
  }
}

function passLive(driver: CoreDriver, seconds: number, account: Account): void {
  for (let i = 0; i < 4 * seconds; i++) answer(driver, driver.passTime(250), account);
}

function opens(driver: CoreDriver): readonly Command[] {
  const participants = teams.map((team) => ({ ...team, id: team.id.replace('p-', 'c-') }));
  const entry = gameEntry(HOME, AWAY) as object;
  const data = JSON.stringify({ ...entry, id: 'closed', messageType: 'marketOpen', participants });
  return driver.input({ type: 'frame', feed: 'prices', epoch: 1, event: 'gameUpdate', data });
}

describe('a play of an earlier run that is known before its order', () => {
  it('fills the order when the game opens', () => {
    const driver = new CoreDriver();
    const account: Account = { orders: [orderIn('closed', 'c-home')], plays: [playIn('closed', 'c-home')] };
    driver.census = account;
    const started = driver.start(HOME, AWAY, { place: 0, cancel: 0 });
    expect(started.filter((command) => command.type === 'alert').map(({ code }) => code)).toContain('ORDER_ELSEWHERE');
    expect(driver.core.worst).toBe(-100);
    answer(driver, opens(driver), account);
    expect(driver.core.worst).toBe(-100);
    passLive(driver, 120, account);
    expect([driver.core.worst, driver.core.status().openOrders, account.trails ?? 0]).toEqual([-100, 1, 0]);
  });

  it('fills the order that the next list shows, and a later play fills the rest', () => {
    const driver = new CoreDriver();
    driver.census = { orders: [], plays: [playIn(GAME_ID, 'p-home')] };
    driver.start(HOME, AWAY, { place: 0, cancel: 0 });
    expect(driver.core.worst).toBe(-40);
    const account: Account = { orders: [orderIn(GAME_ID, 'p-home')], plays: [playIn(GAME_ID, 'p-home')] };
    passLive(driver, 120, account);
    expect([driver.core.worst, account.trails ?? 0]).toEqual([-100, 0]);
    const taken: Account = { orders: [], plays: [playIn(GAME_ID, 'p-home'), playIn(GAME_ID, 'p-home', 60)] };
    passLive(driver, 120, taken);
    expect([driver.core.worst, driver.core.status().openOrders, taken.trails ?? 0]).toEqual([-100, 0, 0]);
  });

  it('leaves too little credit for new orders when its order is large', () => {
    const large = { ...orderIn('closed', 'c-home'), risk: 9000, offered: 9000, filled: 0, remaining: 9000 };
    const driver = new CoreDriver();
    driver.census = { orders: [large], plays: [] };
    expect(placesIn(driver.start())).toEqual([]);
  });

  it('lowers the credit by fills since the balance was read, until the balance is read again', () => {
    const driver = new CoreDriver(coreSettings({ orders: { ...coreSettings().orders, permits: 25 } }));
    const [place] = placesIn(driver.start());
    if (place === undefined) throw new Error('nothing is placed');
    const [first] = driver.accept(place, 'o');
    const user = (coinsBalance: number) => ({ data: { user: { playerMode: 'coins', coinsBalance } } });
    /** Repeats both books, and answers reads of the user only when `balance` is given. Returns all places. */
    const live = (ms: number, balance: number | undefined): readonly Command[] => {
      const out: Command[] = [];
      for (let passed = 0; passed < ms; passed += 250) {
        const step = [...driver.passTime(250), ...driver.frame('p-home', HOME), ...driver.frame('p-away', AWAY)];
        for (const { req, read } of readsIn(step))
          if (read.what === 'user' && balance !== undefined) step.push(...driver.reply(req, user(balance)));
        out.push(...placesIn(step));
      }
      return out;
    };
    live(16_000, 230);
    // all of it is taken: the 100 that rest on the other side and another 100 would be more than 90 % of the
    // balance left
    const filled = {
      odds: 105,
      offered: 100,
      filled: 100,
      remaining: 0,
      userReference: place.orders[0]?.ref,
    };
    const took = driver.position({ orderID: first, ...filled }, { txID: 't1', filled: 100, odds: 105 });
    expect(placesIn([...took, ...live(10_000, undefined)])).toEqual([]);
    expect(live(60_000, 230).length).toBeGreaterThan(0);
  });
});

describe('an order of an earlier run that is gone when its game opens', () => {
  it('stops counting as open after the next list', () => {
    const driver = new CoreDriver();
    const order = { ...orderIn('closed', 'c-home'), filled: 0, remaining: 100 };
    driver.census = { orders: [order], plays: [] };
    driver.start(HOME, AWAY, { place: 0, cancel: 0 });
    passLive(driver, 50, { orders: [order], plays: [] });
    const gone: Account = { orders: [], plays: [] };
    answer(driver, opens(driver), gone);
    expect(driver.core.worst).toBe(-100);
    passLive(driver, 2, gone);
    // a look-up by reference decides whether it was taken before it went
    expect(driver.core.status().openOrders).toBe(0);
  });
});

describe('when an edit keeps the id', () => {
  it.each([true, false])(
    'an order keeps its fills over an edit (first found by odds and size: %s)',
    (isFoundByTerms) => {
      const profile = wireProfileSchema.parse({ editKeepsId: true });
      const driver = new CoreDriver(coreSettings({ profile }));
      const [place] = placesIn(driver.start());
      const home = place?.orders.find(({ side }) => side === 'home');
      if (place === undefined || home === undefined) throw new Error('it does not quote');
      const odds = oddsOf(home.rung);
      const size = { offered: 100, filled: 0, remaining: 100 };
      const resting = { orderID: 'o', odds, type: 'moneyline', side: 'p-home', ...size };
      driver.input({ type: 'failure', req: place.req, failure: 'timeout', detail: 'slow' });
      if (isFoundByTerms) driver.position(resting);
      driver.reply(place.req, {
        data: {
          createdSessions: place.orders.map(({ ref, rung }) => ({
            matched: [],
            unmatched: {
              orderID: ref === home.ref ? 'o' : 'x',
              ...size,
              odds: oddsOf(rung),
              userReference: ref,
            },
          })),
        },
      });
      driver.position({ ...resting, filled: 40, remaining: 60 }, { txID: 't1', filled: 40, odds });
      const moved = driver.frame('p-home', [{ id: 'h9', odds: 125, risk: 200 }]);
      const edit = editsIn([...moved, ...driver.permits('place', 1)]).find(({ orderId }) => orderId === 'o');
      if (edit === undefined) throw new Error('it does not move');
      const now = { ...resting, odds: oddsOf(edit.order.rung), userReference: edit.order.ref };
      const old = { success: true, orderID: 'o', filled: 40, remaining: 60, offered: 0 };
      driver.reply(edit.req, { data: { cancelled: old, matched: [], unmatched: now } });
      driver.position(now);
      const { placed, edited, fills } = driver.core.status();
      expect({ placed, edited, fills }).toEqual({ placed: 2, edited: 1, fills: 1 });
      driver.position({ ...now, filled: 60, remaining: 40 }, { txID: 't2', filled: 60, odds: now.odds });
      // 40 of it rest, beside the other side
      expect(driver.core.status()).toMatchObject({ resting: 2, fills: 2, unknown: { now: 0 } });
    },
  );
});

describe('two equal orders in one place request that timed out', () => {
  /**
   * Two equal orders rest as `yA` and `yB`. The feed reported `yB` without a reference, and the first order
   * took that id.
   */
  const alike = () => {
    const settings = coreSettings();
    const strategies = ['one', 'two'].map((id) => ({ ...settings.strategies[0], id })) as never;
    const driver = new CoreDriver(coreSettings({ strategies }));
    const [place] = placesIn(driver.start());
    const [a, b] = place?.orders.filter(({ side }) => side === 'home') ?? [];
    if (place === undefined || a === undefined || b === undefined) throw new Error('no two alike');
    driver.input({ type: 'failure', req: place.req, failure: 'timeout', detail: 'slow' });
    const seen = { odds: oddsOf(a.rung), type: 'moneyline', side: 'p-home', offered: 100 };
    const report = (orderID: string, filled = 0, matched: unknown = null): void => {
      driver.position({ orderID, ...seen, filled, remaining: 100 - filled }, matched);
    };
    const reply = (): void => {
      const id = (ref: string): string => (ref === a.ref ? 'yA' : ref === b.ref ? 'yB' : `y-${ref}`);
      const createdSessions = place.orders.map(({ ref, rung }) => ({
        matched: [],
        unmatched: { orderID: id(ref), offered: 100, remaining: 100, odds: oddsOf(rung), userReference: ref },
      }));
      driver.reply(place.req, { data: { createdSessions } });
    };
    return { driver, report, reply, fill: { txID: 't1', filled: 60, odds: seen.odds } };
  };

  it('pass on an end that was reported under the mistaken id with that id', () => {
    const { driver, report, reply } = alike();
    const resting = (): readonly string[] =>
      (driver.core.markets()[0]?.orders ?? [])
        .filter(({ side, odds, status }) => side === 'home' && odds === 109 && status !== 'sending')
        .map(({ strategy }) => strategy);
    report('yB');
    const gone = { offered: 0, filled: 0, remaining: 0 };
    driver.position({ orderID: 'yB', odds: 109, type: 'moneyline', side: 'p-home', ...gone });
    // it is not known which of the two ended: both count until it is
    expect(resting()).toEqual(['one', 'two']);
    reply();
    // the first rests, and the second is gone
    expect(resting()).toEqual(['one']);
  });

  it('pass on the fills that were reported under the mistaken id with that id', () => {
    const { driver, report, reply, fill } = alike();
    report('yB');
    report('yB', 60, fill);
    reply();
    const before = driver.core.status();
    // 40 of the first are taken: 60 of it rest, and 40 of the second
    report('yA', 40, { ...fill, txID: 't2', filled: 40 });
    const { openOrders, resting, fills } = driver.core.status();
    expect({ openOrders, resting, fills }).toEqual({
      openOrders: before.openOrders,
      resting: before.resting,
      fills: 2,
    });
  });
});

describe('own rows in the public book', () => {
  it('are checked against the placed orders also when only edits rest', () => {
    const driver = new CoreDriver();
    const [place] = placesIn(driver.start());
    if (place === undefined) throw new Error('it does not quote');
    driver.accept(place, 'o');
    const ids: string[] = [];
    const accept = (commands: readonly Command[]): void => {
      for (const { req, orderId, order } of editsIn(commands)) {
        const orderID = `e${ids.push(order.side) - 1}`;
        const size = { offered: order.risk / 100, remaining: order.risk / 100, filled: 0 };
        const unmatched = { orderID, ...size, odds: oddsOf(order.rung), userReference: order.ref };
        const cancelled = { success: true, orderID: orderId, filled: 0, remaining: 100, offered: 0 };
        driver.reply(req, { data: { cancelled, matched: [], unmatched } });
        driver.position(unmatched);
      }
    };
    accept(driver.frame('p-home', [{ id: 'h9', odds: 112, risk: 200 }]));
    accept(driver.frame('p-away', [{ id: 'a9', odds: -102, risk: 200 }]));
    accept([...driver.passTime(500), ...driver.permits('place', 2)]);
    expect(new Set(ids)).toEqual(new Set(['away', 'home']));
    // the exchange shows home's among away's
    const own = { id: `e${ids.lastIndexOf('home')}`, odds: -300, risk: 100, own: true };
    driver.frame('p-away', [own, { id: 'a9', odds: -102, risk: 200 }]);
    expect(driver.core.status().stopping).toBe(true);
  });
});

describe('the look-up of a play', () => {
  it.each([
    [{ graded: true, profit: 10 }, true],
    [{ graded: true }, true],
    [{ profit: -50 }, true],
    [{ graded: false, profit: 45.5 }, false],
    [{ graded: false, profit: 0 }, false],
    [{ profit: 0 }, false],
    [{ graded: 'true' }, false],
    [{}, false],
  ])('takes %j for graded: %s', (bet, graded) => {
    const read = parsePlayLookup({ bet: { txID: 't1', ...bet } }, 't1' as never);
    expect(read.ok && read.value.graded).toBe(graded);
  });

  it('reports once that the exchange does not know the plays', () => {
    const driver = new CoreDriver();
    const plays = [1, 2, 3].map((n) => ({ ...playIn('other', 'c-home', n), userReference: undefined }));
    driver.census = { orders: [], plays };
    driver.start(HOME, AWAY, { place: 0, cancel: 0 });
    passLive(driver, 120, { orders: [], plays: [], betStatus: 404 });
    const alerts = driver.sent.flatMap((command) => (command.type === 'alert' ? [command.code] : []));
    expect(alerts.filter((code) => code === 'FILL_NOT_REPORTED')).toHaveLength(1);
    expect(driver.core.worst).toBe(-6);
  });
});

describe('the plays at the end of a run', () => {
  const stopped = () => {
    const driver = new CoreDriver();
    const [place] = placesIn(driver.start());
    if (place === undefined) throw new Error('it does not quote');
    const ids = driver.accept(place, 'o');
    return { driver, place, ids };
  };
  const cancelled = (driver: CoreDriver, commands: readonly Command[]): void => {
    for (const { req, orderIds } of cancelsIn(commands)) {
      const data = orderIds.map((sessionID) => ({ success: true, sessionID }));
      for (const read of readsIn(driver.reply(req, { data }))) driver.reply(read.req, { data: { unmatched: [] } });
    }
  };

  /** Passes this many quarters of a second, with every list of open orders empty. Returns the exits. */
  const lists = (driver: CoreDriver, quarters: number): readonly Command[] =>
    Array.from({ length: quarters }, () => {
      const commands = driver.passTime(250);
      const answered = readsIn(commands)
        .filter(({ read }) => read.what === 'open-orders')
        .flatMap(({ req }) => driver.reply(req, { data: { unmatched: [] } }));
      return exitsIn([...commands, ...answered]);
    }).flat();

  it('are read anew, even if an earlier read is still in flight', () => {
    const { driver, place, ids } = stopped();
    const unmatched = place.orders.map(({ ref }, i) => ({
      id: ids[i],
      gameID: GAME_ID,
      userReference: ref,
      remaining: 100,
      risk: 100,
      filled: 0,
    }));
    let slow: number | undefined;
    for (let i = 0; i < 200 && slow === undefined; i++)
      for (const { read, req } of readsIn(driver.passTime(500)))
        if (read.what === 'open-orders')
          slow = readsIn(driver.reply(req, { data: { unmatched } })).find(
            (command) => command.read.what === 'plays',
          )?.req;
    if (slow === undefined) throw new Error('no census');
    const play = { ...playIn(GAME_ID, 'p-home'), userReference: place.orders[0]?.ref, orderID: ids[0] };
    driver.lastPlays = [{ matchedBets: [play] }];
    cancelled(driver, driver.input({ type: 'operator', command: 'stop' }));
    expect(lists(driver, 16)).toEqual([]);
    expect(exitsIn(driver.reply(slow, { data: { matchedBets: [] } }))).toEqual([]);
    expect(lists(driver, 4)).toMatchObject([{ code: 0 }]);
    expect(driver.core.status().fills).toBe(1);
  });

  it('are read five times when they cannot be read, and that is reported', () => {
    const { driver } = stopped();
    const from = driver.now;
    driver.lastPlays = new Array<unknown>(9).fill('nonsense');
    cancelled(driver, driver.input({ type: 'operator', command: 'stop' }));
    expect(lists(driver, 40)).toMatchObject([{ code: 0 }]);
    expect([driver.lastPlays.length, driver.now - from]).toEqual([4, 10_000]);
    expect(alertsIn(driver.sent, 'PLAYS_UNREAD')).toHaveLength(1);
  });

  it('do not keep a second Ctrl-C from ending a run whose account is known to be empty', () => {
    const { driver } = stopped();
    driver.lastPlays = new Array<unknown>(9).fill('nonsense');
    cancelled(driver, driver.input({ type: 'operator', command: 'stop' }));
    lists(driver, 7);
    expect(driver.lastPlays.length).toBeLessThan(9);
    expect(exitsIn(driver.input({ type: 'operator', command: 'abort' }))).toMatchObject([{ code: 0 }]);
  });
});
