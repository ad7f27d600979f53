// An account that the exchange no longer serves: the bot tries each remedy once, and the exit code shows what
// is left.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Call } from '../support/children.ts';
import {
  DAY_LIMIT,
  exchangeSection,
  folder,
  start,
  startDoor,
  startExchange,
  countsOf,
  STRATEGIES,
  writeConfig,
} from '../support/children.ts';
import { eventually } from '../guard/fixtures.ts';

const QUICK = [
  '  limits: { place: { requests: 5, window: 1s }, cancel: { requests: 15, window: 1s } }',
  'orders: { reserve: 1 }',
  'markets: { leagues: [NBA], types: [moneyline], lines: main }',
  'journal: { dir: ./run }',
  '',
].join('\n');

const isOfAccount = ({ path, status }: Call): boolean =>
  status === 403 && (path === '/user/login' || path === '/user/getMe');

it.each([
  ['banned with orders at rest ends with 74 and their ids', 'banned', false, 74],
  ['closed with nothing at rest ends with 77', 'closed', true, 77],
])(
  'a run whose account is %s, after one cancelAllOrders and one list',
  async (_what, status, isPaused, exit) => {
    const exchange = await startExchange('--games', '2', '--account', 'alice:alice-pw');
    const door = await startDoor(exchange);
    const config = writeConfig(
      exchangeSection(door.url, exchange.socketUrl) + QUICK + DAY_LIMIT + STRATEGIES,
      folder(),
    );
    const bot = start(['run', config, '--json']);
    const story = () => countsOf(exchange, 'alice');
    await eventually('quotes rest', async () => (await story()).openOrders >= 2, 30_000);
    if (isPaused) {
      expect((await start(['ctl', config, 'pause']).ended).code).toBe(0);
      await eventually('nothing rests', async () => (await story()).openOrders === 0);
    }
    const beganAt = performance.now();
    const changed = await fetch(`${exchange.adminUrl}/accounts/alice`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ status }),
    });
    expect(changed.status).toBe(200);
    const { code, stdout, stderr } = await bot.ended;
    expect([code, stderr]).toEqual([exit, expect.stringContaining('the run ends')]);
    expect(performance.now() - beganAt).toBeLessThan(20_000);

    const refusedIndex = door.calls.findIndex(isOfAccount);
    const after = door.calls.slice(refusedIndex + 1);
    const cancelAll = after.findIndex(({ path }) => path === '/session/cancelAllOrders');
    // requests that were on the way when the account was refused were sent before
    const since = after.slice(cancelAll).map(({ method, path }) => `${method} ${path}`);
    expect(since).toEqual(['POST /session/cancelAllOrders', 'GET /user/getUnmatched']);
    expect(after.length).toBeLessThanOrEqual(8);
    expect(
      door.calls.filter(({ path, status: answer }) => path === '/user/login' && answer === 403).length,
    ).toBeLessThanOrEqual(1);

    const { openOrders } = await story();
    expect(JSON.parse(stdout)).toMatchObject({ openAtExit: null });
    if (isPaused) expect(openOrders).toBe(0);
    else {
      expect(openOrders).toBeGreaterThan(0);
      expect(stderr).toContain('STOP_NOT_CONFIRMED');
      const { ids } = JSON.parse(stderr.split('\n').find((line) => line.includes('STOP_NOT_CONFIRMED')) ?? '{}') as {
        readonly ids: readonly string[];
      };
      expect(ids.length).toBeGreaterThanOrEqual(openOrders);
    }
    // a guard must not take this end for an orderly one
    expect(readFileSync(`${config.replace('bot.yaml', 'run')}/alice.heartbeat`, 'utf8')).toContain('"farewell":false');
  },
  60_000,
);
