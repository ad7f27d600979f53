// Collects the tests of a section with the rows of the spec that they show. conformance.test.ts runs each
// test over each transport and records which passed.
import type { WorldOptions } from '../../src/paper/index.ts';
import type { TestVenue } from './kit.ts';
import type { Over } from './transport.ts';
import { WAYS } from './transport.ts';

export type RowTest = {
  readonly section: string;
  readonly rows: readonly string[];
  readonly title: string;
  readonly run: (venue: TestVenue) => Promise<void>;
  readonly over: readonly Over[];
  readonly world: WorldOptions;
};

/** `over` limits a test to one transport. All other fields replace those of the quiet world. */
export type Setting = WorldOptions & { readonly over?: Over };

export type Shows = (
  rows: readonly string[],
  title: string,
  run: (venue: TestVenue) => Promise<void>,
  setting?: Setting,
) => void;

export function section(name: string, define: (shows: Shows) => void): readonly RowTest[] {
  const rowTests: RowTest[] = [];
  define((rows, title, run, { over, ...world } = {}) =>
    rowTests.push({
      section: name,
      rows,
      title,
      run,
      over: over === undefined ? WAYS : [over],
      world,
    }));
  return rowTests;
}

/** The keys of several rows under one heading. */
export const rowsOf = (heading: string, ...names: readonly string[]): readonly string[] =>
  names.map((name) => `${heading} · ${name}`);
