// The bot's belief against the truth at the exchange: the exchange reports one thing and does another, and
// ids turn out to belong to another order while a request is in flight. Whatever was reported, each resting
// order is found, counted and cancelled.
import { describe, expect, it } from 'vitest';
import type { Command, NewOrder, OrderId } from '../../src/domain/index.ts';
import { oddsOf } from '../../src/domain/index.ts';
import { Account } from '../../src/account/index.ts';
import { DEFAULT_PROFILE } from '../../src/wire/index.ts';
import {
  alertsIn,
  AWAY,
  cancelsIn,
  CoreDriver,
  coreSettings,
  editsIn,
  exitsIn,
  GAME_ID,
  HOME,
  placesIn,
  readsIn,
} from '../support/core-driver.ts';

/** The exchange's resting orders. Answers each request but those that the test answers itself. */
class Exchange {
  readonly driver: CoreDriver;
  readonly open = new Map<string, Readonly<Record<string, unknown>>>();
  /** Requests that the test answers. */
  readonly held = new Set<Command>();
  trails = 0;
  /** Number of look-ups of orders by id. They are answered with 500 while `lookUpsFail`. */
  lookUps = 0;
  lookUpsFail = false;
  /** An order that no cancel ends: its cancel has no success, or the whole request fails with this status. */
  stuck: { readonly id: string; readonly status: number } | undefined;
  plays: readonly unknown[] = [];
  graded: readonly unknown[] = [];

  constructor(driver: CoreDriver) {
    this.driver = driver;
  }

  rest(id: string, { ref, rung, side }: NewOrder): Readonly<Record<string, unknown>> {
    const place = { gameID: GAME_ID, type: 'moneyline', side: `p-${side}` };
    const size = { risk: 100, offered: 100, remaining: 100, filled: 0 };
    this.open.set(id, { id, orderID: id, ...place, odds: oddsOf(rung), userReference: ref, ...size });
    return this.open.get(id) ?? {};
  }

  settle(commands: readonly Command[]): void {
    for (const command of commands) if (!this.held.has(command)) this.#answer(command);
  }

  live(seconds: number): void {
    for (let elapsedSeconds = 0; elapsedSeconds < seconds; elapsedSeconds += 0.25)
      this.settle(this.driver.passTime(250));
  }

  #answer(command: Command): void {
    const reply = (body: unknown, status?: number): void =>
      this.settle(this.driver.reply('req' in command ? command.req : 0, body, status));
    if (command.type === 'place')
      reply({
        data: {
          createdSessions: command.orders.map((order) => ({
            matched: [],
            unmatched: this.rest(`o-${order.ref}`, order),
          })),
        },
      });
    else if (command.type === 'edit') {
      this.open.delete(command.orderId);
      const cancelled = { success: true, orderID: command.orderId, filled: 0, remaining: 100, offered: 0 };
      reply({
        data: { cancelled, matched: [], unmatched: this.rest(`o-${command.order.ref}`, command.order) },
      });
    } else if (command.type === 'cancel') {
      const { stuck = { id: '', status: 0 } } = this;
      if (stuck.status >= 400 && command.orderIds.some((id) => id === stuck.id)) reply({}, stuck.status);
      else
        reply({
          data: command.orderIds.map((sessionID) => ({
            sessionID,
            success: sessionID !== stuck.id && this.open.delete(sessionID),
            filled: 0,
          })),
        });
      this.settle(this.driver.permits('cancel', 1));
    } else if (command.type === 'read') {
      const { read } = command;
      const rows = [...this.open.values()];
      if (read.what === 'open-orders') reply({ data: { unmatched: rows } });
      else if (read.what === 'plays') reply({ data: { matchedBets: this.plays } });
      else if (read.what === 'user') reply({ data: { user: { id: 'u', username: 'demo', playerMode: 'coins' } } });
      else if (read.what === 'order') {
        this.lookUps += 1;
        if (this.lookUpsFail) {
          reply({}, 500);
          return;
        }
        const order = this.open.get(read.orderId);
        reply(order === undefined ? {} : { data: { order } }, order === undefined ? 404 : 200);
      } else if (read.what === 'play') {
        const isIt = (play: unknown): boolean => (play as { readonly txID?: string }).txID === read.txId;
        reply({ bet: [...this.graded, ...this.plays].find(isIt) });
      } else if (read.what === 'reference') {
        this.trails += 1;
        const isIts = (row: unknown): boolean =>
          (row as { readonly userReference?: string }).userReference === read.ref;
        reply({
          data: {
            unmatched: rows.filter(isIts),
            matched: this.plays.filter(isIts),
            graded: this.graded.filter(isIts),
          },
        });
      }
    }
  }
}

const pause = (driver: CoreDriver): readonly Command[] => driver.input({ type: 'operator', command: 'pause' });

it('an order that is reported as cancelled but still rests is cancelled again', () => {
  const driver = new CoreDriver();
  const exchange = new Exchange(driver);
  exchange.settle(driver.start());
  expect(exchange.open.size).toBe(2);
  for (const { req, orderIds } of cancelsIn(pause(driver)))
    exchange.settle(
      driver.reply(req, { data: orderIds.map((sessionID) => ({ success: true, sessionID, filled: 0 })) }),
    );
  expect(driver.core.status().openOrders).toBe(0);
  exchange.live(90);
  expect([...exchange.open.keys()]).toEqual([]);
  // each request was answered
  expect(driver.core.status().unknown).toEqual({ ever: 0, now: 0 });
});

it('an order that is reported as refused but rests is found by the list and cancelled', () => {
  const driver = new CoreDriver();
  const exchange = new Exchange(driver);
  const [place] = placesIn(driver.start());
  for (const order of place?.orders ?? []) exchange.rest(`o-${order.ref}`, order);
  const refused = (place?.orders ?? []).map(() => ({ error: 'no', errorType: 'validation_error' }));
  driver.reply(place?.req ?? 0, { data: { createdSessions: refused } });
  expect(driver.core.status()).toMatchObject({ refused: 2, openOrders: 0 });
  exchange.settle(pause(driver));
  exchange.live(90);
  expect([...exchange.open.keys()]).toEqual([]);
});

/**
 * Two equal orders rest as `yA` and `yB`. The feed reported `yB` without a reference, and the first order
 * took that id.
 */
const alike = () => {
  const settings = coreSettings();
  const strategies = ['one', 'two'].map((id) => ({ ...settings.strategies[0], id })) as never;
  const driver = new CoreDriver(coreSettings({ strategies }));
  const exchange = new Exchange(driver);
  const [place] = placesIn(driver.start());
  const [a, b] = place?.orders.filter(({ side }) => side === 'home') ?? [];
  if (place === undefined || a === undefined || b === undefined) throw new Error('no two alike');
  driver.input({ type: 'failure', req: place.req, failure: 'timeout', detail: 'slow' });
  const createdSessions = place.orders.map((order) => ({
    matched: [],
    unmatched: exchange.rest(order === a ? 'yA' : order === b ? 'yB' : `y-${order.ref}`, order),
  }));
  const odds = oddsOf(a.rung);
  const seen = { odds, type: 'moneyline', side: 'p-home', offered: 100 };
  driver.position({ orderID: 'yB', ...seen, filled: 0, remaining: 100 });
  const late = (): readonly Command[] => driver.reply(place.req, { data: { createdSessions } });
  return { driver, exchange, late, odds, seen, a, b, place };
};

describe('two equal orders in one place request that timed out', () => {
  it('lets the order be cancelled under its own id after a cancel under the mistaken id', () => {
    const { driver, exchange, late } = alike();
    const paused = pause(driver);
    const [cancel] = cancelsIn(paused);
    expect(cancel?.orderIds).toEqual(['yB']);
    for (const command of paused) exchange.held.add(command);
    exchange.settle(late());
    exchange.held.clear();
    exchange.settle(paused);
    exchange.live(60);
    expect([...exchange.open.keys()]).toEqual([]);
    const stop = driver.input({ type: 'operator', command: 'stop' });
    exchange.settle(stop);
    exchange.live(20);
    expect(exitsIn([...stop, ...driver.sent])).toMatchObject([{ code: 0 }]);
  });

  it('lets the order be cancelled under its own id after an edit under the mistaken id', () => {
    const { driver, exchange, late, seen } = alike();
    const moved = [...driver.frame('p-home', [{ id: 'h9', odds: 125, risk: 200 }]), ...driver.permits('place', 1)];
    const edit = editsIn(moved).find(({ orderId }) => orderId === 'yB');
    if (edit === undefined) throw new Error('nothing is edited');
    exchange.held.add(edit);
    exchange.settle(moved);
    exchange.settle(late());
    exchange.held.clear();
    exchange.settle([edit]);
    exchange.settle(driver.position({ orderID: 'yB', ...seen, offered: 0, filled: 0, remaining: 0 }));
    exchange.settle(pause(driver));
    exchange.live(60);
    expect([...exchange.open.keys()]).toEqual([]);
    expect(driver.core.status().openOrders).toBe(0);
  });

  it('does not look for the missing fills of the mistaken id under the other id', () => {
    const { driver, exchange, late, odds, seen, b } = alike();
    // 60 were taken in all, and an event of 20 was lost
    driver.position({ orderID: 'yB', ...seen, filled: 60, remaining: 40 }, { txID: 't1', filled: 40, odds });
    const place = { gameID: GAME_ID, type: 'moneyline', side: 'p-home', odds, orderID: 'yB' };
    exchange.plays = [
      { txID: 't1', ...place, risk: 40, amount: 40, userReference: b.ref },
      { txID: 't0', ...place, risk: 20, amount: 20, userReference: b.ref },
    ];
    exchange.settle(late());
    exchange.settle(pause(driver));
    exchange.live(300);
    expect([...exchange.open.keys()]).toEqual([]);
    expect(driver.core.status()).toMatchObject({ fills: 2, riskFilled: 60 });
    expect(driver.core.worst).toBe(-60);
    expect(exchange.trails).toBeLessThan(10);
  });
});

describe('an order whose id was guessed from odds and size and belongs to another order', () => {
  it.each(['cancelled', 'filled'] as const)(
    'is found and cancelled after the other order is reported as %s under that id',
    (how) => {
      const { driver, exchange, odds, seen, b, place } = alike();
      exchange.settle(pause(driver));
      exchange.open.delete('yB');
      const ended = { orderID: 'yB', ...seen, remaining: 0 };
      if (how === 'cancelled') exchange.settle(driver.position({ ...ended, offered: 0, filled: 0 }));
      else {
        const play = { txID: 't1', gameID: GAME_ID, type: 'moneyline', side: 'p-home', odds, orderID: 'yB' };
        exchange.plays = [{ ...play, risk: 100, amount: 100, userReference: b.ref }];
        exchange.settle(driver.position({ ...ended, filled: 100 }, { txID: 't1', filled: 100, odds }));
      }
      driver.input({ type: 'failure', req: place.req, failure: 'no-answer', detail: 'cut' });
      exchange.live(90);
      expect([...exchange.open.keys()]).toEqual([]);
      // both equal orders were cancelled by the bot, but for the one that filled
      expect(driver.core.status()).toMatchObject({ openOrders: 0, cancelled: how === 'filled' ? 3 : 4 });
      expect(driver.core.worst).toBe(how === 'filled' ? -100 : 0);
    },
  );

  it.each([true, false])(
    'does not stay open without an id after an edit under that id is refused (the order landed: %s)',
    (landed) => {
      const { driver, exchange, b } = alike();
      const moved = [...driver.frame('p-home', [{ id: 'h9', odds: 125, risk: 200 }]), ...driver.permits('place', 1)];
      const edit = editsIn(moved).find(({ orderId }) => orderId === 'yB');
      const row = { orderID: 'yB', odds: oddsOf(b.rung), offered: 100, filled: 0, remaining: 100 };
      const after = driver.position({ ...row, userReference: b.ref });
      if (!landed) exchange.open.delete('yA');
      exchange.settle(driver.reply(edit?.req ?? 0, { error: { message: 'slow down' } }, 429));
      exchange.settle(after);
      exchange.settle(pause(driver));
      exchange.live(120);
      expect([...exchange.open.keys()]).toEqual([]);
      expect(driver.core.status().openOrders).toBe(0);
      expect(driver.core.worst).toBe(0);
    },
  );

  it('settles the fills under that id with the order that they belong to', () => {
    const { driver, exchange, late, odds, seen, b } = alike();
    driver.position({ orderID: 'yB', ...seen, filled: 40, remaining: 60 }, { txID: 't1', filled: 40, odds });
    const play = { txID: 't1', gameID: GAME_ID, type: 'moneyline', side: 'p-home', odds, orderID: 'yB' };
    exchange.plays = [{ ...play, risk: 40, amount: 40, userReference: b.ref }];
    exchange.settle(late());
    exchange.settle(pause(driver));
    exchange.live(60);
    expect(driver.core.worst).toBe(-40);
    exchange.plays = [];
    exchange.graded = [{ ...play, risk: 40, userReference: b.ref, graded: true, profit: 43.6 }];
    const data = JSON.stringify({ id: GAME_ID, messageType: 'marketClosed', ended: true });
    driver.input({ type: 'frame', feed: 'prices', epoch: 1, event: 'gameUpdate', data });
    exchange.live(180);
    expect([driver.core.worst, driver.core.realized]).toEqual([0, 43.6]);
  });
});

describe('an order that is shown as open after its cancel', () => {
  /** Answers each request after 50 ms. `cancelled` makes the answer to a cancel. */
  const cancelsIn3Minutes = (
    driver: CoreDriver,
    exchange: Exchange,
    cancelled: (ids: readonly string[]) => readonly [unknown, number],
  ) => {
    const shown = new Map(exchange.open);
    let queue: { readonly at: number; readonly command: Command }[] = [];
    let cancels = 0;
    /** When the first order was cancelled, in ms. */
    const times: number[] = [];
    /** For each CANCEL_WITHOUT_EFFECT alert: how often the first order had been cancelled by then. */
    const alertedAfter: number[] = [];
    const heed = (commands: readonly Command[]): void => {
      for (const command of commands) {
        if (command.type === 'cancel' || command.type === 'read') queue.push({ at: driver.now + 50, command });
        if (command.type === 'alert' && command.code === 'CANCEL_WITHOUT_EFFECT') alertedAfter.push(times.length);
      }
    };
    const answer = (command: Command): readonly Command[] => {
      if (command.type === 'cancel') {
        cancels += 1;
        if (command.orderIds.includes('o-a.main.#0.run-1' as OrderId)) times.push(driver.now);
        const [body, status] = cancelled(command.orderIds);
        return driver.reply(command.req, body, status);
      }
      if (command.type !== 'read') return [];
      const { req, read } = command;
      if (read.what === 'order') {
        const order = shown.get(read.orderId);
        return driver.reply(req, { data: { order } }, order === undefined ? 404 : 200);
      }
      if (read.what === 'open-orders') return driver.reply(req, { data: { unmatched: [...shown.values()] } });
      return driver.reply(req, read.what === 'plays' ? { data: { matchedBets: [] } } : {});
    };
    heed(pause(driver));
    for (let elapsedMs = 0; elapsedMs < 180_000; elapsedMs += 25) {
      driver.now += 25;
      driver.wall += 25;
      if (elapsedMs % 1000 === 0) heed(driver.permits('cancel', 15));
      heed(driver.input({ type: 'tick' }));
      const due = queue.filter((queued) => queued.at <= driver.now);
      queue = queue.filter((queued) => queued.at > driver.now);
      for (const { command } of due) heed(answer(command));
    }
    return { cancels, alertedAfter, waits: times.slice(1).map((timeMs, index) => timeMs - (times[index] ?? 0)) };
  };

  it.each<[string, (ids: readonly string[]) => readonly [unknown, number]]>([
    ['404', ([id]) => [{ message: `Order not found: ${id ?? ''}` }, 404]],
    ['no', (ids) => [{ data: ids.map((sessionID) => ({ success: false, sessionID, reason: 'not now' })) }, 200]],
  ])(
    'is cancelled less and less often and still counts in exposure (answer to the cancel: %s)',
    (_answerName, answer) => {
      const driver = new CoreDriver();
      const exchange = new Exchange(driver);
      exchange.settle(driver.start());
      const { cancels, alertedAfter, waits } = cancelsIn3Minutes(driver, exchange, answer);
      expect(cancels).toBeGreaterThan(4);
      expect(cancels).toBeLessThan(30);
      expect(alertedAfter).toEqual([4, 4]);
      // at once, then after a second, and twice as late each time; a look-up and a cancel take 50 ms each
      expect(waits.slice(0, 7)).toEqual([100, 1100, 2100, 4100, 8100, 10_100, 10_100]);
      expect(driver.core.status().openOrders).toBe(2);
      expect(driver.core.worst).toBe(-100);
      // a stop does not wait for the next attempt
      const stop = driver.input({ type: 'operator', command: 'stop' });
      expect(cancelsIn([...stop, ...driver.permits('cancel', 3), ...driver.passTime(500)])).not.toEqual([]);
    },
  );
});

describe('cancels that are answered at once, for ten seconds', () => {
  /** The number of cancels, and the number sent right after the first answer. */
  const cancelsIn10Seconds = (body: unknown, status: number) => {
    const driver = new CoreDriver();
    new Exchange(driver).settle(driver.start());
    const counts: number[] = [];
    let waiting = cancelsIn(pause(driver));
    for (let elapsedMs = 0; elapsedMs < 10_000; elapsedMs += 50) {
      counts.push(waiting.length);
      const answered = waiting.flatMap(({ req }) => driver.reply(req, body, status));
      waiting = cancelsIn([...answered, ...driver.permits('cancel', 1), ...driver.passTime(50)]);
    }
    return { all: counts.reduce((sum, count) => sum + count, 0), next: counts[1] };
  };

  it('are repeated twice a second when the answers are malformed', () => {
    const { all } = cancelsIn10Seconds({ data: [] }, 200);
    expect(all).toBeGreaterThan(10);
    expect(all).toBeLessThan(25);
  });

  it('are repeated once a second when the answers are 500', () => {
    const { all } = cancelsIn10Seconds({}, 500);
    expect(all).toBeGreaterThan(5);
    expect(all).toBeLessThan(12);
  });

  it('are repeated at once only the first time when the answers are 401: the new token is refused as well', () => {
    const { all, next } = cancelsIn10Seconds({}, 401);
    expect(next).toBe(1);
    expect(all).toBeGreaterThan(5);
    expect(all).toBeLessThan(15);
  });
});

it('two cancels that were sent with a token that is then refused are both repeated at once', () => {
  const common = coreSettings().orders;
  const driver = new CoreDriver(coreSettings({ orders: { ...common, maxIdsPerCancel: 1 } }));
  new Exchange(driver).settle(driver.start());
  const cancels = cancelsIn(pause(driver));
  expect(cancels).toHaveLength(2);
  driver.passTime(50);
  const again = cancels.flatMap(({ req }) => driver.reply(req, {}, 401));
  expect(cancelsIn([...again, ...driver.permits('cancel', 2)])).toHaveLength(2);
});

it('two cancels in flight are not repeated at the speed of the round trip while every token is refused', () => {
  const common = coreSettings().orders;
  const driver = new CoreDriver(coreSettings({ orders: { ...common, maxIdsPerCancel: 1 } }));
  new Exchange(driver).settle(driver.start());
  let count = 0;
  let waiting: { readonly req: number; readonly at: number }[] = [];
  const send = (commands: readonly Command[]): void => {
    // the second answer comes after the repetition that the first answer caused has left
    for (const { req } of cancelsIn(commands)) waiting.push({ req, at: driver.now + ((count += 1) === 2 ? 90 : 60) });
  };
  send(pause(driver));
  for (let elapsedMs = 0; elapsedMs < 10_000; elapsedMs += 10) {
    const due = waiting.filter((queued) => queued.at <= driver.now);
    waiting = waiting.filter((queued) => queued.at > driver.now);
    for (const { req } of due) send(driver.reply(req, {}, 401));
    if (elapsedMs % 60 === 0) send(driver.permits('cancel', 1));
    send(driver.passTime(10));
  }
  expect(count).toBeGreaterThan(10);
  expect(count).toBeLessThan(30);
});

it('look-ups of open orders that are never answered are made less and less often, and at once at a stop', () => {
  const driver = new CoreDriver();
  const exchange = new Exchange(driver);
  exchange.settle(driver.start());
  exchange.lookUpsFail = true;
  // no list shows them
  exchange.open.clear();
  exchange.live(600);
  expect(driver.core.status().openOrders).toBe(2);
  expect(exchange.lookUps).toBeGreaterThan(60);
  expect(exchange.lookUps).toBeLessThan(120);
  exchange.lookUps = 0;
  exchange.settle(driver.input({ type: 'operator', command: 'stop' }));
  exchange.live(2);
  expect(exchange.lookUps).toBeGreaterThan(0);
});

/**
 * Moves a book so that one of the first quotes is edited. Returns that edit and all commands sent with it.
 */
function editedIn(exchange: Exchange) {
  const { driver } = exchange;
  exchange.settle(driver.start());
  const moved = [...driver.frame('p-home', [{ id: 'h9', odds: 125, risk: 200 }]), ...driver.permits('place', 1)];
  const [edit] = editsIn(moved);
  if (edit === undefined) throw new Error('nothing is edited');
  return { edit, moved };
}

it('an order that an edit reports as replaced but that still rests is cancelled', () => {
  const exchange = new Exchange(new CoreDriver());
  const { edit, moved } = editedIn(exchange);
  const old = exchange.open.get(edit.orderId) ?? {};
  exchange.settle(moved);
  exchange.open.set(edit.orderId, old);
  exchange.live(90);
  expect(exchange.open.has(edit.orderId)).toBe(false);
});

it('the fills of an order before an unanswered edit are looked up when a cancel by the shared id reports only the new half', () => {
  const driver = new CoreDriver(coreSettings({ profile: { ...DEFAULT_PROFILE, editKeepsId: true } }));
  const exchange = new Exchange(driver);
  const { edit, moved } = editedIn(exchange);
  const { req, orderId, order } = edit;
  // the order filled in part and no event reported it; then it was edited, without an answer
  const { filled: _filled, ...row } = exchange.open.get(orderId) ?? {};
  exchange.plays = [{ ...row, txID: 't1', risk: 30, amount: 30 }];
  exchange.rest(orderId, order);
  exchange.held.add(edit);
  exchange.settle(moved);
  exchange.settle(driver.input({ type: 'failure', req, failure: 'timeout', detail: 'slow' }));
  exchange.settle(pause(driver));
  // before the plays of the account are read again
  exchange.live(3);
  expect([...exchange.open.keys()]).toEqual([]);
  expect(driver.core.status()).toMatchObject({ fills: 1, riskFilled: 30 });
  exchange.live(90);
  expect(driver.core.status()).toMatchObject({ fills: 1, riskFilled: 30, openOrders: 0 });
});

it('the amount that a cancel reports as filled before an unanswered edit counts in exposure until the fills are known', () => {
  const driver = new CoreDriver();
  const exchange = new Exchange(driver);
  const { edit, moved } = editedIn(exchange);
  const { req, orderId } = edit;
  exchange.held.add(edit);
  exchange.settle(moved);
  const after = driver.input({ type: 'failure', req, failure: 'timeout', detail: 'slow' });
  const cancel = cancelsIn(after).find(({ orderIds }) => orderIds.includes(orderId));
  if (cancel === undefined) throw new Error('nothing is cancelled');
  exchange.held.add(cancel);
  exchange.settle(after);
  exchange.open.delete(orderId);
  const results = [{ success: true, sessionID: orderId, filled: 60 }];
  exchange.settle(driver.reply(cancel.req, { data: results }));
  exchange.settle(pause(driver));
  // no event reports the fill, and no list shows it for now
  exchange.live(120);
  expect(driver.core.status()).toMatchObject({ fills: 0, openOrders: 0 });
  expect(driver.core.worst).toBe(-60);
});

describe('at a stop, an order whose cancel had no effect and whose look-ups fail', () => {
  /**
   * Stops after `before` seconds of failing look-ups, those in flight included. They keep failing for `after`
   * seconds.
   */
  const stopped = (before: number, after: number, lateArrivalMs: number) => {
    const driver = new CoreDriver(coreSettings({ lateArrivalMs }));
    const exchange = new Exchange(driver);
    exchange.settle(driver.start());
    exchange.lookUpsFail = true;
    for (const { req, orderIds } of cancelsIn(pause(driver)))
      exchange.settle(driver.reply(req, { data: orderIds.map((sessionID) => ({ success: false, sessionID })) }));
    exchange.live(before);
    while (before > 0 && exchange.held.size < 2) {
      const commands = driver.passTime(250);
      for (const command of readsIn(commands)) if (command.read.what === 'order') exchange.held.add(command);
      exchange.settle(commands);
    }
    const held = readsIn([...exchange.held]);
    exchange.held.clear();
    const stoppedAt = driver.now;
    exchange.settle(driver.input({ type: 'operator', command: 'stop' }));
    exchange.settle(driver.passTime(250));
    for (const { req } of held) exchange.settle(driver.reply(req, {}, 500));
    exchange.live(after);
    exchange.lookUpsFail = false;
    while (exitsIn(driver.sent).length === 0) exchange.settle(driver.passTime(250));
    return { open: exchange.open.size, exit: exitsIn(driver.sent)[0]?.code, ms: driver.now - stoppedAt };
  };

  it('is cancelled although its look-ups were in flight when the exchange began to answer them', () => {
    const { ms, ...ended } = stopped(65, 0, 2000);
    expect(ended).toEqual({ open: 0, exit: 0 });
    expect(ms).toBeLessThan(5000);
  });

  it.each([
    [8, 8],
    [16, 30],
  ])('is cancelled as soon as its look-ups are answered, %s s later', (after, lateArrival) => {
    const { ms, ...ended } = stopped(0, after, lateArrival * 1000);
    expect(ended).toEqual({ open: 0, exit: 0 });
    expect(ms).toBeLessThan(after * 1000 + 4000);
  });
});

describe('foreign orders that are to be cancelled', () => {
  const common = coreSettings().orders;
  const policy = (maxIdsPerCancel: number) =>
    new CoreDriver(coreSettings({ foreign: 'cancel', orders: { ...common, maxIdsPerCancel } }));
  const foreign = (count: number): readonly Readonly<Record<string, unknown>>[] =>
    Array.from({ length: count }, (_, n) => ({
      id: `f${n}`,
      orderID: `f${n}`,
      gameID: GAME_ID,
      type: 'moneyline',
      side: 'p-home',
      odds: 105,
      risk: 5,
      offered: 5,
      remaining: 5,
      filled: 0,
    }));

  it("leave cancel permits for the bot's own orders", () => {
    const driver = policy(1);
    driver.census = { orders: foreign(100), plays: [] };
    new Exchange(driver).settle(driver.start());
    expect(driver.core.status().openOrders).toBe(2);
    expect(cancelsIn(pause(driver)).flatMap(({ orderIds }) => orderIds)).toHaveLength(2);
  });

  it.each([
    ['gets the answer that it has no success', 1, 200],
    ['makes its whole request be refused', 100, 404],
  ])('are cancelled although the cancel of one of them %s', (_outcome, maxIdsPerCancel, status) => {
    const driver = policy(maxIdsPerCancel);
    const exchange = new Exchange(driver);
    for (const order of foreign(150)) exchange.open.set(String(order['id']), order);
    exchange.stuck = { id: 'f0', status };
    exchange.settle(driver.start());
    exchange.live(20 * 60);
    expect([...exchange.open.keys()].filter((id) => id.startsWith('f'))).toEqual(['f0']);
  });

  it('are cancelled in requests of half the size after a request was refused', () => {
    const driver = policy(100);
    const exchange = new Exchange(driver);
    for (const order of foreign(100)) exchange.open.set(String(order['id']), order);
    const sizes = (): readonly number[] =>
      cancelsIn(driver.sent)
        .filter(({ orderIds: [id] }) => id?.startsWith('f'))
        .map(({ orderIds }) => orderIds.length);
    exchange.stuck = { id: 'f0', status: 404 };
    exchange.settle(driver.start());
    for (let tries = 0; sizes().length === 0 && tries < 60; tries++) exchange.live(1);
    exchange.stuck = undefined;
    exchange.live(120);
    expect([...exchange.open.keys()].filter((id) => id.startsWith('f'))).toEqual([]);
    expect(sizes()).toEqual([100, 50, 50]);
  });
});

it('fills that nothing explains are looked up less and less often', () => {
  const driver = new CoreDriver();
  const exchange = new Exchange(driver);
  exchange.settle(driver.start());
  const [row] = exchange.open.values();
  const { orderID, odds } = row as { readonly orderID: string; readonly odds: number };
  exchange.settle(driver.position({ orderID, odds, offered: 100, filled: 60, remaining: 40 }));
  exchange.live(3600);
  expect(exchange.trails).toBeGreaterThan(50);
  expect(exchange.trails).toBeLessThan(80);
});

describe('when an edit keeps the id, an end that names no order', () => {
  type Row = Readonly<Record<string, unknown>> | undefined;
  /**
   * Both orders rest, and those that could be moved were edited under their ids. `after`: commands after the
   * feed's reports of the edits.
   */
  const edited = () => {
    const base = coreSettings();
    const profile = { ...base.profile, editKeepsId: true };
    const driver = new CoreDriver(coreSettings({ profile }));
    const exchange = new Exchange(driver);
    exchange.settle(driver.start());
    const report = (row: Row, offered: number): readonly Command[] =>
      driver.position({ orderID: row?.['id'], odds: row?.['odds'], offered, filled: 0, remaining: offered });
    for (const row of exchange.open.values()) exchange.settle(report(row, 100));
    const moved = [...driver.permits('place', 5), ...driver.frame('p-home', [{ id: 'h9', odds: 125, risk: 200 }])];
    const edits = editsIn(moved);
    expect(edits.length).toBeGreaterThan(0);
    const after: Command[] = [];
    for (const { orderId, order, req } of edits) {
      const old = exchange.open.get(orderId);
      const cancelled = { success: true, orderID: orderId, filled: 0, remaining: 100, offered: 0 };
      const unmatched = exchange.rest(orderId, order);
      exchange.settle(driver.reply(req, { data: { cancelled, matched: [], unmatched } }));
      after.push(...report(old, 0), ...report(exchange.open.get(orderId), 100));
    }
    return { driver, exchange, report, after, id: edits[0]?.orderId ?? '' };
  };

  it('is looked up', () => {
    const { driver, exchange, after } = edited();
    exchange.settle(after);
    expect(placesIn([...after, ...driver.passTime(5000)])).toEqual([]);
    expect(driver.core.status().openOrders).toBe(2);
  });

  it('is looked up until a look-up is answered', () => {
    const { driver, exchange, report, after, id } = edited();
    exchange.settle(after);
    const row = exchange.open.get(id);
    exchange.open.delete(id);
    const [look] = readsIn(report(row, 0));
    driver.reply(look?.req ?? 0, {}, 500);
    const sent = driver.sent.length;
    exchange.live(2);
    // its slot is free
    expect(placesIn(driver.sent.slice(sent))).toHaveLength(1);
  });

  it('is not looked up when the order is known to have ended', () => {
    const { driver, exchange, report, after, id } = edited();
    exchange.settle(after);
    const row = exchange.open.get(id);
    exchange.settle(pause(driver));
    expect(driver.core.status().openOrders).toBe(0);
    expect(readsIn(report(row, 0))).toEqual([]);
    expect(driver.core.worst).toBe(0);
  });
});

describe('an order that is edited by hand and shown under its new id', () => {
  it.each([
    ['cancel', 500],
    ['cancel', 401],
    ['edit', 429],
    ['edit', 401],
  ] as const)('is cancelled although a %s is answered with %i', (action, status) => {
    const driver = new CoreDriver();
    const exchange = new Exchange(driver);
    exchange.settle(driver.start());
    const under = (
      action === 'cancel'
        ? pause(driver)
        : [...driver.permits('place', 5), ...driver.frame('p-home', [{ id: 'h9', odds: 125, risk: 200 }])]
    ).flatMap((command) =>
      command.type === 'cancel'
        ? [{ req: command.req, id: command.orderIds[0] ?? '' }]
        : command.type === 'edit'
          ? [{ req: command.req, id: command.orderId }]
          : [],
    );
    expect(under.length).toBeGreaterThan(0);
    for (const { req, id } of under) {
      const row = { ...exchange.open.get(id), id: `hand ${id}`, orderID: `hand ${id}` };
      exchange.open.delete(id);
      exchange.open.set(row.id, row);
      exchange.settle(driver.position(row));
      exchange.settle(driver.reply(req, {}, status));
    }
    exchange.settle(pause(driver));
    exchange.live(30);
    expect([...exchange.open.keys()]).toEqual([]);
    expect(driver.core.status().openOrders).toBe(0);
  });
});

it('a fill that comes after its game was forgotten counts in exposure and is settled', () => {
  const driver = new CoreDriver();
  const exchange = new Exchange(driver);
  exchange.settle(driver.start());
  const [row] = exchange.open.values();
  const { orderID, odds, side, userReference } = row as Readonly<Record<string, string | number>>;
  const over = JSON.stringify({ id: GAME_ID, ended: true, messageType: 'marketClosed' });
  exchange.settle(driver.input({ type: 'frame', feed: 'prices', epoch: 1, event: 'gameUpdate', data: over }));
  exchange.live(70);
  expect(driver.core.status().openOrders).toBe(0);
  const play = { txID: 't1', gameID: GAME_ID, type: 'moneyline', side, odds, orderID, userReference };
  exchange.plays = [{ ...play, risk: 100, amount: 100 }];
  const filledRow = { orderID, odds, offered: 100, filled: 100, remaining: 0 };
  exchange.settle(driver.position(filledRow, { txID: 't1', filled: 100, odds }));
  expect(driver.core.worst).toBe(-100);
  exchange.plays = [];
  exchange.graded = [{ ...play, risk: 100, graded: true, profit: 109 }];
  exchange.live(130);
  expect([driver.core.worst, driver.core.realized]).toEqual([0, 109]);
});

it('an order that appears and disappears in the lists, and was never cancelled, raises no CANCEL_WITHOUT_EFFECT', () => {
  const driver = new CoreDriver(coreSettings({ markets: { stopBeforeMs: 0 } }));
  const exchange = new Exchange(driver);
  // no permit is left to place another order
  exchange.settle(driver.start(HOME, AWAY, { place: 1, cancel: 30 }));
  for (const row of exchange.open.values()) driver.position(row);
  const [[id, row] = ['', {}]] = exchange.open;
  const sent = driver.sent.length;
  for (let n = 0; n < 10; n++) {
    if (n % 2 === 0) exchange.open.delete(id);
    else exchange.open.set(id, row);
    // quiet books would go stale
    for (let elapsedSeconds = 0; elapsedSeconds < 65; elapsedSeconds += 5) {
      exchange.settle(driver.frame('p-home', HOME));
      exchange.settle(driver.frame('p-away', AWAY));
      exchange.live(5);
    }
  }
  const commands = driver.sent.slice(sent);
  expect([cancelsIn(commands), alertsIn(commands, 'CANCEL_WITHOUT_EFFECT')]).toEqual([[], []]);
});

it('a fill that a list shows before its order is answered counts in the summary', () => {
  const driver = new CoreDriver();
  const exchange = new Exchange(driver);
  const started = driver.start();
  const [place] = placesIn(started);
  const home = place?.orders.find(({ side }) => side === 'home');
  if (place === undefined || home === undefined) throw new Error('nothing is placed');
  const odds = oddsOf(home.rung);
  exchange.plays = [{ txID: 't1', gameID: GAME_ID, type: 'moneyline', side: 'p-home', odds, risk: 100, orderID: 'oh' }];
  exchange.live(10);
  const createdSessions = place.orders.map((order) => ({
    matched: [],
    unmatched: exchange.rest(order === home ? 'oh' : 'oa', order),
  }));
  driver.reply(place.req, { data: { createdSessions } });
  expect(driver.core.status()).toMatchObject({ fills: 1, riskFilled: 100 });
});

describe('plays in unknown games', () => {
  it('are counted once, however long they are listed', () => {
    const account = new Account({ instance: 'a', playerMode: 'coins', lateArrivalMs: 30_000 });
    const listed = (txId: string, gameId: string): void => {
      const fill = { txId, risk: 5, odds: 100 } as never;
      account.record({ from: 'list', seenAt: 0, kind: { type: 'fill', fill, gameId: gameId as never } });
    };
    listed('a', 'closed');
    // so many others were graded since that the first of them are forgotten
    for (let n = 0; n <= 20_000; n++) {
      listed(`t${n}`, 'other');
      account.fills.applyGraded(`t${n}` as never, undefined);
    }
    listed('a', 'closed');
    expect(account.stakedElsewhere).toBe(5);
    account.fills.applyGraded('a' as never, undefined);
    expect(account.stakedElsewhere).toBe(0);
  });

  it('of the bot are looked up in small numbers at each census', () => {
    const driver = new CoreDriver();
    const listed = Array.from({ length: 100 }, (_none, n) => ({
      txID: `t${n}`,
      gameID: 'closed',
      type: 'moneyline',
      side: 'c-home',
      odds: 109,
      risk: 1,
      orderID: `o${n}`,
      userReference: `a.main.#0.before-${n}`,
    }));
    driver.census = { orders: [], plays: listed };
    driver.start(HOME, AWAY, { place: 0, cancel: 0 });
    const orders = readsIn(driver.passTime(62_000)).findLast(({ read }) => read.what === 'open-orders');
    const plays = readsIn(driver.reply(orders?.req ?? 0, { data: { unmatched: [] } }));
    const next = readsIn(driver.reply(plays[0]?.req ?? 0, { data: { matchedBets: [] } }));
    expect(next.filter(({ read }) => read.what === 'reference')).toHaveLength(20);
  });

  it('no longer count after an operator settles their game', () => {
    const driver = new CoreDriver();
    const play = { txID: 't1', gameID: 'closed', type: 'moneyline', side: 'x', odds: 109, risk: 500 };
    driver.census = { orders: [], plays: [{ ...play, orderID: 'q' }] };
    driver.start(HOME, AWAY, { place: 0, cancel: 0 });
    expect([driver.core.worst, driver.core.waitsFor('closed' as never)]).toEqual([-500, true]);
    driver.input({ type: 'settle', gameId: 'closed' as never, home: 1, away: 0 });
    expect([driver.core.worst, driver.core.waitsFor('closed' as never)]).toEqual([0, false]);
    expect(driver.core.realized).toBe(0);
  });
});
