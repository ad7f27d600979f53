// Parameter sweeps of 64 points over a real redis-server: a worker that is killed, a worker that loses its
// lock, and a Redis that restarts.
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command, folder, start, writeConfig } from '../support/children.ts';
import { writeGameDays } from '../support/game-days.ts';
import { HAS_REDIS, TestRedis } from '../support/redis.ts';
import { BOT, bytesOf, rowsOf, sweepJson } from './fixtures.ts';

let redis: TestRedis;
let tapes = '';
let config = '';
let keyFile = '';

beforeAll(async () => {
  if (!HAS_REDIS) return;
  redis = await TestRedis.start();
  const made = folder();
  tapes = writeGameDays(made, 2, 1, 14);
  config = writeConfig(BOT, made);
  keyFile = join(made, 'sweep.key');
  writeFileSync(keyFile, randomBytes(32), { mode: 0o600 });
});
afterAll(() => (HAS_REDIS ? redis.end() : undefined));

const worker = (url = redis.url) =>
  start(['worker', '--redis', url, '--key', keyFile, '--threads', '1', '--lock', '2s'], {
    XDG_CACHE_HOME: folder(),
  });
const MANY = [
  ...['--search', 'random', '--points', '64', '--param', 'main.edge=0.002:0.04'],
  ...['--param', 'main.risk=20:200'],
];
const sweepOf = (played: string, out: string, ...flags: readonly string[]): readonly string[] => [
  ...['sweep', config, '--tape', played, '--out', out, ...MANY, ...flags],
];
const sweepArgs = (out: string, ...flags: readonly string[]): readonly string[] => sweepOf(tapes, out, ...flags);
const overRedis = (url = redis.url): readonly string[] => ['--redis', url, '--key', keyFile];

async function reached(out: string, lines: number): Promise<void> {
  const log = join(out, '.points.running.ndjson');
  for (;;) {
    try {
      if (readFileSync(log, 'utf8').split('\n').length > lines) return;
    } catch {
      // not yet
    }
    await sleep(20);
  }
}

describe.skipIf(!HAS_REDIS)('a parameter sweep of 64 points over Redis', () => {
  it('writes the same bytes as a local sweep when one of its two workers is killed in the middle', async () => {
    const local = join(folder(), 'local');
    const alone = await command(sweepArgs(local));
    expect(alone.code, alone.stderr).toBe(0);
    const out = join(folder(), 'far');
    const [first] = [worker(), worker()];
    const sweep = start(sweepArgs(out, ...overRedis()));
    await reached(out, 20);
    first.child.kill('SIGKILL');
    const ended = await sweep.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(bytesOf(out)).toEqual(bytesOf(local));
    expect(ended.stdout.replace(out, local)).toBe(alone.stdout);
    expect(rowsOf(out)).toHaveLength(65);
  });

  it('compares both results of a point that went to a second worker while the first one was stopped', async () => {
    const out = join(folder(), 'out');
    // tapes long enough that points are left when both workers have played the same one, on any machine
    const long = writeGameDays(folder(), 2, 1, 80);
    const slow = worker();
    const sweep = start(sweepOf(long, out, ...overRedis()));
    await reached(out, 3);
    // stopped in the middle of a point, not between two
    for (;;) {
      slow.child.kill('SIGSTOP');
      const status = await command(['sweep', '--status', '--json', '--redis', redis.url]);
      const { sweeps } = JSON.parse(status.stdout) as {
        readonly sweeps: readonly { readonly running: number }[];
      };
      if (sweeps[0]?.running === 1) break;
      slow.child.kill('SIGCONT');
      await sleep(50);
    }
    worker();
    // its lock ends after two seconds, and the other worker gets its point
    await sleep(4000);
    await reached(out, 12);
    slow.child.kill('SIGCONT');
    const ended = await sweep.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(slow.output.stderr).toContain('was given to another worker as well: both results are reported');
    const { ranTwice } = JSON.parse(readFileSync(join(out, 'timing.json'), 'utf8')) as {
      readonly ranTwice: number;
    };
    expect(ranTwice).toBe(1);
    expect(sweepJson(out).differences).toBeUndefined();
    expect(sweepJson(out).search).toMatchObject({ judged: 64, failed: 0 });
  });

  it('continues after Redis restarted with the data of its disk', async () => {
    const flags = ['--appendonly', 'yes', '--appendfsync', 'always', '--dir', folder()];
    const before = await TestRedis.start(flags);
    const out = join(folder(), 'out');
    worker(before.url);
    const sweep = start(sweepArgs(out, ...overRedis(before.url)));
    await reached(out, 5);
    await before.end();
    await sleep(1500);
    await before.begin();
    try {
      const ended = await sweep.ended;
      expect(ended.code, ended.stderr).toBe(0);
      expect(sweepJson(out).search).toMatchObject({ judged: 64, failed: 0 });
    } finally {
      await before.end();
    }
  });
});
