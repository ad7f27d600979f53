// What a backtest refuses in strategy files: whatever makes two runs of it differ.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { impuritiesIn } from '../../src/cli/purity.ts';
import { command, folder, NO_JOURNAL, writeConfig } from '../support/children.ts';
import { writeGeneratedTape } from '../support/generated-tape.ts';

const told = (source: string): readonly string[] =>
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
    ["const t = globalThis['Date'].now();", '1 globalThis.Date'],
    ["const t = Date['now']();", '1 Date.now'],
    ['setTimeout(() => {}, 1);', '1 setTimeout'],
    ['queueMicrotask(() => {});', '1 queueMicrotask'],
    ["import { readFileSync } from 'node:fs';", '1 import of node:fs'],
    ["import http from 'http';", '1 import of http'],
    ["const fs = await import('fs/promises');", '1 import of fs/promises'],
    ['const page = await fetch("http://x");', '1 fetch'],
    ['const mode = process.env.MODE;', '1 process.env'],
  ])('is impure: %s', (source, what) => {
    expect(told(source)).toEqual([what]);
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
  ])('is pure: %s', (source) => {
    expect(told(source)).toEqual([]);
  });

  it('that is no JavaScript is left to whoever loads it', () => {
    expect(told('const = ;')).toEqual([]);
  });
});

describe('a backtest', () => {
  const write = (): string => {
    const home = folder();
    mkdirSync(join(home, 'parts'));
    writeFileSync(
      join(home, 'parts', 'clock.ts'),
      'export const hour = (): number =>\n  new Date().getUTCHours();\n',
    );
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
  const play = (file: string, more = '') => {
    const tape = join(folder(), 'tape.ndjson.gz');
    writeGeneratedTape(tape, 5);
    const config = writeConfig(
      `exchange: { embedded: {} }\nstrategies: [{ use: ${file}, id: dice${more} }]\n${NO_JOURNAL}`,
    );
    return command(['backtest', config, '--tape', tape, '--out', folder()]);
  };

  it('refuses it, with the lines of the file and of what it imports, and what to do', async () => {
    const { code, stderr } = await play(write());
    expect(code).toBe(78);
    expect(stderr).toMatch(/dice\.ts:9: Math\.random: take a number from the view/);
    expect(stderr).toMatch(/parts\/clock\.ts:2: new Date\(\): take the time of the view/);
    expect(stderr).toContain('say `impure: true` of the strategy in the YAML');
  });

  it('plays it where the YAML says that it is impure, and says so', async () => {
    const { code, stdout } = await play(write(), ', impure: true');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^impure, as the YAML says: two runs may differ: .*dice\.ts$/m);
  });
});
