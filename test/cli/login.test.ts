import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  closedPort,
  DAY_LIMIT,
  exchangeSection,
  folder,
  NO_JOURNAL,
  run,
  start,
  startDoor,
  startExchange,
  countsOf,
  STRATEGIES,
  writeConfig,
} from '../support/children.ts';

const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('a login that the exchange refuses', () => {
  it.each([
    ['a wrong password', { password: 'wrong-pw' }],
    ['an unknown account', { username: 'unknown' }],
  ])('ends the run with 77 and the reason, after one request: %s', async (_what, account) => {
    const exchange = await startExchange('--traders', 'none', '--games', '1', '--account', 'alice:alice-pw');
    const door = await startDoor(exchange);
    const file = writeConfig(
      exchangeSection(door.url, exchange.socketUrl, account) + STRATEGIES + DAY_LIMIT + NO_JOURNAL,
    );
    const { code, stdout, stderr } = await run(['run', file, '--json']);
    expect(code).toBe(77);
    expect(stderr).toMatch(/refused the login of \w+: InvalidCredentials \(status 401\)/);
    const nothing = { schema: 1, placed: 0, fills: 0, openAtExit: null, mode: null };
    expect(JSON.parse(stdout)).toMatchObject({ ...nothing, http: { 401: 1 } });
    expect(stderr).not.toContain('wrong-pw');
    expect(door.calls.map(({ method, path, status }) => [method, path, status])).toEqual([
      ['POST', '/user/login', 401],
    ]);
    expect((await countsOf(exchange, 'alice')).requests).toEqual({ place: 0, edit: 0, cancel: 0, other: 0 });
  });
});

it('a run uses the account name that the exchange returns, and so finds its user feed', async () => {
  const exchange = await startExchange('--games', '1', '--account', 'alice:alice-pw');
  const config = writeConfig(
    exchangeSection(exchange.restUrl, exchange.socketUrl, { username: 'ALICE' }) +
      STRATEGIES +
      'risk: { maxDailyLoss: 100000, resumeAfter: 250ms }\n' +
      NO_JOURNAL,
  );
  const { code, stdout, stderr } = await run(['run', config, '--for', '7s', '--json']);
  expect(code, stderr).toBe(0);
  const { placed, http } = JSON.parse(stdout) as { placed: number; http: Record<string, number> };
  expect(placed).toBeGreaterThan(0);
  expect(http).not.toHaveProperty('401');
  expect(stderr).not.toContain('cannot connect');
});

it('a feed that cannot connect is the reason that /ready and ctl give, with address and setting', async () => {
  const exchange = await startExchange('--traders', 'none', '--games', '1', '--account', 'alice:alice-pw');
  const wrong = `${exchange.socketUrl}/priceUpdates`;
  const config = writeConfig(
    `${exchangeSection(exchange.restUrl, wrong)}${STRATEGIES}${DAY_LIMIT}ops: { port: 0 }\njournal: { dir: ./run }\n`,
  );
  const bot = start(['run', config]);
  const url = /"url":"([^"]+)"/.exec(await bot.prints('stderr', /"url":"[^"]+"/))?.[1] ?? '';
  await bot.prints('stderr', /cannot connect, trying again/);
  const ready = await fetch(`${url}/ready`);
  const why =
    /the price feed cannot connect: Invalid namespace \(http:[^)]+\/priceUpdates\/priceUpdates; look at exchange\.socketUrl\)/;
  expect([ready.status, await ready.text()]).toEqual([503, expect.stringMatching(why)]);
  expect((await run(['ctl', config, 'status'])).stdout).toMatch(why);
  bot.child.kill('SIGTERM');
  expect((await bot.ended).code).toBe(0);
}, 30_000);

describe('an exchange that cannot be reached', () => {
  it('is tried again with back-off and a log line, and ends the run with 75 after startTimeout', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    const file = writeConfig(exchangeSection(url, url, { startTimeout: '3s' }) + STRATEGIES + DAY_LIMIT + NO_JOURNAL);
    const begun = performance.now();
    const { code, stdout, stderr } = await run(['run', file, '--json']);
    expect(code).toBe(75);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(3000);
    expect(JSON.parse(stdout)).toMatchObject({ schema: 1, placed: 0, openAtExit: null });
    expect(stderr).toMatch(/did not accept the login within 3 s: ECONNREFUSED/);
    const tries = linesOf(stderr).filter(({ msg }) => String(msg).includes('trying again'));
    expect(tries.length).toBeGreaterThanOrEqual(2);
    expect(tries.slice(0, 2).map(({ waitMs }) => waitMs)).toEqual([250, 500]);
    for (const attempt of tries) expect(attempt).toMatchObject({ level: 'warn', detail: 'ECONNREFUSED' });
  });

  it('is traded on as soon as it comes up', async () => {
    const port = await closedPort();
    const url = `http://127.0.0.1:${port}`;
    const file = writeConfig(exchangeSection(url, url, { startTimeout: '15s' }) + STRATEGIES + DAY_LIMIT + NO_JOURNAL);
    const bot = start(['run', file, '--json']);
    await bot.prints('stderr', /trying again/);
    const exchange = start(['exchange', '--port', String(port), '--account', 'alice:alice-pw', '--games', '1']);
    const { adminUrl } = JSON.parse(await exchange.prints('stdout', /\n/)) as { readonly adminUrl: string };
    // the counts of the account show when the bot is logged in
    const loggedIn = async (): Promise<boolean> => {
      const story = (await (await fetch(`${adminUrl}/accounts/alice`)).json()) as {
        readonly requests: { readonly other: number };
      };
      return story.requests.other > 0;
    };
    await expect.poll(loggedIn, { timeout: 10_000 }).toBe(true);
    bot.child.kill('SIGINT');
    const { code, stdout } = await bot.ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ schema: 1, openAtExit: 0 });
  });

  it('does not delay a run that is stopped', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    const file = writeConfig(exchangeSection(url, url, { startTimeout: '60s' }) + STRATEGIES + DAY_LIMIT + NO_JOURNAL);
    const bot = start(['run', file, '--json']);
    await bot.prints('stderr', /trying again/);
    bot.child.kill('SIGTERM');
    const { code, stdout, stderr } = await bot.ended;
    // no one has checked the account
    expect(code).toBe(74);
    expect(stderr).toContain('stopped before the login');
    expect(JSON.parse(stdout)).toMatchObject({ placed: 0, requests: { place: 0 } });
  });
});

it('a run keeps password, session token and admin token out of journal, log and summary', async () => {
  const password = 'alice-very-secret';
  const exchange = await startExchange('--games', '2', '--account', `alice:${password}`);
  const door = await startDoor(exchange);
  const home = folder();
  const file = writeConfig(
    `${exchangeSection(door.url, exchange.socketUrl, { password: '${PASSWORD_OF_TEST}' })}${STRATEGIES}${DAY_LIMIT}` +
      'journal: { dir: ./journals }\nops: { token: "${TOKEN_OF_TEST}" }\nlog: { level: trace }\n',
    home,
  );
  const env = { PASSWORD_OF_TEST: password, TOKEN_OF_TEST: 'admin-very-secret' };
  const { code, stdout, stderr } = await run(['run', file, '--for', '2s', '--json'], env);
  expect(code, stderr).toBe(0);

  const tokens = new Set(door.calls.flatMap(({ authorization = '' }) => (authorization === '' ? [] : [authorization])));
  expect(tokens.size).toBeGreaterThan(0);
  const [name = ''] = readdirSync(join(home, 'journals'));
  const journal = zstdDecompressSync(readFileSync(join(home, 'journals', name))).toString();
  expect(journal).toMatch(/^\{"journal":2,/);
  expect(journal.split('\n').length).toBeGreaterThan(50);
  for (const secret of [password, 'admin-very-secret', ...tokens]) {
    expect(journal.includes(secret)).toBe(false);
    expect(stdout.includes(secret)).toBe(false);
    expect(stderr.includes(secret)).toBe(false);
  }
});
