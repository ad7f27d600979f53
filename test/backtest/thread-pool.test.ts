import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { inTurns, ThreadPool } from '../../src/backtest/thread-pool.ts';
import { folder, ROOT } from '../support/children.ts';
import type { PoolJob } from '../support/pool-thread.ts';

const ENTRY = new URL('../support/pool-thread.ts', import.meta.url);
const pools: ThreadPool<PoolJob, number, string>[] = [];
function poolOf(atOnce: number, entry = ENTRY): ThreadPool<PoolJob, number, string> {
  const pool = new ThreadPool<PoolJob, number, string>(entry, atOnce);
  pools.push(pool);
  return pool;
}
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.stop()));
});

describe('the threads of a backtest', () => {
  it('cost a command nothing before the first job: their library is loaded then', () => {
    const commands = ['backtest', 'sweep', 'worker'].map((name) => join(ROOT, `src/cli/${name}.ts`));
    const loaded = execFileSync(
      process.execPath,
      [
        ...['--conditions=oddsmaker-source', '--input-type=module', '--eval'],
        `import { createRequire } from 'node:module';
         const isLoaded = () => Object.keys(createRequire(import.meta.url).cache).some((name) => name.includes('piscina'));
         for (const name of ${JSON.stringify(commands)}) await import(name);
         const before = isLoaded();
         await import('piscina');
         console.log(before, isLoaded());
         process.exit();`,
      ],
      { encoding: 'utf8', cwd: ROOT },
    );
    expect(loaded).toBe('false true\n');
  });

  it('take one job after the other, and a new thread replaces one before it holds too many strategies', async () => {
    const pool = poolOf(1);
    const threads: number[] = [];
    for (let job = 0; job < 70; job++) threads.push(await pool.run('which thread'));
    const jobs = [...Map.groupBy(threads, (thread) => thread).values()].map(({ length }) => length);
    expect(jobs).toEqual([32, 32, 6]);
  });

  it('work in parallel, as many as were asked for', async () => {
    const pool = poolOf(2);
    const threads: number[] = [];
    await inTurns(
      Array.from({ length: 12 }, () => async () => {
        threads.push(await pool.run('send'));
      }),
      2,
    );
    expect(new Set(threads).size).toBe(2);
  });

  it('send the messages of a job to its caller', async () => {
    const pool = poolOf(2);
    const messages: [string[], string[]] = [[], []];
    const [first, second] = messages;
    await Promise.all([
      pool.run('send', { onMessage: (message) => first.push(message) }),
      pool.run('send', { onMessage: (message) => second.push(message) }),
    ]);
    expect(messages).toEqual([
      ['one', 'two'],
      ['one', 'two'],
    ]);
  });

  it('end with a job that exceeds its budget, while the others continue', async () => {
    const pool = poolOf(2);
    const [over, fine] = await Promise.allSettled([
      pool.run('loop', { budgetMs: 1500 }),
      pool.run('send', { budgetMs: 60_000 }),
    ]);
    expect(over).toMatchObject({
      reason: { code: 'POINT_OVERRAN', message: 'it ran longer than 1.5 s, and was ended' },
    });
    expect(fine.status).toBe('fulfilled');
    expect(await pool.run('which thread')).toBeTypeOf('number');
  });

  it('do not count the time before a job began against its budget', async () => {
    const file = join(folder(), 'slow.ts');
    const side = join(ROOT, 'src/backtest/thread-side.ts');
    writeFileSync(
      file,
      `import { inThread } from ${JSON.stringify(side)};
       const until = performance.now() + 1500;
       while (performance.now() < until);
       export const handle = inThread(async () => 7);\n`,
    );
    expect(await poolOf(1, pathToFileURL(file)).run('which thread', { budgetMs: 1000 })).toBe(7);
  });

  it('survive a job that is refused, and pass on its error code', async () => {
    const pool = poolOf(1);
    const thread = await pool.run('which thread');
    await expect(pool.run('refuse')).rejects.toMatchObject({ code: 'TAPE_INVALID', message: 'no such tape' });
    expect(await pool.run('which thread')).toBe(thread);
  });

  it.each([
    ['throw', 'a bug'],
    ['reject', 'not caught'],
    ['exit', 'worker exited with code: 3'],
  ] as const)('that die fail their own job only (%s), and the next job has a new thread', async (job, message) => {
    const pool = poolOf(1);
    const thread = await pool.run('which thread');
    await expect(pool.run(job)).rejects.toThrow(message);
    expect(await pool.run('which thread')).not.toBe(thread);
  });

  it('that die while they are idle fail no job', async () => {
    const pool = poolOf(1);
    const thread = await pool.run('throw later');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(await pool.run('which thread')).not.toBe(thread);
  });

  it('that cannot start fail the job that waits for one, and the next job tries again', async () => {
    const file = join(folder(), 'begins.ts');
    const pool = poolOf(1, pathToFileURL(file));
    writeFileSync(file, 'throw new Error("it cannot begin");\n');
    await expect(pool.run('which thread')).rejects.toThrow('it cannot begin');
    writeFileSync(file, 'export const handle = async () => ({ done: 7 });\n');
    expect(await pool.run('which thread')).toBe(7);
  });

  it('end at once when they are stopped, whatever they run', async () => {
    const pool = poolOf(1);
    const running = pool.run('loop');
    const rejected = expect(running).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 500));
    // the loop would use more CPU; a busy machine delays the test, but does not add to its CPU time
    const before = process.cpuUsage();
    await pool.stop();
    await rejected;
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(2_000_000);
    await expect(pool.run('which thread')).rejects.toThrow('the threads were stopped');
  });
});
