// Another program has the admin port: a bot that trades with money does not start without the port; a bot on
// paper does, and opens the port once it is free.
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { eventually } from '../guard/fixtures.ts';
import {
  DAY_LIMIT,
  exchangeSection,
  start,
  startExchange,
  countsOf,
  STRATEGIES,
  writeConfig,
} from '../support/children.ts';

async function taken(): Promise<{ readonly port: number; readonly server: Server }> {
  const server = createServer((_request, response) => response.end('another program'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

it('a bot that trades with money waits ten seconds for its admin port, then ends with 75 and has sent nothing', async () => {
  const { port, server } = await taken();
  const venue = await startExchange('--games', '2', '--account', 'alice:alice-pw');
  const config = (option: string): string =>
    writeConfig(
      `${exchangeSection(venue.restUrl, venue.socketUrl)}${DAY_LIMIT}journal: { dir: ./run }\nops: { port: ${port}${option} }\n${STRATEGIES}`,
    );
  const beganAt = performance.now();
  const { code, stderr } = await start(['run', config('')]).ended;
  expect(code).toBe(75);
  expect(performance.now() - beganAt).toBeGreaterThan(10_000);
  const lines = stderr
    .trim()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  expect(lines.find(({ alert }) => alert === 'PORT_UNOPENED')).toMatchObject({
    level: 'error',
    address: `127.0.0.1:${port}`,
    setting: 'ops.port',
    error: expect.stringContaining('EADDRINUSE') as string,
  });
  expect(stderr).toContain('Set ops.port to a free one, or ops.required: false to run without');
  expect((await countsOf(venue, 'alice')).requests.place).toBe(0);

  // with required: false the bot runs without the port
  const without = start(['run', config(', required: false')]);
  await without.prints('stderr', /"msg":"quoting"/);
  expect(without.output.stderr).toMatch(/"alert":"PORT_UNOPENED"/);
  without.child.kill('SIGINT');
  expect((await without.ended).code).toBe(0);
  server.close();
}, 90_000);

it('a bot on paper runs without its admin port, tries it every ten seconds, and reports when it is open', async () => {
  const { port, server } = await taken();
  const bot = start([
    'run',
    writeConfig(`exchange: { embedded: { games: 2 } }\njournal: { dir: ./run }\nops: { port: ${port} }\n${STRATEGIES}`),
  ]);
  await bot.prints('stderr', /"alert":"PORT_UNOPENED"/);
  await bot.prints('stderr', /"msg":"quoting"/);
  server.closeAllConnections();
  server.close();
  await eventually(
    'its own port answers',
    async () => (await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined))?.ok,
    30_000,
  );
  expect(bot.output.stderr).toMatch(/"resolves":"PORT_UNOPENED"/);
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  // answers from before the port was open are counted
  expect(metrics).toMatch(/oddsmaker_request_seconds_count\{kind="place"\} [1-9]/);
  bot.child.kill('SIGINT');
  expect((await bot.ended).code).toBe(0);
}, 90_000);
