// How a command starts, with any home folder, slow reader or full disk.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { BIN, BUILT, folder, NO_JOURNAL, run, start, STRATEGIES, writeConfig } from '../support/children.ts';

it('a command keeps compiled code in the cache folder of the user, where no one else may write', async () => {
  const cache = folder();
  expect(await run(['--version'], { XDG_CACHE_HOME: cache, NODE_COMPILE_CACHE: '' })).toMatchObject({
    code: 0,
    stderr: '',
  });
  const code = join(cache, 'oddsmaker/code');
  expect(statSync(code).mode & 0o077).toBe(0);
  expect(readdirSync(code, { recursive: true }).length).toBeGreaterThan(BUILT === undefined ? 50 : 4);
});

it.each(['/nowhere', '/proc', '/dev/null'])(
  'a command starts with the home %s, and creates no folder there',
  async (home) => {
    const env = { HOME: home, XDG_CACHE_HOME: '' };
    expect(await run(['--version'], env)).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync('/nowhere')).toBe(false);
    expect(existsSync('oddsmaker')).toBe(false);
  },
);

it('a command waits for a slow reader and writes all its output', async () => {
  const games = Array.from({ length: 20_000 }, (_none, n) => `game-${n}`).join(', ');
  const config = writeConfig(`exchange: { embedded: {} }\nmarkets: { games: [${games}] }\n${STRATEGIES}${NO_JOURNAL}`);
  const { child, ended } = start(['check', config]);
  child.stdout?.pause();
  await sleep(5000);
  child.stdout?.resume();
  const { code, stdout } = await ended;
  expect(code).toBe(0);
  expect(stdout).toContain('game-19999');
});

/** Runs a command with one of its streams on a full disk. Returns its output on the other stream. */
function onFullDisk(
  args: readonly string[],
  stream: 'stdout' | 'stderr',
): { readonly status: number | null; readonly output: string } {
  const full = openSync('/dev/full', 'w');
  const isOut = stream === 'stdout';
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    stdio: ['ignore', isOut ? full : 'pipe', isOut ? 'pipe' : full],
    encoding: 'utf8',
  });
  closeSync(full);
  return { status, output: isOut ? stderr : stdout };
}

it('a command reports that its output could not be written', () => {
  const config = writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}`);
  for (const args of [['--help'], ['check', config]])
    expect(onFullDisk(args, 'stdout')).toEqual({
      status: 78,
      output: 'oddsmaker: standard output: ENOSPC: no space left on device, write\n',
    });
});

it('a command ends with its own exit code when it cannot write to stderr', () => {
  const url = 'http://127.0.0.1:9';
  const login = `exchange: { restUrl: '${url}', socketUrl: '${url}', username: a, password: b, startTimeout: 1s }\n`;
  const gone = writeConfig(`${login}${STRATEGIES}${NO_JOURNAL}`);
  const bad = writeConfig('nonsense: true\n');
  const commands = [['nonsense'], ['check', bad], ['why', '/nowhere', 'x'], ['run', bad], ['panic', gone]];
  expect(commands.map((args) => onFullDisk(args, 'stderr').status)).toEqual([2, 78, 65, 78, 75]);
});

it('a run continues to trade when it cannot write its log', { timeout: 60_000 }, () => {
  const config = writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}`);
  const { status, output } = onFullDisk(['run', config, '--for', '2s', '--json'], 'stderr');
  expect(status).toBe(0);
  expect(JSON.parse(output)).toMatchObject({ openAtExit: 0 });
});
