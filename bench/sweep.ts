// Points of a parameter sweep on a folder of days: two workers of a Redis against two threads. Both must give
// the same results.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PointJob } from '../src/sweep/point-run.ts';
import { PointThreads } from '../src/sweep/point-threads.ts';
import { unpackStrategies } from '../src/setup/recorded-strategies.ts';
import { inTurns } from '../src/backtest/thread-pool.ts';
import { param } from '../src/sweep/params.ts';
import type { Plan } from '../src/sweep/plan.ts';
import { planOf } from '../src/sweep/plan.ts';
import { SweepProgress } from '../src/sweep/progress.ts';
import { queuePlayer } from '../src/sweep/queue-points.ts';
import type { Task } from '../src/sweep/point.ts';
import { taskOf } from '../src/sweep/point.ts';
import { readKey } from '../src/sweep/queue/key-file.ts';
import { TestRedis } from '../test/support/redis.ts';
import type { Row } from './run.ts';
import { seasonOf } from './season.ts';
import { median } from './statistics.ts';

const ROUNDS = 3;
/** Each point plays all games: seconds, as points of real sweeps do. */
const EVENINGS = 2;
const POINTS = 12;
const BUDGET_MS = 600_000;
const BIN = fileURLToPath(new URL('../bin/oddsmaker.js', import.meta.url));
const STRATEGY = fileURLToPath(new URL('../strategies/two-sided.ts', import.meta.url));

export async function sweep(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'oddsmaker-bench-'));
  try {
    const config = join(folder, 'bot.yaml');
    writeFileSync(
      config,
      `exchange: { embedded: {} }\nmarkets: { leagues: [NBA], live: true }\nstrategies: [{ use: ${STRATEGY}, id: main, params: { edge: 0.02, risk: 100 } }]\n`,
    );
    const { tapes } = await seasonOf(EVENINGS);
    const plan = await planOf(config, {
      tape: [tapes],
      param: param('main.edge=0.005:0.03'),
      search: 'random',
      points: POINTS,
      seed: 1,
      objective: ['permits.clvPerPlace'],
      gap: 1,
      fills: 'calibrated',
    });
    return [await workers(plan, folder, tapes)];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const tasksOf = ({ search, inputs }: Plan): readonly Task[] =>
  search.points.map((point) => taskOf(inputs, point, undefined));

/** The points of a plan as jobs for threads and processes, with the strategies unpacked. */
function opened(plan: Plan): { readonly jobs: readonly PointJob[]; readonly close: () => void } {
  const home = process.cwd();
  const { files, folder, close } = unpackStrategies('the bench', plan.bundle.strategies, home);
  const open = { bundle: plan.bundle, tapes: plan.tapes, files, folder, home };
  return {
    jobs: tasksOf(plan).map(({ point }) => ({ open, settings: point.settings, games: undefined })),
    close,
  };
}

async function inTwoThreads(
  jobs: readonly PointJob[],
): Promise<{ readonly ms: number; readonly results: readonly string[] }> {
  const began = performance.now();
  const pool = new PointThreads(2);
  const results: string[] = [];
  await inTurns(
    jobs.map((job, index) => async () => {
      results[index] = JSON.stringify((await pool.play(job, BUDGET_MS)).outcome);
    }),
    2,
  );
  await pool.stop();
  return { ms: performance.now() - began, results };
}

/** Measures two workers that are ready before the clock starts: their start is not measured. */
async function workers(plan: Plan, folder: string, tapes: string): Promise<Row> {
  const redis = await TestRedis.start();
  const keyFile = join(folder, 'sweep.key');
  writeFileSync(keyFile, randomBytes(32), { mode: 0o600 });
  const running = await Promise.all(
    [1, 2].map(async (number) => {
      const cache = join(folder, `cache-${number}`);
      const child = spawn(
        process.execPath,
        [BIN, 'worker', '--redis', redis.url, '--key', keyFile, '--threads', '1', '--tapes', tapes],
        { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, XDG_CACHE_HOME: cache } },
      );
      const gone = once(child, 'exit');
      await once(child.stderr, 'data');
      child.stderr.resume();
      return { child, gone };
    }),
  );
  const { jobs, close } = opened(plan);
  const ratios: number[] = [];
  const seconds: Record<'far' | 'near', number[]> = { far: [], near: [] };
  try {
    const inTwoWorkers = async () => {
      const out = mkdtempSync(join(folder, 'out-'));
      mkdirSync(out, { recursive: true });
      const began = performance.now();
      const options = { out, redis: redis.url, wait: 10_000, budget: BUDGET_MS };
      const progress = new SweepProgress();
      progress.beginSweep('', POINTS, POINTS);
      const players = await queuePlayer(plan, options, readKey(keyFile), progress);
      const results = new Map<string, string>();
      const tasks = tasksOf(plan);
      await players.play(tasks, (task, outcome) => results.set(task.key, JSON.stringify(outcome)));
      const ms = performance.now() - began;
      await players.end();
      players.close();
      return { ms, results: tasks.map(({ key }) => results.get(key) ?? '') };
    };
    for (let round = 0; round < ROUNDS; round++) {
      const first = round % 2 === 0 ? await inTwoThreads(jobs) : await inTwoWorkers();
      const second = round % 2 === 0 ? await inTwoWorkers() : await inTwoThreads(jobs);
      if (first.results.join() !== second.results.join()) throw new Error('threads and workers differ');
      const [threadsMs, workersMs] = round % 2 === 0 ? [first.ms, second.ms] : [second.ms, first.ms];
      ratios.push(threadsMs / workersMs);
      seconds.near.push(threadsMs / 1000);
      seconds.far.push(workersMs / 1000);
    }
  } finally {
    close();
    for (const { child, gone } of running) {
      child.kill('SIGTERM');
      await gone;
    }
    await redis.end();
  }
  return {
    what: `sweep of ${POINTS} points on ${EVENINGS} days: two Redis workers ÷ two threads`,
    ratios,
    goal: '>= 0.9',
    detail: `medians of ${ROUNDS}: ${median(seconds.far).toFixed(1)} s and ${median(seconds.near).toFixed(1)} s`,
  };
}
