// What the account brought since the day began, over all its runs: base, marks, settlements, and what the limit does.
import type { Overrides } from '../support/core-driver.ts';
import { describe, expect, it } from 'vitest';
import type { DayAtBoot, FormerPlay, Micros, OrderRef, TxId } from '../../src/domain/index.ts';
import { dayStartOf, market, microsOfDollars, parseTimeOfDay } from '../../src/domain/index.ts';
import {
  alertsIn,
  AWAY,
  CoreDriver,
  coreSettings,
  GAME_ID,
  gameEntry,
  HOME,
  placesIn,
  readsIn,
} from '../support/core-driver.ts';

const DAY_MS = 24 * 3_600_000;
const dollars = microsOfDollars;
const MONEYLINE = market(GAME_ID, 'moneyline');
/** The driver's clock begins an hour before its game, 11:00Z: the day of 08:00Z began three hours before. */
const STARTS_AT_MS = 8 * 3_600_000;
const DAY = dayStartOf(Date.parse('2030-01-01T11:00:00Z'), STARTS_AT_MS);

const driverWith = (limit: number, more: Overrides = {}): CoreDriver =>
  new CoreDriver(
    coreSettings({
      ...more,
      safety: {
        state: 'active',
        haltAtLoss: undefined,
        losingFills: undefined,
        dailyLoss: { limit: dollars(limit), startsAtMs: STARTS_AT_MS },
      },
    }),
  );

const play = (txId: string, more: Partial<FormerPlay> = {}): FormerPlay => ({
  txId: txId as TxId,
  market: MONEYLINE,
  side: 'home',
  risk: dollars(100),
  win: dollars(100),
  ref: 'a.main.#0.before-1' as OrderRef,
  ...more,
});

const day = (more: Partial<DayAtBoot>): DayAtBoot => ({
  startsAt: DAY,
  settled: 0 as Micros,
  plays: [],
  settledByHand: [],
  prices: [],
  ...more,
});

/** As `start`, after the runs before it. The book is even: a play on home at evens is worth nothing more, nothing less. */
function boot(driver: CoreDriver, at: DayAtBoot | undefined, books = true): void {
  driver.input({ type: 'boot', run: 'run', ...(at === undefined ? {} : { day: at }) });
  driver.input({ type: 'session', username: 'demo', userId: 'u', mode: 'coins', balance: 10_000 });
  driver.input({ type: 'feed', feed: 'user', status: 'up', epoch: 1 });
  const reads = driver.input({ type: 'feed', feed: 'prices', status: 'up', epoch: 1 });
  if (books) answerLeague(driver, reads);
  // without books the account is read a little later
  driver.pass(books ? 1000 : 12_000);
}

function answerLeague(driver: CoreDriver, reads: ReturnType<CoreDriver['input']>): void {
  const read = readsIn(reads).find((one) => one.read.what === 'league');
  const games = [{ ...gameOf(), homeMoneylines: rows('h'), awayMoneylines: rows('a') }];
  driver.reply(read?.req ?? 0, { data: { market: null, games, pagination: { hasNextPage: false } } });
}
const rows = (id: string): unknown[] => [
  {
    id,
    type: 'moneyline',
    risk: 200,
    sumUntaken: 200,
    odds: 105,
    takenRatio: 0,
    createdAt: '2030-01-01T00:00:00.000Z',
  },
];
const gameOf = () => ({
  id: GAME_ID,
  league: 'NBA',
  sport: 'basketball',
  start: '2030-01-01T12:00:00.000Z',
  live: false,
  ended: false,
  eventName: 'Away @ Home',
  participants: [
    { id: 'p-away', longName: 'Away', shortName: 'AWY', homeAway: 'away' },
    { id: 'p-home', longName: 'Home', shortName: 'HOM', homeAway: 'home' },
  ],
});

/** As the exchange lists a matched play. */
const listed = (txId: string, gameId: string = GAME_ID): unknown => ({
  txID: txId,
  gameID: gameId,
  type: 'moneyline',
  participantID: 'p-home',
  filled: 100,
  odds: 100,
  userReference: 'a.main.#0.before-1',
});

const brought = (driver: CoreDriver): number | undefined => {
  const micros = driver.core.status().day?.brought;
  return micros === undefined ? undefined : micros / 1e6;
};
/** The consensus of home goes from even to a quarter: a play on home at evens for 100 is worth 50 less. */
function dropHome(driver: CoreDriver): void {
  driver.frame('p-home', [{ id: 'h2', odds: 300, risk: 200 }]);
  driver.frame('p-away', [{ id: 'a2', odds: -280, risk: 200 }]);
  driver.pass(1000);
}

/** Home and away of the game change places. */
function swapTeams(driver: CoreDriver): void {
  const [away, home] = gameOf().participants;
  const participants = [
    { ...home, homeAway: 'away' },
    { ...away, homeAway: 'home' },
  ];
  const data = JSON.stringify({ id: GAME_ID, participants });
  driver.input({ type: 'frame', feed: 'prices', epoch: 1, event: 'gameUpdate', data });
}

const settledIn = ({ events }: CoreDriver) => events.filter((event) => event.type === 'Settled');

describe('the day', () => {
  it.each([
    ['08:00Z', 8 * 3_600_000],
    ['00:00Z', 0],
    ['09:30:15Z', 34_215_000],
    ['09:00+02:00', 7 * 3_600_000],
    ['23:00-05:00', 4 * 3_600_000],
  ])('begins at %s', (text, ms) => {
    expect(parseTimeOfDay(text)).toBe(ms);
  });

  it.each(['8:00Z', '24:00Z', '08:00', 'noon', '08:60Z'])('does not begin at %j', (text) => {
    expect(parseTimeOfDay(text)).toBeUndefined();
  });

  it('is the one that began last', () => {
    const at = (time: string): number => Date.parse(`2030-01-02T${time}Z`);
    expect(dayStartOf(at('08:00:00'), STARTS_AT_MS)).toBe(at('08:00:00'));
    expect(dayStartOf(at('07:59:59'), STARTS_AT_MS)).toBe(at('08:00:00') - DAY_MS);
  });
});

describe('what the account brought in a day', () => {
  it('is nothing at the first start of the day, whatever is held, and then what the price makes of it', () => {
    const driver = driverWith(1000);
    driver.census = { orders: [], plays: [listed('t1')] };
    boot(driver, undefined);
    expect(brought(driver)).toBe(0);
    dropHome(driver);
    expect(brought(driver)).toBeLessThan(-40);
    expect(driver.core.day.base?.entries).toMatchObject([{ market: { id: MONEYLINE.id }, price: 0.5 }]);
  });

  it('goes on over a restart: what settled, the base, and fills since', () => {
    const driver = driverWith(1000);
    driver.census = { orders: [], plays: [listed('t1'), listed('t2')] };
    const position = { first: dollars(100), second: dollars(-100), staked: dollars(100) };
    boot(
      driver,
      day({
        settled: dollars(-70),
        // t1 was held at the base, worth 20; t2 was filled since
        base: { entries: [{ market: MONEYLINE, position, price: 0.6 }], elsewhere: [] },
        plays: [play('t1'), play('t2')],
      }),
    );
    // -70 settled, 0 for both now, less the 20 of the base
    expect(brought(driver)).toBeCloseTo(-90, 4);
  });

  it('is known before the books are: at the last good price of the run before', () => {
    const driver = driverWith(1000);
    driver.census = { orders: [], plays: [listed('t1')] };
    boot(
      driver,
      day({
        base: { entries: [], elsewhere: [] },
        plays: [play('t1')],
        prices: [{ market: MONEYLINE.id, price: 0.4 }],
      }),
      false,
    );
    expect(brought(driver)).toBeCloseTo(-20, 4);
  });

  it('is at its worst where there never was a price', () => {
    const driver = driverWith(1000);
    driver.census = { orders: [], plays: [listed('t1')] };
    boot(driver, day({ base: { entries: [], elsewhere: [] }, plays: [play('t1')] }), false);
    expect(brought(driver)).toBe(-100);
  });

  it('stays what it is when home and away of a game change places', () => {
    const driver = driverWith(1000);
    driver.census = { orders: [], plays: [listed('t1')] };
    boot(driver, undefined);
    dropHome(driver);
    const before = brought(driver) ?? 0;
    expect(before).toBeLessThan(-40);
    swapTeams(driver);
    expect(brought(driver)).toBeCloseTo(before, 4);
  });

  it('takes a price that becomes known for no gain', () => {
    const driver = driverWith(1000);
    driver.census = { orders: [], plays: [listed('t1')] };
    driver.input({ type: 'boot', run: 'run' });
    driver.input({ type: 'session', username: 'demo', userId: 'u', mode: 'coins', balance: 10_000 });
    driver.input({ type: 'feed', feed: 'user', status: 'up', epoch: 1 });
    const reads = driver.input({ type: 'feed', feed: 'prices', status: 'up', epoch: 1 });
    driver.pass(12_000);
    expect(brought(driver)).toBe(0);
    answerLeague(driver, reads);
    driver.pass(1000);
    expect(brought(driver)).toBe(0);
    dropHome(driver);
    expect(brought(driver)).toBeLessThan(-40);
  });

  it('keeps what an operator stated of the day, and what is held then is the base', () => {
    const driver = driverWith(1000);
    driver.census = { orders: [], plays: [listed('t1')] };
    boot(driver, day({ settled: dollars(-40) }));
    expect(brought(driver)).toBe(-40);
  });

  it('begins anew when the day does: the base is what is held then', () => {
    const driver = driverWith(1000);
    driver.census = { orders: [], plays: [listed('t1')] };
    boot(driver, undefined);
    dropHome(driver);
    expect(brought(driver)).toBeLessThan(-40);
    driver.wall += DAY_MS;
    driver.pass(500);
    expect(brought(driver)).toBe(0);
    expect(driver.core.day.startsAt).toBe(DAY + DAY_MS);
    driver.wall -= DAY_MS;
    driver.pass(500);
    expect(driver.core.day.startsAt, 'a clock that steps back').toBe(DAY + DAY_MS);
  });
});

describe('a fill of a former run that was graded while no run looked', () => {
  const lookedUp = (driver: CoreDriver) =>
    readsIn(driver.sent).filter(({ read }) => read.what === 'reference' || read.what === 'play');
  const trail = (txId: string, profit: number): unknown => ({
    data: {
      unmatched: [],
      matched: [],
      graded: [{ txID: txId, filled: 100, odds: 100, userReference: 'a.main.#0.before-1', profit }],
    },
  });

  it('stands at its mark until the look-up tells, then brings its profit less its mark at the base', () => {
    const driver = driverWith(1000);
    const position = { first: dollars(100), second: dollars(-100), staked: dollars(100) };
    boot(
      driver,
      // made yesterday, worth 20 when the day began
      day({
        base: { entries: [{ market: MONEYLINE, position, price: 0.6 }], elsewhere: [] },
        plays: [play('t1')],
        prices: [{ market: MONEYLINE.id, price: 0.55 }],
      }),
      false,
    );
    expect(brought(driver)).toBeCloseTo(-10, 4);
    const [read] = lookedUp(driver);
    expect(read?.read).toEqual({ what: 'reference', ref: 'a.main.#0.before-1', gameId: GAME_ID });
    driver.reply(read?.req ?? 0, trail('t1', -100));
    expect(settledIn(driver)).toMatchObject([{ txId: 't1', profit: dollars(-100), commission: 0, isReported: true }]);
    driver.pass(500);
    expect(brought(driver)).toBeCloseTo(-120, 4);
  });

  it('costs the commission of all that its market brought, in former runs as well', () => {
    const commission = { of: 'market', share: 0.05 } as const;
    const costs = (nets: DayAtBoot['nets']): unknown => {
      const driver = driverWith(1000, { commission });
      boot(driver, day({ plays: [play('t1')], ...(nets === undefined ? {} : { nets }) }), false);
      const [read] = lookedUp(driver);
      driver.reply(read?.req ?? 0, trail('t1', 80));
      return settledIn(driver)[0]?.commission;
    };
    expect(costs(undefined)).toBe(dollars(4));
    expect(costs([{ market: MONEYLINE.id, net: dollars(-60) }])).toBe(dollars(1));
    expect(costs([{ market: MONEYLINE.id, net: dollars(40) }])).toBe(dollars(4));
  });

  it('costs the same once more, where an operator’s settlement is taken back', () => {
    const driver = driverWith(1000, { commission: { of: 'market', share: 0.05 } });
    const byHand: DayAtBoot['settledByHand'][number] = {
      txId: 't1' as TxId,
      profit: dollars(95),
      brought: dollars(100),
      day: DAY,
      settled: { play: play('t1'), score: { home: 100, away: 90 } },
    };
    boot(driver, day({ settledByHand: [byHand], nets: [{ market: MONEYLINE.id, net: dollars(100) }] }), false);
    driver.input({ type: 'unsettle', gameId: GAME_ID });
    driver.input({ type: 'settle', gameId: GAME_ID, home: 100, away: 90 });
    expect(settledIn(driver)).toMatchObject([
      { txId: 't1', profit: dollars(100), commission: dollars(5), isReported: true },
    ]);
  });

  it('costs the same once more in the market of its team, where home and away change places before it is listed', () => {
    const driver = driverWith(1000, { commission: { of: 'market', share: 0.05 } });
    const spread = market(GAME_ID, 'spread', -3.5);
    const row = { ...(listed('t1') as object), type: 'spread', number: -3.5 };
    // the account is read after the teams changed
    driver.census = undefined;
    const position = { first: dollars(100), second: dollars(-100), staked: dollars(100) };
    const byHand: DayAtBoot['settledByHand'][number] = {
      txId: 't1' as TxId,
      profit: dollars(95),
      brought: dollars(100),
      day: DAY,
      settled: { play: play('t1', { market: spread }), score: { home: 100, away: 90 } },
    };
    driver.input({
      type: 'boot',
      run: 'run',
      day: day({
        base: { entries: [{ market: spread, position, price: 0.5 }], elsewhere: [] },
        settledByHand: [byHand],
        nets: [{ market: spread.id, net: dollars(100) }],
      }),
    });
    driver.input({ type: 'session', username: 'demo', userId: 'u', mode: 'coins', balance: 10_000 });
    driver.input({ type: 'feed', feed: 'user', status: 'up', epoch: 1 });
    answerLeague(driver, driver.input({ type: 'feed', feed: 'prices', status: 'up', epoch: 1 }));
    swapTeams(driver);
    driver.census = { orders: [], plays: [row] };
    const read = readsIn(driver.sent).find((one) => one.read.what === 'open-orders');
    driver.reply(read?.req ?? 0, { data: { unmatched: [] } });
    driver.pass(1000);
    // the play is on the away team now, and loses: what the first settlement had cost is not paid back twice
    driver.input({ type: 'settle', gameId: GAME_ID, home: 100, away: 90 });
    expect(settledIn(driver)).toMatchObject([{ txId: 't1', profit: dollars(-100), commission: 0 }]);
  });

  it('is settled by an operator where the exchange does not tell', () => {
    const driver = driverWith(1000);
    boot(driver, day({ base: { entries: [], elsewhere: [] }, plays: [play('t1')] }), false);
    expect(driver.core.waitsFor(GAME_ID)).toBe(true);
    driver.input({ type: 'settle', gameId: GAME_ID, home: 90, away: 100 });
    driver.pass(500);
    expect(brought(driver)).toBe(-100);
    expect(driver.core.waitsFor(GAME_ID)).toBe(false);
  });

  it('is asked for again after a minute, not at every sweep', () => {
    const driver = driverWith(1000);
    boot(driver, day({ plays: [play('t1', { ref: undefined })] }), false);
    driver.pass(20_000);
    expect(lookedUp(driver)).toMatchObject([{ read: { what: 'play', txId: 't1' } }]);
    driver.input({
      type: 'failure',
      req: lookedUp(driver)[0]?.req ?? 0,
      failure: 'no-answer',
      detail: 'none',
    });
    driver.pass(50_000);
    expect(lookedUp(driver)).toHaveLength(2);
  });

  it('counts by its mark again when the exchange lists what an operator had settled', () => {
    const driver = driverWith(1000);
    driver.census = { orders: [], plays: [listed('t1')] };
    boot(
      driver,
      day({
        settled: dollars(-100),
        base: { entries: [], elsewhere: [] },
        settledByHand: [{ txId: 't1' as TxId, profit: dollars(-100), day: DAY }],
      }),
    );
    expect(brought(driver)).toBeCloseTo(0, 4);
  });
});

describe('a final score that an operator gave', () => {
  const settle = (driver: CoreDriver, home: number, away: number): string | undefined => {
    const input = { type: 'settle', gameId: GAME_ID, home, away } as const;
    const problem = driver.core.settleProblem(input);
    if (problem === undefined) driver.input(input);
    return problem;
  };
  const unsettle = (driver: CoreDriver): string | undefined => {
    const input = { type: 'unsettle', gameId: GAME_ID } as const;
    const problem = driver.core.unsettleProblem(input);
    if (problem === undefined) driver.input(input);
    driver.pass(500);
    return problem;
  };
  const isOver = (driver: CoreDriver): void => {
    driver.wall += 7_200_000;
    const data = JSON.stringify(gameEntry(HOME, AWAY, { ended: true }));
    driver.input({ type: 'frame', feed: 'prices', epoch: 1, event: 'gameUpdate', data });
  };

  it('is refused when another one was given before, until that is taken back', () => {
    const driver = driverWith(1000);
    driver.census = { orders: [], plays: [listed('t1')] };
    boot(driver, day({}));
    isOver(driver);
    expect(unsettle(driver)).toMatch(/no operator gave a result of game/);
    expect(settle(driver, 99, 101)).toBeUndefined();
    expect(driver.core.realized).toBe(-100);
    expect(settle(driver, 101, 99)).toMatch(/is settled as 99-101: take that back first, with `ctl unsettle game-1`/);
    expect(unsettle(driver)).toBeUndefined();
    expect([driver.core.realized, driver.core.worst]).toEqual([0, -100]);
    // what the exchange reports of it again is no second fill
    expect([...driver.core.fills()]).toHaveLength(1);
    expect(settle(driver, 101, 99)).toBeUndefined();
    expect([driver.core.realized, driver.core.worst]).toEqual([100, 0]);
    expect(driver.core.waitsFor(GAME_ID)).toBe(false);
  });

  it('in a former run is known, and can be taken back', () => {
    const driver = driverWith(1000);
    const byHand = {
      txId: 't1' as TxId,
      profit: dollars(-100),
      day: DAY,
      settled: { play: play('t1'), score: { home: 99, away: 101 } },
    };
    const base = { entries: [], elsewhere: [] };
    boot(driver, day({ settled: dollars(-100), base, settledByHand: [byHand] }));
    isOver(driver);
    expect(settle(driver, 101, 99)).toMatch(/is settled as 99-101/);
    expect(brought(driver)).toBeCloseTo(-100, 4);
    expect(unsettle(driver)).toBeUndefined();
    expect(brought(driver)).toBeGreaterThan(-100);
    expect(settle(driver, 101, 99)).toBeUndefined();
    driver.pass(500);
    expect(brought(driver)).toBeCloseTo(100, 4);
  });
});

describe('risk.maxDailyLoss', () => {
  it('lets only close what can be closed, and halts when nothing is left to close', () => {
    const driver = driverWith(30);
    const [place] = placesIn(driver.start(HOME, AWAY));
    if (place === undefined) throw new Error('no place');
    const ids = driver.accept(place, 'o');
    driver.pass(1000);
    driver.position(
      { orderID: ids[0], odds: 110, offered: 100, filled: 100, remaining: 0 },
      { txID: 't1', filled: 100, odds: 110 },
    );
    dropHome(driver);
    expect(driver.core.status()).toMatchObject({ trading: 'reduce-only' });
    expect(driver.core.standing).toMatchObject({ state: 'reduce-only', paused: false });
    // the game is about to start: nothing is quoted in it any more
    driver.wall = Date.parse('2030-01-01T11:59:30Z');
    driver.pass(1000);
    expect(driver.core.status().trading).toBe('halted');
    const [alert] = alertsIn(driver.sent, 'KILL_SWITCH').filter(({ fields }) => fields['state'] === 'halted');
    expect(alert?.fields['reason']).toMatch(
      /the account has lost \d+\.\d\d since 2030-01-01T08:00:00.000Z \(risk.maxDailyLoss 30\)/,
    );
  });

  it('is in force at the start, before the first order: what runs before lost counts', () => {
    const driver = driverWith(50);
    boot(driver, day({ settled: dollars(-60), base: { entries: [], elsewhere: [] } }));
    const sent = [...driver.permits('place', 25), ...driver.permits('cancel', 30), ...driver.pass(3000)];
    expect(placesIn(sent)).toEqual([]);
    expect(driver.core.status().trading).toBe('halted');
  });

  it('is not lifted by resume while the loss stands: no order leaves', () => {
    const driver = driverWith(50);
    boot(driver, day({ settled: dollars(-60), base: { entries: [], elsewhere: [] } }));
    driver.permits('place', 25);
    const sent = [...driver.input({ type: 'operator', command: 'resume' }), ...driver.pass(2000)];
    expect(placesIn(sent)).toEqual([]);
    expect(driver.core.status().trading).toBe('halted');
  });

  it('quotes while the loss is smaller', () => {
    const driver = driverWith(50);
    boot(driver, day({ settled: dollars(-49), base: { entries: [], elsewhere: [] } }));
    expect(placesIn([...driver.permits('place', 25), ...driver.pass(6000)])).not.toEqual([]);
  });
});

describe('what was left standing', () => {
  it.each([
    ['halted', { state: 'halted', reason: 'an operator asked for it', paused: false }],
    ['reduce-only', { state: 'reduce-only', reason: 'an operator asked for it', paused: false }],
    ['paused', { state: 'active', reason: 'paused', paused: true }],
  ] as const)('%s holds before the first order, until resume', (_what, standing) => {
    const driver = driverWith(50);
    driver.input({ type: 'boot', run: 'run', standing });
    const sent = driver.start();
    expect(placesIn([...sent, ...driver.pass(6000)])).toEqual([]);
    expect(driver.core.standing).toEqual(standing);
    expect(placesIn([...driver.input({ type: 'operator', command: 'resume' }), ...driver.pass(1000)])).not.toEqual([]);
    expect(driver.core.standing).toBeUndefined();
  });
});

describe('after a crash', () => {
  const after = { pid: 7, crashes: 1, runs: ['before'] };
  const former = (run: string): unknown => ({
    id: 'o1',
    gameID: GAME_ID,
    type: 'moneyline',
    participantID: 'p-home',
    remaining: 50,
    odds: 110,
    risk: 100,
    userReference: `a.main.#0.${run}-1`,
  });

  it('goes on by itself, and tells what it found', () => {
    const driver = driverWith(50);
    driver.census = { orders: [former('before')], plays: [] };
    driver.input({ type: 'boot', run: 'run', after });
    const sent = [...driver.start(), ...driver.pass(1000)];
    const [alert] = alertsIn(driver.sent, 'AFTER_CRASH');
    expect(alert).toMatchObject({ level: 'warn', fields: { pid: 7, crashes: 1, open: 1, unanswered: 0 } });
    expect(placesIn(sent)).not.toEqual([]);
  });

  it('waits where an order rests that no journal tells of', () => {
    const driver = driverWith(50);
    driver.census = { orders: [former('other')], plays: [] };
    driver.input({ type: 'boot', run: 'run', after });
    expect(placesIn([...driver.start(), ...driver.pass(3000)])).toEqual([]);
    expect(driver.core.status().closed).toMatch(/waiting: 1 open orders bear our reference/);
    expect(alertsIn(driver.sent, 'AFTER_CRASH')[0]?.fields).toMatchObject({
      unexplained: ['a.main.#0.other-1'],
    });
    expect(placesIn([...driver.input({ type: 'operator', command: 'resume' }), ...driver.pass(1000)])).not.toEqual([]);
  });

  it('waits where the shell says so, until resume', () => {
    const driver = driverWith(50);
    driver.input({
      type: 'boot',
      run: 'run',
      after: { ...after, crashes: 3, wait: '3 runs in ten minutes' },
    });
    expect(placesIn([...driver.start(), ...driver.pass(3000)])).toEqual([]);
    expect(driver.core.status().closed).toBe('waiting: 3 runs in ten minutes');
    expect(driver.core.standing, 'a wait is none of what stands').toBeUndefined();
    expect(placesIn([...driver.input({ type: 'operator', command: 'resume' }), ...driver.pass(1000)])).not.toEqual([]);
  });
});
