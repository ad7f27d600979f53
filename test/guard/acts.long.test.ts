// Bot, guard and exchange as processes: the counts of the exchange itself decide what happened.
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readBeat, readFence } from '../../src/ops/index.ts';
import { start } from '../support/children.ts';
import { eventually, placesOf, scene } from './fixtures.ts';

describe('the guard beside a bot', () => {
  it('clears the account of a bot that was killed; the next bot trades without an operator once the account is empty', async () => {
    const { startBot, config, quotes, story, files } = await scene();
    const bot = startBot();
    const guard = start(['guard', config]);
    await guard.prints('stderr', /watching a bot/);
    await quotes();
    bot.child.kill('SIGKILL');
    await bot.ended;
    await guard.prints('stderr', /nothing is open/);
    const cleared = await story();
    expect(cleared.openOrders).toBe(0);
    expect(readFence(files.fence)).toMatchObject({ by: guard.child.pid });
    expect(existsSync(files.heartbeat)).toBe(true);

    await eventually('the fence is marked as cleared', () => readFence(files.fence)?.cleared !== undefined);
    expect(readFence(files.fence)?.hung).toBe(false);

    // no operator sends `resume`: the account was seen empty, and the bot before was dead (rules.md, 14)
    const next = startBot();
    await next.prints('stderr', /"AFTER_CRASH"/);
    await quotes();
    expect(existsSync(files.fence)).toBe(false);
    expect(placesOf(await story())).toBeGreaterThan(placesOf(cleared));

    guard.child.kill('SIGINT');
    expect((await guard.ended).code).toBe(0);
    expect(existsSync(files.guard)).toBe(false);
    next.child.kill('SIGINT');
    const ended = await next.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect((await story()).openOrders).toBe(0);
    expect(readBeat(files.heartbeat)).toMatchObject({ pid: next.child.pid, farewell: true });
  }, 60_000);

  it('clears the account of a bot that hangs; that bot places nothing when it wakes, until ctl resume', async () => {
    const { startBot, config, quotes, story, files, ctl, status } = await scene();
    const bot = startBot();
    await bot.prints('stderr', /no guard watches this bot/);
    const guard = start(['guard', config]);
    await guard.prints('stderr', /watching a bot/);
    await quotes();
    expect(await status()).toMatchObject({ guard: guard.child.pid });
    bot.child.kill('SIGSTOP');
    await guard.prints('stderr', /the fence stands/);
    const stopped = await eventually('nothing is open', async () => {
      const current = await story();
      return current.openOrders === 0 && current;
    });
    const before = readBeat(files.heartbeat)?.loops ?? 0;

    bot.child.kill('SIGCONT');
    await guard.prints('stderr', /"acknowledged"/);
    await eventually('its loop turns', () => (readBeat(files.heartbeat)?.loops ?? 0) > before + 25);
    expect(placesOf(await story())).toBe(placesOf(stopped));
    expect(await status()).toMatchObject({ state: 'fenced', openOrders: 0 });
    await bot.prints('stderr', /"LOOP_STALLED"/);

    const resumed = await ctl('resume');
    expect(resumed.code, resumed.stderr).toBe(0);
    await quotes();
    expect(placesOf(await story())).toBeGreaterThan(placesOf(stopped));
    expect(existsSync(files.fence)).toBe(false);
  }, 60_000);
});
