// The pages of the paper exchange name every fault and every route of the operator's port that there is, what each preset sets,
// and first of all which one a client wants.
import { expect, it } from 'vitest';
import { adminRoutes, faultPlanSchema } from '../../src/paper/index.ts';
import { isOfPreset, profileSettings } from '../../src/wire/index.ts';
import { textOf } from './pages.ts';

const page = textOf('docs/paper-exchange.md');
const faultsPage = textOf('docs/paper-exchange-faults.md');

it('lists every route of the operator’s port, and no other', () => {
  const told = [...faultsPage.matchAll(/^- `((?:GET|POST|PUT|DELETE) \/[^`]*)`:/gm)].map(([, route]) => route);
  expect(told.sort()).toEqual([...adminRoutes()].sort());
});

it('lists every fault, and no other', () => {
  const list = faultsPage.slice(faultsPage.indexOf('## Choose the faults'), faultsPage.indexOf('## Choose when'));
  const told = [...list.matchAll(/^- (`[^:]+`):/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`([\w-]+)`/g)].map(([, name]) => name),
  );
  const faults = faultPlanSchema.shape.rules.unwrap().element.options.map(({ shape }) => [...shape.fault.values][0]);
  expect(told.sort()).toEqual(faults.sort());
});

it('says in its first ten lines which preset an existing client wants, and why', () => {
  const first = page.split('\n').slice(0, 10).join(' ');
  expect(first).toMatch(/existing client needs `--profile preset=family`/);
  expect(first).toMatch(/shows what a taker gets/);
  expect(first).toMatch(/With the default, `preset=spec`, such a client .*matches nothing/);
});

it('lists every setting that a preset sets, and no other', () => {
  const list = page.slice(page.indexOf('## Choose a preset'), page.indexOf('## Choose who else trades'));
  const told = [...list.matchAll(/^- `(\w+)`$/gm)].map(([, name]) => name);
  expect(told).toEqual(Object.keys(profileSettings).filter(isOfPreset));
});
