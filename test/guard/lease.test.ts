// One bot per account (rules.md, 13).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Lease, readLease } from '../../src/ops/index.ts';
import type { RunFiles } from '../../src/ops/index.ts';
import { thisProcess } from '../../src/ops/owner.ts';
import {
  closedPort,
  DAY_LIMIT,
  exchangeSection,
  folder,
  ROOT,
  run,
  start,
  STRATEGIES,
  writeConfig,
} from '../support/children.ts';
import { DEAD, ownFiles } from './fixtures.ts';

/** A bot that waits for its exchange for as long as the test takes. */
async function waitingBot(): Promise<{ readonly config: string; readonly lease: string }> {
  const url = `http://127.0.0.1:${await closedPort()}`;
  const workFolder = folder();
  const config = writeConfig(
    `${exchangeSection(url, url, { startTimeout: '60s' })}journal: { dir: ./run }\n${DAY_LIMIT}${STRATEGIES}`,
    workFolder,
  );
  return { config, lease: join(workFolder, 'run/alice.lease') };
}

const holder = (files: RunFiles, owner: object): void => {
  writeFileSync(files.lease, JSON.stringify({ account: files.account, start: 'then', socket: '', ...owner }));
};

describe('the lease of a running bot', () => {
  it('ends a second start with 77, which names pid and file; after kill -9 a third start takes the lease, and gives it back at its end', async () => {
    const { config, lease } = await waitingBot();
    const first = start(['run', config]);
    await first.prints('stderr', /trying again/);
    const second = await run(['run', config]);
    expect(second.code, second.stderr).toBe(77);
    expect(second.stderr).toContain(`pid ${first.child.pid}`);
    expect(second.stderr).toContain(lease);
    expect(second.stdout).toBe('');
    expect(readLease(lease)).toMatchObject({ account: 'alice', pid: first.child.pid });

    first.child.kill('SIGKILL');
    await first.ended;
    expect(existsSync(lease)).toBe(true);
    const third = start(['run', config]);
    const output = await third.prints('stderr', /trying again/);
    expect(output).toContain('the lease of a dead bot was replaced');
    expect(readLease(lease)).toMatchObject({ pid: third.child.pid });
    third.child.kill('SIGINT');
    // before the login the bot does not know what the dead bot left open
    expect((await third.ended).code).toBe(74);
    expect(existsSync(lease)).toBe(false);
  });
});

describe('a lease', () => {
  it('of a dead process is taken by the next bot, and given back at its end', () => {
    const files = ownFiles();
    holder(files, DEAD);
    const lease = Lease.take(files, 1000);
    expect(lease.tookOverFrom).toBe(DEAD.pid);
    expect(readLease(files.lease)).toMatchObject({ pid: process.pid, account: 'alice' });
    lease.release();
    expect(existsSync(files.lease)).toBe(false);
  });

  it('whose pid now belongs to another process is taken by the next bot', () => {
    const files = ownFiles();
    holder(files, { ...thisProcess(), ticks: '1' });
    expect(Lease.take(files, 1000).check()).toBeUndefined();
  });

  it('that cannot be read is left alone, and the error says what to do', () => {
    const files = ownFiles();
    writeFileSync(files.lease, 'half a l');
    expect(() => Lease.take(files, 1000)).toThrow(/If no bot runs, remove that file/);
    expect(readFileSync(files.lease, 'utf8')).toBe('half a l');
  });

  it.each([
    ['with a fresh heartbeat is not taken', 100, false],
    ['with an old heartbeat is taken', 5000, true],
  ])('of another machine %s', (_name, ageMs, taken) => {
    const files = ownFiles();
    const other = { pid: 1, host: `not-${hostname()}`, ticks: null };
    holder(files, other);
    writeFileSync(files.heartbeat, JSON.stringify({ ...other, at: Date.now() - ageMs, loops: 5, state: '' }));
    if (taken) expect(Lease.take(files, 1000).check()).toBeUndefined();
    else expect(() => Lease.take(files, 1000)).toThrow(/is running/);
  });

  it('that was removed is missing until it is put back, and lost when another process has it', () => {
    const files = ownFiles();
    const lease = Lease.take(files, 1000);
    rmSync(files.lease);
    expect(lease.check()).toMatchObject({
      path: files.lease,
      problem: expect.stringMatching(/^is missing/) as string,
    });
    expect([lease.isLost, existsSync(files.lease)]).toEqual([false, false]);
    lease.putBack();
    expect([lease.check(), existsSync(files.lease)]).toEqual([undefined, true]);
    holder(files, DEAD);
    lease.putBack();
    const others = { path: files.lease, problem: `belongs to another process: pid ${DEAD.pid}, since then` };
    expect([lease.check(), lease.isLost]).toEqual([others, true]);
    lease.release();
    expect(readLease(files.lease)).toMatchObject({ pid: DEAD.pid });
  });

  it('names journal.dir when its folder cannot be written', () => {
    const files = ownFiles();
    const inAFile = {
      ...files,
      folder: join(files.lease, 'below'),
      lease: join(files.lease, 'below/x.lease'),
    };
    writeFileSync(files.lease, '');
    expect(() => Lease.take(inAFile, 1000)).toThrow(/journal\.dir/);
  });

  it('goes to exactly one of four bots that start at once after a dead bot', async () => {
    const files = ownFiles();
    holder(files, DEAD);
    const script = `
      import { Lease } from ${JSON.stringify(join(ROOT, 'src/ops/lease.ts'))};
      try { Lease.take(${JSON.stringify(files)}, 1000); console.log('taken'); }
      catch (error) { console.log(error.code); }
      process.stdin.resume().on('end', () => process.exit());`;
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    );
    const words = await Promise.all(children.map(async ({ stdout }) => String((await once(stdout, 'data'))[0]).trim()));
    for (const child of children) child.stdin.end();
    await Promise.all(children.map((child) => once(child, 'exit')));
    expect(words.filter((word) => word === 'taken')).toHaveLength(1);
    expect(words.filter((word) => word === 'INSTANCE_RUNNING')).toHaveLength(3);
  });
});
