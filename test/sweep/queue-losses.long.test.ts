// What a queue loses, and what others write into it, over a real redis-server: no point is waited for in vain, and none fails for it.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { OddsmakerError } from '../../src/domain/index.ts';
import type { Outcome } from '../../src/sweep/outcome.ts';
import type { Task } from '../../src/sweep/point.ts';
import { taskOf } from '../../src/sweep/point.ts';
import type { SweepNotice } from '../../src/sweep/queue/board.ts';
import { SharedKey } from '../../src/sweep/queue/key-file.ts';
import { RedisLink } from '../../src/sweep/queue/redis-link.ts';
import { Submitter } from '../../src/sweep/queue/submitter.ts';
import type { OpenSweep } from '../../src/sweep/queue/taker.ts';
import { Taker } from '../../src/sweep/queue/taker.ts';
import { HAS_REDIS, TestRedis } from '../support/redis.ts';

const KEY = new SharedKey(randomBytes(32));
const ID = '0000000000f1';
const NOTICE: SweepNotice = {
  ...{ id: ID, name: 'bot.yaml', version: '1+a', bundle: 'bundle-of-it', tapes: [], serve: null },
  ...{ budgetMs: 1000, points: 3, since: 1 },
};
const TASKS: readonly Task[] = [1, 2, 3].map((number) =>
  taskOf(ID, { number, settings: [] }, [`g${number}` as never]),
);
const PLAYED: Outcome = { status: 'failed', code: 'STRATEGY_PARAMS', problem: 'as it is' };

const links: RedisLink[] = [];
afterEach(() => links.splice(0).forEach((link) => link.close()));

const linkTo = (redis: TestRedis, waitMs = 20_000): RedisLink => {
  const link = new RedisLink(redis.url, waitMs);
  links.push(link);
  return link;
};

/** A worker, until it is stopped. */
function working(
  redis: TestRedis,
  id: string,
  play: OpenSweep['play'] = async () => PLAYED,
  waitMs = 20_000,
) {
  const notes: string[] = [];
  let opened = 0;
  const taker = new Taker(linkTo(redis, waitMs), KEY, {
    ...{ id, version: '1+a', threads: 1, lockMs: 5000, waitMs },
    note: (text) => notes.push(text),
    open: async () => {
      opened += 1;
      return { play, close: () => undefined };
    },
  });
  const running = taker.run();
  running.catch(() => undefined);
  return {
    notes,
    running,
    openings: () => opened,
    stop: async () => {
      taker.stop();
      await running;
    },
  };
}

/** A sweep, until each of its points came to something. */
function sweeping(redis: TestRedis, waitMs = 20_000) {
  const notes: string[] = [];
  const ended: Outcome[] = [];
  const submitter = new Submitter(linkTo(redis, waitMs), KEY, NOTICE);
  const done = (async () => {
    await submitter.announce('{}');
    await submitter.play(TASKS, {
      ended: (_task, outcome) => ended.push(outcome),
      note: (text) => notes.push(text),
    });
  })();
  done.catch(() => undefined);
  return { notes, ended, done };
}

const eventually = async (what: string, isSo: () => boolean | Promise<boolean>): Promise<void> => {
  const until = performance.now() + 30_000;
  while (!(await isSo())) {
    if (performance.now() > until) throw new Error(`it never came: ${what}`);
    await sleep(20);
  }
};
const isQueued = async ({ client }: TestRedis): Promise<boolean> =>
  (await client.llen(`oddsmaker:sweep-${ID}:wait`)) === TASKS.length;

describe.skipIf(!HAS_REDIS)('a worker that lost its tape', () => {
  it('hands its point back, takes no more of that sweep, and says why; another one plays all', async () => {
    await using redis = await TestRedis.start();
    let tries = 0;
    const poor = working(redis, 'poor:1', async () => {
      tries += 1;
      throw new OddsmakerError('TAPE_INVALID', 'a.ndjson: there is no such file');
    });
    const sweep = sweeping(redis);
    await eventually('it says so', () => poor.notes.length > 0);
    await eventually('the point is back', () => isQueued(redis));
    expect(await redis.client.hgetall(`oddsmaker:refused:${ID}`)).toEqual({
      'poor:1': 'a.ndjson: there is no such file',
    });
    const rich = working(redis, 'rich:2');
    await sweep.done;
    await Promise.all([poor.stop(), rich.stop()]);
    expect(sweep.ended).toEqual([PLAYED, PLAYED, PLAYED]);
    expect([tries, poor.openings()]).toEqual([1, 1]);
    expect(poor.notes).toEqual([
      `sweep ${ID} (bot.yaml) cannot be played here: a.ndjson: there is no such file`,
    ]);
  });
});
