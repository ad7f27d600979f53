// docs/paper-exchange.md names every fault and every route of the operator's port that there is, what each preset sets, and
// first of all which one a client wants.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { adminRoutes, faultPlanSchema } from '../../src/paper/index.ts';
import { isOfPreset, profileSettings } from '../../src/wire/index.ts';

const page = readFileSync(new URL('../../docs/paper-exchange.md', import.meta.url), 'utf8');

it('lists every route of the operator’s port, and no other', () => {
  const told = [...page.matchAll(/^\| `((?:GET|POST|PUT|DELETE) \/[^`]*)` \|/gm)].map((match) => match[1]);
  expect(told.sort()).toEqual([...adminRoutes()].sort());
});

it('lists every fault, and no other', () => {
  const table = page.slice(page.indexOf('| fault |'), page.indexOf('Requests (`on:'));
  const told = [...table.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap((match) =>
    [...(match[1] ?? '').matchAll(/`([\w-]+)`/g)].map((name) => name[1]),
  );
  const faults = faultPlanSchema.shape.rules
    .unwrap()
    .element.options.map(({ shape }) => [...shape.fault.values][0]);
  expect(told.sort()).toEqual(faults.sort());
});

it('says in its first ten lines which preset an existing client wants, and why', () => {
  const first = page.split('\n').slice(0, 10).join(' ');
  expect(first).toMatch(/client that exists already wants `--profile preset=family`/);
  expect(first).toMatch(/shows what a taker gets/);
  expect(first).toMatch(/With the default, `preset=spec`, such a client .*meets nothing/);
});

it('lists every setting that a preset sets, and no other', () => {
  const table = page.slice(page.indexOf('## The two presets'), page.indexOf('A preset is the defaults'));
  const told = [...table.matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1]);
  expect(told).toEqual(Object.keys(profileSettings).filter(isOfPreset));
});
