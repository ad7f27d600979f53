// Panic while a bot runs: panic names and halts the bot, which would quote again at once otherwise.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { readFence } from '../../src/ops/index.ts';
import { start } from '../support/children.ts';
import { scene } from './fixtures.ts';

it('panic names the living bot, halts it, and confirms that no order rests', async () => {
  const { startBot, config, quotes, story, status, ctl } = await scene();
  const bot = startBot();
  await quotes();
  const { code, stdout, stderr } = await start(['panic', config]).ended;
  expect(code, stderr).toBe(0);
  expect(stdout).toContain(`(pid ${bot.child.pid} on `);
  expect(stdout).toMatch(/since \d{4}-\d\d-\d\dT.*halted until `oddsmaker ctl .* resume`\nnothing is open\n$/);
  await sleep(6000);
  expect((await story()).openOrders).toBe(0);
  expect(await status()).toMatchObject({ trading: 'halted', closed: 'halted: panic' });
  expect((await ctl('resume')).code).toBe(0);
  await quotes(1);
  bot.child.kill('SIGINT');
  expect((await bot.ended).code).toBe(0);
}, 120_000);

it('panic cancels at once when the bot hangs, and raises a fence for it', async () => {
  const { startBot, config, quotes, story, files } = await scene();
  const bot = startBot();
  await quotes();
  bot.child.kill('SIGSTOP');
  const panic = start(['panic', config]);
  await panic.prints('stderr', /"open":0/);
  expect(await panic.prints('stderr', /raised a fence/)).toMatch(/does not answer/);
  expect((await story()).openOrders).toBe(0);
  expect(readFence(files.fence)).toMatchObject({ hung: true });
  // the bot obeys the fence as it wakes
  bot.child.kill('SIGCONT');
  const { code, stdout, stderr } = await panic.ended;
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/it obeys the fence\nnothing is open\n$/);
  await sleep(2000);
  expect((await story()).openOrders).toBe(0);
  bot.child.kill('SIGINT');
  await bot.ended;
}, 120_000);

it('panic does not confirm the end while a living bot has not acknowledged the fence', async () => {
  const { startBot, config, quotes } = await scene();
  const bot = startBot();
  await quotes();
  bot.child.kill('SIGSTOP');
  const { code, stdout } = await start(['panic', config]).ended;
  expect(code).toBe(74);
  expect(stdout).toMatch(/NOT CONFIRMED: the bot \(pid \d+\) has not acknowledged the fence/);
  bot.child.kill('SIGCONT');
  bot.child.kill('SIGKILL');
  await bot.ended;
}, 120_000);
