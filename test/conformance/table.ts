// The pages of conformance: every row of the spec, the tests that show it and the ways in over which they passed.
import type { Row } from './rows.ts';
import { keyOf } from './rows.ts';
import type { RowTest } from './section.ts';
import type { Over } from './transport.ts';
import { item, wrapped } from '../support/paragraphs.ts';
import { WAYS } from './transport.ts';

/** A test counts over a way in when it passed there. */
export type Passed = ReadonlyMap<RowTest, ReadonlySet<Over>>;

/** What a test shows only when it passed over every way in that it is meant for. */
const hasPassed = (rowTest: RowTest, passed: Passed): boolean =>
  rowTest.over.every((over) => passed.get(rowTest)?.has(over) === true);

export type Gaps = { readonly withoutTest: readonly string[]; readonly noSuchRow: readonly string[] };

/** Rows that no passing test shows, and what tests claim to show that is no row. */
export function gapsOf(
  rows: readonly Row[],
  rowTests: readonly RowTest[],
  passed: Passed,
  notShown: ReadonlyMap<string, string>,
): Gaps {
  const known = new Set(rows.map(keyOf));
  const shown = new Set(rowTests.filter((rowTest) => hasPassed(rowTest, passed)).flatMap((rowTest) => rowTest.rows));
  const claimed = new Set([...rowTests.flatMap((rowTest) => rowTest.rows), ...notShown.keys()]);
  return {
    withoutTest: [...known].filter((key) => !shown.has(key) && !notShown.has(key)),
    noSuchRow: [...claimed].filter((key) => !known.has(key)),
  };
}

/** Where a page begins: the name of its file, and the first section of the spec on it. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  'What the service does': 'objects',
  Endpoints: 'requests',
  Events: 'events',
  Errors: 'errors',
  Limits: 'limits',
  'Handshake, login, user': 'wire-profile',
  'The family: what clients in the wild call, and expect': 'family',
};

/** The pages by their paths from docs/reference, the first of which leads to the others. */
export function pagesOf(
  rows: readonly Row[],
  rowTests: readonly RowTest[],
  passed: Passed,
  notShown: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const pages = new Map<string, string[]>();
  let page = '';
  for (const [heading, rowsOfHeading] of Map.groupBy(rows, ({ section }) => section)) {
    page = BEGINNINGS[heading] ?? page;
    const lines = pages.get(page) ?? [`# Conformance: ${page} (a generated list)`];
    pages.set(page, lines);
    lines.push('', `## ${escaped(heading)}`, '');
    for (const [shown, sameRows] of Map.groupBy(rowsOfHeading, (row) => shownOf(row, rowTests, passed, notShown)))
      lines.push(item(`**${sameRows.map(({ name }) => escaped(name)).join(', ')}**: ${shown}`));
  }
  const open = rows.filter((row) => notShown.has(keyOf(row))).length;
  const index = [
    '# Conformance of the paper exchange (a generated list)',
    '',
    wrapped(
      'Every row of the exchange’s specification and of the wire profile, and the tests that show the paper exchange keeping to it. The word before the colon is a file in `test/conformance/sections`. Each test runs over loopback sockets and in process; one that can run only one way says which. `npx vitest run test/conformance -u` writes these pages; the suite fails when a row has no test that passes.',
    ),
    '',
    `${rows.length} rows: ${rows.length - open} shown, ${open} not shown, with the reason.`,
    '',
    ...[...pages.keys()].map((name) => `- [${name}](conformance/${name}.md)`),
  ];
  return new Map(
    [
      ['conformance.md', index] as const,
      ...[...pages].map(([name, lines]) => [`conformance/${name}.md`, lines] as const),
    ].map(([name, lines]) => [name, `${lines.join('\n')}\n`] as const),
  );
}

function shownOf(
  row: Row,
  rowTests: readonly RowTest[],
  passed: Passed,
  notShown: ReadonlyMap<string, string>,
): string {
  const key = keyOf(row);
  const tests = rowTests.filter((rowTest) => rowTest.rows.includes(key) && hasPassed(rowTest, passed));
  const reason = notShown.get(key);
  return [
    ...tests.map((rowTest) => escaped(`${rowTest.section}: ${rowTest.title}${overOf(rowTest)}`)),
    ...(reason === undefined ? [] : [escaped(`not shown: ${reason}`)]),
  ].join('; ');
}

const overOf = ({ over }: RowTest): string => (over.length === WAYS.length ? '' : ` (${over.join(', ')})`);

const escaped = (text: string): string => text.replaceAll('<', '\\<').replaceAll('{', '\\{').replaceAll('*', '\\*');
