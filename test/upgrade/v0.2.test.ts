// The files of version 0.2, opened by the present code. Each number was recorded when the files were made
// (make.ts). It is what the user had. It may change here only where a new version intends to show or decide
// something else, and then CHANGELOG.md says so.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { fillModelOf } from '../../src/backtest/fill-model-file.ts';
import { loadCoreSettings } from '../../src/setup/core-settings.ts';
import { loadConfig } from '../../src/config/index.ts';
import { keepUser, runFiles } from '../../src/ops/index.ts';
import { keepUserId, openLedger } from '../../src/ledger/index.ts';
import { readLastRequests } from '../../src/journal/last-requests.ts';
import { command, startExchange } from '../support/children.ts';
import { nextStart, openVersion, replayed } from './open-version.ts';

const FIRST_RUN = '2026-11-27T08-30-53-499Z-e7088db2';
const KILLED_RUN = '2026-11-27T08-31-07-257Z-5ef51548';
/** A time after the kill on the same day of the account. */
const NEXT_START = Date.parse('2026-11-27T08:32:00Z');
const DAY = Date.parse('2026-11-27T08:00:00Z');

const BULLS = '5f2bb0e8d57ba93c506854ae';
const ROVERS = '5f2bb0e8d57ba93c52e432de';
const PILOTS = '5f2bb0e8d57ba93c73865191';
const MINERS = '5f2bb0e8d57ba93ccbe261e8';

/** The positions, with the profit of each outcome in dollars. */
const ROVERS_HELD = {
  [`${ROVERS}/moneyline`]: { first: 32.999999, second: -31.42857, staked: 31.42857 },
  [`${ROVERS}/total/2.75`]: { first: 44, second: -41.904762, staked: 41.904762 },
};

let home: string;
beforeAll(() => {
  home = openVersion('v0.2');
});
afterEach(() => {
  vi.useRealTimers();
});

async function json(args: readonly string[], code = 0): Promise<unknown> {
  const ended = await command([...args, '--json']);
  expect(ended, ended.stderr).toMatchObject({ code });
  return JSON.parse(ended.stdout);
}

it('the configuration of version 0.2 loads with its strategy and its limits', async () => {
  const loaded = loadConfig(join(home, 'bot.yaml'), {});
  expect(loaded.config).toMatchObject({
    exchange: { restUrl: 'http://127.0.0.1:44443', username: 'alice', playerMode: 'coins' },
    markets: { leagues: ['NBA', 'EPL'], types: ['moneyline', 'spread', 'total'], lines: 'all' },
    risk: { maxGameLoss: 500, maxTotalLoss: 2000, maxDailyLoss: 1000 },
  });
  const { settings } = await loadCoreSettings(loaded);
  expect(settings.strategies.map(({ id, params }) => [id, params])).toEqual([['fixed', { risk: 5000, odds: 105 }]]);
});

describe('the journals of version 0.2', () => {
  const verified = (journal: string, code: number): Promise<unknown> =>
    json(['replay', '--verify', join(home, 'run', `${journal}.ndjson.zst`)], code);

  it('replay to the same commands', async () => {
    expect(await verified(FIRST_RUN, 0)).toMatchObject({
      journal: { torn: null, invalid: null },
      compared: { records: 191, commands: 53 },
      difference: null,
    });
    expect(await verified(KILLED_RUN, 65)).toMatchObject({
      journal: { torn: { line: 147 }, invalid: null },
      compared: { records: 125, commands: 35 },
      difference: null,
    });
  });

  it('end with the positions and the loss of the day of their runs', async () => {
    expect((await replayed(home, FIRST_RUN)).end).toEqual({
      trading: 'active',
      day: { startsAt: DAY, brought: -69_729_739, limit: 1_000_000_000 },
      pnl: { marked: -69.72973853211923, worst: -73.333332 },
      positions: ROVERS_HELD,
    });
    expect((await replayed(home, KILLED_RUN)).end).toEqual({
      trading: 'halted',
      day: { startsAt: DAY, brought: -52_705_929, limit: 1_000_000_000 },
      pnl: { marked: 18.246451467880767, worst: -83.809522 },
      positions: {
        ...ROVERS_HELD,
        [`${MINERS}/moneyline`]: { first: 11, second: -10.47619, staked: 10.47619 },
      },
    });
  });

  it('have the requests of the killed run that still count in the request windows', async () => {
    const nowMs = Date.parse('2026-11-27T08:31:12Z');
    const found = await readLastRequests(join(home, 'run'), 'alice', {
      lateArrivalMs: 2000,
      sinceMs: nowMs - 10_000,
      nowMs,
    });
    expect(found).toEqual({
      complete: false,
      ends: { place: [1795768268098, 1795768270253], cancel: [1795768270463] },
      unanswered: [],
    });
  });
});

describe('the next start after version 0.2', () => {
  it('is halted, and has the loss of the day and the open fills', async () => {
    vi.setSystemTime(NEXT_START);
    const { boot, ...start } = await nextStart(openVersion('v0.2'));
    expect(boot.standing).toEqual({ state: 'halted', reason: 'an operator asked for it', paused: false });
    expect(boot.after).toEqual({ pid: 19175, crashes: 1, runs: ['e7088db2', '5ef51548'] });
    expect(start).toMatchObject({
      trading: 'halted',
      formerPnl: -43.45238,
      day: { startsAt: DAY, brought: -52_705_929, limit: 1_000_000_000 },
    });
    expect(boot.day).toMatchObject({ startsAt: DAY, settled: -43_452_380 });
    expect(boot.day?.plays.map(({ market, side, risk, win }) => [market.id, side, risk, win])).toEqual([
      [`${ROVERS}/moneyline`, 'home', 31_428_570, 32_999_999],
      [`${ROVERS}/total/2.75`, 'over', 41_904_762, 44_000_000],
      [`${MINERS}/moneyline`, 'home', 10_476_190, 11_000_000],
    ]);
    expect(boot.day?.settledByHand.map(({ day, profit }) => [day, profit])).toEqual([[DAY, 27_500_000]]);
    expect(boot.day?.prices).toEqual([
      { market: `${ROVERS}/moneyline`, price: 0.4959377469516774 },
      { market: `${ROVERS}/total/2.75`, price: 0.4959377469516774 },
    ]);
  });
});

describe('the account name of version 0.2', () => {
  it('may change its case and keeps its halt, its loss of the day and its ledger', async () => {
    vi.setSystemTime(NEXT_START);
    const copy = openVersion('v0.2');
    const file = join(copy, 'bot.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('username: alice', 'username: ALICE'));
    const { boot, ...start } = await nextStart(copy);
    expect(boot.standing).toEqual({ state: 'halted', reason: 'an operator asked for it', paused: false });
    // the start finds the killed bot by its lease and its heartbeat
    expect(boot.after).toMatchObject({ pid: 19175, crashes: 1 });
    expect(start).toMatchObject({
      trading: 'halted',
      formerPnl: -43.45238,
      day: { startsAt: DAY, brought: -52_705_929, limit: 1_000_000_000 },
    });
    expect(readdirSync(join(copy, 'run')).filter((name) => /^alice\./i.test(name))).toEqual([
      'alice.heartbeat',
      'alice.lease',
      'alice.standing',
    ]);
    const db = openLedger(join(copy, 'run/ledger.db'));
    try {
      expect(db.prepare('SELECT account FROM accounts').all()).toEqual([{ account: 'alice' }]);
    } finally {
      db.close();
    }
    const { rows } = (await json(['pnl', file, '--by', 'day'])) as { readonly rows: readonly unknown[] };
    expect(rows).toEqual([expect.objectContaining({ fills: 7, settled: -43.45 })]);
    const nowMs = Date.parse('2026-11-27T08:31:12Z');
    const found = await readLastRequests(join(copy, 'run'), 'ALICE', {
      lateArrivalMs: 2000,
      sinceMs: nowMs - 10_000,
      nowMs,
    });
    expect(found.ends.place).toHaveLength(2);
  });
});

describe('another account name of the same user', () => {
  it('gets the halt, the loss of the day and the ledger of the first name', async () => {
    vi.setSystemTime(NEXT_START);
    const copy = openVersion('v0.2');
    const user = { exchange: 'http://127.0.0.1:44443', userId: 'u-1' };
    const file = join(copy, 'bot.yaml');
    // both names logged in once
    const db = openLedger(join(copy, 'run/ledger.db'));
    for (const name of ['alice', 'alice@example.com']) {
      keepUser(runFiles(join(copy, 'run'), name).user, user);
      keepUserId(db, user.exchange, name, user.userId);
    }
    db.close();
    writeFileSync(file, readFileSync(file, 'utf8').replace('username: alice', 'username: alice@example.com'));
    const { boot, ...start } = await nextStart(copy);
    expect(boot.standing).toEqual({ state: 'halted', reason: 'an operator asked for it', paused: false });
    expect(start).toMatchObject({
      trading: 'halted',
      formerPnl: -43.45238,
      day: { startsAt: DAY, brought: -52_705_929, limit: 1_000_000_000 },
    });
    const { rows } = (await json(['pnl', file, '--by', 'day'])) as { readonly rows: readonly unknown[] };
    expect(rows).toEqual([expect.objectContaining({ fills: 7, settled: -43.45 })]);
  });
});

describe('the ledger of version 0.2', () => {
  it('has each fill with its profit to the micro-dollar', () => {
    const db = openLedger(join(home, 'run/ledger.db'));
    try {
      expect(db.prepare('SELECT exchange, account, mode FROM accounts').all()).toEqual([
        { exchange: 'http://127.0.0.1:44443', account: 'alice', mode: 'coins' },
      ]);
      const rows = db
        .prepare(
          `SELECT f.market, f.side, f.risk, f.win, s.profit, s.commission, s.source
           FROM fills f LEFT JOIN settlements s USING (account_id, tx_id) ORDER BY f.at`,
        )
        .all()
        .map((row) => Object.values(row));
      expect(rows).toEqual([
        [`${BULLS}/moneyline`, 'away', 50_000_000, 52_500_000, -50_000_000, 0, 'graded'],
        [`${BULLS}/spread/-3`, 'away', 41_904_762, 44_000_000, 0, 0, 'graded'],
        [`${BULLS}/total/200`, 'over', 20_952_380, 21_999_999, -20_952_380, 0, 'graded'],
        [`${ROVERS}/moneyline`, 'home', 31_428_570, 32_999_999, null, null, null],
        [`${ROVERS}/total/2.75`, 'over', 41_904_762, 44_000_000, null, null, null],
        [`${PILOTS}/moneyline`, 'away', 26_190_476, 27_500_000, 27_500_000, 0, 'operator'],
        [`${MINERS}/moneyline`, 'home', 10_476_190, 11_000_000, null, null, null],
      ]);
    } finally {
      db.close();
    }
  });

  it('has the same sums in pnl, by day and by game', async () => {
    const pnl = async (by: string): Promise<unknown> => {
      const printed = (await json(['pnl', join(home, 'bot.yaml'), '--by', by])) as {
        readonly rows: readonly Readonly<Record<string, number>>[];
      };
      return printed.rows
        .map(({ fills, risk, settled, open, pnl: sum }) => ({ fills, risk, settled, open, pnl: sum }))
        .sort((a, b) => Number(a.pnl) - Number(b.pnl));
    };
    expect(await pnl('day')).toEqual([{ fills: 7, risk: 222.86, settled: -43.45, open: -9.25, pnl: -52.71 }]);
    expect(await pnl('game')).toEqual([
      { fills: 3, risk: 112.86, settled: -70.95, open: 0, pnl: -70.95 },
      { fills: 1, risk: 10.48, settled: 0, open: -10.48, pnl: -10.48 },
      { fills: 2, risk: 73.33, settled: 0, open: 1.22, pnl: 1.22 },
      { fills: 1, risk: 26.19, settled: 27.5, open: 0, pnl: 27.5 },
    ]);
  });
});

describe('the tapes and backtests of version 0.2', () => {
  it('have tapes that are read, a torn one up to its tear', async () => {
    const { tapes } = (await json(['tape', 'info', join(home, 'tapes')])) as {
      readonly tapes: readonly {
        readonly lines: { readonly frames: number; readonly reads: number; readonly ownEvents: number };
        readonly games: readonly { readonly taken: number }[];
        readonly torn: string | null;
      }[];
    };
    expect(
      tapes.map(({ lines: { frames, reads, ownEvents }, games, torn }) => ({
        frames,
        reads,
        ownEvents,
        torn: torn !== null,
        taken: games.map(({ taken }) => taken).sort((a, b) => a - b),
      })),
    ).toEqual([
      { frames: 53, reads: 5, ownEvents: 5, torn: false, taken: [0, 0, 0, 62.86, 73.33] },
      { frames: 32, reads: 4, ownEvents: 2, torn: true, taken: [0, 0, 10.48, 26.19] },
    ]);
  });

  it('give the same profit in a new backtest of the tapes', async () => {
    const again = join(home, 'again');
    const played = await command([
      ...['backtest', join(home, 'bot.yaml'), '--tape', join(home, 'tapes'), '--out', again, '--orders'],
      ...['--fills', 'all', '--results', join(home, 'results.json')],
    ]);
    expect(played.code, played.stderr).toBe(0);
    const scenario = { fills: 5, riskFilled: 186.19, pnl: { marked: -69.73, settled: -15.95 } };
    const { scenarios } = JSON.parse(readFileSync(join(again, 'result.json'), 'utf8')) as {
      readonly scenarios: unknown;
    };
    expect(scenarios).toMatchObject({ pessimistic: scenario, calibrated: scenario, optimistic: scenario });
    expect(await json(['compare', again, again])).toMatchObject({
      orders: { filledA: 186.18, filledB: 186.18 },
    });
  });

  // schema 1 of backtest figures did not separate fills before the start from fills in play
  it.each([
    ['report', []],
    ['compare', ['backtest']],
  ])('make %s ask for a new backtest, since the figures have an old schema', async (name, others) => {
    const { code, stderr } = await command([name, join(home, 'backtest'), ...others.map((other) => join(home, other))]);
    expect([code, stderr]).toEqual([65, expect.stringMatching(/of schema 1.*play the backtest again/s)]);
  });

  it('include a journal whose report has the profit of its run', async () => {
    const brought = { spread: 3.41, drift: 0, luck: -74.36, commission: 0, pnl: -70.95, fills: 3 };
    expect(await json(['report', join(home, 'run', `${FIRST_RUN}.ndjson.zst`)])).toMatchObject({
      scenarios: { live: { identity: { ...brought, open: 2 } } },
    });
  });

  it('include a fill model that is read', () => {
    expect(fillModelOf(join(home, 'fill-model.json')).model).toMatchObject({
      name: 'fitted on 240 offers',
      horizonMs: 100,
      lean: 0.5,
    });
  });
});

it('the paper exchange has the fills and the balance of a state file of version 0.2', async () => {
  const { adminUrl } = await startExchange(
    ...['--traders', 'none', '--games', '1', '--account', 'alice:secret'],
    ...['--state', join(home, 'exchange.state')],
  );
  const story: unknown = await (await fetch(`${adminUrl}/accounts/alice`)).json();
  expect(story).toMatchObject({
    fills: 7,
    riskFilled: 222.85714,
    balances: { cash: 10_000, coins: 9929.04762 },
    worstLoss: { cash: 0, coins: 109.999998 },
    openOrders: 0,
  });
});
