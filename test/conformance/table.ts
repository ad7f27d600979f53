// The table of conformance: every row of the spec, the tests that show it and the ways in over which they passed.
import type { Row } from './rows.ts';
import { keyOf } from './rows.ts';
import type { Showing } from './section.ts';
import type { Over } from './transport.ts';
import { WAYS } from './transport.ts';

/** A test counts over a way in when it passed there. */
export type Passed = ReadonlyMap<Showing, ReadonlySet<Over>>;

/** What a test shows only when it passed over every way in that it is meant for. */
const hasPassed = (showing: Showing, passed: Passed): boolean =>
  showing.over.every((over) => passed.get(showing)?.has(over) === true);

export type Gaps = { readonly withoutTest: readonly string[]; readonly noSuchRow: readonly string[] };

/** Rows that no passing test shows, and what tests claim to show that is no row. */
export function gapsOf(
  rows: readonly Row[],
  showings: readonly Showing[],
  passed: Passed,
  notShown: ReadonlyMap<string, string>,
): Gaps {
  const known = new Set(rows.map(keyOf));
  const shown = new Set(showings.filter((one) => hasPassed(one, passed)).flatMap((one) => one.rows));
  const claimed = new Set([...showings.flatMap((one) => one.rows), ...notShown.keys()]);
  return {
    withoutTest: [...known].filter((key) => !shown.has(key) && !notShown.has(key)),
    noSuchRow: [...claimed].filter((key) => !known.has(key)),
  };
}

export function tableOf(
  rows: readonly Row[],
  showings: readonly Showing[],
  passed: Passed,
  notShown: ReadonlyMap<string, string>,
): string {
  const open = rows.filter((row) => notShown.has(keyOf(row))).length;
  const lines = [
    '# Conformance of the paper exchange',
    '',
    'Every row of the exchange’s specification and of the wire profile, and the tests that show the paper exchange keeping to',
    'it. The word before the colon is a file in `test/conformance/sections`. Each test runs over loopback sockets and in',
    'process, unless only one of them can have what it is about. Made by `npx vitest run test/conformance -u`; the suite',
    'fails when a row has no test that passes.',
    '',
    `${rows.length} rows: ${rows.length - open} shown, ${open} not shown, with the reason.`,
  ];
  for (const document of new Set(rows.map((row) => row.document))) {
    lines.push('', `## ${document}`);
    const own = rows.filter((row) => row.document === document);
    for (const heading of new Set(own.map((row) => row.section))) {
      lines.push('', `### ${escaped(heading)}`, '', '| row | what is shown | over |', '| --- | --- | --- |');
      for (const row of own.filter((one) => one.section === heading))
        lines.push(...linesOf(row, showings, passed, notShown));
    }
  }
  return `${lines.join('\n')}\n`;
}

function linesOf(
  row: Row,
  showings: readonly Showing[],
  passed: Passed,
  notShown: ReadonlyMap<string, string>,
): readonly string[] {
  const key = keyOf(row);
  const tests = showings.filter((one) => one.rows.includes(key) && hasPassed(one, passed));
  const lines = tests.map((one) => [row.name, `${one.section}: ${one.title}`, overOf(one)]);
  const why = notShown.get(key);
  if (why !== undefined) lines.push([row.name, `not shown: ${why}`, '–']);
  return lines.map((cells) => `| ${cells.map(escaped).join(' | ')} |`);
}

const overOf = ({ over }: Showing): string => (over.length === WAYS.length ? 'both' : over.join(', '));

const escaped = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll('<', '\\<').replaceAll('{', '\\{').replaceAll('*', '\\*');
