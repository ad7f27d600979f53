// The bundle of the package: what a command loads of it, which copies of libraries its users share, and where
// its stack traces point.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeHashes } from '../../src/setup/version.ts';
import { NO_JOURNAL, ROOT } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';
import { makePackage } from '../support/package-folder.ts';

const home = mkdtempSync(join(tmpdir(), 'oddsmaker-bundle-'));
const installed = join(home, 'node_modules/oddsmaker');
const inPackage = (name: string): string => join(installed, name);
afterAll(() => rmSync(home, { recursive: true }));

beforeAll(() => makePackage(installed, join(home, 'node_modules')), 120_000);

/** Prints the file URLs that the main thread loads, at its exit. */
const COUNTER = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module';
const urls = [];
registerHooks({ load: (url, context, next) => { if (url.startsWith('file:')) urls.push(url); return next(url, context); } });
process.on('exit', () => process.stderr.write('loaded ' + JSON.stringify(urls) + '\\n'));
`)}`;

function oddsmaker(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', COUNTER, inPackage('bin/oddsmaker.js'), ...args],
    { cwd: home, encoding: 'utf8', env: { ...process.env, XDG_CACHE_HOME: join(home, 'cache') } },
  );
  const [, urls = '[]'] = /^loaded (.*)$/m.exec(stderr) ?? [];
  return { status, stdout, stderr, loaded: JSON.parse(urls) as readonly string[] };
}

describe('the bundle', () => {
  it.each([
    [['--help'], 10],
    [['check', '--help'], 15],
    [['run', '--help'], 15],
    [['backtest', '--help'], 60],
  ])('loads few files for %j, and no engine for help', (args, most) => {
    const { status, loaded } = oddsmaker(...args);
    expect(status).toBe(0);
    expect(loaded.length).toBeGreaterThan(2);
    expect(loaded.length).toBeLessThanOrEqual(most);
    if (args[0] !== 'backtest') expect(loaded.filter((url) => url.includes('/chunks/core-'))).toEqual([]);
  });

  it('gives a strategy the rxjs, zod and API of the host, in the main thread and in others', () => {
    const tape = join(home, 'tape.ndjson.gz');
    writeGeneratedTape(tape, 60);
    writeFileSync(
      join(home, 'own.ts'),
      `import { map, Observable } from 'rxjs';
import { tap } from 'rxjs/operators';
import { z } from 'zod';
import { defineStrategy } from 'oddsmaker/strategy';
export default defineStrategy({
  name: 'own',
  params: z.object({ n: z.number() }),
  create: () => (views$) => {
    if (!(views$ instanceof Observable)) throw new Error('another copy of rxjs');
    return views$.pipe(tap(() => {}), map(({ market }) => ({ market: market.id, quotes: [] })));
  },
});
`,
    );
    const config = join(home, 'bot.yaml');
    writeFileSync(
      config,
      `exchange: { embedded: {} }\nstrategies: [{ use: ./own.ts, id: own, params: { n: 1 } }]\n${NO_JOURNAL}`,
    );
    expect(oddsmaker('check', config).loaded.filter((url) => url.includes('/chunks/core-'))).toEqual([]);
    const args = ['backtest', config, '--tape', tape, '--out', join(home, 'out')];
    for (const flags of [[], ['--threads', '2']]) {
      const { status, stderr, loaded } = oddsmaker(...args, ...flags);
      expect([status, stderr.replace(/^loaded .*\n/m, '')]).toEqual([0, '']);
      expect(loaded.filter((url) => /node_modules\/(?:rxjs|zod)\//.test(url))).toEqual([]);
      expect(loaded.length).toBeLessThanOrEqual(65);
    }
  });

  it('exports the same copies to programs', () => {
    const program = `
      import { defineStrategy } from 'oddsmaker/strategy';
      import { MarketScript, StrategyTest } from 'oddsmaker/testkit';
      import { devig } from 'oddsmaker/pricing';
      import { ewma } from 'oddsmaker/indicators';
      import { startPaperExchange } from 'oddsmaker';
      const exchange = await startPaperExchange({ port: 0 });
      await exchange.close();
      console.log([defineStrategy, MarketScript, StrategyTest, devig, ewma].map((part) => typeof part).join());`;
    writeFileSync(join(home, 'program.mjs'), program);
    const printed = execFileSync(process.execPath, [join(home, 'program.mjs')], { encoding: 'utf8' });
    expect(printed).toBe('function,function,function,function,function\n');
  });

  it('names source files in the stack of a bug', () => {
    const broken = `data:text/javascript,${encodeURIComponent(`
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
fs.statSync = () => { throw new TypeError('a slip'); };
syncBuiltinESMExports();`)}`;
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--import', broken, inPackage('bin/oddsmaker.js'), 'report', home],
      { encoding: 'utf8' },
    );
    expect(status).toBe(70);
    expect(stderr).toMatch(/a bug: TypeError: a slip\n[^]*src\/cli\/report\.ts:\d+:\d+/);
    expect(stderr).not.toContain('/dist/chunks/');
  });

  it('has the hashes of its sources, and a notice for each library in it', () => {
    expect(JSON.parse(readFileSync(inPackage('dist/code-hashes.json'), 'utf8'))).toEqual(codeHashes());
    const notices = readFileSync(inPackage('dist/THIRD-PARTY.txt'), 'utf8');
    for (const name of ['rxjs', 'zod', 'axios', 'socket.io-client', 'bottleneck', 'pino', 'yaml', 'fastify']) {
      const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')) as {
        readonly version: string;
      };
      expect(notices).toMatch(new RegExp(`^==== ${name} ${version.replaceAll('.', '\\.')}$`, 'm'));
    }
    expect(notices).toContain('Permission is hereby granted');
  });
});
