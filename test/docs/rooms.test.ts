// docs/reference/architecture.md names every room, in the order in which rooms import each other.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/children.ts';

type Rules = { readonly forbidden: readonly { readonly name: string; readonly comment: string }[] };

const page = readFileSync(join(ROOT, 'docs/reference/architecture.md'), 'utf8');
const named = [...page.matchAll(/^\| `([a-z]+)` \| /gm)].map(([, room = '']) => room);

it('docs/reference/architecture.md lists each folder of src once in its table of rooms', () => {
  const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect([...named].sort()).toEqual(folders.map(({ name }) => name).sort());
});

it('docs/reference/architecture.md lists each room below all rooms that it may import', () => {
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

it('docs/reference/architecture.md names files that exist', () => {
  const files = [...page.matchAll(/`(src\/[\w/-]+\.ts)`/g)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(8);
  for (const file of files) expect(() => readFileSync(join(ROOT, file)), file).not.toThrow();
});

/** The files that a file imports, directly or not, except for types and modules loaded on demand. */
function loadedBy(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [statement, path = ''] of readFileSync(file, 'utf8').matchAll(
    /^(?:import|export)(?! type\b)[^;]*?from '(\.[^']+)';/gms,
  ))
    if (!/^(?:import|export) \{(?:\s*type \w+,?)+\s*\}/.test(statement)) loadedBy(resolve(dirname(file), path), seen);
  return seen;
}

it.each(['report', 'gate', 'pnl', 'export', 'why', 'events'])(
  'oddsmaker %s reads the journal without loading a module of the core',
  (name) => {
    const loaded = [...loadedBy(join(ROOT, `src/cli/${name}.ts`))].map((file) => relative(join(ROOT, 'src'), file));
    expect(loaded).toContain(`cli/${name}.ts`);
    expect(loaded).toContain('journal/index.ts');
    expect(loaded.filter((file) => /^(?:engine|replay|orders|mirror|risk)\//.test(file))).toEqual([]);
  },
);
