// Sweeps over a real redis-server: workers that are killed, refused, apart; and what Redis never sees.
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

/** Each with a cache of its own, as on machines of their own. */
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
    if (performance.now() > until) throw new Error(`it never came: ${event}`);
    await sleep(20);
  }
};

describe.skipIf(!HAS_REDIS)('a sweep over Redis', () => {
  it('with two workers, one of them killed in the middle, has the bytes of the local one', async () => {
    const local = join(folder(), 'local');
    const alone = await command(sweepArgs(local, ...MANY));
    expect(alone.code, alone.stderr).toBe(0);
    const out = join(folder(), 'far');
    const [first, second] = [worker(), worker()];
    const going = start(sweepArgs(out, ...MANY, ...overRedis()));
    const log = join(out, '.points.running.ndjson');
    await eventually('a third is played', () => linesOf(log) >= 4);
    first.child.kill('SIGKILL');
    const ended = await going.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(bytesOf(out)).toEqual(bytesOf(local));
    expect(ended.stdout.replace(out, local)).toBe(alone.stdout);
    expect(rowsOf(out)).toHaveLength(13);
    // it goes in order, and leaves nothing of the queue behind
    second.child.kill('SIGTERM');
    expect((await second.ended).code).toBe(0);
    const left = keys(redis).filter((key) => !/^oddsmaker:(bundle:[0-9a-f]{64}|workers)$/.test(key));
    expect(left).toEqual([]);
  });

  it('goes on after the sweep itself was killed: what workers played meanwhile is taken', async () => {
    const out = join(folder(), 'out');
    const killed = start(sweepArgs(out, ...FEW, ...overRedis()));
    await eventually('it waits', () => keys(redis).some((key) => /:sweep-[0-9a-f]{12}:wait$/.test(key)));
    killed.child.kill('SIGKILL');
    await killed.ended;
    const served = join(folder(), 'served');
    mkdirSync(served);
    // under other names: a tape is what is in it
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
    // nobody is there to play
    const resumed = await command(sweepArgs(out, ...FEW, ...overRedis(), '--resume'));
    expect(resumed.code, resumed.stderr).toBe(0);
    const local = join(folder(), 'local');
    expect((await command(sweepArgs(local, ...FEW))).code).toBe(0);
    expect(bytesOf(out)).toEqual(bytesOf(local));
  });

  it('tells Redis no account, no secret and nobody to alert', async () => {
    const out = join(folder(), 'out');
    const going = start(sweepArgs(out, ...FEW, ...overRedis()));
    await eventually('it waits', () => keys(redis).some((key) => /:sweep-[0-9a-f]{12}:wait$/.test(key)));
    const all = everythingIn(redis);
    going.child.kill('SIGKILL');
    await going.ended;
    expect(all).toContain('quoteBothSides');
    expect(all).toContain('main.edge');
    for (const secret of ['someone', 'not to be told', 'secret-hook', readFileSync(keyFile).toString('hex')])
      expect(all).not.toContain(secret);
    execFileSync('redis-cli', ['-p', String(redis.port), 'flushall']);
  });

  it('waits for a tape that a worker cannot have, says which, and goes on once it can', async () => {
    const out = join(folder(), 'out');
    const going = start(sweepArgs(out, ...FEW, ...overRedis()));
    await eventually('it waits', () => keys(redis).some((key) => /:sweep-[0-9a-f]{12}:wait$/.test(key)));
    going.child.kill('SIGKILL');
    await going.ended;
    const ownWorker = worker(redis.url, '--tapes', folder());
    await ownWorker.says(
      'stderr',
      /sweep [0-9a-f]{12} \(bot\.yaml\) cannot be played here: tape d00g0\.ndjson\.gz \(sha256 [0-9a-f]{12}…, [\d,]+ bytes\): it is not in --tapes \S+, and http:\/\/127\.0\.0\.1:\d+ does not serve it \(connect ECONNREFUSED/,
    );
    const status = await command(['sweep', '--status', '--redis', redis.url]);
    expect(status.stdout).toMatch(/^worker \S+ takes no point of sweep [0-9a-f]{12}: tape d00g0/m);
    const resumed = await run(sweepArgs(out, ...FEW, ...overRedis(), '--resume'));
    expect(resumed.code, resumed.stderr).toBe(0);
  });

  it('ends a strategy that loops for ever in a worker after its budget, named, and the rest goes on', async () => {
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

describe.skipIf(!HAS_REDIS)('a Redis that is none', () => {
  it('is waited for a bounded time, by sweep, worker and --status, and its password is not told', async () => {
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

  it('refuses a wrong password with 77', async () => {
    const guarded = await TestRedis.start(['--requirepass', 'right']);
    closers.push(() => guarded.end());
    const ended = await command(['sweep', '--status', '--redis', `redis://:wrong@127.0.0.1:${guarded.port}`]);
    expect(ended.stderr).toMatch(/^oddsmaker: Redis at redis:\/\/127\.0\.0\.1:\d+ refuses: WRONGPASS /);
    expect(ended.code).toBe(77);
  });

  it('is full: what was played is kept, and the sweep goes on when there is room', async () => {
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

  it('that evicts keys is warned of', async () => {
    const evicting = await TestRedis.start(['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru']);
    closers.push(() => evicting.end());
    const ownWorker = worker(evicting.url);
    await ownWorker.says(
      'stderr',
      /evicts keys when its memory is full \(maxmemory-policy allkeys-lru\), and points with them: set it to noeviction/,
    );
  });
});

describe.skipIf(!HAS_REDIS)('the shared key', () => {
  it('must be there, long enough, and for its owner alone', () => {
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

  it('opens what it sealed as just that, and nothing else', () => {
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

describe.skipIf(!HAS_REDIS)('a worker', () => {
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

  it('takes from two sweeps in turn, however long the first one is', async () => {
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
          going: submitter.play(tasksOf(id, count), { ended: () => undefined, note: () => undefined }),
        };
      }),
    );
    await sleep(300);
    const running = taker.run();
    await Promise.all(submitted.map(({ going }) => going));
    taker.stop();
    await running;
    for (const { submitter } of submitted) await submitter.withdraw();
    expect(played.filter((id) => id === '0000000000a1')).toHaveLength(12);
    // one of each, as long as there are of both; the one that it opened first may be one ahead
    expect(played.lastIndexOf('0000000000a2')).toBeLessThanOrEqual(8);
  });

  it('refuses a sweep of another version, with both versions, and one that is signed with another key', async () => {
    const { key, link, taker, notes, played } = scene();
    const other = new Submitter(link, key, noticeOf('0000000000b1', { version: '2+b' }));
    await other.announce('{}');
    const foreign = new Submitter(link, new SharedKey(randomBytes(32)), noticeOf('0000000000b2'));
    await foreign.announce('{}');
    const sweepNotes: string[] = [];
    const going = other.play(tasksOf('0000000000b1', 1), {
      ended: () => undefined,
      note: (text) => sweepNotes.push(text),
    });
    going.catch(() => undefined);
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

  it('refuses a point that somebody else put there: it is dropped, and the one of the sweep is played', async () => {
    const { key, link, taker, notes, played } = scene();
    const notice = noticeOf('0000000000c1');
    // whoever may write there, and has no key
    const theirs = new RedisLink(redis.url, 5000);
    const intruder = new Submitter(theirs, new SharedKey(randomBytes(32)), notice);
    const submitter = new Submitter(link, key, notice);
    const [task] = tasksOf(notice.id, 1);
    if (task === undefined) throw new Error('no task');
    intruder.play([task], { ended: () => undefined, note: () => undefined }).catch(() => undefined);
    await eventually('the point is there', () => keys(redis).some((name) => name.endsWith(':wait')));
    // it would take the result away
    theirs.close();
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

  it('whose bundle was changed plays nothing of it', async () => {
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

  it('that was given up tells its result all the same: both come to the sweep', async () => {
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

/** The text of all that is there, whatever its type. */
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
