// Halts and pauses of an operator over restarts, and the starts after a crash: bots as processes, killed and
// started again.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readFence, raiseFence } from '../../src/ops/index.ts';
import { eventually, placesOf } from '../guard/fixtures.ts';
import { kill, ledgerScene, stop } from './fixtures.ts';

it('a bot keeps a pause and a halt over kill -9, and resumes after two crashes but not after a third', async () => {
  const scene = await ledgerScene();
  const { startBot, change, ctl, status, story, quotes, files, rows } = scene;

  // an operator pauses; the bot is killed; the next run is paused, and reports the crash
  const first = startBot();
  await quotes(1);
  expect((await ctl('pause')).code).toBe(0);
  // the standing file has it at once; ledger rows are written in batches, and a kill costs the last batch
  await eventually('the ledger has the pause', () => rows('SELECT command FROM operator_actions').length > 0);
  await kill(first);
  const placed = placesOf(await story());
  const second = startBot();
  const warned = await second.prints('stderr', /AFTER_CRASH/);
  expect(warned).toMatch(/the bot continues/);
  await eventually('the bot is paused', async () => {
    const { accountRead, closed } = await status();
    return accountRead === true && closed === 'paused';
  });
  expect(placesOf(await story())).toBe(placed);

  // a halt also holds over an orderly end
  expect((await ctl('halt')).code).toBe(0);
  expect((await stop(second)).code).toBe(0);
  const third = startBot();
  await third.prints('stderr', /KILL_SWITCH/);
  await eventually('the account is read', async () => (await status())['accountRead'] === true);
  expect(await status()).toMatchObject({ trading: 'halted' });
  expect(placesOf(await story())).toBe(placed);
  expect((await ctl('resume')).code).toBe(0);
  await quotes(1);
  expect(await status()).toMatchObject({ trading: 'active' });
  // resume is as durable as a halt
  await kill(third);

  // behind the fence of a dead bot the next run waits only until the guard has cleared the account
  raiseFence(files.fence, 'the bot (pid 1) is gone without an orderly end', false);
  const before = placesOf(await story());
  const fourth = startBot();
  await fourth.prints('stderr', /a fence stands for a bot that is gone/);
  await eventually('the bot waits for the guard', async () => {
    const { closed, state } = await status();
    return state === 'fenced' && /has not yet cleared the account/.test(String(closed));
  });
  expect(placesOf(await story())).toBe(before);
  const fence: unknown = JSON.parse(readFileSync(files.fence, 'utf8'));
  writeFileSync(files.fence, JSON.stringify({ ...(fence as object), cleared: Date.now() }));
  await fourth.prints('stderr', /the fence is lifted/);
  await quotes(1);
  expect(readFence(files.fence)).toBeUndefined();
  await kill(fourth);

  // behind the fence of a bot that hung it waits for an operator, whether the guard has cleared the account
  // or not
  raiseFence(files.fence, 'the loop of the bot (pid 1) has not turned');
  writeFileSync(
    files.fence,
    JSON.stringify({ ...(JSON.parse(readFileSync(files.fence, 'utf8')) as object), cleared: Date.now() }),
  );
  const fifth = startBot();
  await fifth.prints('stderr', /a fence stands: nothing is placed until/);
  await eventually('the account is read', async () => (await status())['accountRead'] === true);
  expect(await status()).toMatchObject({ state: 'fenced', trading: 'halted' });
  expect((await ctl('resume')).code).toBe(0);
  await quotes(1);
  await kill(fifth);

  // resume forgot the crashes before: two runs resume by themselves, the third within ten minutes waits
  for (let crashes = 1; crashes <= 2; crashes++) {
    const next = startBot();
    expect(await next.prints('stderr', /AFTER_CRASH/)).toMatch(
      new RegExp(`"crashes":${crashes}\\b.*the bot continues`),
    );
    await kill(next);
  }
  const placesBefore = placesOf(await story());
  const last = startBot();
  expect(await last.prints('stderr', /AFTER_CRASH/)).toMatch(/"crashes":3\b.*waiting for/);
  expect(String((await status())['closed'])).toMatch(/3 runs in ten minutes/);
  expect(placesOf(await story())).toBe(placesBefore);
  expect((await ctl('resume')).code).toBe(0);
  await quotes(1);
  await kill(last);

  // with onCrash: wait the first start waits
  change('orders:', 'onCrash: wait\norders:');
  const waiting = startBot();
  expect(await waiting.prints('stderr', /AFTER_CRASH/)).toMatch(/onCrash: wait/);
  expect(String((await status())['closed'])).toMatch(/^waiting: /);
  expect((await stop(waiting)).code).toBe(0);
  const actions = rows('SELECT command FROM operator_actions').map((row) => row['command']);
  for (const command of ['pause', 'halt', 'resume', 'stop']) expect(actions).toContain(command);
  // runs that were killed at their first message left no row
  expect(rows("SELECT code FROM alerts WHERE code = 'AFTER_CRASH'").length).toBeGreaterThanOrEqual(3);
}, 480_000);
