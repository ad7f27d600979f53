// A bot that may quote and does it badly is not ready, and says why.
import { expect, describe, it } from 'vitest';
import { Readiness } from '../../src/ops/index.ts';
import type { ReadinessFigures } from '../../src/ops/readiness.ts';
import { eventually } from '../guard/fixtures.ts';
import {
  exchangeSection,
  folder,
  start,
  startExchange,
  STRATEGIES,
  writeConfig,
} from '../support/children.ts';

const GOOD: ReadinessFigures = {
  ...{ wanted: 36, resting: 36, held: {}, closed: undefined },
  permits: { place: 3, cancel: 3 },
  requests: { place: 0, edit: 0, cancel: 0, other: 0 },
  http: {},
};

/** Looks every half second at what the bot counts by then. */
function watched(leastShare = 0.5) {
  let now = 0;
  const readiness = new Readiness({ leastShare, windowMs: { place: 5000, cancel: 2000 } }, () => now);
  return (seconds: number, figures: (s: number) => Partial<ReadinessFigures>): readonly string[] => {
    for (const end = now + seconds * 1000; now < end;) {
      now += 500;
      readiness.look({ ...GOOD, ...figures(now / 1000) });
    }
    return readiness.problems;
  };
}

describe('readiness', () => {
  it('is lost once too few of the wanted quotes rest for 10 s, and back with them', () => {
    const look = watched();
    expect(look(60, () => ({ wanted: 0, resting: 0 }))).toEqual([]);
    expect(look(9, () => ({ resting: 17 }))).toEqual([]);
    expect(look(1, () => ({ resting: 18 }))).toEqual([]);
    expect(look(9.5, () => ({ resting: 1, held: { 'max-open-orders': 30, gate: 0 } }))).toEqual([]);
    expect(look(2.5, () => ({ resting: 1, held: { 'max-open-orders': 30, gate: 0 } }))).toEqual([
      '1 of 36 wanted quotes rest, for 12 s less than ops.readyShare (0.5); held back by controls: max-open-orders 30',
    ]);
    expect(look(0.5, () => ({ resting: 20 }))).toEqual([]);
    // while nothing may be quoted, that is the reason
    expect(look(60, () => ({ resting: 0, closed: 'paused' }))).toEqual([]);
    expect(look(9, () => ({ resting: 0 }))).toEqual([]);
    expect(watched(0)(60, () => ({ resting: 0 }))).toEqual([]);
  });

  it('is lost when no permit is in hand for 10 s beyond its window, and none is spent', () => {
    const look = watched();
    expect(look(14, () => ({ permits: { place: 0, cancel: 1 } }))).toEqual([]);
    expect(look(2, () => ({ permits: { place: 0, cancel: 1 } }))).toEqual([
      'no place permit has come back for 16 s',
    ]);
    // a window that is used to its end comes back and is spent
    const spent = (s: number) => ({
      permits: { place: 0, cancel: 0 },
      requests: { place: 0, edit: Math.floor(s / 5), cancel: Math.floor(s / 2), other: 0 },
    });
    expect(look(60, spent)).toEqual([]);
    expect(look(13, () => ({ ...spent(76), permits: { place: 1, cancel: 0 } }))).toEqual([
      'no cancel permit has come back for 13 s',
    ]);
  });

  it('is lost when most answers are errors, those of the last minute where they are few', () => {
    const look = watched();
    const good = { '200': 1000 };
    expect(look(30, (s) => ({ http: { '200': Math.floor(s * 33) } }))).toEqual([]);
    const [problem] = look(11, (s) => ({
      http: { '200': 990 + Math.floor(s), '500': Math.floor(s * 2) - 60 },
    }));
    expect(problem).toMatch(/^\d\d of \d\d answers of the last 10 s are errors: 500 × \d\d$/);
    expect(look(61, () => ({ http: { ...good, '500': 22 } }))).toEqual([]);
    const few = (s: number) => ({ http: { ...good, '0': Math.floor((s - 102) / 12), '500': 22 } });
    expect(look(50, few)).toEqual(['4 of 4 answers of the last 60 s are errors: none came × 4']);
    // what says that an order ended or moved meanwhile is an answer
    const other = watched();
    expect(other(60, (s) => ({ http: { '404': s * 10, '409': s * 10, '200': s } }))).toEqual([]);
  });
});

it('a bot whose requests fail is degraded: /ready, its state and its metric say so, until they work again', async () => {
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
        'risk: { resumeAfter: 250ms, staleAfter: 10m }',
        'journal: { dir: ./run }',
        'ops: { port: 0 }',
        STRATEGIES,
      ].join('\n'),
    folder(),
  );
  const bot = start(['run', config]);
  const url = /"url":"([^"]+)"/.exec(await bot.says('stderr', /"url":"[^"]+"/))?.[1] ?? '';
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
    ...{ starting: 0, quoting: 1, degraded: 0, 'not quoting': 0, 'reduce-only': 0 },
    ...{ halted: 0, fenced: 0, blind: 0, stopping: 0 },
  });

  await admin('PUT', '/faults', { rules: [{ fault: 'status', status: 500 }] });
  await admin('POST', '/accounts/alice/cancel', { all: true });
  const failing = await eventually(
    'it names both',
    async () => {
      const told = await ready();
      return /wanted quotes rest/.test(told.reason ?? '') && /answers/.test(told.reason ?? '') && told;
    },
    30_000,
  );
  expect(failing).toMatchObject({ status: 503, ready: false, state: 'degraded' });
  expect(failing.reason).toMatch(
    /^\d+ of \d+ wanted quotes rest, for 1\d s less than ops\.readyShare \(0\.5\)/,
  );
  expect(failing.reason).toMatch(/; \d+ of \d+ answers of the last \d+ s are errors: .*500 × \d+/);
  expect(await states()).toMatchObject({ degraded: 1, quoting: 0 });
  await bot.says('stderr', /"code":"DEGRADED"/);
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
