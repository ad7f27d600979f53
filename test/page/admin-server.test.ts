// The admin port of a running bot: what it reports, and that requests to it cannot harm the bot.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { METRICS } from '../../src/page/server/metrics.ts';
import type { Running } from '../support/children.ts';
import { command, folder, run, start, TWO_SIDED, writeConfig } from '../support/children.ts';

const configOf = (ops: string): string =>
  writeConfig(
    [
      'exchange: { embedded: { traders: synthetic, games: 2 } }',
      'strategies:',
      `  - { use: ${TWO_SIDED}, id: main, params: { edge: 0.012, risk: 100 } }`,
      'journal: { dir: ./run }',
      `ops: ${ops}`,
      '',
    ].join('\n'),
    folder(),
  );

type Bot = { readonly config: string; readonly url: string; readonly running: Running };
async function startBot(ops: string): Promise<Bot> {
  const config = configOf(ops);
  const running = start(['run', config, '--json']);
  const output = await running.prints('stderr', /"url":"[^"]+"/);
  return { config, running, url: /"url":"([^"]+)"/.exec(output)?.[1] ?? '' };
}

/** The sum of each metric over all its labels, by the name of the metric. */
function valuesIn(text: string): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [, name, value] = /^(\w+)(?:\{.*\})? (\S+)$/.exec(line) ?? [];
    if (name !== undefined) values.set(name, (values.get(name) ?? 0) + Number(value));
  }
  return values;
}

const get = async (url: string, token?: string): Promise<{ status: number; text: string }> => {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(url, { headers });
  return { status: response.status, text: await response.text() };
};
const ready = async (url: string): Promise<unknown> => {
  const { status, text } = await get(`${url}/ready`);
  return { status, ...(JSON.parse(text) as object) };
};

describe('the admin port', () => {
  it('reports whether the bot quotes, and the counts of its orders and fills', { timeout: 60_000 }, async () => {
    const { config, url, running } = await startBot('{ port: 0 }');
    expect(await get(`${url}/live`)).toEqual({ status: 200, text: '{"live":true}' });
    await vi.waitFor(async () => expect(await ready(url)).toEqual({ status: 200, ready: true, state: 'quoting' }), {
      timeout: 20_000,
      interval: 50,
    });
    // a counter is exported at 0 before its first event, so that Prometheus sees the first event as an
    // increase
    const { text } = await get(`${url}/metrics`);
    for (const line of [
      'oddsmaker_responses_total{status="429"} 0',
      'oddsmaker_responses_total{status="403"} 0',
      'oddsmaker_alerts_total{alert="CLOCK_STEPPED"} 0',
      'oddsmaker_alerts_total{alert="PERSPECTIVE_MISMATCH"} 0',
      'oddsmaker_frames_oversize_total{feed="user"} 0',
      'oddsmaker_orders_cancelled_by_others_total 0',
    ])
      expect(text.split('\n')).toContain(line);
    // a bot on an embedded exchange needs no guard, so the port exports no metric for one
    expect(text).not.toMatch(/^oddsmaker_guard_up /m);
    const counted = async (): Promise<ReadonlyMap<string, number>> => valuesIn((await get(`${url}/metrics`)).text);
    await vi.waitFor(async () => expect((await counted()).get('oddsmaker_fills_total')).toBeGreaterThan(0), {
      timeout: 30_000,
      interval: 100,
    });
    expect(await command(['ctl', config, 'pause'])).toMatchObject({ code: 0 });
    await vi.waitFor(async () => expect((await counted()).get('oddsmaker_orders_open')).toBe(0), {
      timeout: 10_000,
      interval: 50,
    });
    expect(await ready(url)).toEqual({
      status: 503,
      ready: false,
      state: 'not quoting',
      reason: 'paused',
      problems: [],
    });
    // nothing trades while the bot is paused, so metrics and status show the same counts
    const metrics = await counted();
    const status = JSON.parse((await get(`${url}/status`)).text) as Record<string, number> & {
      readonly requests: Readonly<Record<string, number>>;
      readonly limits: unknown;
    };
    expect(status).toMatchObject({ openOrders: 0, state: 'not quoting' });
    for (const [metric, key] of [
      ['orders_placed_total', 'placed'],
      ['orders_edited_total', 'edited'],
      ['orders_cancelled_total', 'cancelled'],
      ['fills_total', 'fills'],
      ['risk_filled_dollars_total', 'riskFilled'],
      ['inventory_dollars', 'inventory'],
    ] as const)
      expect([metric, metrics.get(`oddsmaker_${metric}`)]).toEqual([metric, status[key]]);
    expect(metrics.get('oddsmaker_permits_limit')).toBe(25 + 30);
    expect(metrics.get('oddsmaker_feed_up')).toBe(2);
    expect(metrics.get('oddsmaker_state')).toBe(1);
    expect(metrics.get('nodejs_heap_size_used_bytes')).toBeGreaterThan(1e6);
    // this bot records no tape, has no refused orders, follows no external prices and risks no money
    const kept = ['tape_', 'quotes_held', 'refusals', 'signal_', 'odds_events', 'guard_up', 'day_'];
    for (const { name } of METRICS)
      if (!kept.some((part) => name.includes(part))) expect([...metrics.keys()]).toContain(name);
    running.child.kill('SIGINT');
    const { code, stdout } = await running.ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ placed: status['placed'], fills: status['fills'] });
    await expect(get(`${url}/live`)).rejects.toThrow();
  });

  it('requires its token, and the bot never prints the token', { timeout: 60_000 }, async () => {
    const { url, running } = await startBot('{ port: 0, token: open-sesame }');
    // an address that has sent the right token is not locked out by wrong ones
    expect((await get(`${url}/status`, 'open-sesame')).status).toBe(200);
    for (const page of ['ready', 'status', 'metrics', 'nothing']) {
      for (const wrong of [undefined, '', 'open-sesam', 'open-sesame2'])
        expect(await get(`${url}/${page}`, wrong)).toEqual({
          status: 401,
          text: '{"error":"expected \\"Authorization: Bearer <ops.token>\\""}',
        });
    }
    expect((await get(`${url}/status`, 'open-sesame')).status).toBe(200);
    // /live is open: a supervisor that restarts dead processes has no token
    expect((await get(`${url}/live`)).status).toBe(200);
    running.child.kill('SIGINT');
    const { code, stdout, stderr } = await running.ended;
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain('open-sesame');
  });

  it(
    'survives half-sent, slow and huge requests, and answers unknown methods and paths with 404',
    { timeout: 60_000 },
    async () => {
      const { url, running } = await startBot('{ port: 0 }');
      const { port } = new URL(url);
      // each connection sends half a request and never the rest
      const idle = Array.from({ length: 60 }, () => connect(Number(port), '127.0.0.1'));
      for (const [index, socket] of idle.entries()) {
        socket.on('error', () => undefined);
        socket.write(index % 2 === 0 ? 'GET /metrics HTTP/1.1\r\nHost: x\r\n' : '\u0000\u0001nonsense\r\n\r\n');
      }
      await sleep(300);
      expect((await get(`${url}/live`)).status).toBe(200);
      // a byte every 200 ms keeps none of the connections open
      const drip = setInterval(() => {
        for (const socket of idle) if (socket.writable) socket.write('x');
      }, 200);
      await vi.waitFor(() => expect(idle.every(({ closed }) => closed)).toBe(true), { timeout: 10_000 });
      clearInterval(drip);
      for (const [method, page] of [
        ['POST', '/status'],
        ['DELETE', '/metrics'],
        ['GET', '/../../etc/passwd'],
        ['GET', '/status/'],
        ['GET', `/${'x'.repeat(5000)}`],
      ] as const) {
        const response = await fetch(url + page, { method });
        expect([method, page, response.status]).toEqual([method, page, 404]);
      }
      const body = 'x'.repeat(1_000_000);
      const huge = await fetch(`${url}/status`, { method: 'POST', body }).catch(() => undefined);
      expect([404, 413, undefined]).toContain(huge?.status);
      await vi.waitFor(async () => expect((await get(`${url}/ready`)).status).toBe(200), { timeout: 20_000 });
      running.child.kill('SIGINT');
      expect((await running.ended).code).toBe(0);
    },
  );

  it('does not stop the bot from running when another process has the port', { timeout: 60_000 }, async () => {
    const { url, running } = await startBot('{ port: 0 }');
    const { port } = new URL(url);
    const { code, stdout, stderr } = await run(['run', configOf(`{ port: ${port} }`), '--for', '4s', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ openAtExit: 0 });
    const warning = stderr.split('\n').find((line) => line.includes('admin port cannot be opened'));
    expect(JSON.parse(warning ?? 'null')).toMatchObject({
      level: 'error',
      alert: 'PORT_UNOPENED',
      address: `127.0.0.1:${port}`,
      error: expect.stringMatching(/EADDRINUSE/) as string,
    });
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(0);
  });

  it.concurrent.each(['{ host: 0.0.0.0 }', '{ host: "::", token: "" }', '{ host: 192.0.2.1, token: word }'])(
    'does not stop the bot from running when its address cannot be opened: %s',
    { timeout: 60_000 },
    async (ops) => {
      const { code, stderr } = await run(['run', configOf(ops), '--for', '1s', '--json']);
      expect(code).toBe(0);
      const warning = stderr.split('\n').find((line) => line.includes('admin port cannot be opened'));
      expect(warning).toMatch(/other machines can reach ops\.host: set ops\.token|EADDRNOTAVAIL/);
    },
  );
});
