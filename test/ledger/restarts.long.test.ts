// What a human left standing, and what follows a crash: bots as processes, killed and started again.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readFence, raiseFence } from '../../src/ops/index.ts';
import { eventually, placesOf } from '../guard/fixtures.ts';
import { kill, ledgerScene, stop } from './fixtures.ts';

it('holds a pause and a halt over kill -9 before the first order, goes on after a crash, and not for ever', async () => {
  const scene = await ledgerScene();
  const { startBot, change, ctl, status, story, quotes, files, rows } = scene;

  // a human pauses; the bot is killed; the next one is paused, and says what it found
  const first = startBot();
  await quotes(1);
  expect((await ctl('pause')).code).toBe(0);
  // the standing file holds it at once; rows of the ledger go in batches, and a kill costs the last one
  await eventually('the ledger has it', () => rows('SELECT command FROM operator_actions').length > 0);
  await kill(first);
  const placed = placesOf(await story());
  const second = startBot();
  const said = await second.says('stderr', /AFTER_CRASH/);
  expect(said).toMatch(/going on/);
  await eventually('it is paused', async () => {
    const { accountRead, closed } = await status();
    return accountRead === true && closed === 'paused';
  });
  expect(placesOf(await story())).toBe(placed);

  // a halt over an orderly end, too
  expect((await ctl('halt')).code).toBe(0);
  expect((await stop(second)).code).toBe(0);
  const third = startBot();
  await third.says('stderr', /KILL_SWITCH/);
  await eventually('the account is read', async () => (await status())['accountRead'] === true);
  expect(await status()).toMatchObject({ trading: 'halted' });
  expect(placesOf(await story())).toBe(placed);
  expect((await ctl('resume')).code).toBe(0);
  await quotes(1);
  expect(await status()).toMatchObject({ trading: 'active' });
  // resume is as durable
  await kill(third);

  // behind the fence of a dead bot the next one waits for the guard's word alone
  raiseFence(files.fence, 'the bot (pid 1) is gone without an orderly end', false);
  const before = placesOf(await story());
  const fourth = startBot();
  await fourth.says('stderr', /a fence stands for a bot that is gone/);
  await eventually('it waits', async () => {
    const { closed, state } = await status();
    return state === 'fenced' && /has not yet cleared the account/.test(String(closed));
  });
  expect(placesOf(await story())).toBe(before);
  const fence: unknown = JSON.parse(readFileSync(files.fence, 'utf8'));
  writeFileSync(files.fence, JSON.stringify({ ...(fence as object), cleared: Date.now() }));
  await fourth.says('stderr', /the fence is lifted/);
  await quotes(1);
  expect(readFence(files.fence)).toBeUndefined();
  await kill(fourth);

  // behind that of one that hung it waits for an operator, cleared or not
  raiseFence(files.fence, 'the loop of the bot (pid 1) has not turned');
  writeFileSync(
    files.fence,
    JSON.stringify({ ...(JSON.parse(readFileSync(files.fence, 'utf8')) as object), cleared: Date.now() }),
  );
  const fifth = startBot();
  await fifth.says('stderr', /a fence stands: nothing is placed until/);
  await eventually('the account is read', async () => (await status())['accountRead'] === true);
  expect(await status()).toMatchObject({ state: 'fenced', trading: 'halted' });
  expect((await ctl('resume')).code).toBe(0);
  await quotes(1);
  await kill(fifth);

  // resume forgot the crashes before: two go on, the third within ten minutes waits
  for (let life = 1; life <= 2; life++) {
    const next = startBot();
    expect(await next.says('stderr', /AFTER_CRASH/)).toMatch(new RegExp(`"crashes":${life}\\b.*going on`));
    await kill(next);
  }
  const asked = placesOf(await story());
  const last = startBot();
  expect(await last.says('stderr', /AFTER_CRASH/)).toMatch(/"crashes":3\b.*waiting for/);
  expect(String((await status())['closed'])).toMatch(/3 runs in ten minutes/);
  expect(placesOf(await story())).toBe(asked);
  expect((await ctl('resume')).code).toBe(0);
  await quotes(1);
  await kill(last);

  // with `wait` the first one does
  change('orders:', 'onCrash: wait\norders:');
  const waiting = startBot();
  expect(await waiting.says('stderr', /AFTER_CRASH/)).toMatch(/onCrash: wait/);
  expect(String((await status())['closed'])).toMatch(/^waiting: /);
  expect((await stop(waiting)).code).toBe(0);
  const actions = rows('SELECT command FROM operator_actions').map((row) => row['command']);
  for (const command of ['pause', 'halt', 'resume', 'stop']) expect(actions).toContain(command);
  // of the lives that went on: those killed at their first word left no row
  expect(rows("SELECT code FROM alerts WHERE code = 'AFTER_CRASH'").length).toBeGreaterThanOrEqual(3);
}, 480_000);
