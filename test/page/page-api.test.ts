// Commands, signals and event streams over HTTP: which tokens and origins are accepted, and that all others
// are refused.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { Running } from '../support/children.ts';
import { command, folder, start, TWO_SIDED, writeConfig } from '../support/children.ts';
import { createRandom } from '../../src/domain/random.ts';
import { readJournal } from '../../src/journal/journal-reader.ts';

type Bot = {
  readonly config: string;
  readonly url: string;
  readonly running: Running;
  readonly port: number;
};

async function startBot(ops: string, more = ''): Promise<Bot> {
  const config = writeConfig(
    [
      'exchange: { embedded: { traders: synthetic, games: 2 } }',
      'strategies:',
      `  - { use: ${TWO_SIDED}, id: main, params: { edge: 0.012, risk: 100 } }`,
      'journal: { dir: ./run }',
      'ledger: { file: ./run/ledger.db }',
      `ops: ${ops}`,
      more,
      '',
    ].join('\n'),
    folder(),
  );
  const running = start(['run', config, '--json']);
  const output = await running.prints('stderr', /"url":"[^"]+"/);
  const url = /"url":"([^"]+)"/.exec(output)?.[1] ?? '';
  return { config, running, url, port: Number(new URL(url).port) };
}

const TOKENS = '{ port: 0, token: open-sesame, viewToken: only-look }';
type Answer = { readonly status: number; readonly body: unknown; readonly headers: Headers };
async function ask(
  url: string,
  init: Omit<RequestInit, 'body'> & { readonly body?: unknown; readonly token?: string } = {},
): Promise<Answer> {
  const { token, body, headers, ...more } = init;
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(headers as Record<string, string> | undefined),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...more,
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? undefined : JSON.parse(text),
    headers: response.headers,
  };
}
const refused = (status: number, code: string) => ({ status, body: { error: { code } } });

/** Sends a request as raw text, since `fetch` sets the `Host` header itself. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

const stop = async ({ running }: Bot): Promise<string> => {
  running.child.kill('SIGINT');
  const { code, stdout, stderr } = await running.ended;
  expect(code).toBe(0);
  return stdout + stderr;
};

describe('commands over HTTP', () => {
  it('are the commands of ctl, need the control token, and are recorded with the client that sent them', async () => {
    const bot = await startBot(TOKENS);
    const { url, config } = bot;
    const commands = `${url}/api/commands`;
    const token = 'open-sesame';
    await vi.waitFor(async () => expect((await ask(`${url}/ready`, { token })).status).toBe(200), {
      timeout: 20_000,
    });
    expect(await ask(commands, { body: { command: 'pause' } })).toMatchObject(refused(401, 'NO_TOKEN'));
    expect(await ask(commands, { body: { command: 'pause' }, token: 'only-look' })).toMatchObject(
      refused(403, 'VIEW_ONLY'),
    );
    for (const body of [{}, [], 'no JSON', { command: 'explode' }, { command: 'pause', strategy: 'missing' }]) {
      const { status, body: reply } = await ask(commands, { body, token });
      expect([400, 409]).toContain(status);
      expect(reply).toMatchObject({ error: { code: expect.any(String) as string } });
    }
    expect((await ask(`${url}/status`, { token: 'only-look' })).body).toMatchObject({ state: 'quoting' });
    expect(await ask(commands, { body: { command: 'pause' }, token })).toMatchObject({
      status: 200,
      body: { ok: true, done: 'pause', state: 'not quoting' },
    });
    expect(await ask(commands, { body: { command: 'resume' }, token })).toMatchObject({ status: 200 });
    expect(await ask(commands, { body: { command: 'pause', strategy: 'main' }, token })).toMatchObject({
      body: { ok: true, state: 'quoting' },
    });
    await vi.waitFor(
      async () =>
        expect((await ask(`${url}/status`, { token })).body).toMatchObject({
          openOrders: 0,
          held: { paused: expect.any(Number) as number },
        }),
      { timeout: 10_000 },
    );
    expect((await ask(commands, { body: { command: 'markets' }, token })).body).toMatchObject({
      markets: expect.arrayContaining([expect.objectContaining({ quoted: true })]) as unknown,
    });
    expect(await command(['ctl', config, 'resume', 'main'])).toMatchObject({ code: 0 });
    await vi.waitFor(
      async () => {
        const { body } = await ask(`${url}/status`, { token });
        expect((body as { openOrders: number }).openOrders).toBeGreaterThan(0);
      },
      { timeout: 10_000 },
    );
    const output = await stop(bot);
    expect(output).not.toContain(token);
    expect(output).toMatch(/"by":"control token, 127\.0\.0\.1:\d+"/);
    const run = join(dirname(config), 'run');
    const who = new DatabaseSync(join(run, 'ledger.db'))
      .prepare('SELECT command, who, fields FROM operator_actions WHERE who IS NOT NULL ORDER BY id')
      .all()
      .map((row) => ({ ...row, who: String(row['who']).replace(/:\d+$/, '') }));
    const http = 'control token, 127.0.0.1';
    expect(who).toEqual([
      { command: 'pause', who: http, fields: '{}' },
      { command: 'resume', who: http, fields: '{}' },
      { command: 'pause', who: http, fields: '{"strategy":"main"}' },
      { command: 'resume', who: 'control socket', fields: '{"strategy":"main"}' },
    ]);
    const journal = readdirSync(run).find((name) => name.includes('.ndjson')) ?? '';
    const { steps } = await readJournal(join(run, journal));
    const inputs = steps.map(({ input }) => input.in).filter(({ type }) => type === 'strategy');
    expect(inputs).toMatchObject([
      { strategy: 'main', command: 'pause', by: expect.stringContaining(http) as string },
      { strategy: 'main', command: 'resume', by: 'control socket' },
    ]);
  });

  it('accept a cookie only from the own page, and a request only for a known host name', async () => {
    const bot = await startBot(TOKENS.replace(' }', ', hosts: [desk.example] }'));
    const { url, port } = bot;
    const commands = `${url}/api/commands`;
    expect(await ask(`${url}/api/login`, { body: { token: 'open-sesam' } })).toMatchObject(refused(401, 'NO_TOKEN'));
    const { headers, body } = await ask(`${url}/api/login`, { body: { token: 'open-sesame' } });
    expect(body).toEqual({ ok: true, role: 'control' });
    const set = headers.get('set-cookie') ?? '';
    expect(set).toMatch(/HttpOnly; SameSite=Strict; Path=\/api/);
    expect(set).not.toContain('open-sesame');
    const cookie = set.split(';')[0] ?? '';
    const pause = { command: 'pause' };
    const from = (more: Record<string, string>) => ask(commands, { body: pause, headers: { cookie, ...more } });
    expect(await from({ origin: url })).toMatchObject({ status: 200 });
    for (const foreign of ['http://evil.example', `http://127.0.0.1:${port + 1}`, 'null'])
      expect([foreign, await from({ origin: foreign })]).toMatchObject([foreign, refused(403, 'FOREIGN_ORIGIN')]);
    // a browser that sends no origin
    expect(await from({})).toMatchObject(refused(403, 'FOREIGN_ORIGIN'));
    expect(await from({ origin: url, 'sec-fetch-site': 'cross-site' })).toMatchObject(refused(403, 'FOREIGN_ORIGIN'));
    // a form of another site can post text/plain without a preflight request
    const form = await fetch(commands, {
      method: 'POST',
      headers: { cookie, origin: url, 'content-type': 'text/plain' },
      body: JSON.stringify(pause),
    });
    expect(form.status).toBe(415);
    const named = (host: string) =>
      raw(port, `GET /ready HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nAuthorization: Bearer only-look\r\n\r\n`);
    for (const host of [`localhost:${port}`, '127.0.0.1', '[::1]:80', 'desk.example', 'DESK.example:81', '192.0.2.7'])
      expect([host, await named(host)]).toEqual([host, expect.stringMatching(/^HTTP\/1.1 (200|503)/)]);
    const two = `GET /ready HTTP/1.1\r\nHost: localhost\r\nhost: evil.example\r\nConnection: close\r\n\r\n`;
    expect(await raw(port, two)).toMatch(/^HTTP\/1.1 400/);
    expect(await raw(port, two.replace('/ready', '/live'))).toMatch(/^HTTP\/1.1 400/);
    for (const host of ['evil.example', `evil.example:${port}`, 'localhost.evil.example', 'a@localhost'])
      expect([host, await named(host)]).toEqual([host, expect.stringMatching(/^HTTP\/1.1 403/)]);
    await stop(bot);
  });

  it('need a generated token of the run, readable by its owner only, when the configuration has no token', async () => {
    const bot = await startBot('{ port: 0 }');
    const { url, config } = bot;
    const run = join(dirname(config), 'run');
    const file = join(run, readdirSync(run).find((name) => name.endsWith('.page-token')) ?? '');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const token = readFileSync(file, 'utf8').trim();
    expect(token.length).toBeGreaterThan(30);
    expect(await ask(`${url}/api/commands`, { body: { command: 'pause' } })).toMatchObject(refused(401, 'NO_TOKEN'));
    expect(await ask(`${url}/api/commands`, { body: { command: 'pause' }, token: '' })).toMatchObject(
      refused(401, 'NO_TOKEN'),
    );
    expect(await ask(`${url}/api/commands`, { body: { command: 'pause' }, token })).toMatchObject({
      status: 200,
    });
    // without a configured token, the endpoints that Prometheus reads are open, as the page is
    expect((await ask(`${url}/status`)).status).toBe(200);
    expect(await stop(bot)).toContain(`${url}/#token=${token}`);
  });
});

it('signals over HTTP are accepted when the configuration allows them, and each request as a whole or not at all', async () => {
  const bot = await startBot(TOKENS, 'signals: { http: true }');
  const { url } = bot;
  await vi.waitFor(async () => expect((await ask(`${url}/ready`, { token: 'only-look' })).status).toBe(200), {
    timeout: 20_000,
  });
  const post = (body: unknown) => ask(`${url}/api/signals`, { body, token: 'open-sesame' });
  expect(await post({ values: { mine: 0.5 }, ttl: '30s' })).toMatchObject({
    status: 200,
    body: { accepted: 0, unknown: ['mine'] },
  });
  const now = Date.now();
  for (const [body, why] of [
    [`{"values":{"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`, 'signal x'],
    [{}, 'values'],
    [[{ values: { a: 1 } }, { values: { a: 'x' } }], '[1]'],
    [{ values: { a: 1 }, ts: now + 60_000 }, 'in the future'],
    [{ values: { a: 1 }, ts: now - 60_000, ttl: '30s' }, 'over before it came'],
    [{ values: { a: 1 }, ts: 'yesterday' }, 'Unix ms'],
    [[], undefined],
  ] as const) {
    const { status, body: reply } = await post(body);
    if (why === undefined) expect(reply).toEqual({ accepted: 0, unknown: [] });
    else expect([status, JSON.stringify(reply)]).toEqual([400, expect.stringContaining(why)]);
  }
  const { body } = await ask(`${url}/status`, { token: 'only-look' });
  expect((body as { signals: object }).signals).toMatchObject({ mine: { value: 0.5 } });
  expect(await ask(`${url}/api/signals`, { body: { values: { a: 1 } }, token: 'only-look' })).toMatchObject(
    refused(403, 'VIEW_ONLY'),
  );
  await stop(bot);
  const off = await startBot(TOKENS);
  expect(await ask(`${off.url}/api/signals`, { body: { values: { a: 1 } }, token: 'open-sesame' })).toMatchObject(
    refused(403, 'SIGNALS_OFF'),
  );
  await vi.waitFor(async () => expect((await ask(`${off.url}/ready`, { token: 'only-look' })).status).toBe(200), {
    timeout: 20_000,
  });
  await stop(off);
});

it('/api/events sends fills, quotes, marks and the requested books, each with its number', async () => {
  const bot = await startBot(TOKENS);
  const { url } = bot;
  const token = 'only-look';
  const control = new AbortController();
  const markets = async (): Promise<readonly { readonly market: string }[]> => {
    const { body } = await ask(`${url}/api/commands`, { body: { command: 'markets' }, token: 'open-sesame' });
    return (body as { readonly markets: readonly { readonly market: string }[] }).markets;
  };
  await vi.waitFor(async () => expect((await markets()).length).toBeGreaterThan(2), { timeout: 20_000 });
  const [{ market } = { market: '' }] = await markets();
  expect((await ask(`${url}/api/events`)).status).toBe(401);
  const response = await fetch(`${url}/api/events?books=${encodeURIComponent(market)}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: control.signal,
  });
  let text = '';
  const reading = (async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  })().catch(() => undefined);
  type StreamEvent = { readonly event: string; readonly data: Readonly<Record<string, unknown>> };
  const received = (): readonly StreamEvent[] =>
    [...text.matchAll(/^event: (\w+)\ndata: (.*)\n\n/gm)].map(([, event = '', data = '']) => ({
      event,
      data: JSON.parse(data) as StreamEvent['data'],
    }));
  await vi.waitFor(
    () => expect(new Set(received().map(({ event }) => event))).toEqual(new Set(['fill', 'quote', 'mark', 'book'])),
    { timeout: 30_000 },
  );
  const all = received();
  expect(all.map(({ data }) => data['n'])).toEqual(all.map((_, index) => index + 1));
  expect(new Set(all.filter(({ event }) => event === 'book').map(({ data }) => data['market']))).toEqual(
    new Set([market]),
  );
  expect(all.find(({ event }) => event === 'fill')?.data).toMatchObject({
    strategy: 'main',
    risk: expect.any(Number) as number,
  });
  control.abort();
  await reading;
  const lines = await fetch(`${url}/api/events`, {
    headers: { authorization: `Bearer ${token}`, accept: 'application/x-ndjson' },
    signal: AbortSignal.timeout(20_000),
  });
  expect(lines.headers.get('content-type')).toBe('application/x-ndjson');
  const reader = lines.body?.getReader();
  let read = '';
  while (!/^\{.*\}\n/m.test(read)) read += Buffer.from((await reader?.read())?.value ?? []).toString();
  await reader?.cancel();
  expect(JSON.parse(read.trim().split('\n')[0] ?? '')).toMatchObject({
    n: 1,
    t: expect.any(Number) as number,
  });
  expect(await ask(`${url}/api/events?format=xml`, { token })).toMatchObject(refused(400, 'BAD_REQUEST'));
  await stop(bot);
});

it(
  'the API withstands 10,000 random requests without a token: no crash, no command',
  { timeout: 120_000 },
  async () => {
    const bot = await startBot(TOKENS);
    const { url, port } = bot;
    const token = 'open-sesame';
    await vi.waitFor(async () => expect((await ask(`${url}/ready`, { token })).status).toBe(200), {
      timeout: 20_000,
    });
    const { next: pick } = createRandom(8, 'requests');
    const randomItem = <T>(list: readonly T[]): T => list[Math.floor(pick() * list.length)] as T;
    const bodies = [
      '{"command":"halt"}',
      '{"command":"cancel-all"}',
      '[',
      '',
      '{}',
      'null',
      '{"command":{"halt":1}}',
      '{"__proto__":{"command":"halt"}}',
      '{"values":{"a":1}}',
      'x'.repeat(3000),
    ];
    const paths = [
      '/',
      '/api/commands',
      '/api/signals',
      '/api/login',
      '/api/stream',
      '/api/events',
      '/api/why?order=x',
      '/status',
      '/metrics',
      '/%00',
      '//api/commands',
      '/api/commands/..',
      '/assets/../../package.json',
      '/api/commands?token=open-sesam',
    ];
    const made = (): string => {
      const body = randomItem(bodies);
      const length = randomItem([body.length, body.length, body.length + 5, 'x']);
      const auth = randomItem([
        '',
        'Authorization: Bearer halt\r\n',
        'Authorization: Basic b3Blbi1zZXNhbWU=\r\n',
        `Cookie: oddsmaker-${port}=00\r\n`,
        'Authorization: Bearer \r\n',
      ]);
      return `${randomItem(['POST', 'POST', 'GET', 'PUT', 'BREW'])} ${randomItem(paths)} HTTP/1.1\r\nHost: ${randomItem(['localhost', 'evil.example', ''])}\r\nConnection: close\r\nContent-Type: ${randomItem(['application/json', 'text/plain', ''])}\r\n${auth}Content-Length: ${length}\r\n\r\n${body}`;
    };
    const statuses = new Map<string, number>();
    let left = 10_000;
    const worker = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const answer = await Promise.race([raw(port, made()).catch(() => 'reset'), sleep(50, 'open')]);
        const status = /^HTTP\/1.1 (\d+)/.exec(answer)?.[1] ?? answer;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 20 }, worker));
    expect(statuses.get('500') ?? 0).toBe(0);
    // the page itself needs no token
    expect(Object.keys(Object.fromEntries(statuses)).filter((status) => status.startsWith('2'))).toEqual(['200']);
    expect((await ask(`${url}/status`, { token })).body).toMatchObject({
      state: 'quoting',
      trading: 'active',
    });
    const commands = new DatabaseSync(join(dirname(bot.config), 'run', 'ledger.db'))
      .prepare('SELECT count(*) AS n FROM operator_actions WHERE who IS NOT NULL')
      .get();
    expect(commands?.['n']).toBe(0);
    await stop(bot);
  },
);

it('/live answers while 300 connections send nothing or half a request', async () => {
  const bot = await startBot('{ port: 0 }');
  const idle = Array.from({ length: 300 }, (_, index) => {
    const socket = connect(bot.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.resume();
    if (index % 3 === 1) socket.write('GET /live HT');
    if (index % 3 === 2)
      socket.write(
        'POST /api/commands HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"com',
      );
    return socket;
  });
  await sleep(200);
  for (let turn = 0; turn < 20; turn++) expect((await ask(`${bot.url}/live`)).status).toBe(200);
  await vi.waitFor(() => expect(idle.every(({ closed }) => closed)).toBe(true), { timeout: 12_000 });
  await stop(bot);
});
