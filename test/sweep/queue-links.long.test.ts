// Parameter sweeps over a real redis-server: killed and refused workers, several sweeps at once, and the
// secrets that Redis never gets.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/sweep/outcome.ts';
import type { Task } from '../../src/sweep/point.ts';
import { taskOf } from '../../src/sweep/point.ts';
import type { SweepNotice } from '../../src/sweep/queue/board.ts';
import { Board } from '../../src/sweep/queue/board.ts';
import { readKey, SharedKey } from '../../src/sweep/queue/key-file.ts';
import { sealResult } from '../../src/sweep/queue/messages.ts';
import { RedisLink } from '../../src/sweep/queue/redis-link.ts';
import { Submitter } from '../../src/sweep/queue/submitter.ts';
import type { TakerOptions } from '../../src/sweep/queue/taker.ts';
import { Taker } from '../../src/sweep/queue/taker.ts';
import { command, folder, run, start, writeConfig } from '../support/children.ts';
import { writeGameDays } from '../support/game-days.ts';
import { HAS_REDIS, TestRedis } from '../support/redis.ts';
import { BOT, bytesOf, rowsOf, sweepJson } from './fixtures.ts';

let redis: TestRedis;
let tapes = '';
let config = '';
let keyFile = '';
const closers: (() => void | Promise<void>)[] = [];

beforeAll(async () => {
  if (!HAS_REDIS) return;
  redis = await TestRedis.start();
  const made = folder();
  tapes = writeGameDays(made, 2, 1, 14);
  config = writeConfig(BOT, made);
  keyFile = newKey();
});
afterAll(async () => {
  for (const close of closers) await close();
  if (HAS_REDIS) await redis.end();
});

function newKey(): string {
  const file = join(folder(), 'sweep.key');
  writeFileSync(file, randomBytes(32), { mode: 0o600 });
  return file;
}

/** Starts a worker with a cache of its own, as on another machine. */
const worker = (url = redis.url, ...flags: readonly string[]) =>
  start(['worker', '--redis', url, '--key', keyFile, '--threads', '1', '--lock', '2s', ...flags], {
    XDG_CACHE_HOME: folder(),
  });

const sweepArgs = (out: string, ...flags: readonly string[]): readonly string[] => [
  ...['sweep', config, '--tape', tapes, '--out', out, ...flags],
];
const overRedis = (url = redis.url): readonly string[] => ['--redis', url, '--key', keyFile];
const MANY = [
  ...['--search', 'random', '--points', '12', '--param', 'main.edge=0.002:0.04'],
  ...['--param', 'main.risk=20:200'],
];
const FEW = ['--param', 'main.edge=0.01,0.02,0.03'];

const eventually = async (event: string, hasHappened: () => boolean | Promise<boolean>): Promise<void> => {
  const until = performance.now() + 60_000;
  while (!(await hasHappened())) {
    if (performance.now() > until) throw new Error(`it never happened: ${event}`);
    await sleep(20);
  }
};

describe.skipIf(!HAS_REDIS)('a parameter sweep over Redis', () => {
  it('writes the same bytes as a local sweep when one of its two workers is killed in the middle', async () => {
    const local = join(folder(), 'local');
    const alone = await command(sweepArgs(local, ...MANY));
    expect(alone.code, alone.stderr).toBe(0);
    const out = join(folder(), 'far');
    const [first, second] = [worker(), worker()];
    const sweep = start(sweepArgs(out, ...MANY, ...overRedis()));
    const log = join(out, '.points.running.ndjson');
    await eventually('a third is played', () => linesOf(log) >= 4);
    first.child.kill('SIGKILL');
    const ended = await sweep.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(bytesOf(out)).toEqual(bytesOf(local));
    expect(ended.stdout.replace(out, local)).toBe(alone.stdout);
    expect(rowsOf(out)).toHaveLength(13);
    // the worker stops cleanly, and nothing of the queue is left in Redis
    second.child.kill('SIGTERM');
    expect((await second.ended).code).toBe(0);
    const left = keys(redis).filter((key) => !/^oddsmaker:(bundle:[0-9a-f]{64}|workers)$/.test(key));
    expect(left).toEqual([]);
  });

  it('continues after the sweep process was killed, with the results that workers played meanwhile', async () => {
    const out = join(folder(), 'out');
    const killed = start(sweepArgs(out, ...FEW, ...overRedis()));
    await eventually('the sweep waits', () => keys(redis).some((key) => /:sweep-[0-9a-f]{12}:wait$/.test(key)));
    killed.child.kill('SIGKILL');
    await killed.ended;
    const served = join(folder(), 'served');
    mkdirSync(served);
    // under other names: a tape is identified by its content
    for (const [index, name] of readdirSync(tapes).entries())
      if (name.endsWith('.gz'))
        copyFileSync(join(tapes, name), join(served, ['anyname', 'other.ndjson'][index] ?? `${index}.zst`));
    const ownWorker = worker(redis.url, '--tapes', served);
    await eventually('all are played', async () => {
      const status = await command(['sweep', '--status', '--json', '--redis', redis.url]);
      const { sweeps } = JSON.parse(status.stdout) as {
        readonly sweeps: readonly { readonly untaken: number }[];
      };
      return sweeps[0]?.untaken === 4;
    });
    ownWorker.child.kill('SIGTERM');
    expect((await ownWorker.ended).code).toBe(0);
    // no worker is left to play
    const resumed = await command(sweepArgs(out, ...FEW, ...overRedis(), '--resume'));
    expect(resumed.code, resumed.stderr).toBe(0);
    const local = join(folder(), 'local');
    expect((await command(sweepArgs(local, ...FEW))).code).toBe(0);
    expect(bytesOf(out)).toEqual(bytesOf(local));
  });

  it('sends Redis no account, no secret and no alert address', async () => {
    const out = join(folder(), 'out');
    const sweep = start(sweepArgs(out, ...FEW, ...overRedis()));
    await eventually('the sweep waits', () => keys(redis).some((key) => /:sweep-[0-9a-f]{12}:wait$/.test(key)));
    const all = everythingIn(redis);
    sweep.child.kill('SIGKILL');
    await sweep.ended;
    expect(all).toContain('quoteBothSides');
    expect(all).toContain('main.edge');
    for (const secret of ['someone', 'not to be shown', 'secret-hook', readFileSync(keyFile).toString('hex')])
      expect(all).not.toContain(secret);
    execFileSync('redis-cli', ['-p', String(redis.port), 'flushall']);
  });

  it('waits while a worker cannot get a tape, names the tape, and continues once the worker gets it', async () => {
    const out = join(folder(), 'out');
    const sweep = start(sweepArgs(out, ...FEW, ...overRedis()));
    await eventually('the sweep waits', () => keys(redis).some((key) => /:sweep-[0-9a-f]{12}:wait$/.test(key)));
    sweep.child.kill('SIGKILL');
    await sweep.ended;
    const ownWorker = worker(redis.url, '--tapes', folder());
    await ownWorker.prints(
      'stderr',
      /sweep [0-9a-f]{12} \(bot\.yaml\) cannot be played here: tape d00g0\.ndjson\.gz \(sha256 [0-9a-f]{12}…, [\d,]+ bytes\): it is not in --tapes \S+, and http:\/\/127\.0\.0\.1:\d+ does not serve it \(connect ECONNREFUSED/,
    );
    const status = await command(['sweep', '--status', '--redis', redis.url]);
    expect(status.stdout).toMatch(/^worker \S+ takes no point of sweep [0-9a-f]{12}: tape d00g0/m);
    const resumed = await run(sweepArgs(out, ...FEW, ...overRedis(), '--resume'));
    expect(resumed.code, resumed.stderr).toBe(0);
  });

  it('ends a point whose strategy loops for ever after its budget, names it, and plays the other points', async () => {
    const made = folder();
    writeFileSync(join(made, 'loops.ts'), LOOPS);
    const own = writeConfig(
      `exchange: { embedded: {} }\nmarkets: { leagues: [NBA], stopBefore: 0s }\nstrategies: [{ use: ./loops.ts, id: main, params: { level: 1 } }]\n`,
      made,
    );
    worker();
    const out = join(made, 'out');
    const flags = ['--param', 'main.level=1,2,3', '--budget', '5s', ...overRedis()];
    const ended = await run(['sweep', own, '--tape', tapes, '--out', out, ...flags]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toContain('point 2 (main.level=2): POINT_OVERRAN: it ran longer than 5 s, and was ended\n');
    expect(sweepJson(out).search).toMatchObject({ judged: 2, failed: 1 });
  });
});

const LOOPS = `import { map } from 'rxjs';
import { z } from 'zod';
import { defineStrategy } from 'oddsmaker/strategy';
export default defineStrategy({
  name: 'loops',
  params: z.object({ level: z.int() }),
  create: ({ params }) => (views$) => views$.pipe(map((view) => {
    while (params.level === 2);
    return { market: view.market.id, quotes: [] };
  })),
});
`;

describe.skipIf(!HAS_REDIS)('a Redis that cannot be used', () => {
  it('is waited for a bounded time by sweep, worker and --status, which do not show its password', async () => {
    const url = 'redis://user:verysecret@127.0.0.1:1';
    const out = join(folder(), 'out');
    const away =
      /^oddsmaker: Redis at redis:\/\/127\.0\.0\.1:1 has not answered for 1 s \(connect ECONNREFUSED 127\.0\.0\.1:1\)\n$/;
    for (const args of [
      sweepArgs(out, ...FEW, ...overRedis(url), '--wait', '1s'),
      ['worker', '--redis', url, '--key', keyFile, '--wait', '1s'],
      ['sweep', '--status', '--redis', url, '--wait', '1s'],
    ]) {
      const ended = await command(args);
      expect(ended.stderr).toMatch(away);
      expect(ended.code).toBe(75);
    }
  });

  it('ends a command with exit code 77 when it refuses the password', async () => {
    const guarded = await TestRedis.start(['--requirepass', 'right']);
    closers.push(() => guarded.end());
    const ended = await command(['sweep', '--status', '--redis', `redis://:wrong@127.0.0.1:${guarded.port}`]);
    expect(ended.stderr).toMatch(/^oddsmaker: Redis at redis:\/\/127\.0\.0\.1:\d+ refuses: WRONGPASS /);
    expect(ended.code).toBe(77);
  });

  it('ends the sweep when it is full; the results are kept, and --resume continues when it has memory', async () => {
    const small = await TestRedis.start(['--maxmemory', '1mb', '--maxmemory-policy', 'noeviction']);
    closers.push(() => small.end());
    const out = join(folder(), 'out');
    const full = await command(sweepArgs(out, ...FEW, ...overRedis(small.url)));
    expect(full.stderr).toMatch(
      /^oddsmaker: Redis at \S+ refuses writes because its memory is full \(maxmemory\): results so far are kept\n$/,
    );
    expect(full.code).toBe(75);
    execFileSync('redis-cli', ['-p', String(small.port), 'config', 'set', 'maxmemory', '100mb']);
    worker(small.url);
    const resumed = await run(sweepArgs(out, ...FEW, ...overRedis(small.url), '--resume'));
    expect(resumed.code, resumed.stderr).toBe(0);
  });

  it('causes a warning when it evicts keys', async () => {
    const evicting = await TestRedis.start(['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru']);
    closers.push(() => evicting.end());
    const ownWorker = worker(evicting.url);
    await ownWorker.prints(
      'stderr',
      /evicts keys when its memory is full \(maxmemory-policy allkeys-lru\), and points with them: set it to noeviction/,
    );
  });
});

describe.skipIf(!HAS_REDIS)('the shared key of sweeps and workers', () => {
  it('must exist, be long enough, and be readable by its owner only', () => {
    expect(() => readKey('/nowhere/key')).toThrow(
      /cannot be read .*: make one with: head -c 32 \/dev\/urandom > \/nowhere\/key && chmod 600/,
    );
    const short = join(folder(), 'short');
    writeFileSync(short, 'too short', { mode: 0o600 });
    expect(() => readKey(short)).toThrow(/it has 9 bytes, but 32 are needed/);
    const open = newKey();
    chmodSync(open, 0o644);
    expect(() => readKey(open)).toThrow(/others may read it \(mode 644\): chmod 600/);
  });

  it('opens only what it sealed, and only as the same kind', () => {
    const key = new SharedKey(randomBytes(32));
    const sealed = key.seal('bundle', 'a strategy');
    expect(key.open('bundle', sealed)).toBe('a strategy');
    expect(key.open('point', sealed)).toBeUndefined();
    expect(key.open('bundle', `${sealed}!`)).toBeUndefined();
    expect(new SharedKey(randomBytes(32)).open('bundle', sealed)).toBeUndefined();
    for (const rubbish of ['a strategy', '', ' a strategy', null, 7])
      expect(key.open('bundle', rubbish)).toBeUndefined();
  });
});

describe.skipIf(!HAS_REDIS)('a sweep worker', () => {
  beforeEach(() => execFileSync('redis-cli', ['-p', String(redis.port), 'flushall']));

  const noticeOf = (id: string, changes: Partial<SweepNotice> = {}): SweepNotice => ({
    id,
    name: 'bot.yaml',
    version: '1+a',
    bundle: `${id}-bundle`,
    tapes: [],
    serve: null,
    budgetMs: 1000,
    points: 1,
    since: Number.parseInt(id, 16),
    ...changes,
  });
  const tasksOf = (id: string, count: number): readonly Task[] =>
    Array.from({ length: count }, (_, index) =>
      taskOf(id, { number: index + 1, settings: [] }, [`g${index}` as never]),
    );
  const outcome = (text: string): Outcome => ({ status: 'failed', code: 'POINT_LOST', problem: text });

  function scene(options: Partial<TakerOptions> = {}) {
    const key = new SharedKey(randomBytes(32));
    const link = new RedisLink(redis.url, 5000);
    const notes: string[] = [];
    const played: string[] = [];
    const taker = new Taker(link, key, {
      id: 'here:1',
      version: '1+a',
      threads: 1,
      lockMs: 5000,
      waitMs: 5000,
      note: (text) => notes.push(text),
      open: async (notice) => ({
        play: async ({ key: name }) => {
          played.push(notice.id);
          return outcome(`played ${name.slice(0, 8)}`);
        },
        close: () => undefined,
      }),
      ...options,
    });
    closers.push(() => link.close());
    return { key, link, taker, notes, played };
  }

  it('takes points from two sweeps in turn, however long the first one is', async () => {
    const { key, link, taker, played } = scene();
    const submitted = await Promise.all(
      (
        [
          ['0000000000a1', 12],
          ['0000000000a2', 4],
        ] as const
      ).map(async ([id, count]) => {
        const submitter = new Submitter(link, key, noticeOf(id));
        await submitter.announce('{}');
        return {
          submitter,
          playing: submitter.play(tasksOf(id, count), { ended: () => undefined, note: () => undefined }),
        };
      }),
    );
    await sleep(300);
    const running = taker.run();
    await Promise.all(submitted.map(({ playing }) => playing));
    taker.stop();
    await running;
    for (const { submitter } of submitted) await submitter.withdraw();
    expect(played.filter((id) => id === '0000000000a1')).toHaveLength(12);
    // one point of each sweep in turn; the sweep that was opened first may be one point ahead
    expect(played.lastIndexOf('0000000000a2')).toBeLessThanOrEqual(8);
  });

  it('refuses a sweep of another version, naming both versions, and a sweep signed with another key', async () => {
    const { key, link, taker, notes, played } = scene();
    const other = new Submitter(link, key, noticeOf('0000000000b1', { version: '2+b' }));
    await other.announce('{}');
    const foreign = new Submitter(link, new SharedKey(randomBytes(32)), noticeOf('0000000000b2'));
    await foreign.announce('{}');
    const sweepNotes: string[] = [];
    const playing = other.play(tasksOf('0000000000b1', 1), {
      ended: () => undefined,
      note: (text) => sweepNotes.push(text),
    });
    playing.catch(() => undefined);
    const running = taker.run();
    await eventually('both are refused', () => notes.length === 2 && sweepNotes.length === 1);
    taker.stop();
    await running;
    await other.withdraw();
    await foreign.withdraw();
    expect(notes.sort()).toEqual([
      'sweep 0000000000b1 (bot.yaml) is refused: the sweep is of version 2+b, the worker of 1+a: both must be the same',
      'sweep 0000000000b2 is not signed with the key of this worker: none of its points are taken',
    ]);
    expect(sweepNotes[0]).toBe(
      'worker here:1 takes no point of this sweep: the sweep is of version 2+b, the worker of 1+a: both must be the same',
    );
    expect(played).toEqual([]);
  });

  it('removes a point that another client queued, and plays the point of the sweep', async () => {
    const { key, link, taker, notes, played } = scene();
    const notice = noticeOf('0000000000c1');
    // a client that can write to Redis, and has no key
    const intruderLink = new RedisLink(redis.url, 5000);
    const intruder = new Submitter(intruderLink, new SharedKey(randomBytes(32)), notice);
    const submitter = new Submitter(link, key, notice);
    const [task] = tasksOf(notice.id, 1);
    if (task === undefined) throw new Error('no task');
    intruder.play([task], { ended: () => undefined, note: () => undefined }).catch(() => undefined);
    await eventually('the point is there', () => keys(redis).some((name) => name.endsWith(':wait')));
    // otherwise the intruder would collect the result
    intruderLink.close();
    await submitter.announce('{}');
    const ended: Outcome[] = [];
    const running = taker.run();
    await submitter.play([task], { ended: (_task, reported) => ended.push(reported), note: () => undefined });
    taker.stop();
    await running;
    await submitter.withdraw();
    expect(notes).toEqual([expect.stringContaining('is not signed with the key of this worker')]);
    expect(played).toEqual([notice.id]);
    expect(ended).toEqual([outcome(`played ${task.key.slice(0, 8)}`)]);
  });

  it('plays no point of a sweep whose bundle was changed', async () => {
    const { key, link, taker, notes, played } = scene();
    const notice = noticeOf('0000000000d1');
    const submitter = new Submitter(link, key, notice);
    await submitter.announce('{}');
    await link.client.set(`oddsmaker:bundle:${notice.bundle}`, `${'0'.repeat(64)} {"strategies":"mine"}`);
    const running = taker.run();
    await eventually('it is refused', () => notes.length > 0);
    taker.stop();
    await running;
    await submitter.withdraw();
    expect(notes).toEqual([
      'sweep 0000000000d1 (bot.yaml) cannot be played here: its bundle is not signed with the key of this worker',
    ]);
    expect(played).toEqual([]);
  });

  it('reports its result although the point went to another worker: the sweep gets both results', async () => {
    const { key, link, taker } = scene();
    const notice = noticeOf('0000000000e1');
    const submitter = new Submitter(link, key, notice);
    await submitter.announce('{}');
    const tasks = tasksOf(notice.id, 1);
    const late = sealResult(key, {
      sweep: notice.id,
      key: tasks[0]?.key ?? '',
      worker: 'there:2',
      outcome: outcome('late'),
    });
    await new Board(link).addLateResult(notice.id, late);
    const ended: Outcome[] = [];
    const running = taker.run();
    await submitter.play(tasks, { ended: (_task, reported) => ended.push(reported), note: () => undefined });
    taker.stop();
    await running;
    await submitter.withdraw();
    expect(ended).toContainEqual(outcome('late'));
    expect(ended).toHaveLength(2);
  });
});

const keys = ({ port }: TestRedis): readonly string[] =>
  execFileSync('redis-cli', ['-p', String(port), '--raw', 'keys', '*'], { encoding: 'utf8' })
    .split('\n')
    .filter((key) => key !== '');

/** The text of all keys and values in Redis, whatever their type. */
function everythingIn(server: TestRedis): string {
  const ask = (...args: readonly string[]): string =>
    execFileSync('redis-cli', ['-p', String(server.port), '--raw', ...args], { encoding: 'utf8' });
  const read: Readonly<Record<string, (key: string) => string>> = {
    string: (key) => ask('get', key),
    hash: (key) => ask('hgetall', key),
    list: (key) => ask('lrange', key, '0', '-1'),
    zset: (key) => ask('zrange', key, '0', '-1'),
    set: (key) => ask('smembers', key),
    stream: (key) => ask('xrange', key, '-', '+'),
  };
  return keys(server)
    .map((key) => key + (read[ask('type', key).trim()]?.(key) ?? ''))
    .join('\n');
}

function linesOf(file: string): number {
  try {
    return readFileSync(file, 'utf8').split('\n').length - 1;
  } catch {
    return 0;
  }
}
