// The profit of the account since the day began, over all runs of the day: base, marks, settlements, and the
// loss limit.
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
/**
 * The driver's clock begins at 11:00Z, an hour before its game: the day that starts at 08:00Z is three hours
 * old.
 */
const STARTS_AT_MS = 8 * 3_600_000;
const DAY = dayStartOf(Date.parse('2030-01-01T11:00:00Z'), STARTS_AT_MS);

const driverWith = (limit: number, overrides: Overrides = {}): CoreDriver =>
  new CoreDriver(
    coreSettings({
      ...overrides,
      safety: {
        state: 'active',
        haltAtLoss: undefined,
        losingFills: undefined,
        dailyLoss: { limit: dollars(limit), startsAtMs: STARTS_AT_MS },
      },
    }),
  );

const play = (txId: string, fields: Partial<FormerPlay> = {}): FormerPlay => ({
  txId: txId as TxId,
  market: MONEYLINE,
  side: 'home',
  risk: dollars(100),
  win: dollars(100),
  ref: 'a.main.#0.before-1' as OrderRef,
  ...fields,
});

const day = (fields: Partial<DayAtBoot>): DayAtBoot => ({
  startsAt: DAY,
  settled: 0 as Micros,
  plays: [],
  settledByHand: [],
  prices: [],
  ...fields,
});

/**
 * Boots like `start`, with the day of the earlier runs. The book is even: a play on home at evens has the
 * mark 0.
 */
function boot(driver: CoreDriver, dayAtBoot: DayAtBoot | undefined, books = true): void {
  driver.input({ type: 'boot', run: 'run', ...(dayAtBoot === undefined ? {} : { day: dayAtBoot }) });
  driver.input({ type: 'session', username: 'demo', userId: 'u', mode: 'coins', balance: 10_000 });
  driver.input({ type: 'feed', feed: 'user', status: 'up', epoch: 1 });
  const reads = driver.input({ type: 'feed', feed: 'prices', status: 'up', epoch: 1 });
  if (books) answerLeague(driver, reads);
  // without books the account is read a little later
  driver.passTime(books ? 1000 : 12_000);
}

function answerLeague(driver: CoreDriver, reads: ReturnType<CoreDriver['input']>): void {
  const read = readsIn(reads).find((command) => command.read.what === 'league');
  const games = [{ ...gameEntryOf(), homeMoneylines: rows('h'), awayMoneylines: rows('a') }];
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
const gameEntryOf = () => ({
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

/** A matched play as the exchange lists it. */
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
/** Moves the consensus of home from even to a quarter: a play on home at evens for 100 is worth 50 less. */
function dropHome(driver: CoreDriver): void {
  driver.frame('p-home', [{ id: 'h2', odds: 300, risk: 200 }]);
  driver.frame('p-away', [{ id: 'a2', odds: -280, risk: 200 }]);
  driver.passTime(1000);
}

/** Home and away of the game change places. */
function swapTeams(driver: CoreDriver): void {
  const [away, home] = gameEntryOf().participants;
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
    const timeMs = (time: string): number => Date.parse(`2030-01-02T${time}Z`);
    expect(dayStartOf(timeMs('08:00:00'), STARTS_AT_MS)).toBe(timeMs('08:00:00'));
    expect(dayStartOf(timeMs('07:59:59'), STARTS_AT_MS)).toBe(timeMs('08:00:00') - DAY_MS);
  });
});

describe('the profit of the account in a day', () => {
  it('is 0 at the first start of the day, whatever is held, and then follows the price', () => {
    const driver = driverWith(1000);
    driver.census = { orders: [], plays: [listed('t1')] };
    boot(driver, undefined);
    expect(brought(driver)).toBe(0);
    dropHome(driver);
    expect(brought(driver)).toBeLessThan(-40);
    expect(driver.core.day.base?.entries).toMatchObject([{ market: { id: MONEYLINE.id }, price: 0.5 }]);
  });

  it('continues over a restart with the settled profit, the base and the fills since', () => {
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

  it('is valued at the last good price of the run before until the books are known', () => {
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

  it('is valued at its worst when there never was a price', () => {
    const driver = driverWith(1000);
    driver.census = { orders: [], plays: [listed('t1')] };
    boot(driver, day({ base: { entries: [], elsewhere: [] }, plays: [play('t1')] }), false);
    expect(brought(driver)).toBe(-100);
  });

  it('does not change when home and away of a game change places', () => {
    const driver = driverWith(1000);
    driver.census = { orders: [], plays: [listed('t1')] };
    boot(driver, undefined);
    dropHome(driver);
    const before = brought(driver) ?? 0;
    expect(before).toBeLessThan(-40);
    swapTeams(driver);
    expect(brought(driver)).toBeCloseTo(before, 4);
  });

  it('does not count the first known price as a gain', () => {
    const driver = driverWith(1000);
    driver.census = { orders: [], plays: [listed('t1')] };
    driver.input({ type: 'boot', run: 'run' });
    driver.input({ type: 'session', username: 'demo', userId: 'u', mode: 'coins', balance: 10_000 });
    driver.input({ type: 'feed', feed: 'user', status: 'up', epoch: 1 });
    const reads = driver.input({ type: 'feed', feed: 'prices', status: 'up', epoch: 1 });
    driver.passTime(12_000);
    expect(brought(driver)).toBe(0);
    answerLeague(driver, reads);
    driver.passTime(1000);
    expect(brought(driver)).toBe(0);
    dropHome(driver);
    expect(brought(driver)).toBeLessThan(-40);
  });

  it('keeps the profit that an operator stated for the day, and takes the current holdings as the base', () => {
    const driver = driverWith(1000);
    driver.census = { orders: [], plays: [listed('t1')] };
    boot(driver, day({ settled: dollars(-40) }));
    expect(brought(driver)).toBe(-40);
  });

  it('starts anew with each day: the holdings at that time are the base', () => {
    const driver = driverWith(1000);
    driver.census = { orders: [], plays: [listed('t1')] };
    boot(driver, undefined);
    dropHome(driver);
    expect(brought(driver)).toBeLessThan(-40);
    driver.wall += DAY_MS;
    driver.passTime(500);
    expect(brought(driver)).toBe(0);
    expect(driver.core.day.startsAt).toBe(DAY + DAY_MS);
    driver.wall -= DAY_MS;
    driver.passTime(500);
    expect(driver.core.day.startsAt, 'a clock that steps back').toBe(DAY + DAY_MS);
  });
});

describe('a fill of an earlier run that was graded while no bot ran', () => {
  const lookedUp = (driver: CoreDriver) =>
    readsIn(driver.sent).filter(({ read }) => read.what === 'reference' || read.what === 'play');
  const trail = (txId: string, profit: number): unknown => ({
    data: {
      unmatched: [],
      matched: [],
      graded: [{ txID: txId, filled: 100, odds: 100, userReference: 'a.main.#0.before-1', profit }],
    },
  });

  it('is valued at its mark until the look-up reports its profit, then books the profit minus its mark at the base', () => {
    const driver = driverWith(1000);
    const position = { first: dollars(100), second: dollars(-100), staked: dollars(100) };
    boot(
      driver,
      // filled yesterday, worth 20 when the day began
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
    driver.passTime(500);
    expect(brought(driver)).toBeCloseTo(-120, 4);
  });

  it('costs commission on the whole profit of its market, earlier runs included', () => {
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

  it("costs the same commission again after an operator's settlement is taken back", () => {
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

  it("costs the same commission again in its team's market when home and away change places before it is listed", () => {
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
    const read = readsIn(driver.sent).find((command) => command.read.what === 'open-orders');
    driver.reply(read?.req ?? 0, { data: { unmatched: [] } });
    driver.passTime(1000);
    // the play is on the away team now, and loses: the commission of the first settlement is not paid back
    // twice
    driver.input({ type: 'settle', gameId: GAME_ID, home: 100, away: 90 });
    expect(settledIn(driver)).toMatchObject([{ txId: 't1', profit: dollars(-100), commission: 0 }]);
  });

  it('is settled by an operator when the exchange does not report it', () => {
    const driver = driverWith(1000);
    boot(driver, day({ base: { entries: [], elsewhere: [] }, plays: [play('t1')] }), false);
    expect(driver.core.waitsFor(GAME_ID)).toBe(true);
    driver.input({ type: 'settle', gameId: GAME_ID, home: 90, away: 100 });
    driver.passTime(500);
    expect(brought(driver)).toBe(-100);
    expect(driver.core.waitsFor(GAME_ID)).toBe(false);
  });

  it('is looked up again after a minute, not at every housekeeping turn', () => {
    const driver = driverWith(1000);
    boot(driver, day({ plays: [play('t1', { ref: undefined })] }), false);
    driver.passTime(20_000);
    expect(lookedUp(driver)).toMatchObject([{ read: { what: 'play', txId: 't1' } }]);
    driver.input({
      type: 'failure',
      req: lookedUp(driver)[0]?.req ?? 0,
      failure: 'no-answer',
      detail: 'none',
    });
    driver.passTime(50_000);
    expect(lookedUp(driver)).toHaveLength(2);
  });

  it('is valued at its mark again when the exchange lists it after an operator settled it', () => {
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
    driver.passTime(500);
    return problem;
  };
  const isOver = (driver: CoreDriver): void => {
    driver.wall += 7_200_000;
    const data = JSON.stringify(gameEntry(HOME, AWAY, { ended: true }));
    driver.input({ type: 'frame', feed: 'prices', epoch: 1, event: 'gameUpdate', data });
  };

  it('is refused when it differs from an earlier one, until the earlier one is taken back', () => {
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
    // the exchange's further reports of the play are no second fill
    expect([...driver.core.fills()]).toHaveLength(1);
    expect(settle(driver, 101, 99)).toBeUndefined();
    expect([driver.core.realized, driver.core.worst]).toEqual([100, 0]);
    expect(driver.core.waitsFor(GAME_ID)).toBe(false);
  });

  it('in an earlier run is known and can be taken back', () => {
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
    driver.passTime(500);
    expect(brought(driver)).toBeCloseTo(100, 4);
  });
});

describe('risk.maxDailyLoss', () => {
  it('allows only closing orders, and halts when nothing is left to close', () => {
    const driver = driverWith(30);
    const [place] = placesIn(driver.start(HOME, AWAY));
    if (place === undefined) throw new Error('no place');
    const ids = driver.accept(place, 'o');
    driver.passTime(1000);
    driver.position(
      { orderID: ids[0], odds: 110, offered: 100, filled: 100, remaining: 0 },
      { txID: 't1', filled: 100, odds: 110 },
    );
    dropHome(driver);
    expect(driver.core.status()).toMatchObject({ trading: 'reduce-only' });
    expect(driver.core.standing).toMatchObject({ state: 'reduce-only', paused: false });
    // the game is about to start: nothing is quoted in it any more
    driver.wall = Date.parse('2030-01-01T11:59:30Z');
    driver.passTime(1000);
    expect(driver.core.status().trading).toBe('halted');
    const [alert] = alertsIn(driver.sent, 'KILL_SWITCH').filter(({ fields }) => fields['state'] === 'halted');
    expect(alert?.fields['reason']).toMatch(
      /the account has lost \d+\.\d\d since 2030-01-01T08:00:00.000Z \(risk.maxDailyLoss 30\)/,
    );
  });

  it('is in force before the first order of a run and counts the losses of earlier runs', () => {
    const driver = driverWith(50);
    boot(driver, day({ settled: dollars(-60), base: { entries: [], elsewhere: [] } }));
    const sent = [...driver.permits('place', 25), ...driver.permits('cancel', 30), ...driver.passTime(3000)];
    expect(placesIn(sent)).toEqual([]);
    expect(driver.core.status().trading).toBe('halted');
  });

  it('is not lifted by resume while the loss lasts: no order is sent', () => {
    const driver = driverWith(50);
    boot(driver, day({ settled: dollars(-60), base: { entries: [], elsewhere: [] } }));
    driver.permits('place', 25);
    const sent = [...driver.input({ type: 'operator', command: 'resume' }), ...driver.passTime(2000)];
    expect(placesIn(sent)).toEqual([]);
    expect(driver.core.status().trading).toBe('halted');
  });

  it('allows quoting while the loss is smaller', () => {
    const driver = driverWith(50);
    boot(driver, day({ settled: dollars(-49), base: { entries: [], elsewhere: [] } }));
    expect(placesIn([...driver.permits('place', 25), ...driver.passTime(6000)])).not.toEqual([]);
  });
});

describe('the trading state that an earlier run left', () => {
  it.each([
    ['halted', { state: 'halted', reason: 'an operator asked for it', paused: false }],
    ['reduce-only', { state: 'reduce-only', reason: 'an operator asked for it', paused: false }],
    ['paused', { state: 'active', reason: 'paused', paused: true }],
  ] as const)('%s holds before the first order, until resume', (_name, standing) => {
    const driver = driverWith(50);
    driver.input({ type: 'boot', run: 'run', standing });
    const sent = driver.start();
    expect(placesIn([...sent, ...driver.passTime(6000)])).toEqual([]);
    expect(driver.core.standing).toEqual(standing);
    expect(placesIn([...driver.input({ type: 'operator', command: 'resume' }), ...driver.passTime(1000)])).not.toEqual(
      [],
    );
    expect(driver.core.standing).toBeUndefined();
  });
});

describe('a run after a crash', () => {
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

  it('resumes by itself and reports what it found', () => {
    const driver = driverWith(50);
    driver.census = { orders: [former('before')], plays: [] };
    driver.input({ type: 'boot', run: 'run', after });
    const sent = [...driver.start(), ...driver.passTime(1000)];
    const [alert] = alertsIn(driver.sent, 'AFTER_CRASH');
    expect(alert).toMatchObject({ level: 'warn', fields: { pid: 7, crashes: 1, open: 1, unanswered: 0 } });
    expect(placesIn(sent)).not.toEqual([]);
  });

  it('waits when an open order is in no journal', () => {
    const driver = driverWith(50);
    driver.census = { orders: [former('other')], plays: [] };
    driver.input({ type: 'boot', run: 'run', after });
    expect(placesIn([...driver.start(), ...driver.passTime(3000)])).toEqual([]);
    expect(driver.core.status().closed).toMatch(/waiting: 1 open orders bear our reference/);
    expect(alertsIn(driver.sent, 'AFTER_CRASH')[0]?.fields).toMatchObject({
      unexplained: ['a.main.#0.other-1'],
    });
    expect(placesIn([...driver.input({ type: 'operator', command: 'resume' }), ...driver.passTime(1000)])).not.toEqual(
      [],
    );
  });

  it('waits until resume when the boot input says so', () => {
    const driver = driverWith(50);
    driver.input({
      type: 'boot',
      run: 'run',
      after: { ...after, crashes: 3, wait: '3 runs in ten minutes' },
    });
    expect(placesIn([...driver.start(), ...driver.passTime(3000)])).toEqual([]);
    expect(driver.core.status().closed).toBe('waiting: 3 runs in ten minutes');
    expect(driver.core.standing, 'a wait is not part of the trading state').toBeUndefined();
    expect(placesIn([...driver.input({ type: 'operator', command: 'resume' }), ...driver.passTime(1000)])).not.toEqual(
      [],
    );
  });
});
