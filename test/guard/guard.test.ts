// The guard's decisions, with a bot that exists only as files and an account simulated by this test.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { RunFiles } from '../../src/ops/index.ts';
import { Guard, isFenced, liftFence, raiseFence, readFence } from '../../src/ops/index.ts';
import { markCleared } from '../../src/ops/fence.ts';
import { thisProcess } from '../../src/ops/owner.ts';
import { writeConfig } from '../support/children.ts';
import { command, DEAD, eventually, memoryLog, ownFiles } from './fixtures.ts';

const DEADLINE_MS = 300;

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

/** A process that lives until it is killed. */
async function child(): Promise<{ readonly pid: number | undefined; readonly kill: () => Promise<void> }> {
  const spawned = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  const gone = once(spawned, 'exit');
  await once(spawned, 'spawn');
  const kill = async (): Promise<void> => {
    spawned.kill('SIGKILL');
    await gone;
  };
  endings.push(kill);
  return { pid: spawned.pid, kill };
}

function watched(files: RunFiles = ownFiles(), lateArrivalMs = 0, deadlineMs = DEADLINE_MS) {
  const log = memoryLog();
  const account = {
    open: 3,
    cancels: 0,
    lists: 0,
    away: false,
    cancelAll: () => {
      account.cancels += 1;
      if (account.away) return Promise.resolve('ECONNREFUSED');
      account.open = 0;
      return Promise.resolve(undefined);
    },
    countOpen: () => {
      account.lists += 1;
      return Promise.resolve(account.away ? undefined : account.open);
    },
  };
  const ending = new AbortController();
  const settings = { deadlineMs, lateArrivalMs, listEveryMs: 100 };
  const running = new Guard(files, settings, account, log).run(ending.signal);
  endings.push(async () => {
    ending.abort();
    await running;
  });
  return { files, log, account };
}

const beat = (files: RunFiles, state: object): void => {
  writeFileSync(
    files.heartbeat,
    JSON.stringify({ ...thisProcess(), at: 0, loops: 1, state: 'quoting', fence: null, ...state }),
  );
};

/** A living bot: its loop turns until it is stopped. */
function livingBot(files: RunFiles): { readonly stop: () => void } {
  let loops = 0;
  const timer = setInterval(() => {
    beat(files, { loops: (loops += 1) });
  }, 30);
  const stop = (): void => {
    clearInterval(timer);
  };
  endings.push(async () => {
    stop();
  });
  return { stop };
}

describe('the guard', () => {
  it('logs that it waits for a heartbeat', async () => {
    const { log } = watched();
    await eventually('the guard waits', () => log.hasLogged(/waiting for a heartbeat/));
  });

  it('does not act on a bot whose loop turns, nor on a bot that ended in order', async () => {
    const { files, log, account } = watched();
    const bot = livingBot(files);
    await eventually('the guard watches', () => log.hasLogged(/watching a bot/));
    const until = performance.now() + 3 * DEADLINE_MS;
    await eventually('three deadlines pass', () => performance.now() > until);
    bot.stop();
    beat(files, { farewell: true });
    await eventually('the guard sees the end', () => log.hasLogged(/ended in order/));
    rmSync(files.heartbeat);
    const later = performance.now() + 2 * DEADLINE_MS;
    await eventually('two deadlines pass', () => performance.now() > later);
    expect(isFenced(files.fence)).toBe(false);
    expect(account.cancels).toBe(0);
  });

  it.each(['its heartbeat is removed', 'the folder is moved away'])(
    'remembers a bot when %s, and clears the account once the bot is gone',
    async (how) => {
      const files = ownFiles();
      const bot = await child();
      const owner = { pid: bot.pid, ticks: null };
      beat(files, owner);
      const { log, account } = watched(files, 0, 60_000);
      await eventually('the guard watches', () => log.hasLogged(/watching a bot/));
      if (how.startsWith('its')) rmSync(files.heartbeat);
      else renameSync(files.folder, `${files.folder}.away`);
      await bot.kill();
      await eventually('the guard cancels', () => account.open === 0);
      await eventually('nothing is open', () => log.hasLogged(/nothing is open/));
      expect(readFence(files.fence)).toMatchObject({
        hung: false,
        why: expect.stringContaining('gone without an orderly end') as string,
        cleared: expect.any(Number) as number,
      });
      const { cancels } = account;
      liftFence(files.fence);
      const until = performance.now() + 1000;
      await eventually('the guard checks again', () => performance.now() > until);
      expect([isFenced(files.fence), account.cancels]).toEqual([false, cancels]);
    },
  );

  it('treats a missing heartbeat of a living bot as silence', async () => {
    const { files, log, account } = watched();
    const bot = livingBot(files);
    await eventually('the guard watches', () => log.hasLogged(/watching a bot/));
    bot.stop();
    rmSync(files.heartbeat);
    const fence = await eventually('the fence', () => readFence(files.fence));
    expect([fence.hung, fence.cleared]).toEqual([true, undefined]);
    await eventually('the cancel', () => account.cancels === 1);
  });

  it('marks a fence as cleared only while the account is empty, and never a fence that was lifted', async () => {
    const files = ownFiles();
    beat(files, DEAD);
    const { account } = watched(files, 60_000);
    const cleared = () => readFence(files.fence)?.cleared;
    await eventually('the fence is marked', () => typeof cleared() === 'number');
    account.cancelAll = () => Promise.resolve('ECONNREFUSED');
    account.open = 1;
    await eventually('an order arrived late', () => isFenced(files.fence) && cleared() === undefined, 20_000);
    account.open = 0;
    await eventually('the fence is marked again', () => typeof cleared() === 'number', 20_000);
    const id = readFence(files.fence)?.id ?? '';
    liftFence(files.fence);
    markCleared(files.fence, id, 1);
    expect(isFenced(files.fence)).toBe(false);
    // a fence that an operator made by hand has no owner
    writeFileSync(files.fence, '');
    expect(raiseFence(files.fence, 'why', false)).toMatchObject({ hung: true });
  });

  it('clears the account of a bot whose end was not seen, even when another bot says farewell', async () => {
    const files = ownFiles();
    const bot = await child();
    beat(files, { pid: bot.pid, ticks: null });
    const { log, account } = watched(files, 0, 60_000);
    await eventually('the guard watches', () => log.hasLogged(/watching a bot/));
    await bot.kill();
    beat(files, { farewell: true, ended: [] });
    await eventually('the guard cancels', () => account.open === 0);
  });

  it('acts when the loop stands still although the heartbeat is written, until the bot acknowledges the fence', async () => {
    const { files, log, account } = watched();
    let beatAt = 1;
    beat(files, { at: beatAt });
    const timer = setInterval(() => {
      beat(files, { at: (beatAt += 1) });
    }, 30);
    endings.push(async () => {
      clearInterval(timer);
    });
    await eventually('the fence', () => isFenced(files.fence));
    expect(readFence(files.fence)?.why).toMatch(/has not turned for \d+ ms/);
    await eventually('the cancel', () => account.cancels === 1);
    await eventually('the guard continues to list orders', () => account.lists >= 3);
    expect(log.hasLogged(/nothing is open/)).toBe(false);
    clearInterval(timer);
    beat(files, { loops: 2, fence: readFence(files.fence)?.id });
    await eventually('the guard is done', () => log.hasLogged(/nothing is open/));
  });

  it('acts at once on a bot that is gone, and cancels again orders that arrive late', async () => {
    const files = ownFiles();
    beat(files, DEAD);
    const { log, account } = watched(files);
    await eventually('the first list', () => account.lists === 1);
    account.open = 1;
    await eventually('a second cancel', () => account.cancels === 2);
    await eventually('the guard is done', () => log.hasLogged(/nothing is open/));
    expect(readFence(files.fence)?.why).toMatch(/gone without an orderly end/);
  });

  it('tries again with growing pauses while the exchange does not answer', async () => {
    const files = ownFiles();
    beat(files, DEAD);
    const { log, account } = watched(files);
    account.away = true;
    await eventually('the guard tries again', () => account.cancels >= 2);
    expect(log.hasLogged(/nothing is open/)).toBe(false);
    account.away = false;
    await eventually('the guard is done', () => log.hasLogged(/nothing is open/));
  });

  it('cancels even when the fence cannot be written', async () => {
    const files = ownFiles();
    beat(files, DEAD);
    const { log, account } = watched({ ...files, fence: `${files.heartbeat}/below.fence` });
    await eventually('the guard cancels', () => account.cancels >= 1);
    expect(log.hasLogged(/cannot be written/)).toBe(true);
  });

  it('raises the fence in the disk space it reserved when the disk is full', async () => {
    const files = ownFiles();
    const { account, log } = watched(files);
    await eventually('the reserved space', () => existsSync(`${files.fence}.spare`));
    // no new file can be written under this name
    mkdirSync(`${files.fence}.${process.pid}.tmp`);
    writeFileSync(join(`${files.fence}.${process.pid}.tmp`, 'x'), '');
    const { open } = account;
    beat(files, DEAD);
    const fence = await eventually('the fence', () => readFence(files.fence));
    expect([open, fence.why]).toEqual([3, expect.stringContaining('gone without an orderly end')]);
    await eventually('the guard is done', () => log.hasLogged(/nothing is open/));
    liftFence(files.fence);
  });

  it('acts when a bot died between two checks and the next bot already runs', async () => {
    const { files, log, account } = watched();
    const bot = livingBot(files);
    await eventually('the guard watches', () => log.hasLogged(/watching a bot/));
    bot.stop();
    let loops = 0;
    const next = { ...thisProcess(), ticks: 'another', after: process.pid };
    const timer = setInterval(() => {
      beat(files, { ...next, loops: (loops += 1), fence: readFence(files.fence)?.id ?? null });
    }, 30);
    endings.push(async () => {
      clearInterval(timer);
    });
    await eventually('the fence', () => isFenced(files.fence));
    expect(readFence(files.fence)?.why).toMatch(/gone without an orderly end/);
    await eventually('the guard is done', () => log.hasLogged(/nothing is open/));
    expect(account.cancels).toBe(1);
  });

  it('does not act on the next bot when the dead bot before it was handled and the fence is lifted', async () => {
    const files = ownFiles();
    beat(files, DEAD);
    const { log, account } = watched(files);
    await eventually('the guard is done', () => log.hasLogged(/nothing is open/));
    const { cancels } = account;
    // the guard has checked again by then
    const later = performance.now() + DEADLINE_MS;
    await eventually('a deadline passes', () => performance.now() > later);
    liftFence(files.fence);
    let loops = 0;
    const timer = setInterval(() => {
      beat(files, { loops: (loops += 1), after: DEAD.pid });
    }, 30);
    endings.push(async () => {
      clearInterval(timer);
    });
    const until = performance.now() + 2 * DEADLINE_MS;
    await eventually('two deadlines pass', () => performance.now() > until);
    expect([isFenced(files.fence), account.cancels]).toEqual([false, cancels]);
    expect(log.lines.filter(({ message }) => /watching a bot/.test(message))).toHaveLength(2);
  });

  it('does not act on the next bot when the fence is lifted once nothing is open, though orders may still arrive', async () => {
    const files = ownFiles();
    beat(files, DEAD);
    const { log, account } = watched(files, 60_000);
    await eventually('the fence', () => isFenced(files.fence));
    let loops = 0;
    const next = { ...thisProcess(), after: DEAD.pid };
    const timer = setInterval(() => {
      beat(files, { ...next, loops: (loops += 1), fence: readFence(files.fence)?.id ?? null });
    }, 30);
    endings.push(async () => {
      clearInterval(timer);
    });
    await eventually('nothing is open', () => log.hasLogged(/nothing is open/));
    const { cancels } = account;
    liftFence(files.fence);
    await eventually('the guard watches again or acts', () => log.hasLogged(/watching again/) || isFenced(files.fence));
    const until = performance.now() + 2 * DEADLINE_MS;
    await eventually('deadlines pass', () => performance.now() > until);
    expect([isFenced(files.fence), account.cancels]).toEqual([false, cancels]);
  });

  it('cancels orders that arrive after the fence was lifted, until another bot runs', async () => {
    const files = ownFiles();
    beat(files, DEAD);
    const { log, account } = watched(files, 60_000);
    await eventually('nothing is open', () => log.hasLogged(/nothing is open/));
    const { cancels } = account;
    liftFence(files.fence);
    await eventually('the guard warns', () => log.hasLogged(/may still land/));
    account.open = 1;
    await eventually('the late order is cancelled', () => account.open === 0);
    expect([isFenced(files.fence), account.cancels]).toEqual([false, cancels + 1]);
  });

  it('does not act on the next bot when the bot that hung was killed behind its fence', async () => {
    const files = ownFiles();
    const hung = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(hung, 'spawn');
    beat(files, { pid: hung.pid, ticks: null });
    const { log, account } = watched(files, 60_000);
    await eventually('the fence', () => isFenced(files.fence));
    hung.kill('SIGKILL');
    await once(hung, 'exit');
    await eventually('nothing is open', () => log.hasLogged(/nothing is open/));
    const { cancels } = account;
    liftFence(files.fence);
    let loops = 0;
    const timer = setInterval(() => {
      const fence = readFence(files.fence)?.id ?? null;
      beat(files, { ...thisProcess(), after: hung.pid, loops: (loops += 1), fence });
    }, 30);
    endings.push(async () => {
      clearInterval(timer);
    });
    await eventually('the guard watches again or acts', () => log.hasLogged(/watching again/) || isFenced(files.fence));
    const until = performance.now() + 2 * DEADLINE_MS;
    await eventually('deadlines pass', () => performance.now() > until);
    expect([isFenced(files.fence), account.cancels]).toEqual([false, cancels]);
  });

  it.each([
    ['', null],
    [' that had itself started after a dead bot', 4711],
  ])('acts once on a dead bot%s, however many later starts send nothing', async (_what, after) => {
    const files = ownFiles();
    beat(files, { ...DEAD, after });
    const { log, account } = watched(files);
    await eventually('the guard is done', () => log.hasLogged(/nothing is open/));
    const { cancels } = account;
    for (let starts = 1; starts <= 2; starts++) {
      const later = performance.now() + DEADLINE_MS;
      await eventually('the guard checks again', () => performance.now() > later);
      liftFence(files.fence);
      beat(files, { loops: 1, after: DEAD.pid, ticks: null });
      await eventually(
        'the guard watches the start',
        () => log.lines.filter(({ message }) => /watching a bot/.test(message)).length >= 2 * starts,
      );
      // its heartbeat is back, unchanged
      beat(files, { ...DEAD, after });
    }
    const until = performance.now() + 2 * DEADLINE_MS;
    await eventually('two deadlines pass', () => performance.now() > until);
    expect([isFenced(files.fence), account.cancels]).toEqual([false, cancels]);
  });

  it('acts on a dead bot again when the fence was lifted before the account was seen empty', async () => {
    const files = ownFiles();
    beat(files, DEAD);
    const { log, account } = watched(files);
    account.away = true;
    await eventually('a cancel that fails', () => account.cancels >= 1);
    beat(files, { loops: 1, after: DEAD.pid, ticks: null });
    liftFence(files.fence);
    await eventually('the guard watches the start', () => log.hasLogged(/lifted before the account was seen empty/));
    beat(files, DEAD);
    account.away = false;
    await eventually('nothing is open', () => account.open === 0);
    expect(isFenced(files.fence)).toBe(true);
  });

  it('acts on a bot that died unseen, between a bot that was handled and the next one that runs', async () => {
    const files = ownFiles();
    beat(files, DEAD);
    const { log, account } = watched(files);
    await eventually('the guard is done', () => log.hasLogged(/nothing is open/));
    const { cancels } = account;
    liftFence(files.fence);
    beat(files, { after: 4711 });
    await eventually('the guard cancels', () => account.cancels > cancels);
  });

  it('does nothing more about a bot that hung, woke and was killed behind its fence', async () => {
    const files = ownFiles();
    const bot = spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 60_000)']);
    const gone = once(bot, 'exit');
    endings.push(async () => {
      bot.kill('SIGKILL');
      await gone;
    });
    const owner = { pid: bot.pid, ticks: null };
    beat(files, owner);
    const { log, account } = watched(files);
    const fence = await eventually('the fence', () => readFence(files.fence));
    beat(files, { ...owner, loops: 2, fence: fence.id });
    await eventually('the guard is done', () => log.hasLogged(/nothing is open/));
    bot.kill('SIGKILL');
    await gone;
    const checkAt = performance.now() + DEADLINE_MS;
    await eventually('the guard checks again', () => performance.now() > checkAt);
    const { cancels } = account;
    liftFence(files.fence);
    const until = performance.now() + 2 * DEADLINE_MS;
    await eventually('two deadlines pass', () => performance.now() > until);
    expect([isFenced(files.fence), account.cancels]).toEqual([false, cancels]);
  });

  it('does not act on the next bot when the bot before it ended in order between two checks', async () => {
    const next = await child();
    const { files, log, account } = watched();
    const bot = livingBot(files);
    await eventually('the guard watches', () => log.hasLogged(/watching a bot/));
    bot.stop();
    let loops = 0;
    const timer = setInterval(() => {
      beat(files, { pid: next.pid, ticks: null, ended: [thisProcess()], loops: (loops += 1) });
    }, 30);
    endings.push(async () => {
      clearInterval(timer);
    });
    await eventually(
      'the guard watches the next bot',
      () => log.lines.filter(({ message }) => /watching/.test(message)).length > 1,
    );
    const until = performance.now() + 2 * DEADLINE_MS;
    await eventually('two deadlines pass', () => performance.now() > until);
    expect([isFenced(files.fence), account.cancels]).toEqual([false, 0]);
  });

  it('runs alone: a second guard is refused while the first lives, and replaces a dead guard', async () => {
    const { files, log, account } = watched();
    await eventually('the guard signs', () => existsSync(files.guard));
    const settings = { deadlineMs: DEADLINE_MS, lateArrivalMs: 0, listEveryMs: 100 };
    const second = new Guard(files, settings, account, log).run(new AbortController().signal);
    await expect(second).rejects.toThrow(/a guard of account alice is running: .*alice\.guard belongs to pid \d+/);
    rmSync(files.guard);
    await eventually('the guard signs again', () => existsSync(files.guard));
    const orphaned = ownFiles('bob');
    writeFileSync(orphaned.guard, JSON.stringify(DEAD));
    watched(orphaned);
    await eventually('the dead guard is replaced', () =>
      readFileSync(orphaned.guard, 'utf8').includes(`"pid":${process.pid}`),
    );
  });

  it('raises the fence again when it is removed by hand while the bot still hangs', async () => {
    const { files } = watched();
    beat(files, {});
    const first = await eventually('the fence', () => readFence(files.fence));
    liftFence(files.fence);
    const second = await eventually('another fence', () => readFence(files.fence));
    expect(second.id).not.toBe(first.id);
  });

  it('treats an unreadable fence as a fence', () => {
    const files = ownFiles();
    writeFileSync(files.fence, 'garbage');
    expect(isFenced(files.fence)).toBe(true);
    expect(readFence(files.fence)).toMatchObject({ why: 'unknown' });
    expect(existsSync(files.fence)).toBe(true);
  });

  it('reports that an embedded exchange needs no guard', async () => {
    const { code, said } = await command('guard', writeConfig('exchange: { embedded: {} }\n'));
    expect(code).toBe(78);
    expect(said).toMatch(/nothing to cancel/);
  });
});
