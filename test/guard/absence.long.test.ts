// Missing files of a bot are no orderly end: its guard clears the account once the process is gone.
import { renameSync, rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readBeat, readFence } from '../../src/ops/index.ts';
import { start } from '../support/children.ts';
import { eventually, scene } from './fixtures.ts';

it('a guard clears the account of a bot that was killed without its heartbeat or its folder, but not after a farewell', async () => {
  const { config, files, startBot, quotes, story } = await scene();
  const guard = start(['guard', config]);
  let text = '';
  guard.child.stderr.on('data', (chunk: string) => (text += chunk));
  const logs = (pattern: RegExp, times: number): Promise<true> =>
    eventually(
      `the guard says ${String(pattern)} ${times} times`,
      () => text.split('\n').filter((line) => pattern.test(line)).length >= times,
    );
  for (const [round, remove] of [
    () => rmSync(files.heartbeat),
    () => renameSync(files.folder, `${files.folder}.away`),
  ].entries()) {
    const bot = startBot();
    await logs(/watching a bot/, round + 1);
    const { openOrders } = await quotes();
    expect(openOrders).toBeGreaterThanOrEqual(2);
    remove();
    bot.child.kill('SIGKILL');
    await bot.ended;
    await eventually('nothing is open', async () => (await story()).openOrders === 0);
    await logs(/nothing is open/, round + 1);
    const fence = await eventually('the fence is marked as cleared', () => {
      const now = readFence(files.fence);
      return now?.cleared !== undefined && now;
    });
    expect(fence).toMatchObject({ by: guard.child.pid, hung: false });
    expect(fence.why).toContain(`(pid ${bot.child.pid}) is gone without an orderly end`);
    rmSync(files.fence);
  }

  const last = startBot();
  await logs(/watching a bot/, 3);
  await quotes();
  last.child.kill('SIGINT');
  const { code, stderr } = await last.ended;
  expect(code, stderr).toBe(0);
  await logs(/the bot ended in order/, 1);
  expect(readBeat(files.heartbeat)).toMatchObject({ pid: last.child.pid, farewell: true });
  expect(readFence(files.fence)).toBeUndefined();
}, 90_000);
