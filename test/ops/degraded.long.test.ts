// A bot that may quote but quotes badly says so where an operator looks: in /ready, its state and its metric.
import { expect, it } from 'vitest';
import { eventually } from '../guard/fixtures.ts';
import { exchangeSection, folder, start, startExchange, STRATEGIES, writeConfig } from '../support/children.ts';

it('a bot whose requests fail is degraded in /ready, its state and its metric, until they work again', async () => {
  const exchange = await startExchange('--games', '2', '--account', 'alice:alice-pw');
  const admin = async (method: string, path: string, body?: unknown): Promise<void> => {
    const init = { method, headers: { 'content-type': 'application/json' } };
    const reply = await fetch(
      exchange.adminUrl + path,
      body === undefined ? { method } : { ...init, body: JSON.stringify(body) },
    );
    expect(reply.status).toBe(200);
  };
  const config = writeConfig(
    exchangeSection(exchange.restUrl, exchange.socketUrl) +
      [
        '  requestTimeout: 1s',
        '  lateArrival: 20s',
        '  limits: { place: { requests: 5, window: 1s }, cancel: { requests: 15, window: 1s } }',
        'orders: { reserve: 1 }',
        'risk: { maxDailyLoss: 100000, resumeAfter: 250ms, staleAfter: 10m }',
        'journal: { dir: ./run }',
        'ops: { port: 0 }',
        STRATEGIES,
      ].join('\n'),
    folder(),
  );
  const bot = start(['run', config]);
  const url = /"url":"([^"]+)"/.exec(await bot.prints('stderr', /"url":"[^"]+"/))?.[1] ?? '';
  const ready = async () => {
    const reply = await fetch(`${url}/ready`);
    return { status: reply.status, ...((await reply.json()) as { state: string; reason?: string }) };
  };
  const states = async (): Promise<Readonly<Record<string, number>>> => {
    const text = await (await fetch(`${url}/metrics`)).text();
    const found = text.matchAll(/^oddsmaker_state\{state="([^"]+)"\} (\d)$/gm);
    return Object.fromEntries([...found].map(([, state = '', value]) => [state, Number(value)] as const));
  };
  const isReady = async () => (await ready()).status === 200;
  await eventually('it is ready', isReady, 30_000);
  expect(await states()).toEqual({
    starting: 0,
    quoting: 1,
    degraded: 0,
    'not quoting': 0,
    'reduce-only': 0,
    halted: 0,
    fenced: 0,
    blind: 0,
    stopping: 0,
  });

  await admin('PUT', '/faults', { rules: [{ fault: 'status', status: 500 }] });
  await admin('POST', '/accounts/alice/cancel', { all: true });
  const failing = await eventually(
    'it names both',
    async () => {
      const answer = await ready();
      return /wanted quotes rest/.test(answer.reason ?? '') && /answers/.test(answer.reason ?? '') && answer;
    },
    30_000,
  );
  expect(failing).toMatchObject({ status: 503, ready: false, state: 'degraded' });
  expect(failing.reason).toMatch(/^\d+ of \d+ wanted quotes rest, for 1\d s less than ops\.readyShare \(0\.5\)/);
  expect(failing.reason).toMatch(/; \d+ of \d+ answers of the last \d+ s are errors: .*500 × \d+/);
  expect(await states()).toMatchObject({ degraded: 1, quoting: 0 });
  await bot.prints('stderr', /"code":"DEGRADED"/);
  await admin('DELETE', '/faults');
  await eventually('it is ready again', isReady, 60_000);

  await admin('PUT', '/faults', { rules: [{ fault: 'no-answer', on: ['place', 'edit'] }] });
  await admin('POST', '/accounts/alice/cancel', { all: true });
  await eventually(
    'it misses its permits',
    async () => /no place permit has come back for \d+ s/.test((await ready()).reason ?? ''),
    30_000,
  );
  await admin('DELETE', '/faults');
}, 180_000);
