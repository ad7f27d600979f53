// The real loader in its own process, since vitest would transform the modules itself.
import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Strategy } from '../../../src/strategy/index.ts';
import { americanOdds, defineStrategy, dollarAmount, dollars } from '../../../src/strategy/index.ts';
import type { ParamsProblem } from '../../../src/strategy/host/params.ts';
import { checkParams } from '../../../src/strategy/host/params.ts';
import { id } from '../fixtures.ts';

const OWN = `
import { map } from 'rxjs';
import { debounceTime } from 'rxjs/operators';
import { z } from 'zod';
import { devig } from 'oddsmaker/pricing';
import { defineStrategy, dollars, oddsOf, type MarketView, type QuoteIntent } from 'oddsmaker/strategy';
import { NAME } from './name.ts';

if (devig([2, 2], 'shin').probabilities[0] !== 0.5) throw new Error('another devig');

export default defineStrategy({
  name: NAME,
  params: z.object({ risk: dollars, wait: z.number().default(100) }),
  create: ({ params, scheduler }) => (views$) =>
    views$.pipe(
      debounceTime(params.wait, scheduler),
      map((view: MarketView): QuoteIntent => ({
        market: view.market.id,
        quotes: [{ side: view.market.sides[0], risk: params.risk, odds: oddsOf(100 as never) }],
      })),
    ),
});
`;

/** Loads files as the bot does, each in its own generation, runs them once, and sends the results. */
const SCRIPT = `
// the original exit, since strategies get another one
const exit = process.exit.bind(process);
const src = (path) => new URL(path, process.env.PROJECT_SRC).href;
const { beginGeneration, loadStrategy } = await import(src('strategy/host/loader.ts'));
const { checkParams } = await import(src('strategy/host/params.ts'));
const { StrategyHost } = await import(src('strategy/host/host.ts'));
const { market } = await import(src('domain/index.ts'));
process.on('disconnect', () => exit());
process.on('message', async (file) => {
  try {
    const loaded = await loadStrategy(file, beginGeneration());
    const entry = checkParams('main', loaded.strategy, { risk: 12.5 });
    const intents = [];
    const host = new StrategyHost([entry], { get: () => undefined }, {
      reportAsync: () => intents.push('async'),
      fault: (...fault) => intents.push(fault),
      log: () => undefined,
      seq: () => 0,
    });
    const moneyline = market('g1', 'moneyline');
    host.dispatch(moneyline, () => ({ market: moneyline }));
    host.runTimers(100);
    for (const { intent } of host.takeIntents()) intents.push(intent);
    process.send({ name: loaded.strategy.name, file: loaded.file, sha256: loaded.sha256, intents });
  } catch (error) {
    process.send({ code: error.code, exit: error.exit, message: error.message });
  }
});
`;

type Loaded = {
  readonly name?: string;
  readonly file?: string;
  readonly sha256?: string;
  readonly intents?: readonly unknown[];
  readonly code?: string;
  readonly exit?: number;
  readonly message?: string;
};

describe('the strategy loader', () => {
  let folder = '';
  let child: ChildProcess;
  let errorText = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'strategy-loader-'));
    child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT], {
      cwd: folder,
      env: { ...process.env, PROJECT_SRC: new URL('../../../src/', import.meta.url).href },
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (errorText += text));
  });
  afterAll(async () => {
    const gone = once(child, 'exit');
    child.disconnect();
    await gone;
    expect(errorText).toBe('');
    rmSync(folder, { recursive: true, force: true });
  });

  const write = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  };

  async function load(file: string): Promise<Loaded> {
    child.send(file);
    const [loaded] = (await once(child, 'message')) as [Loaded];
    // standard error is the log of a run, so loading must not write to it
    expect(errorText).toBe('');
    return loaded;
  }

  it('runs a file from any folder with the bot’s oddsmaker/strategy, oddsmaker/pricing, rxjs and zod', async () => {
    write('name.ts', "export const NAME: string = 'own';\n");
    const file = write('own strategy.ts', OWN);
    expect(await load(file)).toEqual({
      name: 'own',
      file,
      sha256: createHash('sha256').update(OWN).digest('hex'),
      intents: [{ market: 'g1/moneyline', quotes: [{ side: 'home', risk: 1250, odds: 110 }] }],
    });
  });

  it('prefers the bot’s own copies of rxjs and zod to copies beside the file', async () => {
    for (const name of ['rxjs', 'zod']) {
      const home = join(folder, 'beside/node_modules', name);
      mkdirSync(home, { recursive: true });
      writeFileSync(join(home, 'package.json'), JSON.stringify({ name, type: 'module', main: 'index.js' }));
      writeFileSync(join(home, 'index.js'), "throw new Error('the wrong copy')\n");
    }
    write('beside/name.ts', "export const NAME = 'beside';\n");
    expect((await load(write('beside/own.ts', OWN))).name).toBe('beside');
  });

  it.each([
    ['without a package.json', undefined],
    ['whose package.json has no type', {}],
    ['whose package.json has type commonjs, as npm init makes it', { type: 'commonjs' }],
    ['whose package.json has type module', { type: 'module' }],
  ])('runs a file and its imports in a folder %s', async (_name, packageJson) => {
    const home = mkdtempSync(join(folder, 'package-'));
    if (packageJson !== undefined) writeFileSync(join(home, 'package.json'), JSON.stringify(packageJson));
    writeFileSync(join(home, 'name.ts'), "const NAME: string = 'part';\nexport { NAME };\n");
    writeFileSync(join(home, 'own.ts'), OWN);
    expect((await load(join(home, 'own.ts'))).name).toBe('part');
    // JavaScript in a package of type commonjs is CommonJS
    if (packageJson !== undefined && 'type' in packageJson && packageJson.type === 'commonjs') return;
    const plain = OWN.replaceAll(/, type \w+/g, '').replaceAll(/: MarketView|: QuoteIntent| as never/g, '');
    writeFileSync(join(home, 'plain.js'), plain);
    expect((await load(join(home, 'plain.js'))).name).toBe('part');
  });

  it('gives each generation its own modules, also for a file reached through a symbolic link', async () => {
    const home = mkdtempSync(join(folder, 'linked-'));
    mkdirSync(join(home, 'real'));
    symlinkSync(join(home, 'real'), join(home, 'link'));
    writeFileSync(join(home, 'real/package.json'), '{"type":"commonjs"}');
    writeFileSync(
      join(home, 'real/name.ts'),
      'let loads: number = 0;\nexport const NAME = (): string => `load ${(loads += 1)}`;\n',
    );
    writeFileSync(join(home, 'real/own.ts'), OWN.replace('name: NAME', 'name: NAME()'));
    const script = `
      const { loadStrategy, beginGeneration, codeOf } = await import(new URL('strategy/host/loader.ts', process.env.PROJECT_SRC).href);
      const generations = [beginGeneration(), beginGeneration()];
      const names = [];
      for (const generation of generations) names.push((await loadStrategy(process.argv[1], generation)).strategy.name);
      const before = codeOf(generations[0]);
      (await import('node:fs')).appendFileSync(process.argv[2], '// edited');
      console.log(JSON.stringify({ names, isNoticed: codeOf(generations[0]) !== before }));
    `;
    const args = ['--input-type=module', '-e', script, join(home, 'link/own.ts'), join(home, 'real/name.ts')];
    const env = { ...process.env, PROJECT_SRC: new URL('../../../src/', import.meta.url).href };
    const ended = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    expect(ended.stderr).toBe('');
    expect(JSON.parse(ended.stdout)).toEqual({ names: ['load 1', 'load 1'], isNoticed: true });
  });

  it.each([
    ['in a package of type commonjs', { type: 'commonjs' }, ''],
    ['with import and export in a comment', {}, "/*\n  import it from 'a strategy'.\nexport default it\n*/\n"],
    ['with keys named import and export', {}, 'const o = {\n  import: 1,\n  export: 2,\n};\n'],
  ])('loads CommonJS that a strategy imports as CommonJS: %s', async (_name, packageJson, above) => {
    const home = mkdtempSync(join(folder, 'package-'));
    writeFileSync(join(home, 'package.json'), JSON.stringify(packageJson));
    writeFileSync(join(home, 'name.ts'), `${above}const name: string = 'common';\nmodule.exports = { NAME: name };\n`);
    writeFileSync(
      join(home, 'own.ts'),
      OWN.replace('import { NAME }', 'import part').replace('name: NAME', 'name: part.NAME'),
    );
    expect((await load(join(home, 'own.ts'))).name).toBe('common');
  });

  it.each([
    ['a syntax error', 'export default {', /does not load: .*a syntax error\.ts:1\)$/],
    ['an error of types', '\n\nconst a: = 5;', /does not load: .*an error of types\.ts:3\)$/],
    [
      'a file that throws',
      "\nthrow new Error('not today');",
      /does not load: not today \(.*a file that throws\.ts:2\)$/,
    ],
    [
      'a file whose error ends in numbers',
      "\nthrow new Error('cannot connect to localhost:8080');",
      /localhost:8080 \(.*a file whose error ends in numbers\.ts:2\)$/,
    ],
    ['an error without a trace', "throw Object.assign(new Error('odd'), { stack: null });", /does not load: odd$/],
    ['an enum', '\nenum Mode { Shy }', /an enum\.ts:2\): types are taken out .* `as const` instead$/],
    [
      'an import without its ending',
      "import './name'; export default 1;",
      /'.*\/name' imported .*: an import names the whole file, here with \.ts at its end$/,
    ],
    [
      'a name that is not exported',
      "\nimport { OTHER } from './name.ts'; export default 1;",
      /named 'OTHER' \(.*a name that is not exported\.ts:2\)$/,
    ],
    ['an unknown import', "import 'no-such-package'; export default 1;", /does not load: .*no-such-package/],
    ['no default export', 'export const strategy = 1;', /no default export made with defineStrategy/],
    ['a default export that is something else', 'export default () => 1;', /no default export/],
    [
      'a strategy without params',
      "export default { name: 'x', create: () => 1 };",
      /exports a strategy without params: give z\.object\(\{\}\)/,
    ],
    ['params that are no schema', "export default { name: 'x', params: {}, create: () => 1 };", /no default export/],
    [
      'a scope that does not exist',
      "import { z } from 'zod'; export default { name: 'x', params: z.object({}), scope: 'league', create: () => 1 };",
      /no default export/,
    ],
  ])('refuses %s as a bad configuration and names the file', async (name, text, says) => {
    write('name.ts', "export const NAME: string = 'own';\n");
    const file = write(`${name}.ts`, text);
    const refused = await load(file);
    expect(refused).toMatchObject({ code: 'STRATEGY_INVALID', exit: 78 });
    expect(refused.message).toContain(file);
    expect(refused.message).toMatch(says);
  });

  it('reports a file that it cannot read', async () => {
    const refused = await load(join(folder, 'none.ts'));
    expect(refused).toMatchObject({ code: 'STRATEGY_NOT_FOUND', exit: 78 });
    expect(refused.message).toContain(join(folder, 'none.ts'));
  });
});

describe('the parameters of a strategy', () => {
  const strategy = defineStrategy({
    name: 'x',
    params: z.object({
      edge: z.number().min(0).max(0.2),
      risk: dollars,
      limit: dollarAmount.default(dollarAmount.parse(50)),
      odds: americanOdds.optional(),
      deep: z.object({ levels: z.array(z.number()) }).optional(),
    }),
    create: () => () => {
      throw new Error('not run');
    },
  }) as unknown as Strategy;
  const check = (params: unknown) => checkParams(id('main'), strategy, params);

  it('are checked by the strategy’s schema and passed on as the schema transforms them', () => {
    expect(check({ edge: 0.1, risk: 12.34, odds: -100 })).toEqual({
      id: 'main',
      strategy,
      params: { edge: 0.1, risk: 1234, limit: 5000, odds: 100 },
    });
  });

  it.each<[string, unknown, (string | number)[], RegExp]>([
    ['out of range', { edge: 0.3, risk: 1 }, ['edge'], /0\.2/],
    ['missing', { edge: 0.1 }, ['risk'], /number/],
    ['unknown', { edge: 0.1, risk: 1, egde: 2 }, ['egde'], /unknown parameter/],
    ['of another type', { edge: '0.1', risk: 1 }, ['edge'], /number/],
    ['wrong deep inside', { edge: 0.1, risk: 1, deep: { levels: [1, 'x'] } }, ['deep', 'levels', 1], /number/],
    ['no dollar amount: 0', { edge: 0.1, risk: 0 }, ['risk'], />=0.01/],
    ['no dollar amount: less than a cent', { edge: 0.1, risk: 0.001 }, ['risk'], />=0.01/],
    ['no dollar amount: more than the largest order', { edge: 0.1, risk: 1000.01 }, ['risk'], /1000/],
    ['no odds', { edge: 0.1, risk: 1, odds: 99 }, ['odds'], /American odds/],
    ['no dollar amount: negative', { edge: 0.1, risk: 1, limit: -1 }, ['limit'], /0/],
  ])('that are %s are reported with their path', (_name, params, path, says) => {
    const problems = check(params);
    expect(problems).toHaveLength(1);
    expect(problems).toMatchObject([{ path }]);
    expect(JSON.stringify(problems)).toMatch(says);
  });

  it.each<[string, z.ZodType]>([
    ['throws', z.object({}).transform((): unknown => JSON.parse('{'))],
    ['is async', z.object({}).refine(async () => true)],
  ])('are refused when their schema %s', (_name, params) => {
    const [problem] = checkParams(id('main'), { ...strategy, params }, {}) as readonly ParamsProblem[];
    expect(problem?.message).toMatch(/^the schema of the strategy cannot check its parameters: /);
  });

  it('are reported together when several are wrong', () => {
    expect(check({ edge: 2, risk: -1, a: 1, b: 2 })).toHaveLength(4);
  });
});
