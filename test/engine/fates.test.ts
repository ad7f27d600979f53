import { describe, expect, it } from 'vitest';
import type { Command } from '../../src/domain/index.ts';
import { oddsOf } from '../../src/domain/index.ts';
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
} from '../support/core-driver.ts';

type Place = Extract<Command, { type: 'place' }>;

function placed(): { driver: CoreDriver; place: Place } {
  const driver = new CoreDriver();
  const [place] = placesIn(driver.start());
  if (place === undefined) throw new Error('no place');
  return { driver, place };
}

/** Moves both books so that the bot wants other prices on both sides. */
const move = (driver: CoreDriver): readonly Command[] => [
  ...driver.frame('p-home', [{ id: 'h9', odds: 125, risk: 200 }]),
  ...driver.frame('p-away', [{ id: 'a9', odds: -115, risk: 200 }]),
];

describe('an order whose request got no answer', () => {
  it('keeps its full size in exposure and its slot taken while its fate is unknown', () => {
    const { driver, place } = placed();
    driver.input({ type: 'failure', req: place.req, failure: 'no-answer', detail: 'reset' });
    expect(driver.core.status()).toMatchObject({ openOrders: 2, unknown: { ever: 2, now: 2 } });
    expect(driver.core.status().pnl.worst).toBeLessThan(-90);
    expect(placesIn(move(driver))).toEqual([]);
    expect(placesIn(driver.passTime(20_000))).toEqual([]);
  });

  it('is settled by a late answer as by one in time', () => {
    const { driver, place } = placed();
    driver.input({ type: 'failure', req: place.req, failure: 'timeout', detail: 'slow' });
    expect(driver.core.status().unknown.now).toBe(2);
    driver.accept(place, 'o');
    expect(driver.core.status()).toMatchObject({ placed: 2, resting: 2, unknown: { ever: 2, now: 0 } });
  });

  it('is settled by a positionUpdate that carries its reference', () => {
    const { driver, place } = placed();
    driver.input({ type: 'failure', req: place.req, failure: 'no-answer', detail: 'reset' });
    const order = place.orders[0];
    driver.position({
      orderID: 'o0',
      odds: 110,
      offered: 100,
      filled: 0,
      remaining: 100,
      userReference: order?.ref,
    });
    expect(driver.core.status()).toMatchObject({ resting: 1, unknown: { now: 1 } });
  });

  it('is settled by a look-up by reference, fills included', () => {
    const { driver, place } = placed();
    driver.input({ type: 'failure', req: place.req, failure: 'no-answer', detail: 'reset' });
    const looks = readsIn(driver.passTime(2000)).filter((command) => command.read.what === 'reference');
    expect(looks).toHaveLength(2);
    driver.reply(looks[0]?.req ?? 0, {
      data: {
        unmatched: [{ id: 'o0', remaining: 60 }],
        matched: [{ txID: 't1', risk: 40, odds: 110 }],
        graded: [],
      },
    });
    expect(driver.core.status()).toMatchObject({ resting: 1, fills: 1, riskFilled: 40, unknown: { now: 1 } });
  });

  it('counts as never landed only after lateArrival and two empty look-ups, and then frees its slot', () => {
    const { driver, place } = placed();
    driver.input({ type: 'failure', req: place.req, failure: 'no-answer', detail: 'reset' });
    let looked = 0;
    const answerLooks = (commands: readonly Command[]): void => {
      for (const read of readsIn(commands)) {
        if (read.read.what === 'open-orders') driver.reply(read.req, { data: { unmatched: [] } });
        if (read.read.what !== 'reference') continue;
        looked += 1;
        driver.reply(read.req, { data: { unmatched: [], matched: [], graded: [] } });
      }
    };
    for (let i = 0; i < 119; i++) answerLooks(driver.passTime(250));
    expect(looked).toBeGreaterThan(10);
    expect(driver.core.status().unknown.now).toBe(2);
    for (let i = 0; i < 30; i++) answerLooks(driver.passTime(250));
    expect(driver.core.status()).toMatchObject({ unknown: { ever: 2, now: 0 }, openOrders: 0 });
  });

  it('is not taken for absent after an empty look-up by reference when the exchange never showed a reference', () => {
    const { driver, place } = placed();
    driver.input({ type: 'failure', req: place.req, failure: 'no-answer', detail: 'reset' });
    const [home] = place.orders;
    if (home === undefined) throw new Error('no order');
    for (let i = 0; i < 160; i++)
      for (const read of readsIn(driver.passTime(250)))
        if (read.read.what === 'reference')
          driver.reply(read.req, { data: { unmatched: [], matched: [], graded: [] } });
    expect(driver.core.status().unknown.now).toBe(2);
    const list = readsIn(driver.sent).findLast(({ read }) => read.what === 'open-orders');
    // the same market, side, odds and size, and recent: the bot's own order
    const row = {
      id: 'o0',
      gameID: GAME_ID,
      type: 'moneyline',
      participantID: home.side === 'home' ? 'p-home' : 'p-away',
      odds: oddsOf(home.rung),
      risk: home.risk / 100,
      offered: home.risk / 100,
      remaining: home.risk / 100,
      filled: 0,
      createdAt: new Date(driver.wall - 39_000).toISOString(),
    };
    const former = { ...row, id: 'o-old', createdAt: new Date(driver.wall - 3_600_000).toISOString() };
    driver.reply(list?.req ?? 0, { data: { unmatched: [former, { ...row, id: 'o-size', risk: 7 }, row] } });
    expect(driver.core.status()).toMatchObject({ resting: 1, unknown: { now: 1 } });
    expect(driver.core.status().openOrders).toBe(2);
  });

  it('is settled by its own row in the public book, and by an event without a reference', () => {
    const { driver, place } = placed();
    driver.input({ type: 'failure', req: place.req, failure: 'no-answer', detail: 'reset' });
    const [home, away] = place.orders;
    if (home === undefined || away === undefined) throw new Error('no orders');
    const own = { id: 'o0', odds: oddsOf(home.rung), risk: home.risk / 100, own: true };
    driver.frame('p-home', [{ ...own, id: 'not-own', own: false }, ...HOME]);
    expect(driver.core.status().unknown.now).toBe(2);
    driver.frame('p-home', [{ ...own, createdAt: new Date(driver.wall).toISOString() }, ...HOME]);
    expect(driver.core.status()).toMatchObject({ resting: 1, unknown: { now: 1 } });
    const size = away.risk / 100;
    driver.position({
      orderID: 'o1',
      type: 'moneyline',
      side: 'p-away',
      odds: oddsOf(away.rung),
      offered: size,
      filled: 0,
      remaining: size,
    });
    expect(driver.core.status()).toMatchObject({ resting: 2, unknown: { now: 0 } });
  });

  it('leaves both halves of an edit unknown and counts the old remaining and the full new size', () => {
    const { driver, place } = placed();
    driver.accept(place, 'o');
    const [edit] = editsIn(move(driver));
    if (edit === undefined) throw new Error('no edit');
    driver.input({ type: 'failure', req: edit.req, failure: 'no-answer', detail: 'reset' });
    expect(driver.core.status()).toMatchObject({ openOrders: 4, unknown: { ever: 2 } });
    expect(driver.core.status().pnl.worst).toBeLessThan(-190);
    driver.position({ orderID: edit.orderId, odds: 110, offered: 0, filled: 0, remaining: 0 });
    expect(driver.core.status()).toMatchObject({ openOrders: 3, unknown: { now: 1 } });
  });

  it('can be cancelled as the old half of an edit when its price becomes dangerous and when the run ends', () => {
    for (const end of [false, true]) {
      const { driver, place } = placed();
      driver.accept(place, 'o');
      const [edit] = editsIn(move(driver));
      if (edit === undefined) throw new Error('no edit');
      driver.input({ type: 'failure', req: edit.req, failure: 'timeout', detail: 'slow' });
      if (end) driver.input({ type: 'operator', command: 'stop' });
      else driver.frame('p-home', [{ id: 'h8', odds: 140, risk: 200 }]);
      driver.passTime(500);
      expect(cancelsIn(driver.sent).flatMap((command) => command.orderIds)).toContain(edit.orderId);
    }
  });

  it('counts as never landed after a feed dropped, but only after more look-ups', () => {
    const { driver, place } = placed();
    driver.input({ type: 'failure', req: place.req, failure: 'no-answer', detail: 'reset' });
    driver.passTime(250);
    driver.input({ type: 'feed', feed: 'user', status: 'down', epoch: 1, reason: 'test' });
    driver.input({ type: 'feed', feed: 'user', status: 'up', epoch: 2 });
    let counted = 0;
    for (let i = 0; i < 200 && driver.core.status().unknown.now > 0; i++) {
      for (const read of readsIn(driver.passTime(250))) {
        if (read.read.what === 'open-orders') driver.reply(read.req, { data: { unmatched: [] } });
        if (read.read.what !== 'reference') continue;
        if (driver.now > 31_000) counted += 1;
        driver.reply(read.req, { data: { unmatched: [], matched: [], graded: [] } });
      }
    }
    expect(driver.core.status().unknown.now).toBe(0);
    expect(counted).toBeGreaterThanOrEqual(2 * 5);
  });

  it('is cancelled anew a moment after its cancel got no answer', () => {
    const { driver, place } = placed();
    driver.accept(place, 'o');
    const [cancel] = cancelsIn(driver.frame('p-home', [{ id: 'h2', odds: 160, risk: 200 }]));
    driver.input({ type: 'failure', req: cancel?.req ?? 0, failure: 'no-answer', detail: 'reset' });
    expect(cancelsIn(driver.sent)).toHaveLength(1);
    expect(cancelsIn(driver.passTime(750))).toHaveLength(1);
  });
});

describe('an order that the exchange refuses', () => {
  it.each([400, 403])('is never sent again unchanged after a %i', (status) => {
    const driver = new CoreDriver(coreSettings({ orders: { maxOrdersPerPlace: 1 } }));
    const places = placesIn(driver.start());
    for (const { req } of places) driver.reply(req, { error: { message: 'bad', code: status } }, status);
    expect(driver.core.status().refused).toBe(2);
    for (let minutes = 0; minutes < 10; minutes++) {
      driver.frame('p-home', HOME);
      driver.frame('p-away', AWAY);
      expect(placesIn(driver.passTime(60_000))).toEqual([]);
    }
    expect(placesIn(move(driver)).length).toBeGreaterThan(0);
  });

  const closed = (): CoreDriver => {
    const { driver, place } = placed();
    const error = { error: 'Game has been taken OTB or is graded', errorType: 'validation_error' };
    driver.reply(place.req, { data: { createdSessions: place.orders.map(() => error) } });
    expect(driver.core.status().refused).toBe(2);
    return driver;
  };
  const books = (driver: CoreDriver): void => {
    driver.frame('p-home', HOME);
    driver.frame('p-away', AWAY);
  };

  it('is sent again when its market reopens, after a refusal in a batch', () => {
    const driver = closed();
    const send = (messageType: string) => {
      const data = JSON.stringify({ ...(gameEntry(HOME, AWAY) as object), messageType });
      return driver.input({ type: 'frame', feed: 'prices', epoch: 1, event: 'gameUpdate', data });
    };
    books(driver);
    expect(placesIn(driver.passTime(2000))).toEqual([]);
    send('marketClosed');
    driver.passTime(2000);
    expect(placesIn([...send('marketOpen'), ...driver.passTime(500)])).toHaveLength(1);
  });

  it('is sent again unchanged less and less often while nothing of its game changes', () => {
    const driver = closed();
    const sent: number[] = [];
    for (let seconds = 1; seconds <= 300; seconds++) {
      books(driver);
      for (const { req, orders } of placesIn(driver.passTime(1000))) {
        sent.push(seconds);
        const error = { error: 'no', errorType: 'validation_error' };
        driver.reply(req, { data: { createdSessions: orders.map(() => error) } });
        driver.permits('place', 1);
      }
    }
    // after 30, 60 and 120 s
    expect(sent).toHaveLength(3);
    expect(sent[0]).toBeGreaterThanOrEqual(29);
  });

  it('waits retryAfterSeconds after a 429 and holds the permit pool for as long', () => {
    const { driver, place } = placed();
    const commands = driver.input({
      type: 'reply',
      req: place.req,
      status: 429,
      retryAfterSeconds: 2,
      body: {
        error: { message: 'slow down', code: 429, details: { code: 'RATE_LIMITED', retryAfterSeconds: 2 } },
      },
    });
    expect(commands).toContainEqual({ type: 'hold', bucket: 'place', forMs: 2000 });
    expect(alertsIn(commands, 'RATE_LIMITED')).toMatchObject([{ fields: { bucket: 'place', waitMs: 2000 } }]);
    expect(placesIn(driver.passTime(1500))).toEqual([]);
    expect(placesIn(driver.passTime(1000))).toHaveLength(1);
  });

  it('is looked up after a late answer says that its cancel failed, and is not cancelled meanwhile', () => {
    const { driver, place } = placed();
    driver.accept(place, 'o');
    const [cancel] = cancelsIn(driver.frame('p-home', [{ id: 'h2', odds: 160, risk: 200 }]));
    const { req = 0, orderIds = [] } = cancel ?? {};
    driver.input({ type: 'failure', req, failure: 'timeout', detail: 'no answer within 5 s' });
    const data = orderIds.map((id) => ({ success: false, sessionID: id, reason: `Order not found: ${id}` }));
    const [read] = readsIn(driver.reply(req, { data })).filter(({ read: { what } }) => what === 'order');
    expect(read?.read).toMatchObject({ what: 'order', orderId: orderIds[0] });
    expect(cancelsIn(driver.passTime(2000))).toEqual([]);
    driver.reply(read?.req ?? 0, { message: 'not found' }, 404);
    expect(cancelsIn(driver.passTime(2000))).toEqual([]);
  });

  it('is looked up when its cancel fails, and the look-up is trusted', () => {
    const { driver, place } = placed();
    driver.accept(place, 'o');
    const [cancel] = cancelsIn(driver.frame('p-home', [{ id: 'h2', odds: 160, risk: 200 }]));
    const looks = readsIn(
      driver.reply(cancel?.req ?? 0, {
        data: [
          { success: false, sessionID: 'o0' },
          { success: true, sessionID: 'o1' },
        ],
      }),
    );
    expect(looks).toMatchObject([{ read: { what: 'order' } }]);
    driver.reply(looks[0]?.req ?? 0, { error: { message: 'Order not found', code: 404 } }, 404);
    expect(driver.core.status().openOrders).toBe(0);
    expect(cancelsIn(driver.passTime(1000))).toEqual([]);
  });
});

describe('a refusal', () => {
  it('of an edit pulls the old price when it gives too much away, and leaves it when it is cautious', () => {
    const { driver, place } = placed();
    driver.accept(place, 'o');
    let commands = move(driver);
    let generous: string | undefined;
    for (let round = 0; round < 20 && commands.length > 0; round++) {
      const next: Command[] = [];
      for (const command of commands) {
        if (command.type === 'edit') {
          if (command.order.side === 'home') generous = command.orderId;
          next.push(...driver.reply(command.req, { error: { message: 'no', code: 400 } }, 400));
        }
        if (command.type === 'read')
          next.push(...driver.reply(command.req, { data: { order: { remaining: 100, offered: 100, filled: 0 } } }));
      }
      commands = next;
    }
    driver.passTime(1000);
    expect(generous).toBeDefined();
    expect(cancelsIn(driver.sent).flatMap((command) => command.orderIds)).toEqual([generous]);
  });

  it('that repeats makes the order wait longer each time', () => {
    const { driver, place } = placed();
    let pending: Place | undefined = place;
    for (let i = 0; i < 400; i++) {
      if (pending !== undefined) {
        driver.reply(pending.req, {
          data: {
            createdSessions: pending.orders.map(() => ({ error: 'x', errorType: 'rejected_liability' })),
          },
        });
      }
      driver.permits('place', 1);
      [pending] = placesIn(driver.passTime(250));
    }
    expect(placesIn(driver.sent).length).toBeLessThan(25);
  });
});

describe('own orders', () => {
  it('look up the fills that the user feed missed by their references', () => {
    const { driver, place } = placed();
    driver.accept(place, 'o');
    const [cancel] = cancelsIn(driver.frame('p-home', [{ id: 'h2', odds: 160, risk: 200 }]));
    driver.reply(cancel?.req ?? 0, {
      data: cancel?.orderIds.map((id) => ({ success: true, sessionID: id, filled: id === 'o0' ? 40 : 0 })),
    });
    const [look] = readsIn(driver.passTime(1000)).filter((command) => command.read.what === 'reference');
    driver.reply(look?.req ?? 0, {
      data: { unmatched: [], matched: [{ txID: 't9', risk: 40, odds: 110 }], graded: [] },
    });
    expect(driver.core.status()).toMatchObject({ fills: 1, riskFilled: 40, openOrders: 0 });
    expect(readsIn(driver.passTime(5000)).filter((command) => command.read.what === 'reference')).toEqual([]);
  });

  it('count a fill once by txID, however often it is reported', () => {
    const { driver, place } = placed();
    driver.accept(place, 'o');
    const event = { orderID: 'o0', odds: 110, offered: 100, filled: 30, remaining: 70 };
    const matched = { txID: 't1', filled: 30, odds: 110 };
    driver.position(event, matched);
    driver.position(event, matched);
    expect(driver.core.status()).toMatchObject({ fills: 1, riskFilled: 30 });
  });

  it('are known from events without a reference that come before the reply', () => {
    const { driver, place } = placed();
    driver.position({
      orderID: 'o0',
      odds: oddsOf(place.orders[0]?.rung ?? (0 as never)),
      offered: 100,
      filled: 0,
      remaining: 100,
    });
    driver.position(
      { orderID: 'o0', odds: 110, offered: 100, filled: 25, remaining: 75 },
      { txID: 't1', filled: 25, odds: 110 },
    );
    expect(driver.core.status().fills).toBe(0);
    driver.accept(place, 'o');
    expect(driver.core.status()).toMatchObject({ fills: 1, riskFilled: 25, placed: 2 });
  });

  it('are filled up again when less than half is left', () => {
    const { driver, place } = placed();
    driver.accept(place, 'o');
    const home = place.orders.findIndex((order) => order.side === 'home');
    driver.position(
      { orderID: `o${home}`, odds: 110, offered: 100, filled: 80, remaining: 20 },
      { txID: 't1', filled: 80, odds: 110 },
    );
    expect(editsIn(driver.sent)[0]).toMatchObject({ orderId: `o${home}`, order: { side: 'home' } });
  });

  it('never rest twice in one slot nor cross each other, whatever the book does', () => {
    const { driver, place } = placed();
    /** The resting orders of the exchange, by id. */
    const resting = new Map<string, { side: string; rung: number }>();
    driver.accept(place, 'o');
    place.orders.forEach((order, index) => resting.set(`o${index}`, order));
    let answered = driver.sent.length;
    let id = 0;
    const answerAll = (): void => {
      for (; answered < driver.sent.length; answered++) {
        const command = driver.sent[answered];
        id += 1;
        if (command?.type === 'place') {
          command.orders.forEach((order, index) => resting.set(`p${id}-${index}`, order));
          driver.accept(command, `p${id}-`);
        } else if (command?.type === 'edit') {
          resting.delete(command.orderId);
          resting.set(`e${id}`, command.order);
          driver.reply(command.req, {
            data: { cancelled: { success: true }, matched: [], unmatched: { orderID: `e${id}` } },
          });
        } else if (command?.type === 'cancel') {
          for (const orderId of command.orderIds) resting.delete(orderId);
          driver.reply(command.req, {
            data: command.orderIds.map((orderId) => ({ success: true, sessionID: orderId })),
          });
        }
        const rungs = { home: [] as number[], away: [] as number[] };
        for (const order of resting.values()) rungs[order.side as 'home' | 'away'].push(order.rung);
        expect(rungs.home.length).toBeLessThanOrEqual(1);
        expect(rungs.away.length).toBeLessThanOrEqual(1);
        if (rungs.home[0] !== undefined && rungs.away[0] !== undefined)
          expect(rungs.home[0] + rungs.away[0]).toBeGreaterThan(0);
      }
    };
    for (let step = 0; step < 300; step++) {
      const shift = Math.round(Math.sin(step * 0.15) * 40);
      const odds = (points: number): number => (points >= 0 ? 100 + points : points - 100);
      driver.frame('p-home', [{ id: `h${step}`, odds: odds(8 + shift), risk: 200 }]);
      answerAll();
      driver.frame('p-away', [{ id: `a${step}`, odds: odds(8 - shift), risk: 200 }]);
      answerAll();
      driver.permits('place', 1);
      driver.permits('cancel', 1);
      driver.passTime(250);
      answerAll();
    }
    expect(driver.core.status().edited).toBeGreaterThan(20);
  });
});

describe('the end of a run', () => {
  const answerLists = (
    driver: CoreDriver,
    commands: readonly Command[],
    rows: readonly unknown[],
  ): readonly Command[] =>
    readsIn(commands)
      .filter((command) => command.read.what === 'open-orders')
      .flatMap((command) => driver.reply(command.req, { data: { unmatched: rows } }));

  it('cancels all known orders at once, reads the list twice a second apart, and exits 0', () => {
    const { driver, place } = placed();
    const ids = driver.accept(place, 'o');
    const [cancel] = cancelsIn(driver.input({ type: 'operator', command: 'stop' }));
    expect([...(cancel?.orderIds ?? [])].sort()).toEqual([...ids].sort());
    const after = driver.reply(cancel?.req ?? 0, {
      data: ids.map((id) => ({ success: true, sessionID: id })),
    });
    expect(exitsIn(answerLists(driver, after, []))).toEqual([]);
    const later = driver.passTime(1250);
    expect(exitsIn(answerLists(driver, later, []))).toMatchObject([{ code: 0 }]);
    expect(driver.core.status()).toMatchObject({ openAtExit: 0, cancelled: 2 });
    expect(placesIn(driver.sent)).toHaveLength(1);
  });

  it('reads the last matched plays again until they can be read', () => {
    const { driver, place } = placed();
    const [id = ''] = driver.accept(place, 'o');
    const [cancel] = cancelsIn(driver.input({ type: 'operator', command: 'stop' }));
    const data = (cancel?.orderIds ?? []).map((sessionID) => ({ success: true, sessionID }));
    const matchedBets = [
      { txID: 't1', gameID: GAME_ID, type: 'moneyline', side: 'p-home', odds: 109, risk: 40, orderID: id },
    ];
    driver.lastPlays = ['nonsense', { matchedBets }];
    answerLists(driver, driver.reply(cancel?.req ?? 0, { data }), []);
    expect(exitsIn(answerLists(driver, driver.passTime(1250), []))).toEqual([]);
    expect(exitsIn(driver.passTime(1000))).toMatchObject([{ code: 0 }]);
    expect(driver.core.status()).toMatchObject({ openAtExit: 0, fills: 1 });
  });

  it('exits 0 although the last matched plays cannot be read: nothing is open', () => {
    const { driver, place } = placed();
    driver.accept(place, 'o');
    const [cancel] = cancelsIn(driver.input({ type: 'operator', command: 'stop' }));
    const data = (cancel?.orderIds ?? []).map((sessionID) => ({ success: true, sessionID }));
    driver.lastPlays = new Array<unknown>(1000).fill('nonsense');
    answerLists(driver, driver.reply(cancel?.req ?? 0, { data }), []);
    answerLists(driver, driver.passTime(1250), []);
    expect(exitsIn(driver.passTime(36_000))).toMatchObject([{ code: 0 }]);
    expect(driver.core.status().openAtExit).toBe(0);
  });

  it('cancels an own order that only the list shows, and leaves foreign orders alone', () => {
    const { driver, place } = placed();
    const ids = driver.accept(place, 'o');
    const [cancel] = cancelsIn(driver.input({ type: 'operator', command: 'stop' }));
    const after = driver.reply(cancel?.req ?? 0, {
      data: ids.map((id) => ({ success: true, sessionID: id })),
    });
    const commands = answerLists(driver, after, [
      { id: 'mine', userReference: 'a.main.#0.old-1', remaining: 5 },
      { id: 'foreign', userReference: 'web', remaining: 5 },
    ]);
    expect(cancelsIn(commands)).toMatchObject([{ orderIds: ['mine'] }]);
  });

  it('cancels all own orders that only the list shows, in several requests when one has no room', () => {
    const common = coreSettings().orders;
    const driver = new CoreDriver(coreSettings({ orders: { ...common, maxIdsPerCancel: 2 } }));
    driver.start([], [], { place: 0, cancel: 3 });
    const commands = driver.input({ type: 'operator', command: 'stop' });
    const rows = ['1', '2', '3', '4', '5'].map((n) => ({ id: n, userReference: `a.main.#0.old-${n}`, remaining: 5 }));
    const cancels = cancelsIn(answerLists(driver, commands, rows));
    expect(cancels.map(({ orderIds }) => orderIds)).toEqual([['1', '2'], ['3', '4'], ['5']]);
  });

  it('exits 74 when the exchange does not confirm it', () => {
    const { driver, place } = placed();
    driver.accept(place, 'o');
    driver.input({ type: 'operator', command: 'stop' });
    expect(exitsIn(driver.passTime(36_000))).toMatchObject([
      { code: 74, reason: expect.stringContaining('2 orders are not settled') as string },
    ]);
    expect(driver.core.status().openAtExit).toBeUndefined();
  });

  it('exits 74 and names the orders that a list still shows', () => {
    const driver = new CoreDriver();
    driver.start([], []);
    const commands = driver.input({ type: 'operator', command: 'stop' });
    answerLists(driver, commands, [{ id: 'mine', userReference: 'a.main.#0.old-1', remaining: 5 }]);
    expect(exitsIn(driver.passTime(36_000))).toMatchObject([
      { code: 74, reason: expect.stringContaining('1 orders are not settled') as string },
    ]);
    expect(alertsIn(driver.sent, 'STOP_NOT_CONFIRMED')).toMatchObject([{ fields: { ids: ['mine'] } }]);
  });

  it('exits 74 when no order is known to be open and no list confirms it', () => {
    const driver = new CoreDriver();
    driver.start([], []);
    driver.input({ type: 'operator', command: 'stop' });
    expect(exitsIn(driver.passTime(36_000))).toMatchObject([
      { code: 74, reason: expect.stringContaining('did not list') as string },
    ]);
  });

  it('sends cancelAllOrders and exits 74 when it is aborted', () => {
    const { driver } = placed();
    driver.input({ type: 'operator', command: 'stop' });
    const commands = driver.input({ type: 'operator', command: 'abort' });
    expect(commands.map((command) => command.type)).toEqual(['cancel-all', 'exit']);
  });

  it('leaves its orders when the configuration says so', () => {
    const driver = new CoreDriver(coreSettings({ onExit: 'leave' }));
    const [place] = placesIn(driver.start(HOME, AWAY));
    if (place === undefined) throw new Error('no place');
    driver.accept(place, 'o');
    const commands = driver.input({ type: 'operator', command: 'stop' });
    expect(cancelsIn(commands)).toEqual([]);
    expect(exitsIn(commands)).toMatchObject([{ code: 0 }]);
    expect(driver.core.status().openAtExit).toBe(2);
  });
});

describe('a request that the bot itself held back', () => {
  it('is not counted as refused and is sent soon after it is allowed, however long that took', () => {
    const { driver, place } = placed();
    const hold = (commands: readonly Command[]): void => {
      for (const { req } of placesIn(commands))
        driver.input({ type: 'failure', req, failure: 'not-sent', detail: 'a fence stands' });
    };
    hold([place]);
    for (let seconds = 0; seconds < 7; seconds += 0.5) {
      driver.permits('place', 1);
      hold(driver.passTime(500));
    }
    expect(driver.core.status()).toMatchObject({ openOrders: 0, refused: 0, unknown: { ever: 0 } });
    expect(placesIn([...driver.permits('place', 1), ...driver.passTime(500)])).toHaveLength(1);
  });
});

describe('a 429 that the bot accepts', () => {
  it('gives back permits in hand when they are recalled', () => {
    const { driver } = placed();
    const commands = driver.input({ type: 'recall', bucket: 'cancel', permits: 4 });
    expect(commands).toEqual([{ type: 'return', bucket: 'cancel', permits: [27, 28, 29, 30] }]);
    expect(driver.core.status().permits.cancel).toBe(26);
  });
});

const cancelled = (driver: CoreDriver): ReadonlySet<string> =>
  new Set(cancelsIn(driver.sent).flatMap(({ orderIds }) => orderIds));

describe('the old half of an edit', () => {
  const list = (driver: CoreDriver, place: Place): void => {
    driver.census = undefined;
    driver.input({ type: 'feed', feed: 'user', status: 'down', epoch: 1 });
    driver.passTime(500);
    driver.input({ type: 'feed', feed: 'user', status: 'up', epoch: 2 });
    driver.passTime(2500);
    const unmatched = place.orders.map(({ ref, side, rung, risk }, index) => ({
      id: `o${index}`,
      gameID: GAME_ID,
      userReference: ref,
      type: 'moneyline',
      side: `p-${side}`,
      odds: oddsOf(rung),
      risk: risk / 100,
      offered: risk / 100,
      remaining: risk / 100,
      filled: 0,
    }));
    const read = readsIn(driver.sent).findLast((command) => command.read.what === 'open-orders');
    if (read === undefined) throw new Error('no list is read');
    driver.reply(read.req, { data: { unmatched } });
    const plays = readsIn(driver.sent).findLast((command) => command.read.what === 'plays');
    if (plays !== undefined) driver.reply(plays.req, { data: { matchedBets: [] } });
  };

  it.each([
    ['no source has shown it', false],
    ['a list has shown that it rests', true],
  ])('is pulled when quoting stops after the edit got no answer and %s', (_evidence, isListed) => {
    const { driver, place } = placed();
    driver.accept(place, 'o');
    driver.passTime(1000);
    const edits = editsIn(move(driver));
    driver.passTime(5000);
    for (const { req } of edits) driver.input({ type: 'failure', req, failure: 'timeout', detail: 'slow' });
    if (isListed) list(driver, place);
    driver.input({ type: 'operator', command: 'pause' });
    driver.passTime(15_000);
    expect(edits.length).toBeGreaterThan(0);
    for (const { orderId } of edits) expect(cancelled(driver)).toContain(orderId);
  });

  it.each([403, 404, 409])('is pulled although its look-up fails, after the edit was refused with %i', (status) => {
    const { driver, place } = placed();
    driver.accept(place, 'o');
    driver.passTime(1000);
    const [edit] = editsIn(move(driver));
    if (edit === undefined) throw new Error('no edit');
    driver.reply(edit.req, {}, status);
    driver.input({ type: 'operator', command: 'pause' });
    const asked = new Set<number>();
    for (let left = 20; left > 0; left--) {
      for (const { req, read } of readsIn(driver.sent)) {
        if (read.what !== 'order' || asked.has(req)) continue;
        asked.add(req);
        driver.reply(req, {}, 500);
      }
      driver.passTime(500);
    }
    expect(asked.size).toBeGreaterThan(0);
    expect(cancelled(driver)).toContain(edit.orderId);
  });

  it('is looked up when the answer says that it was not cancelled and that the new order rests', () => {
    const { driver, place } = placed();
    driver.accept(place, 'o');
    driver.passTime(1000);
    const [edit] = editsIn(move(driver));
    if (edit === undefined) throw new Error('no edit');
    const { ref, rung, risk } = edit.order;
    const size = { offered: risk / 100, remaining: risk / 100, odds: oddsOf(rung), userReference: ref };
    const answer = { matched: [], unmatched: { orderID: 'n0', ...size } };
    const commands = driver.reply(edit.req, {
      data: { cancelled: { success: false, orderID: edit.orderId }, ...answer },
    });
    expect(readsIn(commands)).toMatchObject([{ read: { what: 'order', orderId: edit.orderId } }]);
    // both halves of this edit and both of the other edit
    expect(driver.core.status().openOrders).toBe(4);
  });
});

it('an edit whose answer says that nothing was done leaves the old order, and nothing unknown', () => {
  const { driver, place } = placed();
  driver.accept(place, 'o');
  driver.passTime(1000);
  const [edit] = editsIn(move(driver));
  if (edit === undefined) throw new Error('no edit');
  const before = driver.core.status();
  const cancelResult = { success: false, orderID: edit.orderId, reason: 'busy' };
  const commands = driver.reply(edit.req, { data: { cancelled: cancelResult, matched: [], unmatched: {} } });
  expect(alertsIn(commands, 'ORDER_REFUSED')).toMatchObject([{ fields: { ref: edit.order.ref, reason: 'busy' } }]);
  const look = readsIn(commands).find(({ read }) => read.what === 'order');
  expect(look?.read).toMatchObject({ orderId: edit.orderId });
  expect(driver.core.status().unknown).toEqual(before.unknown);
  driver.reply(look?.req ?? -1, {
    data: { order: { id: edit.orderId, remaining: 100, filled: 0, offered: 100 } },
  });
  // a price that gives too much away is pulled at once, as after any refused edit
  driver.passTime(2000);
  expect(cancelled(driver)).toContain(edit.orderId);
  expect(driver.core.status().unknown).toEqual(before.unknown);
});

describe('an order that the account cannot afford', () => {
  const POOR = { error: 'Order size exceeds available credit', errorType: 'rejected_liability' };
  it('is not sent again unchanged for a while, and the balance of the account is read', () => {
    const { driver, place } = placed();
    driver.reply(place.req, { data: { createdSessions: place.orders.map(() => POOR) } });
    const commands = driver.passTime(10_000);
    expect(placesIn(commands)).toEqual([]);
    expect(readsIn(commands).map(({ read }) => read.what)).toContain('user');
    // another price is another order
    expect(placesIn(move(driver))).toHaveLength(1);
  });
});

describe('a cancel that must wait', () => {
  const full = (): { driver: CoreDriver; place: Place } => {
    const risk = { ...coreSettings().orders.risk, maxOpenOrders: 2 };
    const driver = new CoreDriver(coreSettings({ orders: { risk } }));
    const [place] = placesIn(driver.start());
    if (place === undefined) throw new Error('no place');
    driver.accept(place, 'o');
    driver.passTime(1000);
    return { driver, place };
  };

  it('waits also when it replaces an edit that a limit denies', () => {
    const { driver } = full();
    driver.input({ type: 'operator', command: 'pause' });
    const [cancel] = cancelsIn(driver.sent);
    if (cancel === undefined) throw new Error('no cancel');
    driver.input({ type: 'reply', req: cancel.req, status: 429, body: {}, retryAfterSeconds: 20 });
    driver.input({ type: 'operator', command: 'resume' });
    const from = driver.sent.length;
    for (let seconds = 0; seconds < 19; seconds++) {
      move(driver);
      driver.passTime(1000);
    }
    expect(cancelsIn(driver.sent.slice(from))).toEqual([]);
    move(driver);
    driver.passTime(2000);
    expect(cancelsIn(driver.sent.slice(from)).length).toBeGreaterThan(0);
  });

  it('is sent less and less often when it has no effect and replaces a denied edit', () => {
    const { driver } = full();
    const shy = (): void => {
      driver.frame('p-home', [{ id: 'h2', odds: 112, risk: 300 }]);
      driver.frame('p-away', [{ id: 'a2', odds: 100, risk: 300 }]);
    };
    const answered = new Set<number>();
    let cancels = 0;
    for (let left = 80; left > 0; left--) {
      shy();
      for (const command of [...driver.sent]) {
        if (!('req' in command) || answered.has(command.req)) continue;
        answered.add(command.req);
        if (command.type === 'cancel') {
          cancels += 1;
          driver.permits('cancel', 1);
          const data = command.orderIds.map((id) => ({ success: false, sessionID: id }));
          driver.reply(command.req, { data });
        } else if (command.type === 'read' && command.read.what === 'order')
          driver.reply(command.req, { data: { order: { remaining: 100, offered: 100, filled: 0 } } });
      }
      driver.passTime(250);
    }
    // both orders: at once, again, and after 1, 2, 4 and 8 s
    expect(cancels).toBeGreaterThan(2);
    expect(cancels).toBeLessThanOrEqual(12);
  });
});
