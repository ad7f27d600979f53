// The loss of a day over several runs of a bot: killed, restarted, graded while no bot ran. The exchange's
// own figures are the reference. The test reads the ledger as any other program does.
import { rmSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { eventually } from '../guard/fixtures.ts';
import { start } from '../support/children.ts';
import type { Row } from './fixtures.ts';
import { kill, ledgerScene, stop } from './fixtures.ts';

type Day = { readonly startsAt: number; readonly brought?: number; readonly limit: number };
const dayOf = (status: Row): Day | undefined => status['day'] as Day | undefined;
const sumOf = (rows: readonly Row[], key: string): number => rows.reduce((sum, row) => sum + Number(row[key]), 0);

/**
 * Orders of the newest run, and how much more their market paid if its first side won, at the time of the
 * order.
 */
const CLOSING = `SELECT side, (
    SELECT position_first - position_second FROM marks
    WHERE marks.market = orders.market AND marks.at <= orders.sent_at ORDER BY marks.at DESC LIMIT 1
  ) AS inventory
  FROM orders WHERE run = (SELECT run FROM runs ORDER BY started_at DESC LIMIT 1)`;

it('the loss of a day is summed over all runs of a bot and stops it before its first order', async () => {
  const scene = await ledgerScene();
  const { startBot, venue, rows, count, change, admin, ctl, status, ledger, config } = scene;

  // the first run fills and is killed; the ledger is read during the run
  const first = startBot();
  const game = await eventually(
    'a game has at least four fills',
    () => {
      const [most] = rows('SELECT game_id AS id, count(*) AS n FROM fills GROUP BY 1 ORDER BY 2 DESC');
      return most !== undefined && Number(most['n']) >= 4 && String(most['id']);
    },
    60_000,
  );
  expect(statSync(ledger).mode & 0o777).toBe(0o600);
  expect(count('runs')).toBe(1);
  expect(rows('SELECT exchange, account, mode FROM accounts')).toEqual([
    expect.objectContaining({ exchange: venue.restUrl, account: 'alice', mode: 'coins' }),
  ]);
  await kill(first);
  const filled = (await admin('GET', '/accounts/alice')) as Row & { readonly balances: Row };
  expect(count('orders')).toBeGreaterThan(0);
  // each accepted order has the exchange's id and the latency of its answer
  const answered = rows("SELECT order_id, latency_ms FROM orders WHERE fate = 'accepted'");
  expect(answered.length).toBeGreaterThan(0);
  for (const { order_id: id, latency_ms: ms } of answered) expect([typeof id, typeof ms]).toEqual(['string', 'number']);

  // the game is graded against the bot while no bot runs; fills that the kill kept out of the ledger are not
  // in it
  const plays = rows('SELECT side, risk, win FROM fills WHERE game_id = ?', game);
  const profit = (winner: string): number =>
    plays.reduce((sum, row) => sum + (row['side'] === winner ? Number(row['win']) : -Number(row['risk'])), 0);
  const homeWins = profit('home') < profit('away');
  const graded = Math.min(profit('home'), profit('away'));
  await admin('POST', `/games/${game}`, { ended: true });
  await admin('POST', `/games/${game}/grade`, { home: homeWins ? 100 : 90, away: homeWins ? 90 : 100 });

  // the next run looks up the results: a limit just below the loss stops it
  change(/maxDailyLoss: \d+/, 'maxDailyLoss: 0.01');
  const second = startBot();
  await eventually(
    'every fill of the game is settled',
    () => {
      const [left] = rows(
        `SELECT count(*) AS n FROM fills f WHERE game_id = ? AND NOT EXISTS
       (SELECT 1 FROM settlements s WHERE s.account_id = f.account_id AND s.tx_id = f.tx_id)`,
        game,
      );
      return left?.['n'] === 0;
    },
    30_000,
  );
  const settlements = rows('SELECT tx_id, profit, is_told, source, day FROM settlements');
  expect(sumOf(settlements, 'profit')).toBeCloseTo(graded, -2);
  for (const row of settlements) expect(row).toMatchObject({ is_told: 1, source: 'graded' });
  const lost = await eventually('the day is over the limit', async () => {
    const state = await status();
    return state['trading'] !== 'active' && state;
  });
  expect(dayOf(lost)?.limit).toBe(10_000);
  const before = dayOf(lost)?.brought ?? 0;
  expect(before).toBeLessThan(-10_000);
  await kill(second);

  // a restart forgets nothing: the bot sends only orders that close a position, and the loss is the same
  const third = startBot();
  await third.prints('stderr', /KILL_SWITCH/);
  const again = await eventually('the account is read', async () => {
    const state = await status();
    return state['accountRead'] === true && state;
  });
  // the value of open positions may have moved since
  const settledSum = sumOf(settlements, 'profit');
  expect(dayOf(again)?.brought).toBeLessThan(Math.min(-10_000, settledSum / 2));
  const resumed = await ctl('resume');
  expect(resumed.code, resumed.stderr).toBe(0);
  await eventually('the bot is stopped again', async () => (await status())['trading'] !== 'active');
  expect((await stop(third)).code).toBe(0);
  for (const { side, inventory } of rows(CLOSING)) {
    expect(Math.abs(Number(inventory))).toBeGreaterThan(0);
    expect(side).toBe(Number(inventory) > 0 ? 'away' : 'home');
  }

  // a new day begins with the positions held at its start: the halt holds until resume, and then the bot
  // quotes
  const boundary = new Date(Date.now() + 12_000);
  change('risk: {', `risk: { dayStartsAt: "${boundary.toISOString().slice(11, 19)}Z",`);
  const fourth = startBot();
  await eventually(
    'the new day begins',
    async () => {
      const state = await status().catch(() => undefined);
      return state !== undefined && (dayOf(state)?.startsAt ?? 0) === Math.floor(boundary.getTime() / 1000) * 1000;
    },
    30_000,
  );
  expect(await status()).toMatchObject({ trading: expect.stringMatching(/halted|reduce-only/) as string });
  expect(Math.abs(dayOf(await status())?.brought ?? Number.NaN)).toBeLessThan(Math.abs(before));
  await stop(fourth);
  change('maxDailyLoss: 0.01', 'maxDailyLoss: 100000');
  const fifth = startBot();
  await fifth.prints('stderr', /not quoting/);
  await ctl('resume');
  await scene.quotes(1);
  expect((await stop(fifth)).code).toBe(0);
  expect(rows('SELECT command FROM operator_actions ORDER BY id').map((row) => row['command'])).toContain('resume');
  // each fill that the exchange counts is in the ledger once
  const account = await admin('GET', '/accounts/alice');
  expect(Number(account['fills'])).toBeGreaterThanOrEqual(Number(filled['fills']));
  expect(count('fills')).toBe(Number(account['fills']));
  expect(sumOf(rows('SELECT risk FROM fills'), 'risk') / 1e6).toBeCloseTo(Number(account['riskFilled']), 2);

  // without its ledger the bot starts only when the operator states the loss of the day
  for (const part of ['', '-wal', '-shm']) rmSync(ledger + part, { force: true });
  const refused = await start(['run', config]).ended;
  expect(refused.code).toBe(65);
  expect(refused.stderr).toContain(ledger);
  expect(refused.stderr).toMatch(/--day-loss/);
  const stated = start(['run', config, '--day-loss', '40']);
  // read before quotes fill and markets move
  const brought = await eventually('the day is known', async () => dayOf(await status().catch(() => ({})))?.brought);
  await scene.quotes(1);
  expect(brought).toBeLessThan(0);
  expect(brought).toBeCloseTo(-40_000_000, -7);

  // a ledger removed during a run: the bot keeps trading, raises an alert, exits with 76, and the next start
  // is refused
  rmSync(ledger);
  await stated.prints('stderr', /LEDGER_LOST/);
  expect(await status()).toMatchObject({ trading: 'active' });
  expect((await stop(stated)).code).toBe(76);
  expect((await start(['run', config]).ended).code).toBe(65);
}, 480_000);
