// A bot that follows files, a Redis stream and an odds feed. It quotes on their signals, reports a silent
// source and trades on without it. Its journal replays, and is a tape with the signals in it.
import { appendFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BacktestResult } from '../../src/backtest/result.ts';
import { eventually } from '../guard/fixtures.ts';
import { command, folder, ROOT, start, writeConfig } from '../support/children.ts';
import { HAS_REDIS, TestRedis } from '../support/redis.ts';

const OWN_PRICE = join(ROOT, 'strategies/own-price.ts');
const configOf = (redis: string): string =>
  [
    'exchange: { embedded: { traders: synthetic, games: 2, seed: 1 } }',
    'markets: { types: [moneyline] }',
    // the test sets its own price, however far it is from the price of the others
    'risk: { priceBand: 1, resumeAfter: 250ms }',
    'strategies:',
    `  - { use: ${OWN_PRICE}, id: odds, params: { edge: 0.05, risk: 50, prefix: "odds:" } }`,
    `  - { use: ${OWN_PRICE}, id: fair, params: { edge: 0.05, risk: 50 } }`,
    'signals:',
    '  http: true',
    '  files: [prices.ndjson]',
    `  redis: { url: "${redis}", stream: prices }`,
    '  odds: { file: odds.json, every: 1s, ttl: 60s, teams: teams.yaml }',
    'journal: { dir: ./run }',
    'ledger: { file: ./run/ledger.db }',
    'ops: { port: 0, token: sesame }',
    '',
  ].join('\n');

type Json = Readonly<Record<string, unknown>>;

describe.skipIf(!HAS_REDIS)('a bot with sources of signals', () => {
  it('quotes on them, and continues without a source that is gone', async () => {
    await using redis = await TestRedis.start();
    const dir = folder();
    const config = writeConfig(configOf(redis.url), dir);
    writeFileSync(join(dir, 'prices.ndjson'), '{"values":{"fair:before":1}}\n');
    writeFileSync(join(dir, 'teams.yaml'), '"The Otters": Silver Lake Otters\n');
    const bot = start(['run', config]);
    const url = /"url":"([^"]+)"/.exec(await bot.prints('stderr', /"url":"[^"]+"/))?.[1] ?? '';
    const ask = async (path: string, body?: unknown): Promise<string> => {
      const answer = await fetch(url + path, {
        headers: { authorization: 'Bearer sesame', 'content-type': 'application/json' },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      });
      return await answer.text();
    };
    const status = async (): Promise<Json> => JSON.parse(await ask('/status')) as Json;
    const sources = async () => (await status())['signalSources'] as Readonly<Record<string, Json>>;
    const markets = await eventually('two games are quoted', async () => {
      const reply = JSON.parse(await ask('/api/commands', { command: 'markets' })) as {
        readonly markets?: readonly { market: string; game: string; start: number }[];
      };
      return reply.markets?.length === 2 && reply.markets;
    });
    const [otters, other] = [true, false].map((isOtters) =>
      markets.find(({ game }) => game.endsWith('Silver Lake Otters') === isOtters),
    );
    if (otters === undefined || other === undefined) throw new Error('other games than were made');
    const [away = ''] = otters.game.split(' @ ');
    const odds = JSON.stringify([
      {
        id: 'e',
        sport_key: 'basketball_nba',
        home_team: 'The Otters',
        away_team: away,
        commence_time: new Date(otters.start).toISOString(),
        bookmakers: [
          {
            key: 'pin',
            last_update: new Date().toISOString(),
            markets: [
              {
                key: 'h2h',
                outcomes: [
                  { name: 'The Otters', price: 1.9 },
                  { name: away, price: 2 },
                ],
              },
            ],
          },
        ],
      },
    ]);
    writeFileSync(join(dir, 'odds.json.new'), odds);
    renameSync(join(dir, 'odds.json.new'), join(dir, 'odds.json'));
    const message = (p: number): string => JSON.stringify({ values: { [`fair:${other.market}`]: p }, ttl: '1h' });
    appendFileSync(join(dir, 'prices.ndjson'), `${message(0.4)}\nrubbish\n`);
    const value = async (name: string): Promise<unknown> =>
      ((await status())['signals'] as Readonly<Record<string, Json>>)[name]?.['value'];
    await eventually('the odds have arrived', async () => (await value(`odds:${otters.market}`)) !== undefined);
    await eventually('the signal of the file has arrived', async () => (await value(`fair:${other.market}`)) === 0.4);
    await redis.client.xadd('prices', '*', 'signal', message(0.45));
    await eventually(
      'the signal of the stream has arrived',
      async () => (await value(`fair:${other.market}`)) === 0.45,
    );
    expect(await value('fair:before')).toBeUndefined();
    expect(await sources()).toMatchObject({
      [`file ${join(dir, 'prices.ndjson')}`]: { problem: null, 'no JSON': 1 },
      redis: { problem: null, connections: 1 },
      odds: { problem: null, matched: 1, unmatchedCount: 0 },
    });
    await eventually('both are quoted', async () => Number((await status())['resting']) >= 3);

    await redis.end();
    await eventually('the stream is silent', async () => (await sources())['redis']?.['problem'] !== null);
    expect(await ask('/metrics')).toContain('oddsmaker_signal_source_up{source="redis"} 0');
    appendFileSync(join(dir, 'prices.ndjson'), `${message(0.5)}\n`);
    await eventually(
      'the next signal of the file has arrived',
      async () => (await value(`fair:${other.market}`)) === 0.5,
    );
    await eventually('it quotes again', async () => Number((await status())['resting']) >= 3);
    await redis.begin();
    await eventually('the stream is back', async () => (await sources())['redis']?.['problem'] === null);
    expect(await ask('/metrics')).toContain('oddsmaker_signal_source_up{source="redis"} 1');
    expect((await status())['signalAges']).toMatchObject({ all: { reads: expect.any(Number) as number } });

    bot.child.kill('SIGINT');
    const { code, stderr } = await bot.ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('a source of signals works again')]);
    const run = join(dir, 'run');
    const journal = join(run, readdirSync(run).find((name) => name.endsWith('.ndjson.zst')) ?? '');
    expect(await command(['replay', '--verify', journal])).toMatchObject({ code: 0 });
    const out = join(dir, 'out');
    const tested = await command(['backtest', config, '--tape', journal, '--out', out, '--fills', 'pessimistic']);
    expect(tested.code).toBe(0);
    const result = JSON.parse(readFileSync(join(out, 'result.json'), 'utf8')) as BacktestResult;
    expect(result.scenarios.pessimistic?.signals?.reads).toBeGreaterThan(0);
  });
});

it('a table of teams that is missing or invalid ends `check` and `run` before anything begins', async () => {
  const dir = folder();
  const config = writeConfig(configOf('redis://127.0.0.1:1'), dir);
  for (const [text, why] of [
    [undefined, /teams\.yaml: the file cannot be read/],
    ['Herons: [1]\n', /teams\.yaml:1:1: Herons: expected the name of a team at the exchange/],
  ] as const) {
    if (text !== undefined) writeFileSync(join(dir, 'teams.yaml'), text);
    for (const name of ['check', 'run'])
      expect(await command([name, config])).toMatchObject({
        code: 78,
        stderr: expect.stringMatching(why) as string,
      });
  }
});
