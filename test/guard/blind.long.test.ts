// A bot that cannot see its own files cancels its orders, is not ready, and names the file and its problem.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readBeat } from '../../src/ops/index.ts';
import type { Running } from '../support/children.ts';
import { STRATEGIES } from '../support/children.ts';
import type { Scene } from './fixtures.ts';
import { eventually, placesOf, scene } from './fixtures.ts';

const ADMIN = 'ops: { port: 0 }\n';

type Ready = { readonly ready: boolean; readonly state: string; readonly reason?: string };
async function readyOf(bot: Running): Promise<() => Promise<Ready>> {
  const url = /"url":"([^"]+)"/.exec(await bot.prints('stderr', /"url":"[^"]+"/))?.[1] ?? '';
  return async () => (await (await fetch(`${url}/ready`)).json()) as Ready;
}

/** Expects that within 5 s no order rests, and that /ready then names the path and its problem. */
async function goesBlind({ story }: Scene, ready: () => Promise<Ready>, path: string, problem: RegExp): Promise<void> {
  await eventually('nothing rests', async () => (await story()).openOrders === 0, 5000);
  const report = await eventually(`it says that ${path} ${String(problem)}`, async () => {
    const now = await ready();
    return now.reason?.startsWith(`blind: ${path} `) === true && problem.test(now.reason) && now;
  });
  expect(report).toMatchObject({ ready: false, state: 'blind' });
}

async function seesAgain({ quotes }: Scene, ready: () => Promise<Ready>): Promise<void> {
  await quotes();
  await eventually('it is ready', async () => (await ready()).ready);
}

const journalIn = (runFolder: string): string =>
  join(runFolder, readdirSync(runFolder).find((name) => name.endsWith('.ndjson.zst')) ?? 'no journal');

const SMALL_MB = 64;
const mounted: string[] = [];
afterEach(() => {
  for (const mountPoint of mounted.splice(0)) spawnSync('umount', ['-l', mountPoint]);
});

/** False when this user may not mount. */
function mountSmall(mountPoint: string): boolean {
  mkdirSync(mountPoint, { recursive: true });
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_MB}m`, 'tmpfs', mountPoint]).status !== 0) return false;
  mounted.push(mountPoint);
  return true;
}

/** Writes a file that takes all free space. */
function fill(mountPoint: string): string {
  const file = join(mountPoint, 'filler');
  expect(() => writeFileSync(file, Buffer.alloc(SMALL_MB * 1024 * 1024))).toThrow(/ENOSPC/);
  return file;
}

describe('a bot', () => {
  it('whose folder, lease or journal is missing is blind until the file is back, and ends with 75 without its journal', async () => {
    const testScene = await scene(STRATEGIES + ADMIN);
    const { files, quotes, story, ctl, startBot } = testScene;
    const bot = startBot();
    const ready = await readyOf(bot);
    await seesAgain(testScene, ready);

    renameSync(files.folder, `${files.folder}.away`);
    await goesBlind(testScene, ready, files.folder, /is missing: it was moved, removed or unmounted/);
    const placed = placesOf(await story());
    // another folder in its place is not accepted
    mkdirSync(files.folder);
    await goesBlind(testScene, ready, files.folder, /is another folder \(inode \d+ before, \d+ now\)/);
    rmSync(files.folder, { recursive: true });
    expect(placesOf(await story())).toBe(placed);
    renameSync(`${files.folder}.away`, files.folder);
    await seesAgain(testScene, ready);

    rmSync(files.lease);
    await goesBlind(testScene, ready, files.lease, /is missing: the lease of the account/);
    expect(existsSync(files.lease)).toBe(false);
    expect((await ctl('status')).stdout).toMatch(/^state +blind: .*alice\.lease is missing/m);
    expect((await ctl('resume')).code).toBe(0);
    expect(existsSync(files.lease)).toBe(true);
    await seesAgain(testScene, ready);

    const journal = journalIn(files.folder);
    rmSync(journal);
    await goesBlind(testScene, ready, journal, /is missing/);
    expect((await ctl('resume')).code).toBe(0);
    writeFileSync(journal, '');
    await goesBlind(testScene, ready, journal, /is another file \(inode \d+ before, \d+ now\)/);
    bot.child.kill('SIGINT');
    const { code, stderr } = await bot.ended;
    expect([code, stderr]).toEqual([75, expect.stringContaining(`blind at its end: ${journal} is another file`)]);
    expect(stderr).toContain('"code":"BLIND"');
    expect(stderr).not.toContain('another process');
    expect(readBeat(files.heartbeat)).toMatchObject({ farewell: true });
    await quotes(0);
  }, 60_000);

  it('whose disk is full is blind until the disk has room, and ends with 75 when the disk is unmounted', async (context) => {
    const testScene = await scene(STRATEGIES + ADMIN);
    const { files, startBot } = testScene;
    if (!mountSmall(files.folder)) return context.skip('this user may not mount a tmpfs');
    const bot = startBot();
    const ready = await readyOf(bot);
    await seesAgain(testScene, ready);
    const journal = journalIn(files.folder);

    const filler = fill(files.folder);
    await goesBlind(testScene, ready, journal, /cannot be written: ENOSPC/);
    rmSync(filler);
    await seesAgain(testScene, ready);

    spawnSync('umount', ['-l', files.folder]);
    await goesBlind(testScene, ready, files.folder, /is on another device \(\d+ before, \d+ now\)/);
    bot.child.kill('SIGINT');
    const { code, stderr } = await bot.ended;
    expect([code, stderr]).toEqual([75, expect.stringContaining('is on another device')]);
  }, 60_000);

  it('whose lease belongs to another process cancels its orders and ends with 77', async () => {
    const testScene = await scene(STRATEGIES + ADMIN);
    const { files, quotes, story, startBot } = testScene;
    const bot = startBot();
    await quotes();
    const other = {
      account: 'alice',
      pid: process.pid,
      host: 'elsewhere',
      ticks: null,
      start: 'now',
      socket: '',
    };
    writeFileSync(files.lease, JSON.stringify(other));
    const { code, stderr } = await bot.ended;
    expect([code, stderr]).toEqual([77, expect.stringContaining('"code":"LEASE_LOST"')]);
    expect(stderr).toContain(`${files.lease} belongs to another process: pid ${process.pid}`);
    expect((await story()).openOrders).toBe(0);
    expect(dirname(files.lease)).toBe(files.folder);
    expect(existsSync(files.lease)).toBe(true);
  }, 60_000);
});
