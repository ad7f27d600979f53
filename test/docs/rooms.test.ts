// docs/reference/architecture.md names every room, in the order in which rooms import each other.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/children.ts';

type Rules = { readonly forbidden: readonly { readonly name: string; readonly comment: string }[] };

const page = readFileSync(join(ROOT, 'docs/reference/architecture.md'), 'utf8');
const named = [...page.matchAll(/^\| `([a-z]+)` \| /gm)].map(([, room = '']) => room);

it('the table of rooms has each folder of src once', () => {
  const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect([...named].sort()).toEqual(folders.map(({ name }) => name).sort());
});

it('a room may import rooms that stand above it alone', () => {
  const rules = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as Rules;
  const all = rules.forbidden.filter(({ name }) => name.endsWith('-rooms'));
  expect(all.length).toBeGreaterThan(20);
  for (const { name, comment } of all) {
    const above = named.slice(0, named.indexOf(name.replace('-rooms', '')));
    const may = (comment.split('may import ')[1] ?? '').match(/[a-z]+(?=[, .]|$)/g) ?? [];
    const rooms = may.filter((room) => named.includes(room));
    expect(
      rooms.filter((room) => !above.includes(room)),
      name,
    ).toEqual([]);
  }
});

it('names files that are there', () => {
  const files = [...page.matchAll(/`(src\/[\w/-]+\.ts)`/g)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(8);
  for (const file of files) expect(() => readFileSync(join(ROOT, file)), file).not.toThrow();
});
