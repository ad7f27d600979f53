// Another bot with the same orders.instance, whose journals are not on this machine. Before its first place,
// this bot waits for the other one; after that, the bot that started later halts itself. Orders of the other
// bot are left alone.
import { describe, expect, it } from 'vitest';
import type { Command, Standing } from '../../src/domain/index.ts';
import {
  alertsIn,
  AWAY,
  cancelsIn,
  CoreDriver,
  coreSettings,
  exitsIn,
  GAME_ID,
  HOME,
  placesIn,
  readsIn,
} from '../support/core-driver.ts';

const PERMITS = { place: 25, cancel: 30 };
const BEGAN = '2030-01-01T11:00:00.000Z';

const row = (id: string, ref: string, createdAt?: string) => ({
  id,
  gameID: GAME_ID,
  type: 'moneyline',
  participantID: 'p-home',
  odds: 120,
  risk: 100,
  offered: 100,
  filled: 0,
  remaining: 100,
  userReference: ref,
  ...(createdAt === undefined ? {} : { createdAt }),
});
const OTHER = 'a.main.#0.other';

const driverWith = (orders: readonly unknown[], foreign: 'leave' | 'cancel' = 'leave'): CoreDriver => {
  const driver = new CoreDriver(coreSettings({ foreign, markets: { stopBeforeMs: 0 } }));
  driver.census = { orders, plays: [] };
  return driver;
};

/** Answers the next list of the account that is read within `ms`. */
function list(driver: CoreDriver, orders: readonly unknown[], ms = 6000): readonly Command[] {
  const asked = readsIn(driver.passTime(ms)).find(({ read }) => read.what === 'open-orders');
  if (asked === undefined) throw new Error('no list is asked for');
  const plays = driver.reply(asked.req, { data: { unmatched: orders } });
  const [read] = readsIn(plays).filter(({ read }) => read.what === 'plays');
  return [...plays, ...driver.reply(read?.req ?? 0, { data: { matchedBets: [] } })];
}

const bulkIn = (commands: readonly Command[]): readonly Command[] =>
  commands.filter(({ type }) => type === 'cancel-all');

describe('another bot with the same instance name at the start', () => {
  it('makes this bot wait: nothing is placed, cancelled or adopted until a list shows none of its orders', () => {
    const driver = driverWith([row('x', `${OTHER}-7`, BEGAN)], 'cancel');
    driver.start(HOME, AWAY, PERMITS, { runs: ['before'] });
    driver.passTime(1000);
    expect(placesIn(driver.sent)).toEqual([]);
    expect([...cancelsIn(driver.sent), ...bulkIn(driver.sent)]).toEqual([]);
    expect(alertsIn(driver.sent, 'SECOND_BOT')).toHaveLength(1);
    expect([...alertsIn(driver.sent, 'ORDER_ADOPTED'), ...alertsIn(driver.sent, 'FOREIGN_ORDER')]).toEqual([]);
    const { closed, openOrders, pnl, trading } = driver.core.status();
    expect(closed).toMatch(/^waiting: order x bears orders\.instance of this bot, .* run other/);
    // it counts
    expect(pnl.worst).toBeLessThanOrEqual(-100);
    expect({ openOrders, trading }).toEqual({ openOrders: 0, trading: 'active' });
    expect(placesIn(list(driver, []))).toHaveLength(1);
  });

  it("is not reported when a journal here has its run, or when the journals' runs are unknown", () => {
    for (const found of [{ runs: ['other'] }, {}]) {
      const driver = driverWith([row('x', `${OTHER}-7`, BEGAN)]);
      driver.start(HOME, AWAY, PERMITS, found);
      expect(alertsIn(driver.sent, 'ORDER_ADOPTED')).toHaveLength(1);
      expect(alertsIn(driver.sent, 'SECOND_BOT')).toEqual([]);
      expect(driver.core.status().closed).toBeUndefined();
    }
  });

  it('is not reported for another instance name: that order is an external order', () => {
    const driver = driverWith([row('x', 'b.main.#0.other-7', BEGAN)]);
    driver.start(HOME, AWAY, PERMITS, { runs: [] });
    expect(alertsIn(driver.sent, 'FOREIGN_ORDER')).toHaveLength(1);
    expect(alertsIn(driver.sent, 'SECOND_BOT')).toEqual([]);
    expect(placesIn(driver.sent)).toHaveLength(1);
  });

  it("leaves orders that an operator's resume adopts; its later orders are its own", () => {
    const left = row('x', `${OTHER}-7`, BEGAN);
    const driver = driverWith([left]);
    driver.start(HOME, AWAY, PERMITS, { runs: [] });
    driver.input({ type: 'operator', command: 'resume' });
    const commands = list(driver, [left]);
    expect(alertsIn(commands, 'ORDER_ADOPTED')).toHaveLength(1);
    driver.passTime(1000);
    expect(placesIn(driver.sent).length).toBeGreaterThan(0);
    list(driver, [left, row('y', `${OTHER}-8`, BEGAN)]);
    expect(driver.core.status()).toMatchObject({ trading: 'halted' });
  });

  it('keeps its orders when this run ends', () => {
    const driver = driverWith([row('x', `${OTHER}-7`, BEGAN)]);
    driver.start(HOME, AWAY, PERMITS, { runs: [] });
    const from = driver.sent.length;
    driver.input({ type: 'operator', command: 'stop' });
    for (let lists = 0; lists < 2; lists++) {
      driver.passTime(1500);
      const asked = readsIn(driver.sent).findLast(({ read }) => read.what === 'open-orders');
      driver.reply(asked?.req ?? 0, { data: { unmatched: [row('x', `${OTHER}-7`, BEGAN)] } });
    }
    const plays = readsIn(driver.sent).findLast(({ read }) => read.what === 'plays');
    driver.reply(plays?.req ?? 0, { data: { matchedBets: [] } });
    expect(exitsIn(driver.sent).map(({ code }) => code)).toEqual([0]);
    expect(cancelsIn(driver.sent.slice(from))).toEqual([]);
  });
});

describe('another bot with the same instance name while this bot trades', () => {
  /** Both sides rest, and a list showed them as placed at `began`. */
  function trading(began: string | undefined): {
    readonly driver: CoreDriver;
    readonly own: readonly unknown[];
  } {
    const driver = driverWith([]);
    const [place] = placesIn(driver.start(HOME, AWAY, PERMITS, { runs: [] }));
    if (place === undefined) throw new Error('no place');
    const ids = driver.accept(place, 'o');
    const own = place.orders.map(({ ref }, index) => ({
      ...row(ids[index] ?? '', ref, began),
      participantID: index === 0 ? 'p-home' : 'p-away',
      odds: 109,
    }));
    list(driver, own);
    return { driver, own };
  }

  const reported = (driver: CoreDriver, id: string, ref: string): readonly Command[] =>
    driver.position({ orderID: id, odds: 120, offered: 100, filled: 0, remaining: 100, userReference: ref });

  it.each([
    ['began later: this bot continues', BEGAN, `${OTHER}-1`, '2030-01-01T11:00:00.001Z', 'active'],
    ['began before: this bot halts', BEGAN, `${OTHER}-1`, '2030-01-01T10:59:59.999Z', 'halted'],
    ['began at the same time: both halt', BEGAN, `${OTHER}-1`, BEGAN, 'halted'],
    ['shows no first order: both halt', BEGAN, `${OTHER}-2`, '2030-01-01T11:30:00Z', 'halted'],
    ['shows no time: both halt', BEGAN, `${OTHER}-1`, undefined, 'halted'],
    [
      'cannot be compared because the orders of this bot show no time: both halt',
      undefined,
      `${OTHER}-1`,
      BEGAN,
      'halted',
    ],
  ] as const)('%s', (_case, began, ref, othersBegan, state) => {
    const { driver, own } = trading(began);
    const from = driver.sent.length;
    const [asked] = readsIn(reported(driver, 'x', ref));
    expect(asked?.read).toEqual({ what: 'open-orders' });
    const plays = driver.reply(asked?.req ?? 0, {
      data: { unmatched: [...own, row('x', ref, othersBegan)] },
    });
    driver.reply(readsIn(plays)[0]?.req ?? 0, { data: { matchedBets: [] } });
    driver.passTime(500);
    const sent = driver.sent.slice(from);
    expect(driver.core.status().trading).toBe(state);
    expect(alertsIn(sent, 'SECOND_BOT')).toHaveLength(1);
    // this bot's own orders are cancelled, and no others
    const cancelled = cancelsIn(sent).flatMap(({ orderIds }) => orderIds);
    expect(cancelled.sort()).toEqual(state === 'halted' ? ['o0', 'o1'] : []);
    expect(bulkIn(sent)).toEqual([]);
  });

  it('holds back every place until a list shows which bot was first', () => {
    const { driver, own } = trading(BEGAN);
    const [asked] = readsIn(reported(driver, 'x', `${OTHER}-1`));
    // a slot is free now
    driver.position({ orderID: 'o0', odds: 109, offered: 0, filled: 0, remaining: 0 });
    const from = driver.sent.length;
    driver.passTime(200);
    expect(placesIn(driver.sent.slice(from))).toEqual([]);
    const rows = [...own.slice(1), row('x', `${OTHER}-1`, '2030-01-01T11:30:00Z')];
    const plays = driver.reply(asked?.req ?? 0, { data: { unmatched: rows } });
    driver.reply(readsIn(plays)[0]?.req ?? 0, { data: { matchedBets: [] } });
    driver.passTime(200);
    expect(placesIn(driver.sent.slice(from))).toHaveLength(1);
    // it is known now: its further orders are not looked up
    expect(readsIn(reported(driver, 'y', `${OTHER}-2`))).toEqual([]);
  });

  it('keeps its halt over a restart, and still cancels nothing of the other bot', () => {
    const { driver, own } = trading(BEGAN);
    const [asked] = readsIn(reported(driver, 'x', `${OTHER}-9`));
    const plays = driver.reply(asked?.req ?? 0, { data: { unmatched: [...own, row('x', `${OTHER}-9`)] } });
    driver.reply(readsIn(plays)[0]?.req ?? 0, { data: { matchedBets: [] } });
    const standing = driver.core.standing as Standing;
    expect(standing).toMatchObject({ state: 'halted', ownOnly: true });
    const next = driverWith([row('x', `${OTHER}-9`)]);
    next.start(HOME, AWAY, PERMITS, { runs: ['run'], standing });
    next.passTime(4000);
    expect([...bulkIn(next.sent), ...cancelsIn(next.sent), ...placesIn(next.sent)]).toEqual([]);
    expect(next.core.status().trading).toBe('halted');
    // an operator's halt covers the whole account
    expect(bulkIn(next.input({ type: 'operator', command: 'halt' }))).toHaveLength(1);
  });
});
