// What comments cite of docs/design is there: `rules.md, 4` is the heading `## 4. …` of docs/design/rules.md.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/children.ts';

const headings = new Set(
  [...readFileSync(join(ROOT, 'docs/design/rules.md'), 'utf8').matchAll(/^## (\d+)\. /gm)].map(
    ([, number]) => number,
  ),
);
const sources = ['src', 'test', 'bench'].flatMap((room) =>
  readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('docs'))
    .map((name) => `${room}/${name}`),
);

it('every rule that a comment cites stands in rules.md', () => {
  const cited = sources.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/rules\.md, (\d+)(?: and (\d+))?/g)].flatMap(
      ([, first, second]) =>
        [first, second].filter((number) => number !== undefined).map((number) => ({ file, number })),
    ),
  );
  expect(cited.length).toBeGreaterThan(40);
  expect(cited.filter(({ number }) => !headings.has(number))).toEqual([]);
});

it('no comment cites a rule of a page that is not in the repository', () => {
  expect(sources.filter((file) => /DESIGN rule/.test(readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
});
