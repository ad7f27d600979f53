// Citations of docs/design in comments resolve: `rules.md, 4` is the heading `## 4. …` of
// docs/design/rules.md, and `figures.md, "One fill"` the heading `## One fill` of docs/design/figures.md.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/children.ts';

const headings = new Set(
  [...readFileSync(join(ROOT, 'docs/design/rules.md'), 'utf8').matchAll(/^## (\d+)\. /gm)].map(([, number]) => number),
);
const sources = ['src', 'test', 'bench'].flatMap((room) =>
  readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('docs'))
    .map((name) => `${room}/${name}`),
);

it('every rule that a comment cites exists in rules.md', () => {
  const cited = sources.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/rules\.md, (\d+)(?: and (\d+))?/g)].flatMap(
      ([, first, second]) =>
        [first, second].filter((number) => number !== undefined).map((number) => ({ file, number })),
    ),
  );
  expect(cited.length).toBeGreaterThan(40);
  expect(cited.filter(({ number }) => !headings.has(number))).toEqual([]);
});

it('no comment cites a page that is not in the repository', () => {
  const own = 'test/docs/citations.test.ts';
  const cites = /\bDESIGN\b|\b(?:REPORT|DOMAIN|ACCOUNT|EVENTS|SPORTS|PRICES|STYLE)\.md/;
  expect(sources.filter((file) => file !== own && cites.test(readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
});

it('every page that a comment names exists', () => {
  const named = sources.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(([page]) => ({ file, page })),
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter(({ page }) => !existsSync(join(ROOT, page)))).toEqual([]);
});

it('every section that a comment cites exists in its page', () => {
  const cited = sources.flatMap((file) =>
    [
      ...readFileSync(join(ROOT, file), 'utf8')
        // a citation may continue on the next line of its comment
        .replaceAll(/\n\s*(?:\/\/|\*) /g, ' ')
        .matchAll(/\b(figures|trade)\.md, "([^"]+)"/g),
    ].map(([, page = '', heading = '']) => ({ file, page, heading })),
  );
  expect(cited.length).toBeGreaterThan(12);
  for (const { file, page, heading } of cited)
    expect(readFileSync(join(ROOT, `docs/design/${page}.md`), 'utf8'), file).toContain(`\n## ${heading}\n`);
});
