// Computes the change between two page states, and applies it.
import type { RowChanges, Rows } from './changes.ts';
import { changedFields, changedRowsInParts, withChanges } from './changes.ts';
import type { Parts } from './parts.ts';
import { wholeOf } from './parts.ts';
import type { PageState } from './state.ts';

/** The sections with rows by id. */
const SECTIONS = [
  'markets',
  'games',
  'orders',
  'externals',
  'fills',
  'attribution',
  'strategies',
  'log',
  'alerts',
  'recent',
  'curve',
] as const satisfies readonly (keyof PageState)[];

export type StateChange = {
  readonly now?: Record<string, unknown>;
} & { readonly [K in (typeof SECTIONS)[number]]?: RowChanges };

/** Returns the change, or undefined when nothing changed. */
export const changeOf = (before: PageState, after: PageState): StateChange | undefined =>
  wholeOf(changeInParts(before, after));

export function* changeInParts(before: PageState, after: PageState): Parts<StateChange | undefined> {
  const change: Record<string, unknown> = {};
  const now = changedFields(before.now, after.now);
  if (now !== undefined) change['now'] = now;
  for (const section of SECTIONS) {
    const rows = yield* changedRowsInParts(before[section], after[section]);
    if (rows !== undefined) change[section] = rows;
  }
  return Object.keys(change).length === 0 ? undefined : change;
}

/** Applies a change to a page state. */
export function changed(
  before: PageState,
  { seq, t, ...change }: StateChange & Pick<PageState, 'seq' | 't'>,
): PageState {
  const sections = SECTIONS.flatMap((section) => {
    const rows = change[section];
    return rows === undefined ? [] : [[section, withChanges(before[section] as Rows, rows)] as const];
  });
  return { ...before, seq, t, now: { ...before.now, ...change.now }, ...Object.fromEntries(sections) };
}
