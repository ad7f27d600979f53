// The package as a new user gets it: packed, installed into an empty folder, with the machine's own Node on
// the PATH, which may be older, and docs/get-started.md typed as written. npm downloads from its registry,
// mostly through its cache.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../src/files/index.ts';
import { errorLinesOf, ROOT } from '../support/children.ts';
import { building } from '../support/own-build.ts';
import { closeTerminals, commandsOf, filesOf, Shell, shellEnv } from '../support/typed.ts';

const root = mkdtempSync(join(tmpdir(), 'oddsmaker-package-'));
afterAll(() => {
  closeTerminals();
  rmSync(root, { recursive: true, force: true });
});

const env = {
  ...shellEnv(join(root, 'cache')),
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
};

const SHELF = readdirSync(join(ROOT, 'strategies')).map((name) => name.replace('.ts', ''));
const TARBALL = `oddsmaker-${VERSION}.tgz`;
const stranger = mkdtempSync(join(root, 'stranger-'));

beforeAll(async () => {
  await building(() =>
    execFileSync('npm', ['pack', '--silent', '--pack-destination', root], { cwd: ROOT, env, stdio: 'pipe' }),
  );
  renameSync(join(root, TARBALL), join(stranger, TARBALL));
}, 240_000);

describe('the package', () => {
  it('runs each command of docs/get-started.md as written: install, init, trade, edit a strategy, replay', async () => {
    const page = readFileSync(join(ROOT, 'docs/get-started.md'), 'utf8');
    const shell = new Shell(stranger, env);
    const typed: string[] = [];
    for (const { line, keepsRunning } of commandsOf(page)) {
      typed.push(line);
      if (keepsRunning) {
        const bot = shell.start(line);
        await bot.prints(/"msg":"quoting"/);
        if (line === 'npm run dev') {
          const file = join(shell.folder, 'strategies/first.ts');
          writeFileSync(file, readFileSync(file, 'utf8').replace('fair.p - edge', 'fair.p - edge - 0.001'));
          await bot.prints(/first: strategies\/first\.ts replaced it after/);
        } else await sleep(3000);
        const { stdout, stderr } = await bot.pressCtrlC();
        expect(errorLinesOf(stderr)).toEqual([]);
        expect(stdout).toMatch(/\(exit 0\)\norders {3}[1-9]\d* placed/);
        expect(stdout).toMatch(/open {5}0\n/);
      } else if (line.endsWith('data/journal'))
        expect(await shell.run(line)).toMatch(/Every (?:command is the same|rule was kept)/);
      else await shell.run(line);
    }
    expect(typed.slice(0, 3)).toEqual([`npm install ./${TARBALL}`, 'npx oddsmaker init workspace', 'cd workspace']);
    expect(typed).toEqual(expect.arrayContaining(['npm start', 'npm run dev', 'npm test', 'npm run types']));
    expect(await shell.run('npm test')).toMatch(/pass 4\b[^]*fail 0\b/);
    // each strategy of the shelf, copied: its test passes, and its types are good
    for (const from of SHELF) await shell.run(`npx oddsmaker new strategy own-${from} --from ${from}`);
    expect(await shell.run('npm test')).toMatch(new RegExp(`pass ${4 + 2 * SHELF.length}\\b[^]*fail 0\\b`));
    await shell.run('npm run types');
  }, 300_000);

  it('runs the twelve commands of docs/backtesting.md as written', async () => {
    const page = readFileSync(join(ROOT, 'docs/backtesting.md'), 'utf8');
    const newcomer = mkdtempSync(join(root, 'newcomer-'));
    copyFileSync(join(stranger, TARBALL), join(newcomer, TARBALL));
    const shell = new Shell(newcomer, env);
    const outputs = new Map<string, string>();
    const [configuration] = filesOf(page);
    for (const { line } of commandsOf(page)) {
      if (line.startsWith('npx oddsmaker check') && configuration !== undefined)
        writeFileSync(join(shell.folder, configuration.name), configuration.text);
      outputs.set(line, await shell.run(line));
    }
    expect(outputs.size).toBe(12);
    const outputOf = (start: string): string => [...outputs].findLast(([line]) => line.startsWith(start))?.[1] ?? '';
    expect(outputOf('npx oddsmaker report')).toMatch(/^ {2}drift to the close +[-$]/m);
    expect(outputOf('npx oddsmaker backtest config/fade.yaml')).toMatch(/^look-ahead: none\. /m);
    expect(outputOf('npx oddsmaker compare')).toMatch(/^ {2}clv\.dollars +\S+ +\S+ +\S+$/m);
    expect(outputOf('npx oddsmaker sweep')).toMatch(/^best of 3: fade\.edge=.*too few/ms);
  }, 300_000);

  it('has its types in node_modules alone', async () => {
    const workspace = join(stranger, 'workspace');
    const shell = new Shell(workspace, env);
    writeFileSync(
      join(workspace, 'strategies/embeds.ts'),
      "import { startPaperExchange, readTape, type PaperExchange } from 'oddsmaker';\nexport const all: [() => Promise<PaperExchange>, unknown] = [() => startPaperExchange({ port: 0 }), readTape];\n",
    );
    writeFileSync(
      join(workspace, 'strategies/prices.ts'),
      "import { devig, modelFor, type Devigged } from 'oddsmaker/pricing';\nimport { MarketScript } from 'oddsmaker/testkit';\nimport { ewma } from 'oddsmaker/indicators';\nexport const all: [Devigged, number, unknown, unknown] = [devig([2, 2], 'shin'), modelFor('soccer', { home: 1, away: 1 }).total(2.5).fair, MarketScript, ewma];\nconsole.log(all[0].probabilities[0]);\n",
    );
    await shell.run('npm run types');
    expect(await shell.run('npx node strategies/prices.ts')).toContain('0.5');
    const wrong = "import { defineStrategy } from 'oddsmaker/strategy';\nexport default defineStrategy({ name: 1 });\n";
    writeFileSync(join(workspace, 'strategies/wrong.ts'), wrong);
    await expect(shell.run('npm run types')).rejects.toThrow();
  }, 120_000);
});
