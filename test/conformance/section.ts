// How a test says which rows of the spec it shows. A section only collects; conformance.test.ts runs it over each way in
// and keeps what passed.
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

/** `over`: only this way in, for what the other cannot have. The rest is the world in place of the quiet one. */
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

/** Several rows of one heading. */
export const rowsOf = (heading: string, ...names: readonly string[]): readonly string[] =>
  names.map((name) => `${heading} · ${name}`);
