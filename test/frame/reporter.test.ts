// Runs vitest as a child process on one small file and reads what a script would read: the last line and the
// exit code.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const vitest = pathOf('node_modules/vitest/vitest.mjs');
const reporter = pathOf('test/support/count-reporter.ts');

type Run = {
  readonly lines: readonly string[];
  readonly last: string | undefined;
  readonly code: number | null;
};

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oddsmaker-reporter-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function run(body: string, { ci = false, config = '' } = {}): Run {
  writeFileSync(join(folder, 'one.test.ts'), body);
  writeFileSync(join(folder, 'vitest.config.ts'), config || 'export default { test: { globals: true } };');
  const inherited = Object.entries(process.env).filter(([name]) => name !== 'CI' && !name.startsWith('VITEST'));
  const child = spawnSync(
    process.execPath,
    [vitest, 'run', '--root', folder, '--reporter', 'default', '--reporter', reporter],
    {
      cwd: folder,
      encoding: 'utf8',
      env: { ...Object.fromEntries(inherited), ...(ci && { CI: 'true' }), NO_COLOR: '1' },
    },
  );
  const lines = child.stdout.trimEnd().split('\n');
  return { lines, last: lines.at(-1), code: child.status };
}

const two = `it('adds', () => { expect(1 + 1).toBe(2); }); describe('both', () => { it('add', () => {}); });`;

describe('the last line of a test run', { timeout: 60_000 }, () => {
  it('counts passed tests, and the exit code is 0', () => {
    expect(run(two)).toMatchObject({ last: '2 passed, 0 failed', code: 0 });
  });

  it('counts failed tests, and the exit code is 1', () => {
    expect(run(`${two} it('breaks', () => { expect(1).toBe(2); });`)).toMatchObject({
      last: '2 passed, 1 failed',
      code: 1,
    });
  });

  it('counts skipped tests, which are named before, and the exit code is 0', () => {
    const { lines, last, code } = run(`${two} it.skip('later', () => {}); describe('a', () => { it.todo('b'); });`);
    expect({ last, code }).toEqual({ last: '2 passed, 0 failed, 2 skipped', code: 0 });
    expect(lines).toContain('skipped: one.test.ts > later');
    expect(lines).toContain('skipped: one.test.ts > a > b');
  });

  it('counts a skipped test as failed in CI, and the exit code is 1', () => {
    const { lines, last, code } = run(`${two} it.skip('later', () => {});`, { ci: true });
    expect({ last, code }).toEqual({ last: '2 passed, 1 failed', code: 1 });
    expect(lines).toContain('skipped, which CI counts as failed: one.test.ts > later');
  });

  it('counts no failure in CI when no test is skipped', () => {
    expect(run(two, { ci: true })).toMatchObject({ last: '2 passed, 0 failed', code: 0 });
  });

  it('counts a file that does not load as failed', () => {
    expect(run(`throw new Error('no');`)).toMatchObject({ last: '0 passed, 1 failed', code: 1 });
  });

  it('counts an unhandled rejection as failed', () => {
    const { last, code } = run(`it('leaks', () => { void Promise.reject(new Error('unhandled')); });`);
    expect({ last, code }).toEqual({ last: '1 passed, 1 failed', code: 1 });
  });

  it('counts a hook that throws as failed', () => {
    const { last, code } = run(`beforeAll(() => { throw new Error('no'); }); it('never runs', () => {});`);
    expect({ last, code }).toEqual({ last: '0 passed, 1 failed, 1 skipped', code: 1 });
  });

  it('counts a failure when there is no test', () => {
    expect(run('', { config: `export default { test: { include: ['none'] } };` })).toMatchObject({
      last: '0 passed, 1 failed',
      code: 1,
    });
  });

  it('comes after the output of an exit handler of a test', () => {
    const body = `process.on('exit', () => { console.log('bye'); }); it('adds', () => {});`;
    expect(run(body)).toMatchObject({ last: '1 passed, 0 failed', code: 0 });
  });
});
