// The pages for people, as the tests of the documentation read them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/children.ts';

export const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

const pagesIn = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => name.endsWith('.md') && !name.startsWith('docs/api/'))
    .sort();

export const DOCS = pagesIn('docs');
export const DECISIONS = DOCS.filter((page) => page.startsWith('docs/adr/'));
/** Everything that links or names pages. */
export const LINKING = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', ...DOCS]
  .concat(pagesIn('examples'), pagesIn('templates'))
  .sort();

/** Whether a test writes the page, as its first line says. Such a page may be of any length. */
export const isGenerated = (page: string): boolean => /^# .* \(a generated list\)\n/.test(textOf(page));
