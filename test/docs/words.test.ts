// Words that a reader should not have to learn, counted in code, comments, tests and docs. Each one left is listed with
// its reason; a folder that is not listed has none.
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

/** Words left, by folder, each with its reason. */
const LEFT: Readonly<Record<string, number>> = {
  // names of version 0.2, on the page that lists what was renamed
  docs: 3,
  // `is_told`, a column of databases on users' disks, which their SQL reads
  'docs/reference': 2,
  'src/ledger': 7,
  'test/ledger': 7,
  // names of version 0.2 in JSON: `depth.told` of `tape info`, and `cannotTell` of report.json
  'src/cli': 5,
  'test/cli': 1,
  'test/report': 1,
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
