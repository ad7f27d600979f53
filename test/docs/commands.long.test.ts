// The commands of README.md and of the pages in docs, and those that no test types.
import { describe, expect, it } from 'vitest';
import { blocksOf, commandsOf } from '../support/typed.ts';
import { textOf } from './pages.ts';
import { isTyped, NOT_TYPED, PAGES, typePages } from './typed-pages.ts';

const KINDS = ['sh', 'console', 'text', 'yaml', 'ts', 'json', 'ini', 'mermaid', 'sql', 'python'];

typePages(PAGES.filter((page) => /^(?:docs\/)?[^/]+$/.test(page)));

describe('commands that no test runs', () => {
  it('are exactly those of the list with reasons', () => {
    const shown = PAGES.flatMap((page) => [
      ...commandsOf(textOf(page)).flatMap(({ line }) => line.split(' && ').filter((part) => !isTyped(part))),
      ...blocksOf(textOf(page), 'console').flatMap((block) => block.trimEnd().split('\n')),
    ]);
    console.log(
      Object.entries(NOT_TYPED)
        .map(([line, why]) => `not typed: ${line}: ${why}`)
        .join('\n'),
    );
    expect([...new Set(shown)].sort()).toEqual(Object.keys(NOT_TYPED).sort());
  });

  it('stand in no other kind of block', () => {
    for (const page of PAGES) {
      const kinds = [...textOf(page).matchAll(/^```(.*)\n[^]*?^```$/gm)].map(([, kind]) => kind);
      expect(KINDS, page).toEqual(expect.arrayContaining(kinds));
      expect(blocksOf(textOf(page), 'text').join('\n'), page).not.toMatch(/^(?:\$ |npx |npm |oddsmaker )/m);
    }
  });
});
