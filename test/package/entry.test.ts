// The entry point of the container. After an error that no restart can fix it stays up and tries nothing;
// after any other it ends, and the container starts again.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { eventually } from '../guard/fixtures.ts';
import {
  closedPort,
  DAY_LIMIT,
  exchangeSection,
  ROOT,
  startDoor,
  startExchange,
  countsOf,
  STRATEGIES,
  writeConfig,
} from '../support/children.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Runs the entry point as the image does. */
function enter(config: string) {
  const home = mkdtempSync(join(tmpdir(), 'entry-'));
  const parked = join(home, 'parked');
  writeFileSync(parked, 'of the start before');
  const child = spawn('sh', [join(ROOT, 'ops/docker/entry'), 'run', config], {
    env: { ...process.env, ODDSMAKER_PARKED: parked },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const gone = once(child, 'exit') as Promise<[number | null, string | null]>;
  ends.push(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await gone;
    rmSync(home, { recursive: true });
  });
  let errorText = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errorText += text));
  return { child, gone, errorText: () => errorText, isParked: () => existsSync(parked) };
}

const configOf = (restUrl: string, socketUrl: string, fields: Parameters<typeof exchangeSection>[2] = {}): string =>
  writeConfig(`${exchangeSection(restUrl, socketUrl, fields)}${DAY_LIMIT}journal: { dir: ./run }\n${STRATEGIES}`);

it('the container entry tries a refused login once, stays up with the reason, and ends on SIGINT', async () => {
  const venue = await startExchange('--games', '1', '--account', 'alice:alice-pw');
  const door = await startDoor(venue);
  const { child, gone, errorText, isParked } = enter(configOf(door.url, venue.socketUrl, { password: 'wrong' }));
  await eventually(
    'the entry has written its parked file',
    () => isParked() && errorText().includes('ended with 77'),
    60_000,
  );
  expect(errorText()).toContain('nothing is tried again until this container is restarted');
  await sleep(1000);
  expect(door.calls.filter(({ path }) => path.endsWith('/user/login'))).toHaveLength(1);
  child.kill('SIGINT');
  expect(await gone).toEqual([0, null]);
}, 90_000);

it('the container entry stays up after a bad configuration', async () => {
  const { isParked, errorText } = enter(writeConfig('nonsense: true\n'));
  await eventually(
    'the entry prints the reason',
    () => errorText().includes('ended with 78 (a bad configuration or strategy)'),
    60_000,
  );
  await eventually('the entry has written its parked file', isParked);
}, 90_000);

it('the container entry ends with the exit code of an error that another start may fix', async () => {
  const url = `http://127.0.0.1:${await closedPort()}`;
  const { gone, isParked } = enter(configOf(url, url, { startTimeout: '1s' }));
  expect(await gone).toEqual([75, null]);
  expect(isParked()).toBe(false);
}, 90_000);

it('the container entry passes a stop on to the bot, and ends with the bot’s exit code', async () => {
  const venue = await startExchange('--games', '1', '--account', 'alice:alice-pw');
  const { child, gone, isParked } = enter(configOf(venue.restUrl, venue.socketUrl));
  await eventually('the bot quotes', async () => (await countsOf(venue, 'alice')).openOrders > 0, 60_000);
  child.kill('SIGINT');
  expect(await gone).toEqual([0, null]);
  expect(isParked()).toBe(false);
  expect((await countsOf(venue, 'alice')).openOrders).toBe(0);
}, 120_000);
