// A bot that cannot see its own files cancels its orders, is not ready, and says which file it is and what is true of it.
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
  const url = /"url":"([^"]+)"/.exec(await bot.says('stderr', /"url":"[^"]+"/))?.[1] ?? '';
  return async () => (await (await fetch(`${url}/ready`)).json()) as Ready;
}

/** Within 5 s nothing rests and /ready says why, with the path; and so it stays. */
async function goesBlind({ story }: Scene, ready: () => Promise<Ready>, path: string, problem: RegExp): Promise<void> {
  await eventually('nothing rests', async () => (await story()).openOrders === 0, 5000);
  const told = await eventually(`it says that ${path} ${String(problem)}`, async () => {
    const now = await ready();
    return now.reason?.startsWith(`blind: ${path} `) === true && problem.test(now.reason) && now;
  });
  expect(told).toMatchObject({ ready: false, state: 'blind' });
}

async function seesAgain({ quotes }: Scene, ready: () => Promise<Ready>): Promise<void> {
  await quotes();
  await eventually('it is ready', async () => (await ready()).ready);
}

const journalIn = (at: string): string =>
  join(at, readdirSync(at).find((name) => name.endsWith('.ndjson.zst')) ?? 'no journal');

const SMALL_MB = 64;
const mounted: string[] = [];
afterEach(() => {
  for (const at of mounted.splice(0)) spawnSync('umount', ['-l', at]);
});

/** False where this user may mount nothing. */
function mountSmall(at: string): boolean {
  mkdirSync(at, { recursive: true });
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_MB}m`, 'tmpfs', at]).status !== 0) return false;
  mounted.push(at);
  return true;
}

/** Takes all room that there is. */
function fill(at: string): string {
  const file = join(at, 'filler');
  expect(() => writeFileSync(file, Buffer.alloc(SMALL_MB * 1024 * 1024))).toThrow(/ENOSPC/);
  return file;
}

describe('a bot', () => {
  it('whose folder, lease or journal is gone is blind until it is back; without its journal it ends with 75', async () => {
    const at = await scene(STRATEGIES + ADMIN);
    const { files, quotes, story, ctl, startBot } = at;
    const bot = startBot();
    const ready = await readyOf(bot);
    await seesAgain(at, ready);

    renameSync(files.folder, `${files.folder}.away`);
    await goesBlind(at, ready, files.folder, /is missing: it was moved, removed or unmounted/);
    const placed = placesOf(await story());
    // another folder in its place is not the one
    mkdirSync(files.folder);
    await goesBlind(at, ready, files.folder, /is another folder \(inode \d+ before, \d+ now\)/);
    rmSync(files.folder, { recursive: true });
    expect(placesOf(await story())).toBe(placed);
    renameSync(`${files.folder}.away`, files.folder);
    await seesAgain(at, ready);

    rmSync(files.lease);
    await goesBlind(at, ready, files.lease, /is missing: the lease of the account/);
    expect(existsSync(files.lease)).toBe(false);
    expect((await ctl('status')).stdout).toMatch(/^state +blind: .*alice\.lease is missing/m);
    expect((await ctl('resume')).code).toBe(0);
    expect(existsSync(files.lease)).toBe(true);
    await seesAgain(at, ready);

    const journal = journalIn(files.folder);
    rmSync(journal);
    await goesBlind(at, ready, journal, /is missing/);
    expect((await ctl('resume')).code).toBe(0);
    writeFileSync(journal, '');
    await goesBlind(at, ready, journal, /is another file \(inode \d+ before, \d+ now\)/);
    bot.child.kill('SIGINT');
    const { code, stderr } = await bot.ended;
    expect([code, stderr]).toEqual([75, expect.stringContaining(`blind at its end: ${journal} is another file`)]);
    expect(stderr).toContain('"code":"BLIND"');
    expect(stderr).not.toContain('another process');
    expect(readBeat(files.heartbeat)).toMatchObject({ farewell: true });
    await quotes(0);
  }, 60_000);

  it('whose disk is full is blind until it has room; one whose disk was unmounted ends with 75', async (context) => {
    const at = await scene(STRATEGIES + ADMIN);
    const { files, startBot } = at;
    if (!mountSmall(files.folder)) return context.skip('this user may not mount a tmpfs');
    const bot = startBot();
    const ready = await readyOf(bot);
    await seesAgain(at, ready);
    const journal = journalIn(files.folder);

    const filler = fill(files.folder);
    await goesBlind(at, ready, journal, /cannot be written: ENOSPC/);
    rmSync(filler);
    await seesAgain(at, ready);

    spawnSync('umount', ['-l', files.folder]);
    await goesBlind(at, ready, files.folder, /is on another device \(\d+ before, \d+ now\)/);
    bot.child.kill('SIGINT');
    const { code, stderr } = await bot.ended;
    expect([code, stderr]).toEqual([75, expect.stringContaining('is on another device')]);
  }, 60_000);

  it('whose lease is another’s cancels its orders and ends with 77', async () => {
    const at = await scene(STRATEGIES + ADMIN);
    const { files, quotes, story, startBot } = at;
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
