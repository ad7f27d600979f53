// A user of the exchange who logs in under two names has one account.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { start, startDoor } from '../support/children.ts';
import { eventually, scene } from './fixtures.ts';

it('a bot finds the lease, halt and ledger of the first login name under the second, after one login more', async () => {
  const { venue, config, startBot, quotes, ctl, status } = await scene();
  // an exchange that also accepts the e-mail address
  const door = await startDoor(venue, undefined, (body) => body.replace('alice@example.com', 'alice'));
  const write = (from: string | RegExp, to: string): void =>
    writeFileSync(config, readFileSync(config, 'utf8').replace(from, to));
  write(/restUrl: \S+/, `restUrl: ${door.url}`);
  const logins = (): number => door.calls.filter(({ path }) => path === '/user/login').length;

  const first = startBot();
  await quotes();
  expect(logins()).toBe(1);
  write('username: alice', 'username: alice@example.com');
  const beside = await start(['run', config]).ended;
  expect(beside.code, beside.stderr).toBe(77);
  expect(beside.stderr).toMatch(/alice\.lease belongs to pid/);
  // ctl finds the bot by the second name as well
  expect((await ctl('halt')).code).toBe(0);
  first.child.kill('SIGINT');
  expect((await first.ended).code).toBe(0);

  const before = logins();
  const second = startBot();
  await second.prints('stderr', /KILL_SWITCH/);
  await eventually('the account is read', async () => (await status())['accountRead'] === true);
  expect(await status()).toMatchObject({ trading: 'halted' });
  // the account of the second name is known by now
  expect(logins()).toBe(before + 1);
  expect((await ctl('resume')).code).toBe(0);
  await quotes(1);
  second.child.kill('SIGINT');
  expect((await second.ended).code).toBe(0);
  const names = readdirSync(join(dirname(config), 'run')).filter((name) => /standing|lease|user/.test(name));
  expect(names.sort()).toEqual(['alice%40example.com.user', 'alice.standing', 'alice.user']);
}, 120_000);
