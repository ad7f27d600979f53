// How a command starts, whatever home it finds.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { BIN, folder, NO_JOURNAL, run, start, STRATEGIES, writeConfig } from '../support/children.ts';

it('keeps what was compiled in the cache folder of the user, where nobody else may write', async () => {
  const cache = folder();
  expect(await run(['--version'], { XDG_CACHE_HOME: cache, NODE_COMPILE_CACHE: '' })).toMatchObject({
    code: 0,
    stderr: '',
  });
  const code = join(cache, 'oddsmaker/code');
  expect(statSync(code).mode & 0o077).toBe(0);
  expect(readdirSync(code, { recursive: true }).length).toBeGreaterThan(50);
});

it.each(['/nowhere', '/proc', '/dev/null'])('starts with the home %s, and makes none', async (home) => {
  const env = { HOME: home, XDG_CACHE_HOME: '' };
  expect(await run(['--version'], env)).toMatchObject({ code: 0, stderr: '' });
  expect(existsSync('/nowhere')).toBe(false);
  expect(existsSync('oddsmaker')).toBe(false);
});

it('cuts nothing off for a reader that is slow', async () => {
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

/** With one of its streams on a full disk; what it says on the other one. */
function onFullDisk(
  args: readonly string[],
  stream: 'stdout' | 'stderr',
): { readonly status: number | null; readonly said: string } {
  const full = openSync('/dev/full', 'w');
  const isOut = stream === 'stdout';
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    stdio: ['ignore', isOut ? full : 'pipe', isOut ? 'pipe' : full],
    encoding: 'utf8',
  });
  closeSync(full);
  return { status, said: isOut ? stderr : stdout };
}

it('says that what it prints could not be written', () => {
  const config = writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}`);
  for (const args of [['--help'], ['check', config]])
    expect(onFullDisk(args, 'stdout')).toEqual({
      status: 78,
      said: 'oddsmaker: standard output: ENOSPC: no space left on device, write\n',
    });
});

it('ends with its own exit code though nothing can be said on stderr', () => {
  const url = 'http://127.0.0.1:9';
  const login = `exchange: { restUrl: '${url}', socketUrl: '${url}', username: a, password: b, startTimeout: 1s }\n`;
  const gone = writeConfig(`${login}${STRATEGIES}${NO_JOURNAL}`);
  const bad = writeConfig('nonsense: true\n');
  const commands = [['nonsense'], ['check', bad], ['why', '/nowhere', 'x'], ['run', bad], ['panic', gone]];
  expect(commands.map((args) => onFullDisk(args, 'stderr').status)).toEqual([2, 78, 65, 78, 75]);
});

it('trades on though nothing can be logged', { timeout: 60_000 }, () => {
  const config = writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}`);
  const { status, said } = onFullDisk(['run', config, '--for', '2s', '--json'], 'stderr');
  expect(status).toBe(0);
  expect(JSON.parse(said)).toMatchObject({ openAtExit: 0 });
});
