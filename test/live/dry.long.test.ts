// A dry run as its exchange sees it: it logs in, reads and subscribes, and sends nothing else.
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../guard/fixtures.ts';
import type { Exchange } from '../support/children.ts';
import {
  exchangeSection,
  folder,
  run,
  start,
  startDoor,
  startExchange,
  countsOf,
  TWO_SIDED,
  writeConfig,
} from '../support/children.ts';

const settings = (venue: Pick<Exchange, 'restUrl' | 'socketUrl'>): string =>
  writeConfig(
    [
      exchangeSection(venue.restUrl, venue.socketUrl).trimEnd(),
      'risk: { maxDailyLoss: 100000, resumeAfter: 250ms }',
      'markets: { leagues: [NBA], live: true }',
      'journal: { dir: ./data/journal }',
      'ledger: { file: ./data/ledger.db }',
      'ops: { port: 0 }',
      `strategies: [{ use: ${TWO_SIDED}, id: main, params: { edge: 0.002, risk: 50 } }]`,
      '',
    ].join('\n'),
    folder(),
  );

describe('oddsmaker run --dry', () => {
  it('trades against the books of the exchange, and places, edits and cancels nothing there', async () => {
    const venue = await startExchange('--games', '4', '--account', 'alice:alice-pw:100:7777');
    const door = await startDoor(venue);
    const config = settings({ ...venue, restUrl: door.url });
    const bot = start(['run', config, '--dry', '--json']);
    await bot.prints('stderr', /"msg":"quoting"/);
    const status = async (): Promise<Record<string, unknown>> =>
      JSON.parse((await run(['ctl', config, 'status', '--dry', '--json'])).stdout) as Record<string, unknown>;
    // the balance is that of the account at the exchange
    expect(await status()).toMatchObject({ balance: 7777, mode: 'coins' });
    await eventually('fills', async () => Number((await status())['fills']) > 0, 60_000);
    expect((await run(['ctl', config, 'status'])).code).toBe(75);
    expect((await run(['ctl', config, 'cancel-all', '--dry'])).code).toBe(0);
    bot.child.kill('SIGINT');
    const { code, stdout } = await bot.ended;
    expect(code).toBe(0);
    const result = JSON.parse(stdout) as {
      readonly placed: number;
      readonly fills: number;
      readonly openAtExit: number;
    };
    expect(result.placed).toBeGreaterThan(4);
    expect(result.fills).toBeGreaterThan(0);
    expect(result.openAtExit).toBe(0);

    const story = await countsOf(venue, 'alice');
    expect(story).toMatchObject({ openOrders: 0, fills: 0 });
    // a login, and a page of the league
    expect(story.requests).toEqual({ place: 0, edit: 0, cancel: 0, other: 2 });
    expect(door.calls.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`)).toEqual([
      'POST /user/login',
      'POST /exchange/getOrderbook',
    ]);

    // its records are separate from those of runs with money
    const data = join(dirname(config), 'data');
    expect(readdirSync(join(data, 'journal'))).toEqual(['dry']);
    expect(existsSync(join(data, 'ledger.dry.db'))).toBe(true);
    expect(existsSync(join(data, 'ledger.db'))).toBe(false);
    const dry = join(data, 'journal/dry');
    expect((await run(['replay', '--verify', dry])).code).toBe(0);
    expect((await run(['conform', dry])).code).toBe(0);
  }, 120_000);

  it('has no price feed while the exchange is gone', async () => {
    const exchange = start(['exchange', '--port', '0', '--games', '2', '--account', 'alice:alice-pw']);
    const config = settings(JSON.parse(await exchange.prints('stdout', /\n/)) as Exchange);
    const bot = start(['run', config, '--dry']);
    await bot.prints('stderr', /"msg":"quoting"/);
    const feeds = async (): Promise<unknown> => {
      const report = JSON.parse((await run(['ctl', config, 'status', '--dry', '--json'])).stdout) as {
        readonly drops: { readonly prices: number };
        readonly closed?: string;
      };
      return report.drops.prices > 0 && report.closed !== undefined;
    };
    exchange.child.kill('SIGKILL');
    await eventually('nothing is quoted', feeds);
    bot.child.kill('SIGINT');
    expect((await bot.ended).code).toBe(0);
  }, 60_000);

  it('refuses an embedded exchange, tapes and a wrong password', async () => {
    const venue = await startExchange('--games', '1', '--account', 'alice:other');
    const config = settings(venue);
    expect((await run(['run', config, '--dry'])).code).toBe(77);
    const taped = await run(['run', config, '--dry', '--tape', 'x.ndjson']);
    expect(taped.code).toBe(2);
    const paper = await run(['run', 'config/paper.yaml', '--dry']);
    expect(paper.code).toBe(78);
    expect(paper.stderr).toMatch(/--dry needs the real exchange/);
  }, 60_000);
});
