// The conformance pages: every row of the spec, the tests that show it and the transports over which they
// passed.
import type { Row } from './rows.ts';
import { keyOf } from './rows.ts';
import type { RowTest } from './section.ts';
import type { Over } from './transport.ts';
import { item, wrapped } from '../support/paragraphs.ts';
import { WAYS } from './transport.ts';

/** The transports over which each test passed. */
export type Passed = ReadonlyMap<RowTest, ReadonlySet<Over>>;

/** True when the test passed over every transport for which it is meant. */
const hasPassed = (rowTest: RowTest, passed: Passed): boolean =>
  rowTest.over.every((over) => passed.get(rowTest)?.has(over) === true);

export type Gaps = { readonly withoutTest: readonly string[]; readonly noSuchRow: readonly string[] };

/** Rows without a passing test, and names in tests that are no row of the spec. */
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

/** The first section of the spec on each page, and the page's file name. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  'What the service does': 'objects',
  Endpoints: 'requests',
  Events: 'events',
  Errors: 'errors',
  Limits: 'limits',
  'Handshake, login, user': 'wire-profile',
  'The family: what clients in the wild call, and expect': 'family',
};

/** The pages by their paths in docs/reference. The first page links to the others. */
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
      'These pages list every row of the exchange’s specification and of the wire profile with the tests that show it. The word before the colon names a file in `test/conformance/sections`. Each test runs over loopback sockets and in process; a test that runs only one way names that way. `npx vitest run test/conformance -u` writes these pages. The suite fails when a row has no passing test.',
    ),
    '',
    `${rows.length} rows: ${rows.length - open} shown by tests, ${open} not shown for the reason given.`,
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
