// Words that a reader of this project should never have to learn, counted in code, comments, tests and docs. The counts may only
// fall: a folder that is rewritten lowers its number here, and one that is not named has none.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/children.ts';

const WORDS = [
  ...['told', 'tell', 'tells', 'telling', 'untell', 'retell', 'retold'],
  ...['whoever', 'whomever', 'nobody', 'somebody', 'anybody', 'of which'],
  ...['hear', 'hears', 'heard', 'unheard', 'hearing'],
  ...['stray', 'strays', 'deed', 'deeds', 'purse', 'unwise'],
];
const WORD = new RegExp(`\\b(?:${WORDS.join('|')})\\b`, 'gi');
const TEXT = /\.(?:ts|tsx|js|mjs|cjs|md|yaml|yml|json|css|html|py|sh|service)$/;
const FOLDERS = [
  '.ci',
  'bench',
  'bin',
  'config',
  'docs',
  'examples',
  'ops',
  'src',
  'strategies',
  'templates',
  'test',
  'web',
];
/** Recorded outputs of former versions, and what a build makes. */
const NOT_OURS = /^test\/upgrade\/|^docs\/api\/|^test\/docs\/words\.test\.ts$|(?:^|\/)(?:node_modules|dist)\//;

/** Words left, by folder: each is to become plain English. */
const LEFT: Readonly<Record<string, number>> = {
  'CHANGELOG.md': 8,
  'CONTRIBUTING.md': 1,
  'README.md': 7,
  'SECURITY.md': 4,
  bench: 88,
  bin: 5,
  docs: 105,
  'docs/adr': 15,
  'docs/design': 5,
  'docs/reference': 154,
  'docs/run': 43,
  examples: 5,
  ops: 12,
  'src/account': 5,
  'src/backtest': 27,
  'src/cli': 9,
  'src/config': 8,
  'src/domain': 19,
  'src/engine': 14,
  'src/exchange': 4,
  'src/import': 3,
  'src/journal': 1,
  'src/ledger': 11,
  'src/live': 15,
  'src/page': 101,
  'src/paper': 3,
  'src/pricing': 1,
  'src/replay': 1,
  'src/report': 6,
  'src/run': 2,
  'src/setup': 6,
  'src/signals': 2,
  'src/sweep': 154,
  'src/traders': 21,
  'src/venue': 15,
  strategies: 1,
  templates: 1,
  'test/account': 9,
  'test/backtest': 344,
  'test/cli': 293,
  'test/config': 15,
  'test/conform': 8,
  'test/conformance': 129,
  'test/docs': 20,
  'test/domain': 22,
  'test/e2e': 15,
  'test/engine': 162,
  'test/examples': 25,
  'test/exchange': 24,
  'test/fault': 29,
  'test/frame': 2,
  'test/guard': 34,
  'test/import': 62,
  'test/journal': 42,
  'test/ledger': 55,
  'test/live': 31,
  'test/mirror': 16,
  'test/mutants': 1,
  'test/ops': 46,
  'test/orders': 138,
  'test/package': 3,
  'test/page': 66,
  'test/paper': 185,
  'test/report': 22,
  'test/risk': 2,
  'test/run': 31,
  'test/setup': 7,
  'test/signals': 127,
  'test/soak': 6,
  'test/strategies': 5,
  'test/strategy': 13,
  'test/support': 32,
  'test/sweep': 46,
  'test/table': 1,
  'test/tape': 22,
  'test/traders': 35,
  'test/venue': 10,
  'test/wire': 50,
  web: 56,
};

/** A folder of `src` or `docs`, or else the first part of a path. */
const folderOf = (file: string): string => {
  const [first = '', second = '', ...more] = file.split('/');
  return ['src', 'docs', 'test'].includes(first) && more.length > 0 ? `${first}/${second}` : first;
};

/** Names are read as words: `isTold` has *told* in it. */
const wordsIn = (text: string): number =>
  (
    text
      .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
      .replaceAll('_', ' ')
      .match(WORD) ?? []
  ).length;

function countsByFolder(): Readonly<Record<string, number>> {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  const counts: Record<string, number> = {};
  for (const file of [...files, 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md']) {
    if (!TEXT.test(file) || NOT_OURS.test(file)) continue;
    const count = wordsIn(readFileSync(join(ROOT, file), 'utf8'));
    if (count > 0) counts[folderOf(file)] = (counts[folderOf(file)] ?? 0) + count;
  }
  return counts;
}

describe('the words of the trade', () => {
  it('take the place of those of our own, folder by folder', () => {
    expect(countsByFolder()).toEqual(LEFT);
  });

  it('are counted in names and comments alike', () => {
    expect(wordsIn('// nobody hears it\nconst isTold = told; // Whoever')).toBe(5);
    expect(wordsIn('tellurium, a heart, unwisely')).toBe(0);
  });
});
