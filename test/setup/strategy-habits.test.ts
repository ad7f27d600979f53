// Valid code that is probably unintended, found in strategy files.
import { describe, expect, it } from 'vitest';
import { habitsIn, habitsOf } from '../../src/setup/index.ts';

const found = (source: string) => habitsIn({ file: 'a.ts', sha256: '', source }).map(({ line, text }) => [line, text]);

describe('state that all markets share', () => {
  it.each([
    ['a variable', 'let last: number | undefined;\nexport const f = (price: number) => {\n  last = price;\n};\n'],
    ['a counter', 'let last = 0;\nexport const f = () => last++;\n'],
    ['a map', 'const last = new Map<string, number>();\nexport const f = () => last.set("a", 1);\n'],
    ['a list', 'const last: number[] = [];\nexport function f() {\n  last.push(1);\n}\n'],
    ['an object', 'const last: Record<string, number> = {};\nexport const f = () => {\n  last["a"] = 1;\n};\n'],
  ])('is named at its declaration: %s', (_what, source) => {
    expect(found(source)).toEqual([[1, expect.stringMatching(/^last is one for all markets and games: .*`create`/)]]);
  });

  it.each([
    ['tables that are only read', 'const LINES = [1, 2];\nexport const f = () => LINES.map((line) => line + 1);\n'],
    ['state of each market', 'export const create = () => {\n  let last = 0;\n  return () => last++;\n};\n'],
    ['a name that a function shadows', 'export const f = () => {\n  const seen = new Set();\n  seen.add(1);\n};\n'],
    [
      'a name of a function that a table of the module has too',
      'let last = 1;\nexport const f = (prices: number[]) => {\n  let last = 0;\n  for (const price of prices) last = price;\n  return last;\n};\n',
    ],
  ])('is not: %s', (_what, source) => {
    expect(found(source)).toEqual([]);
  });
});

describe('operators that keep everything', () => {
  it('are named with their lines', () => {
    expect(found('views.pipe(\n  toArray(),\n  shareReplay(),\n);\nnew ReplaySubject();\n')).toEqual([
      [2, expect.stringMatching(/^toArray keeps every value/)],
      [3, expect.stringMatching(/^shareReplay keeps every value/)],
      [5, expect.stringMatching(/^ReplaySubject keeps every value/)],
    ]);
  });

  it('may be bounded', () => {
    expect(found('views.pipe(shareReplay(1));\nnew ReplaySubject(1);\n')).toEqual([]);
  });
});

describe('signals of the future', () => {
  it('are named, also where a name is put together', () => {
    expect(found('view.signals.get("closing/home");\nsignals.get(`final-score/${id}`);\n')).toEqual([
      [1, expect.stringMatching(/^the signal "closing\/home": .*must not read it/)],
      [2, expect.stringMatching(/^the signal "final-score\/"/)],
    ]);
  });

  it('are not those whose names only begin alike', () => {
    expect(found('signals.get("closest-book/home");\nmap.get("result");\n')).toEqual([]);
  });
});

it('reads the imports of a strategy, and leaves alone what it cannot read', () => {
  const part = { file: 'part.ts', sha256: '', source: 'let last = 0;\nexport const f = () => last++;\n' };
  const data = { file: 'data.json', sha256: '', source: '{}' };
  const strategy = { file: 'a.ts', sha256: '', source: 'const = ;', imports: [part, data] };
  expect(habitsOf([strategy])).toEqual([
    { file: 'part.ts', line: 1, text: expect.stringContaining('last is one') as string },
  ]);
});
