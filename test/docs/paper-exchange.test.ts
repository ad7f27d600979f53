// docs/paper-exchange.md names every fault and every route of the operator's port that there is.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { adminRoutes, faultPlanSchema } from '../../src/paper/index.ts';

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
