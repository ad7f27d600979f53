// How a command starts, whatever home it finds.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { BIN, folder, NO_JOURNAL, run, start, STRATEGIES, writeConfig } from '../support/children.ts';

it('keeps what was compiled in the cache folder of the user, where nobody else may write', async () => {
  const cache = folder();
  expect(await run(['--version'], { XDG_CACHE_HOME: cache })).toMatchObject({ code: 0, stderr: '' });
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
  const config = writeConfig(
    `exchange: { embedded: {} }\nmarkets: { games: [${games}] }\n${STRATEGIES}${NO_JOURNAL}`,
  );
  const { child, ended } = start(['check', config]);
  child.stdout?.pause();
  await sleep(5000);
  child.stdout?.resume();
  const { code, stdout } = await ended;
  expect(code).toBe(0);
  expect(stdout).toContain('game-19999');
});

it('says that what it prints could not be written', () => {
  const config = writeConfig(`exchange: { embedded: {} }\n${STRATEGIES}${NO_JOURNAL}`);
  for (const args of [['--help'], ['check', config]]) {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [BIN, ...args], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    closeSync(full);
    expect([status, stderr]).toEqual([
      78,
      'oddsmaker: standard output: ENOSPC: no space left on device, write\n',
    ]);
  }
});
