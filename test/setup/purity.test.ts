// A backtest refuses strategy files with anything that makes two runs of it differ.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cacheFolder } from '../../src/files/index.ts';
import { impuritiesIn } from '../../src/setup/impurities.ts';
import { refuseImpure } from '../../src/setup/purity.ts';
import { command, folder, NO_JOURNAL, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';

const findings = (source: string): readonly string[] =>
  impuritiesIn({ file: 's.ts', sha256: '', source }).map(({ line, what }) => `${line} ${what}`);

describe('a strategy file', () => {
  it.each([
    ['const t: number = Date.now();', '1 Date.now'],
    ['\n\nconst t = new Date();', '3 new Date()'],
    ['const t = Date();', '1 Date()'],
    ['const t = performance.now();', '1 performance.now'],
    ['const dice = Math.random;', '1 Math.random'],
    ['const { random } = Math;', '1 Math.random'],
    ['const M = Math;', '1 Math under another name'],
    ["const t = globalThis['Date'].now();", '1 globalThis'],
    ['globalThis.fills = 1;', '1 globalThis'],
    ['const t = global.Math.random();', '1 global'],
    ['let m; m = Math; m.random();', '1 Math under another name'],
    ['const dice = (of = Math) => of.random();', '1 Math under another name'],
    ['const dice = Math[key]();', '1 Math.[…]'],
    ['class Clock extends Date {}', '1 Date under another name'],
    ['const t = Reflect.construct(Date, []);', '1 Date under another name'],
    ['const t = new Date(...[]);', '1 new Date(...)'],
    ["const t = eval('Date.now()');", '1 eval'],
    ["const t = new Function('return Date.now()')();", '1 Function'],
    ["const fs = process.getBuiltinModule('fs');", '1 process.getBuiltinModule'],
    ['const fs = await import(`node:fs`);', '1 import of node:fs'],
    ["const fs = await import('node:' + 'fs');", '1 import() of what is known only when it runs'],
    ["export { randomInt } from 'node:crypto';", '1 import of node:crypto'],
    ["export * from 'node:fs';", '1 import of node:fs'],
    ['const late = AbortSignal.timeout(1);', '1 AbortSignal.timeout'],
    // the same name means something else elsewhere in the file
    ['function f(performance: number) { return performance; }\nconst t = performance.now();', '2 performance.now'],
    ["const t = Date['now']();", '1 Date.now'],
    ['setTimeout(() => {}, 1);', '1 setTimeout'],
    ['queueMicrotask(() => {});', '1 queueMicrotask'],
    ["import { readFileSync } from 'node:fs';", '1 import of node:fs'],
    ["import http from 'http';", '1 import of http'],
    ["const fs = await import('fs/promises');", '1 import of fs/promises'],
    ['const page = await fetch("http://x");', '1 fetch'],
    ['const mode = process.env.MODE;', '1 process.env'],
  ])('is impure: %s', (source, impurity) => {
    expect(findings(source)).toEqual([impurity]);
  });

  it.each([
    'const day = new Date(view.t).getUTCDay();',
    'const is = value instanceof Date;',
    'const most = Math.max(1, 2) + Math.sqrt(2);',
    'const quick = { setTimeout: 1, fetch: 2 }; quick.fetch; quick.setTimeout;',
    'const fetch = (x: number): number => x; fetch(1);',
    'function draw(random: () => number, performance: number) { return random() + performance; }',
    "import { inspect } from 'node:util';",
    "import { map } from 'rxjs';",
    '// Date.now() in a comment, "Math.random()" in a text\nconst a = "Date.now()";',
    'const has = typeof performance === "object";',
    "import { fetch as get } from './own.js'; get();",
    'const f = 1; export { f as fetch };',
    'try { f(); } catch (performance) { log(performance); }',
    'const { abs, max } = Math; abs(max(1, 2));',
    'const C = class Worker {}; new C(); crypto: for (;;) break crypto;',
  ])('is pure: %s', (source) => {
    expect(findings(source)).toEqual([]);
  });

  it('is not taken for pure when it cannot be read', () => {
    expect(findings('const = ;')).toEqual([expect.stringMatching(/^1 it cannot be read: /)]);
    const long = impuritiesIn({ file: 's.ts', sha256: '' });
    expect(long.map(({ what }) => what)).toEqual(['too long to be read, or no text']);
  });
});

describe('the check before a backtest', () => {
  beforeEach(() => void vi.stubEnv('XDG_CACHE_HOME', folder()));
  afterEach(() => void vi.unstubAllEnvs());
  const check = (source: string): void => refuseImpure([{ file: 's.ts', sha256: '', source }], []);
  const marks = (): readonly string[] => readdirSync(join(cacheFolder(), 'pure'));

  it('remembers a text in which nothing was found, and no other', () => {
    check('export const one = 1;');
    check('export const one = 1;');
    for (let time = 0; time < 2; time++) expect(() => check('export const one = Date.now();')).toThrow('s.ts:1');
    expect(marks()).toHaveLength(1);
  });

  it('does without a cache folder', () => {
    mkdirSync(cacheFolder());
    writeFileSync(join(cacheFolder(), 'pure'), 'a file where the folder would be');
    expect(() => check('export const two = 2;')).not.toThrow();
  });
});

describe('oddsmaker backtest', () => {
  const write = (): string => {
    const home = folder();
    mkdirSync(join(home, 'parts'));
    writeFileSync(join(home, 'parts', 'clock.ts'), 'export const hour = (): number =>\n  new Date().getUTCHours();\n');
    writeFileSync(
      join(home, 'dice.ts'),
      `import { map } from 'rxjs';
import { z } from 'zod';
import { defineStrategy } from 'oddsmaker/strategy';
import { hour } from './parts/clock.ts';
export default defineStrategy({
  name: 'dice',
  params: z.object({}),
  create: () => (views$) =>
    views$.pipe(map(({ market }) => ({ market: market.id, quotes: [], reason: String(hour() + Math.random()) }))),
});
`,
    );
    return join(home, 'dice.ts');
  };
  const play = (file: string, setting = '') => {
    const tape = join(folder(), 'tape.ndjson.gz');
    writeGeneratedTape(tape, 5);
    const config = writeConfig(
      `exchange: { embedded: {} }\nstrategies: [{ use: ${file}, id: dice${setting} }]\n${NO_JOURNAL}`,
    );
    return command(['backtest', config, '--tape', tape, '--out', folder()]);
  };

  it('refuses an impure strategy, with the lines of its file and of its imports, and what to do', async () => {
    const { code, stderr } = await play(write());
    expect(code).toBe(78);
    expect(stderr).toMatch(/dice\.ts:9: Math\.random: take a number from the view/);
    expect(stderr).toMatch(/parts\/clock\.ts:2: new Date\(\): take view\.time/);
    expect(stderr).toContain('set `impure: true` for the strategy in the YAML');
  });

  it('ends a strategy that reads the clock through a package, and names the call', async () => {
    const file = join(folder(), 'stamped.ts');
    const source = `import { map, timestamp } from 'rxjs';
import { z } from 'zod';
import { defineStrategy } from 'oddsmaker/strategy';
export default defineStrategy({
  name: 'stamped',
  params: z.object({}),
  create: () => (views$) => views$.pipe(timestamp(), map(({ value: { market } }) => ({ market: market.id, quotes: [] }))),
});
`;
    writeFileSync(file, source);
    const refused = await play(file);
    expect(refused.stdout + refused.stderr).toMatch(/it read the clock \(Date\.now\): take view\.time/);
    const impure = await play(file, ', impure: true');
    expect(impure.stdout + impure.stderr).not.toContain('Date.now');
  });

  it('plays an impure strategy that the configuration declares as impure, and says so', async () => {
    const { code, stdout } = await play(write(), ', impure: true');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^impure, as the YAML says: two runs may differ: .*dice\.ts$/m);
  });
});
