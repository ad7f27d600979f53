// Which alerts are sent, once when a trouble begins and once when it has ended, and how they leave the
// process.
import { readFileSync, writeFileSync, chmodSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { MarketId, Micros } from '../../src/domain/index.ts';
import { forgetSecrets, noteSecrets } from '../../src/domain/index.ts';
import type { AlertMessage, AlertSettings, AlertCause } from '../../src/ops/index.ts';
import { AlertDelivery, Alerts, AlertWatch, createLog, deliverOnce } from '../../src/ops/index.ts';
import type { Seen } from '../../src/ops/alert-rules.ts';
import { folder } from '../support/children.ts';

const QUIET = createLog('silent');
const AT = Date.UTC(2030, 0, 1);
const warn = (alert: string, text = alert, key?: string): AlertCause => ({
  alert,
  level: 'warn',
  text,
  ...(key === undefined ? {} : { key }),
});

function collector(level: AlertMessage['level'] = 'warn', repeatMs = 600_000) {
  const messages: AlertMessage[] = [];
  const alerts = new Alerts('alice', [{ level, repeatMs, send: (message) => messages.push(message) }]);
  return {
    alerts,
    sent: (): readonly string[] => messages.splice(0).map(({ alert, state, text }) => `${alert} ${state} ${text}`),
  };
}

describe('an alert that contains a secret', () => {
  afterEach(() => forgetSecrets());

  it('shows the name of the secret instead of its text', () => {
    noteSecrets([{ path: 'a', text: 'k3y-of-ours', written: '${X}', values: { X: 'k3y-of-ours' } }]);
    const { alerts, sent } = collector();
    alerts.noteOccurrence(warn('STRATEGY_THREW', 'no k3y-of-ours'), 0, AT);
    expect(sent()).toEqual(['STRATEGY_THREW firing no ${X}']);
  });
});

describe('an alert', () => {
  it('that lasts is sent once when it begins and once when it has ended, separately for each key', () => {
    const { alerts, sent } = collector();
    const [prices, user] = [warn('FEED_LOST', 'prices', 'prices'), warn('FEED_LOST', 'user', 'user')];
    alerts.update([prices], 0, AT);
    alerts.update([{ ...prices, text: 'prices, still' }, user], 1000, AT);
    expect(sent()).toEqual(['FEED_LOST firing prices', 'FEED_LOST firing user']);
    alerts.update([user], 2000, AT);
    expect(sent()).toEqual(['FEED_LOST resolved prices, still']);
    alerts.update([], 3000, AT);
    alerts.update([prices], 4000, AT);
    expect(sent()).toEqual(['FEED_LOST resolved user', 'FEED_LOST firing prices']);
  });

  it('is sent again after each `repeat` while it lasts', () => {
    const { alerts, sent } = collector('warn', 10_000);
    for (let now = 0; now <= 30_000; now += 1000) alerts.update([warn('HALTED')], now, AT + now);
    expect(sent()).toHaveLength(4);
  });

  it('about an event is resolved when the event has not happened again for a minute', () => {
    const { alerts, sent } = collector();
    for (let now = 0; now < 90_000; now += 30_000) alerts.noteOccurrence(warn('ORDER_CANCELLED'), now, AT);
    expect(sent()).toEqual(['ORDER_CANCELLED firing ORDER_CANCELLED']);
    alerts.update([], 119_000, AT);
    expect(sent()).toEqual([]);
    alerts.update([], 120_000, AT);
    expect(sent()).toEqual(['ORDER_CANCELLED resolved ORDER_CANCELLED']);
  });

  it('below the level of a target is not sent there, nor is its end', () => {
    const { alerts, sent } = collector('error');
    alerts.update([warn('DEGRADED'), { ...warn('HALTED'), level: 'error' }], 0, AT);
    alerts.update([], 1000, AT);
    expect(sent()).toEqual(['HALTED firing HALTED', 'HALTED resolved HALTED']);
  });

  it('that was begun lasts until it is resolved', () => {
    const { alerts, sent } = collector();
    alerts.beginCondition(warn('GUARD_ACTED'), 0, AT);
    alerts.update([], 500_000, AT);
    alerts.resolve('GUARD_ACTED', AT);
    alerts.resolve('GUARD_ACTED', AT);
    expect(sent()).toEqual(['GUARD_ACTED firing GUARD_ACTED', 'GUARD_ACTED resolved GUARD_ACTED']);
  });
});

describe('AlertWatch', () => {
  const UP = {
    address: 'http://127.0.0.1:9/socket.io namespace /priceUpdates',
    wasUp: true,
    fault: undefined,
  };
  const FINE = {
    state: 'quoting',
    problems: [],
    closed: undefined,
    feeds: { prices: true, user: true },
    ages: { prices: 0.1, user: 0.1 },
    unknown: { ever: 0, now: 0 },
    pnl: { marked: 0, worst: 0 },
    day: undefined,
    mode: 'cash',
    http: {},
    off: [],
    heldExpired: [],
    guardPid: 1,
    fence: undefined,
    connections: { prices: UP, user: UP },
    sources: { redis: undefined },
    gaps: [],
  } as Seen;
  const rules = { lateArrivalMs: 30_000, mode: 'cash', haltAtLoss: 100, needsGuard: true };
  const kinds = (seen: Partial<Seen>, now = 0, watch = new AlertWatch(rules)): readonly string[] =>
    watch.causesOf({ ...FINE, ...seen }, now).map(({ alert, level }) => `${alert} ${level}`);

  it.each<[string, Partial<Seen>, readonly string[]]>([
    ['that is well', {}, []],
    ['that starts', { state: 'starting', feeds: { prices: false, user: false }, guardPid: undefined }, []],
    ['that is halted', { state: 'halted', closed: 'halted: the day' }, ['HALTED error']],
    ['that is degraded', { state: 'degraded', problems: ['few rest'] }, ['DEGRADED warn']],
    [
      'with a strategy off',
      { state: 'degraded', problems: ['x'], off: [{ id: 'main', why: 'STRATEGY_OVERRUN', markets: 0 }] },
      ['DEGRADED warn', 'STRATEGY_OFF error'],
    ],
    ['behind a fence', { state: 'fenced' }, ['FENCED error']],
    ['that is blind', { state: 'blind' }, ['BLIND error']],
    ['without a feed', { feeds: { prices: false, user: true } }, ['FEED_LOST warn']],
    ['without a source of signals', { sources: { redis: 'away', odds: undefined } }, ['SIGNAL_SOURCE warn']],
    [
      'with a quote that is far from all others',
      { gaps: [{ key: 'e1 pin spread', text: 'pin is far off' }] },
      ['PRICE_GAP warn'],
    ],
    [
      'whose values of positions elsewhere have expired',
      { heldExpired: ['g/moneyline' as MarketId] },
      ['HELD_EXPIRED warn'],
    ],
    ['without a guard', { guardPid: undefined }, ['NO_GUARD warn']],
    ['in the other mode', { mode: 'coins' }, ['MODE error']],
    ['with half of its loss', { pnl: { marked: -50, worst: 0 } }, ['LOSS_HALF warn']],
    ['with all of its loss', { pnl: { marked: -100, worst: 0 } }, ['LOSS_LIMIT error']],
    [
      'with half of the loss of a day',
      { day: { startsAt: 0, brought: -500_000_000 as Micros, limit: 1_000_000_000 as Micros } },
      ['LOSS_HALF warn'],
    ],
  ])('raises the right alerts for a bot %s', (_what, seen, wanted) => {
    expect(kinds(seen)).toEqual(wanted);
  });

  it('raises no lost feed at a start, and names a feed that has not connected after ten seconds with its cause', () => {
    const watch = new AlertWatch(rules);
    const fault = { cause: 'Invalid namespace', setting: 'exchange.socketUrl' };
    const never = { ...UP, wasUp: false };
    const start = {
      feeds: { prices: false, user: false },
      connections: { prices: { ...never, fault }, user: never },
    };
    expect(kinds({ ...start, state: 'starting' }, 0, watch)).toEqual([]);
    expect(kinds({ ...start, state: 'not quoting' }, 60_000, watch)).toEqual([]);
    expect(kinds({ ...start, state: 'not quoting' }, 69_999, watch)).toEqual([]);
    const troubles = watch.causesOf({ ...FINE, ...start, state: 'not quoting' }, 70_000);
    expect(troubles.map(({ alert, text, fields }) => [alert, text, fields])).toEqual([
      [
        'FEED_NOT_CONNECTED',
        `the price feed has not connected since the start: Invalid namespace, ${UP.address}`,
        { setting: 'exchange.socketUrl', seconds: 10 },
      ],
      [
        'FEED_NOT_CONNECTED',
        `the user feed has not connected since the start: no answer yet, ${UP.address}`,
        { setting: 'exchange.socketUrl', seconds: 10 },
      ],
    ]);
    // both feeds were up by now, and one is gone
    const gone = {
      feeds: { prices: false, user: true },
      connections: { prices: { ...UP, fault }, user: UP },
    };
    expect(kinds(gone, 71_000, watch)).toEqual(['FEED_LOST warn']);
  });

  it('raises an alert for orders that are unknown for longer than a request may take to arrive', () => {
    const watch = new AlertWatch(rules);
    const unknown = { unknown: { ever: 1, now: 1 } };
    expect(kinds(unknown, 0, watch)).toEqual([]);
    expect(kinds(unknown, 30_000, watch)).toEqual([]);
    expect(kinds(unknown, 30_001, watch)).toEqual(['ORDERS_UNKNOWN warn']);
    expect(kinds({}, 31_000, watch)).toEqual([]);
    expect(kinds(unknown, 40_000, watch)).toEqual([]);
  });

  it('raises an alert for refusals that continue, and not for a login that is renewed', () => {
    const watch = new AlertWatch(rules);
    expect(kinds({ http: { 401: 1 } }, 0, watch)).toEqual([]);
    expect(kinds({ http: { 401: 2 } }, 1000, watch)).toEqual([]);
    expect(kinds({ http: { 401: 3, 403: 1 } }, 2000, watch)).toEqual(['ACCESS_REFUSED error']);
    expect(kinds({ http: { 401: 3, 403: 1 } }, 70_000, watch)).toEqual([]);
  });
});

type Got = { readonly headers: IncomingHttpHeaders; readonly body: string; readonly url: string };
const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

/** Answers with these statuses in turn, then with the last one forever. */
async function receiver(...statuses: readonly number[]) {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      got.push({ headers: request.headers, body, url: request.url ?? '' });
      response.writeHead(statuses[got.length - 1] ?? statuses.at(-1) ?? 200).end('noted');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const MESSAGE: AlertMessage = {
  alert: 'HALTED',
  level: 'error',
  state: 'firing',
  account: 'ålice',
  at: '2030-01-01T00:00:00.000Z',
  text: 'a <limit> & more\nof @everyone',
  fields: { lost: 120, limit: 100 },
};

describe('an alert webhook', () => {
  const to = (webhook: string, body: 'json' | 'slack' | 'discord' | 'telegram' | 'ntfy'): AlertSettings => ({
    webhook,
    body,
    level: 'warn',
    repeat: 1000,
  });

  it('receives the format that its service reads', async () => {
    const { got, url } = await receiver();
    for (const body of ['json', 'slack', 'discord', 'telegram', 'ntfy'] as const)
      expect(await deliverOnce(to(`${url}/bot?chat_id=42`, body), MESSAGE)).toBeUndefined();
    const [json, slack, discord, telegram] = got.map(({ body }) => body);
    expect(JSON.parse(json ?? '')).toEqual(MESSAGE);
    const text = '🛑 HALTED (ålice)\na <limit> & more\nof @everyone\nlost: 120\nlimit: 100';
    expect(JSON.parse(slack ?? '')).toEqual({
      text: text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;'),
    });
    expect(JSON.parse(discord ?? '')).toEqual({ content: text, allowed_mentions: { parse: [] } });
    expect(JSON.parse(telegram ?? '')).toEqual({ chat_id: '42', text });
    const { headers, body } = got[4] as Got;
    expect([headers['title'], headers['priority'], headers['tags']]).toEqual(['HALTED (?lice)', '5', 'rotating_light']);
    expect(body).toBe('a <limit> & more\nof @everyone\nlost: 120\nlimit: 100');
  });

  it('that refuses, or does not answer, is reported with the reason and without the secret of its address', async () => {
    const { url } = await receiver(403);
    expect(await deliverOnce(to(url, 'json'), MESSAGE)).toBe('it answered 403: noted');
    const logged: string[] = [];
    const log = {
      ...QUIET,
      warn: (message: string, fields = {}) => logged.push(message + JSON.stringify(fields)),
    };
    const delivery = new AlertDelivery(to('http://127.0.0.1:1/hooks/s3cret', 'json'), log);
    delivery.send(MESSAGE);
    await delivery.close(100);
    expect(logged).toEqual([expect.stringMatching(/did not arrive.*HALTED.*127\.0\.0\.1:1 \(json\)/)]);
    expect(logged.join('')).not.toContain('s3cret');
  });

  it('that fails at first receives all alerts in order', async () => {
    const { got, url } = await receiver(500, 200);
    const delivery = new AlertDelivery(to(url, 'json'), QUIET);
    for (const state of ['firing', 'resolved'] as const) delivery.send({ ...MESSAGE, state });
    await delivery.close(10_000);
    expect(got.map(({ body }) => (JSON.parse(body) as AlertMessage).state)).toEqual(['firing', 'firing', 'resolved']);
  });
});

describe('an alert command', () => {
  const script = (text: string): AlertSettings => {
    const command = join(folder(), 'notify');
    writeFileSync(command, `#!/bin/sh\n${text}\n`);
    chmodSync(command, 0o755);
    return { command, level: 'warn', repeat: 1000 };
  };

  it('receives the alert on its standard input', async () => {
    const file = join(folder(), 'got');
    expect(await deliverOnce(script(`cat > '${file}'`), MESSAGE)).toBeUndefined();
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(MESSAGE);
  });

  it('receives the environment that programs need, and the variables that are named for it', async () => {
    const file = join(folder(), 'got');
    const set = { ODDSMAKER_PASSWORD: 's3cret', MAIL_KEY: 'for-mail', ODDSMAKER_ALERT_TO: 'me', TZ: 'UTC' };
    Object.assign(process.env, set);
    try {
      const target = { ...script(`env > '${file}'`), env: ['MAIL_KEY', 'NOT_SET'] };
      expect(await deliverOnce(target, MESSAGE)).toBeUndefined();
    } finally {
      for (const name of Object.keys(set)) Reflect.deleteProperty(process.env, name);
    }
    const got = readFileSync(file, 'utf8');
    expect(got).toMatch(/^PATH=/m);
    expect(got).toMatch(/^TZ=UTC$/m);
    expect(got).toMatch(/^MAIL_KEY=for-mail$/m);
    expect(got).toMatch(/^ODDSMAKER_ALERT_TO=me$/m);
    expect(got).not.toMatch(/s3cret|VITEST|NOT_SET/);
  });

  it('that fails, or does not exist, is reported with the reason', async () => {
    expect(await deliverOnce(script('echo no mail >&2; exit 3'), MESSAGE)).toBe('it ended with 3: no mail');
    expect(await deliverOnce({ command: '/nowhere/notify', level: 'warn', repeat: 1 }, MESSAGE)).toMatch(/ENOENT/);
  });
});
