// The heartbeat on a disk that refuses writes: a folder stands where each draft would be written.
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/domain/index.ts';
import type { Input } from '../../src/domain/index.ts';
import type { Beat } from '../../src/ops/heartbeat.ts';
import { Heartbeat, readBeat } from '../../src/ops/heartbeat.ts';
import { SafetyNet } from '../../src/ops/index.ts';
import { thisProcess } from '../../src/ops/owner.ts';
import type { RunFiles } from '../../src/ops/index.ts';
import { closedPort, DAY_LIMIT, exchangeSection, folder, start, STRATEGIES, writeConfig } from '../support/children.ts';
import { DEAD, eventually, memoryLog, ownFiles } from './fixtures.ts';

/** The heartbeat that a dead bot left behind. */
const LEFT: Beat = {
  ...DEAD,
  at: 5,
  loops: 7,
  state: 'quoting',
  fence: null,
  fenced: false,
  after: null,
  farewell: false,
  ended: [],
};

const endings: (() => void)[] = [];
afterEach(() => {
  for (const end of endings.splice(0)) end();
});

const noDrafts = (files: RunFiles): void => {
  for (const ending of ['beat', 'tmp']) {
    const draft = `${files.heartbeat}.${process.pid}.${ending}`;
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft);
  }
};

describe('the heartbeat', () => {
  it('is written in place when the disk takes no new file', async () => {
    const files = ownFiles();
    let loops = 1;
    const heartbeat = new Heartbeat(files.heartbeat, () => ({ loops, state: 'quoting', fence: null }), 7);
    heartbeat.beat();
    await eventually('the first heartbeat', () => readBeat(files.heartbeat)?.loops === 1);
    expect(readBeat(files.heartbeat)).toMatchObject({ ...thisProcess(), after: 7 });
    const { length } = readFileSync(files.heartbeat);
    noDrafts(files);
    loops = 1_000_000;
    heartbeat.beat();
    await eventually('the next heartbeat', () => readBeat(files.heartbeat)?.loops === loops);
    expect(readFileSync(files.heartbeat)).toHaveLength(length);
    expect([heartbeat.problem, heartbeat.failingMs]).toEqual([undefined, 0]);
  });

  it.each(['draft', 'heartbeat'])('is not written through a link in the place of its %s', async (place) => {
    const files = ownFiles();
    const target = `${files.heartbeat}.of-others`;
    writeFileSync(target, 'theirs');
    symlinkSync(target, place === 'draft' ? `${files.heartbeat}.draft` : files.heartbeat);
    const heartbeat = new Heartbeat(files.heartbeat, () => ({ loops: 3, state: 'quoting', fence: null }));
    await eventually('a heartbeat', () => {
      heartbeat.beat();
      return readBeat(files.heartbeat)?.loops === 3;
    });
    expect(readFileSync(target, 'utf8')).toBe('theirs');
    expect(lstatSync(files.heartbeat).isFile()).toBe(true);
  });

  it('that is given back while a write is under way does not overwrite the heartbeat of the next bot', async () => {
    const files = ownFiles();
    const state = () => ({ loops: 1, state: 'starting', fence: null });
    const heartbeat = new Heartbeat(files.heartbeat, state, DEAD.pid, LEFT);
    heartbeat.beat();
    expect(await heartbeat.giveBack()).toBe(true);
    const next = { ...LEFT, ...thisProcess(), ...state(), ticks: 'another', at: 6, after: DEAD.pid };
    writeFileSync(files.heartbeat, JSON.stringify(next));
    const until = performance.now() + 300;
    await eventually('the write under way ends', () => performance.now() > until);
    expect(readBeat(files.heartbeat)).toEqual(next);
  });

  it('ends with a farewell that stays, also while a write is under way, and the next heartbeat names the run that ended', async () => {
    const files = ownFiles();
    const state = () => ({ loops: 1, state: 'stopping', fence: null });
    const first = new Heartbeat(files.heartbeat, state);
    first.beat();
    expect(await first.writeFarewell()).toBeUndefined();
    first.beat();
    first.beatNow();
    const farewell = readBeat(files.heartbeat);
    expect(farewell).toMatchObject({ ...thisProcess(), farewell: true, ended: [] });
    new Heartbeat(files.heartbeat, state, undefined, farewell).beatNow();
    expect(readBeat(files.heartbeat)).toMatchObject({ farewell: false, after: null, ended: [thisProcess()] });
    mkdirSync(`${files.heartbeat}.${process.pid}.tmp/x`, { recursive: true });
    rmSync(files.heartbeat);
    const refused = new Heartbeat(files.heartbeat, state);
    expect(await refused.writeFarewell()).toMatch(/EISDIR|ENOTEMPTY/);
  });

  it('reports why it cannot be written, and since when', async () => {
    const files = ownFiles();
    mkdirSync(files.heartbeat);
    const heartbeat = new Heartbeat(files.heartbeat, () => ({ loops: 1, state: '', fence: null }));
    heartbeat.beat();
    await eventually('a write fails', () => heartbeat.problem !== undefined);
    expect(heartbeat.problem).toMatch(/EISDIR/);
    await eventually('writes continue to fail', () => heartbeat.failingMs > 20);
    rmSync(files.heartbeat, { recursive: true });
    heartbeat.beatNow();
    expect(heartbeat.failingMs).toBe(0);
  });

  it.each([true, false])('that fails halts the bot only when a guard watches it: %s', async (isGuarded) => {
    const files = ownFiles();
    const log = memoryLog();
    const inputs: Input[] = [];
    const net = new SafetyNet(files, 1000, log);
    endings.push(() => net.close());
    if (isGuarded) writeFileSync(files.guard, JSON.stringify(thisProcess()));
    await net.open({
      enter: (input) => {
        inputs.push(input);
        return undefined;
      },
      state: () => 'quoting',
      status: () => ({}),
      markets: () => [],
      risk: () => [],
      journal: () => undefined,
      configure: () => Promise.resolve({ ok: false, problem: 'not here' }),
    });
    noDrafts(files);
    mkdirSync(files.heartbeat);
    net.beginRun();
    await eventually('the failure is logged', () => log.hasLogged(/the heartbeat cannot be written/));
    const startedAt = performance.now();
    if (isGuarded) await eventually('the bot halts', () => inputs.length > 0);
    else await eventually('the deadline passes', () => performance.now() - startedAt > 1200);
    expect(inputs.map((input) => 'command' in input && input.command)).toEqual(isGuarded ? ['halt'] : []);
    expect(net.status()).toMatchObject({ heartbeat: expect.stringContaining('EISDIR') as string });
    await net.ended(false);
  });
});

describe('a stop before the login', () => {
  it('does not know what is open, and leaves the guard watching when an earlier bot was killed', async () => {
    const workFolder = folder();
    const port = await closedPort();
    const url = `http://127.0.0.1:${port}`;
    const config = writeConfig(
      `${exchangeSection(url, url)}journal: { dir: ./run }\n${DAY_LIMIT}${STRATEGIES}`,
      workFolder,
    );
    mkdirSync(`${workFolder}/run`);
    const files = { lease: `${workFolder}/run/alice.lease`, heartbeat: `${workFolder}/run/alice.heartbeat` };
    for (const dead of [false, true]) {
      if (dead) writeFileSync(files.lease, JSON.stringify({ ...DEAD, account: 'alice', start: '', socket: '' }));
      const bot = start(['run', config]);
      await bot.prints('stderr', /ECONNREFUSED|does not answer|no answer/);
      bot.child.kill('SIGINT');
      const { code, stderr } = await bot.ended;
      expect([code, stderr]).toEqual([EXIT.notConfirmed, expect.stringContaining('stopped before the login')]);
      expect(readBeat(files.heartbeat)?.farewell).toBe(!dead);
      rmSync(files.heartbeat);
    }
    // the heartbeat of a dead bot is restored unchanged
    writeFileSync(files.heartbeat, JSON.stringify(LEFT));
    const bot = start(['run', config]);
    await eventually('the bot writes its heartbeat', () => readBeat(files.heartbeat)?.pid === bot.child.pid);
    expect(readBeat(files.heartbeat)?.after).toBe(DEAD.pid);
    await bot.prints('stderr', /ECONNREFUSED|does not answer|no answer/);
    bot.child.kill('SIGINT');
    expect((await bot.ended).code).toBe(EXIT.notConfirmed);
    expect(readBeat(files.heartbeat)).toEqual({
      ...LEFT,
      ended: [expect.objectContaining({ pid: bot.child.pid })],
    });
    expect(readdirSync(`${workFolder}/run`).filter((name) => name.includes('.beat'))).toEqual([]);
  }, 60_000);
});
