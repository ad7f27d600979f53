// The package as a stranger meets it: packed, installed into an empty folder, with a Node first on the PATH that may be older
// than ours. What npm downloads comes from its registry, mostly out of its cache.
import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/children.ts';

const root = mkdtempSync(join(tmpdir(), 'oddsmaker-package-'));
const started: ChildProcess[] = [];
afterAll(() => {
  for (const child of started) if (child.exitCode === null) child.kill('SIGKILL');
  rmSync(root, { recursive: true, force: true });
});

/** Without what this checkout has installed: then the Node of the machine is first. */
const PATH = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);
const env = Object.fromEntries(
  Object.entries({ ...process.env, PATH, XDG_CACHE_HOME: join(root, 'cache') }).filter(
    ([name]) => !/^(?:npm_(?!config_(?:registry|cache))|NODE_|VITEST|INIT_CWD)/i.test(name),
  ),
);

const run = (cwd: string, command: string, ...args: readonly string[]): string =>
  execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const npmInstall = (cwd: string, ...what: readonly string[]): string =>
  run(cwd, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', ...what);

describe('the package', () => {
  it('is installed by a stranger, makes a desk, trades there and is stopped', async () => {
    const tarball = join(root, run(ROOT, 'npm', 'pack', '--silent', '--pack-destination', root).trim());
    const stranger = mkdtempSync(join(root, 'stranger-'));
    npmInstall(stranger, tarball);
    const older = run(stranger, 'node', '--version').trim();
    expect(run(stranger, 'npx', 'oddsmaker', 'init', 'desk')).toContain('npm start');

    const desk = join(stranger, 'desk');
    npmInstall(desk);
    expect(run(desk, 'npm', 'test')).toMatch(/pass 2\b[^]*fail 0\b/);
    run(desk, 'npm', 'run', 'types');

    const bot = spawn('npm', ['start'], {
      cwd: desk,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    started.push(bot);
    let [said, told] = ['', ''];
    bot.stdout.on('data', (chunk: Buffer) => (told += String(chunk)));
    bot.stderr.on('data', (chunk: Buffer) => (said += String(chunk)));
    await expect.poll(() => said, { timeout: 60_000 }).toContain('"msg":"quoting"');
    await new Promise((resolve) => setTimeout(resolve, 3000));
    // as Ctrl-C does, to all of the group
    process.kill(-(bot.pid ?? 0), 'SIGINT');
    await once(bot, 'exit');
    await expect.poll(() => told, { timeout: 30_000 }).toContain('(exit 0)');
    expect(told).toMatch(/orders {3}[1-9]\d* placed/);
    expect(readdirSync(join(desk, 'data/journal')).some((name) => name.endsWith('.zst'))).toBe(true);
    expect(older).toMatch(/^v\d+/);
  }, 300_000);

  it('is typed by node_modules alone, and another strategy passes its test at once', () => {
    const desk = mkdtempSync(join(root, 'desk-'));
    run(desk, process.execPath, join(ROOT, 'bin/oddsmaker.js'), 'init', '.');
    npmInstall(desk);
    run(desk, 'npx', 'oddsmaker', 'new', 'strategy', 'fade-the-public');
    expect(run(desk, 'npm', 'test')).toMatch(/pass 4\b[^]*fail 0\b/);
    writeFileSync(
      join(desk, 'strategies/embeds.ts'),
      "import { startPaperExchange, readTape, type PaperExchange } from 'oddsmaker';\nexport const all: [Promise<PaperExchange>, unknown] = [startPaperExchange({ port: 0 }), readTape];\n",
    );
    run(desk, 'npm', 'run', 'types');
    writeFileSync(
      join(desk, 'strategies/wrong.ts'),
      "import { defineStrategy } from 'oddsmaker/strategy';\nexport default defineStrategy({ name: 1 });\n",
    );
    expect(() => run(desk, 'npm', 'run', 'types')).toThrow();
  }, 300_000);
});
