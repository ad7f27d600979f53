// A queue that loses points or that other clients write into, over a real redis-server: no point waits for
// ever, and none fails because of it.
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
import { queueStatus } from '../../src/sweep/queue/status.ts';
import { Submitter } from '../../src/sweep/queue/submitter.ts';
import type { OpenSweep } from '../../src/sweep/queue/taker.ts';
import { Taker } from '../../src/sweep/queue/taker.ts';
import { HAS_REDIS, TestRedis } from '../support/redis.ts';

const KEY = new SharedKey(randomBytes(32));
const ID = '0000000000f1';
const NOTICE: SweepNotice = {
  id: ID,
  name: 'bot.yaml',
  version: '1+a',
  bundle: 'bundle-of-it',
  tapes: [],
  serve: null,
  budgetMs: 1000,
  points: 3,
  since: 1,
};
const TASKS: readonly Task[] = [1, 2, 3].map((number) => taskOf(ID, { number, settings: [] }, [`g${number}` as never]));
const PLAYED: Outcome = { status: 'failed', code: 'STRATEGY_PARAMS', problem: 'as it is' };

const links: RedisLink[] = [];
afterEach(() => links.splice(0).forEach((link) => link.close()));

const linkTo = (redis: TestRedis, waitMs = 20_000): RedisLink => {
  const link = new RedisLink(redis.url, waitMs);
  links.push(link);
  return link;
};

/** Starts a worker in this process; it runs until `stop`. */
function working(redis: TestRedis, id: string, play: OpenSweep['play'] = async () => PLAYED, waitMs = 20_000) {
  const notes: string[] = [];
  let opened = 0;
  const taker = new Taker(linkTo(redis, waitMs), KEY, {
    id,
    version: '1+a',
    threads: 1,
    lockMs: 5000,
    waitMs,
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

/** Starts a sweep in this process; `done` resolves when each point has a result. */
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

const eventually = async (event: string, hasHappened: () => boolean | Promise<boolean>): Promise<void> => {
  const until = performance.now() + 30_000;
  while (!(await hasHappened())) {
    if (performance.now() > until) throw new Error(`it never happened: ${event}`);
    await sleep(20);
  }
};
const isQueued = async ({ client }: TestRedis): Promise<boolean> =>
  (await client.llen(`oddsmaker:sweep-${ID}:wait`)) === TASKS.length;

describe.skipIf(!HAS_REDIS)('a worker that lost its tape', () => {
  it('puts its point back, takes no more of that sweep, and says why; another worker plays all points', async () => {
    await using redis = await TestRedis.start();
    let tries = 0;
    const withoutTape = working(redis, 'poor:1', async () => {
      tries += 1;
      throw new OddsmakerError('TAPE_INVALID', 'a.ndjson: there is no such file');
    });
    const sweep = sweeping(redis);
    await eventually('the worker reports the tape', () => withoutTape.notes.length > 0);
    await eventually('the point is back', () => isQueued(redis));
    expect(await redis.client.hgetall(`oddsmaker:refused:${ID}`)).toEqual({
      'poor:1': 'a.ndjson: there is no such file',
    });
    const withTape = working(redis, 'rich:2');
    await sweep.done;
    await Promise.all([withoutTape.stop(), withTape.stop()]);
    expect(sweep.ended).toEqual([PLAYED, PLAYED, PLAYED]);
    expect([tries, withoutTape.openings()]).toEqual([1, 1]);
    expect(withoutTape.notes).toEqual([
      `sweep ${ID} (bot.yaml) cannot be played here: a.ndjson: there is no such file`,
    ]);
  });
});

describe.skipIf(!HAS_REDIS)('a parameter sweep whose Redis loses points', () => {
  it('queues its points again after a Redis without a disk restarted, and continues', async () => {
    const redis = await TestRedis.start();
    try {
      const sweep = sweeping(redis);
      await eventually('its points are there', () => isQueued(redis));
      await redis.end();
      await redis.begin();
      const worker = working(redis, 'here:1');
      await sweep.done;
      await worker.stop();
      expect(sweep.ended).toEqual([PLAYED, PLAYED, PLAYED]);
      expect(sweep.notes).toEqual([
        expect.stringMatching(/^Redis at redis:\S+ has lost 3 points of this sweep .*: queued again$/),
      ]);
    } finally {
      await redis.end();
    }
  });

  it.each<[string, (redis: TestRedis, key: string) => Promise<unknown>]>([
    [
      'a point and its place in the queue',
      async ({ client }, key) => {
        await client.del(key);
        await client.lrem(`oddsmaker:sweep-${ID}:wait`, 0, TASKS[1]?.key ?? '');
      },
    ],
    ['the data of a point', ({ client }, key) => client.del(key)],
    [
      'the place of a point in the queue',
      ({ client }) => client.lrem(`oddsmaker:sweep-${ID}:wait`, 0, TASKS[1]?.key ?? ''),
    ],
  ])('queues a point again when another client deletes %s', async (_part, remove) => {
    await using redis = await TestRedis.start();
    const sweep = sweeping(redis);
    await eventually('its points are there', () => isQueued(redis));
    await remove(redis, `oddsmaker:sweep-${ID}:${TASKS[1]?.key}`);
    const worker = working(redis, 'here:1');
    await sweep.done;
    await worker.stop();
    expect(sweep.ended).toEqual([PLAYED, PLAYED, PLAYED]);
    expect(sweep.notes.filter((text) => text.includes('has lost a point of this sweep'))).toHaveLength(1);
  });
});

describe.skipIf(!HAS_REDIS)('a Redis that another client writes into', () => {
  const jobKey = `oddsmaker:sweep-${ID}:${TASKS[1]?.key}`;

  it.each<[string, (redis: TestRedis) => Promise<unknown>]>([
    ['not JSON', ({ client }) => client.hset(jobKey, 'data', 'x')],
    ['not signed', ({ client }) => client.hset(jobKey, 'data', '{"sealed":"mine"}')],
    [
      'not a hash',
      async ({ client }) => {
        await client.del(jobKey);
        await client.set(jobKey, '5');
      },
    ],
  ])('ends neither worker nor sweep when a point is %s: it is removed and queued again', async (_fault, write) => {
    await using redis = await TestRedis.start();
    const sweep = sweeping(redis);
    await eventually('its points are there', () => isQueued(redis));
    await write(redis);
    const worker = working(redis, 'here:1');
    await sweep.done;
    await worker.stop();
    expect(sweep.ended).toEqual([PLAYED, PLAYED, PLAYED]);
    expect(worker.notes).toEqual([
      expect.stringMatching(
        /^point [0-9a-f]{12} of sweep 0000000000f1 (cannot be read|is not signed .*): another client writes into this Redis; the point is removed from the queue$/,
      ),
    ]);
  });

  it.each<[string, (redis: TestRedis) => Promise<unknown>]>([
    ['a finished point that is not a hash', ({ client }) => client.zadd(`oddsmaker:sweep-${ID}:completed`, 1, 'x')],
    [
      'a failed point that is not JSON',
      async ({ client }) => {
        await client.hset(`oddsmaker:sweep-${ID}:y`, 'data', 'x');
        await client.zadd(`oddsmaker:sweep-${ID}:failed`, 1, 'y');
      },
    ],
    ['late results that are not a list', ({ client }) => client.set(`oddsmaker:again:${ID}`, '5')],
    [
      'a report that is not one of a worker',
      ({ client }) => client.hset('oddsmaker:workers', 'x', '{"id":"x","at":9e15}'),
    ],
    ['a notice that is not one of a sweep', ({ client }) => client.hset('oddsmaker:sweeps', 'x', 'null')],
  ])('does not stop the sweep with %s', async (_entry, write) => {
    await using redis = await TestRedis.start();
    const sweep = sweeping(redis);
    await eventually('its points are there', () => isQueued(redis));
    await write(redis);
    const link = linkTo(redis);
    const status = await queueStatus(link);
    expect(status.sweeps.map(({ id }) => id)).toEqual([ID]);
    expect(status.workers).toEqual([]);
    const worker = working(redis, 'here:1');
    await sweep.done;
    await worker.stop();
    expect(sweep.ended).toEqual([PLAYED, PLAYED, PLAYED]);
  });

  it('ends worker and sweep when a key has the wrong type, and the error names the key', async () => {
    await using redis = await TestRedis.start();
    await redis.client.set('oddsmaker:sweeps', '5');
    const refusal = {
      code: 'QUEUE_INVALID',
      message: expect.stringMatching(
        /^Redis at \S+: another program writes into oddsmaker:sweeps, .* remove it with redis-cli DEL oddsmaker:sweeps$/,
      ) as string,
    };
    await expect(working(redis, 'here:1').running).rejects.toMatchObject(refusal);
    await expect(sweeping(redis).done).rejects.toMatchObject(refusal);
  });

  it('ends a worker with the error of Redis itself when it is a replica', async () => {
    await using redis = await TestRedis.start();
    await redis.client.call('REPLICAOF', '127.0.0.1', '1');
    await expect(working(redis, 'here:1').running).rejects.toMatchObject({
      code: 'QUEUE_REFUSED',
      message: expect.stringMatching(/^Redis at \S+ refuses: READONLY /) as string,
    });
  });

  it('cannot send control characters to the terminal', async () => {
    await using redis = await TestRedis.start();
    const sweep = sweeping(redis);
    await eventually('its points are there', () => isQueued(redis));
    await redis.client.hset(`oddsmaker:refused:${ID}`, 'x\u001b[2J', '\u001b]0;mine\u0007 \u009b31m');
    await eventually('the sweep shows the refusal', () => sweep.notes.length > 0);
    expect(sweep.notes[0]).toBe('worker x\ufffd[2J takes no point of this sweep: \ufffd]0;mine\ufffd \ufffd31m');
    const { sweeps } = await queueStatus(linkTo(redis));
    expect(JSON.stringify(sweeps)).not.toMatch(/u001b|\u009b/);
    const worker = working(redis, 'here:1');
    await sweep.done;
    await worker.stop();
  });
});

describe.skipIf(!HAS_REDIS)('a Redis that becomes full while a sweep runs', () => {
  it('is noted once, waited for, and then ends sweep and worker', async () => {
    await using redis = await TestRedis.start();
    const sweep = sweeping(redis, 2000);
    await eventually('its points are there', () => isQueued(redis));
    await redis.client.config('SET', 'maxmemory', '1');
    const worker = working(redis, 'here:1', undefined, 2000);
    const full = { code: 'QUEUE_FULL' };
    await Promise.all([
      expect(sweep.done).rejects.toMatchObject(full),
      expect(worker.running).rejects.toMatchObject(full),
    ]);
    for (const { notes } of [sweep, worker])
      expect(notes).toEqual([expect.stringMatching(/^Redis at \S+ refuses writes because its memory is full/)]);
  });

  it('lets the sweep continue when it has memory again in time', async () => {
    await using redis = await TestRedis.start();
    const sweep = sweeping(redis);
    await eventually('its points are there', () => isQueued(redis));
    await redis.client.config('SET', 'maxmemory', '1');
    const worker = working(redis, 'here:1');
    await eventually('the worker reports that Redis is full', () => worker.notes.length > 0);
    await redis.client.config('SET', 'maxmemory', '0');
    await sweep.done;
    await worker.stop();
    expect(sweep.ended).toEqual([PLAYED, PLAYED, PLAYED]);
  });
});
