// The pages of the paper exchange list every fault, every route of the operator's port and every setting of a
// preset, and begin with the preset that a client needs.
import { expect, it } from 'vitest';
import { adminRoutes, faultPlanSchema } from '../../src/paper/index.ts';
import { isOfPreset, profileSettings } from '../../src/wire/index.ts';
import { textOf } from './pages.ts';

const page = textOf('docs/paper-exchange.md');
const faultsPage = textOf('docs/paper-exchange-faults.md');

it('docs/paper-exchange-faults.md lists every route of the operator’s port, and no other', () => {
  const listed = [...faultsPage.matchAll(/^- `((?:GET|POST|PUT|DELETE) \/[^`]*)`:/gm)].map(([, route]) => route);
  expect(listed.sort()).toEqual([...adminRoutes()].sort());
});

it('docs/paper-exchange-faults.md lists every fault, and no other', () => {
  const list = faultsPage.slice(faultsPage.indexOf('## Choose the faults'), faultsPage.indexOf('## Choose when'));
  const listed = [...list.matchAll(/^- (`[^:]+`):/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`([\w-]+)`/g)].map(([, name]) => name),
  );
  const faults = faultPlanSchema.shape.rules.unwrap().element.options.map(({ shape }) => [...shape.fault.values][0]);
  expect(listed.sort()).toEqual(faults.sort());
});

it('docs/paper-exchange.md says in its first ten lines which preset an existing client needs, and why', () => {
  const first = page.split('\n').slice(0, 10).join(' ');
  expect(first).toMatch(/existing client needs `--profile preset=family`/);
  expect(first).toMatch(/shows what a taker gets/);
  expect(first).toMatch(/With the default, `preset=spec`, such a client .*matches nothing/);
});

it('docs/paper-exchange.md lists every setting that a preset sets, and no other', () => {
  const list = page.slice(page.indexOf('## Choose a preset'), page.indexOf('## Choose who else trades'));
  const listed = [...list.matchAll(/^- `(\w+)`$/gm)].map(([, name]) => name);
  expect(listed).toEqual(Object.keys(profileSettings).filter(isOfPreset));
});
