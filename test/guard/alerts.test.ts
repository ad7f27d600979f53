// A bot, its guard and a receiver of alerts, run as processes: each alert is sent once when it begins and
// once when it is resolved.
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { AlertMessage } from '../../src/ops/index.ts';
import {
  closedPort,
  command as hosted,
  exchangeSection,
  run,
  start,
  STRATEGIES,
  writeConfig,
} from '../support/children.ts';
import { eventually, scene } from './fixtures.ts';

async function receiver() {
  const got: AlertMessage[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      got.push(JSON.parse(body) as AlertMessage);
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    got,
    url: `http://127.0.0.1:${port}/hooks/s3cret`,
    sent: (): readonly string[] => got.map(({ alert, state }) => `${alert} ${state}`),
    close: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
}

it('a bot and its guard send each alert once when it begins and once when it is resolved', async () => {
  const { config, quotes, ctl, startBot, files } = await scene();
  const { got, url, sent, close } = await receiver();
  const arrives = (alertState: string): Promise<unknown> => eventually(alertState, () => sent().includes(alertState));
  appendFileSync(config, `alerts: [{ webhook: '${url}' }]\n`);
  try {
    const tested = await hosted(['alert', 'test', config]);
    expect([tested.code, tested.stdout]).toEqual([
      0,
      expect.stringMatching(/127\.0\.0\.1:\d+ \(json\): it accepted both/),
    ]);
    expect(tested.stdout).not.toContain('s3cret');
    expect(sent()).toEqual(['TEST firing', 'TEST resolved']);
    got.length = 0;

    const bot = startBot();
    await quotes();
    await arrives('NO_GUARD firing');
    const guard = start(['guard', config]);
    await arrives('NO_GUARD resolved');
    await ctl('halt');
    await arrives('HALTED firing');
    await ctl('resume');
    await arrives('HALTED resolved');
    await quotes();
    bot.child.kill('SIGKILL');
    await arrives('GUARD_ACTED firing');
    await arrives('GUARD_ACTED resolved');
    // no alert is sent a second time
    await sleep(1500);
    expect(sent()).toEqual([
      ...['NO_GUARD firing', 'NO_GUARD resolved', 'HALTED firing', 'HALTED resolved'],
      ...['GUARD_ACTED firing', 'GUARD_ACTED resolved'],
    ]);
    for (const { account, at: sentAt, text } of got)
      expect([account, !Number.isNaN(Date.parse(sentAt)), text.length > 9]).toEqual(['alice', true, true]);
    guard.child.kill('SIGINT');
    expect((await guard.ended).code).toBe(0);
    expect(readFileSync(files.fence, 'utf8')).toContain('gone without an orderly end');
  } finally {
    close();
  }
}, 60_000);

it('a run that does not end well sends an alert, and `check` does not show its address', async () => {
  const { url, got, close } = await receiver();
  try {
    const config = writeConfig(
      `${exchangeSection('http://127.0.0.1:9', 'http://127.0.0.1:9', { startTimeout: '500ms' })}${STRATEGIES}risk: { maxDailyLoss: 10 }\nalerts: [{ webhook: '${url}', level: error }]\n`,
    );
    const shown = await hosted(['check', config]);
    expect(shown.stdout).not.toContain('s3cret');
    await run(['run', config]);
    expect(got).toEqual([expect.objectContaining({ alert: 'ENDED', state: 'firing', level: 'error' })]);
  } finally {
    close();
  }
}, 60_000);

it.each([
  ['neither webhook nor command', 'alerts: [{ level: warn }]', /alerts\.0: expected either webhook or command/],
  ['both', 'alerts: [{ webhook: "http://127.0.0.1:1", command: ./notify }]', /alerts\.0: expected either/],
  ['no address', 'alerts: [{ webhook: nowhere }]', /alerts\.0\.webhook: expected an http or https URL/],
])('an alert target with %s is an error that names its place', async (_what, text, problem) => {
  const { code, stderr } = await hosted(['alert', 'test', writeConfig(`${text}\n`)]);
  expect([code, stderr]).toEqual([78, expect.stringMatching(problem)]);
});

it('`alert test` names the environment variables that a command receives', async () => {
  const config = writeConfig(
    'exchange: { username: alice }\nalerts: [{ command: /bin/cat, env: [OF_MAIL, NOT_SET] }]\n',
  );
  const env = { OF_MAIL: 'f0r-mail', ODDSMAKER_ALERT_TO: 'me', OTHER: 'none' };
  const { code, stdout } = await run(['alert', 'test', config], env);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^\/bin\/cat: it accepted both\n {2}its environment: .*ODDSMAKER_ALERT_TO, OF_MAIL, PATH.*; not set: NOT_SET\n$/,
  );
  expect(stdout).not.toMatch(/OTHER|f0r-mail/);
});

it('`alert test` reports a missing target, and a target that does not answer', async () => {
  const noTarget = await hosted(['alert', 'test', writeConfig('alerts: []\n')]);
  expect([noTarget.code, noTarget.stderr]).toEqual([78, expect.stringContaining('has no target under alerts')]);
  const away = await hosted([
    'alert',
    'test',
    writeConfig(
      `alerts: [{ webhook: 'http://127.0.0.1:${await closedPort()}' }, { command: ${join('/', 'bin', 'true')} }]\n`,
    ),
  ]);
  expect([away.code, away.stdout]).toEqual([75, expect.stringMatching(/ECONNREFUSED[^]*true: it accepted both/)]);
});
