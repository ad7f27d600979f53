// Age of outside prices when strategies read them, counted from the time that the sender states.
import type { AgeFigures } from '../domain/index.ts';
import { AgeCounts } from '../domain/index.ts';

/** `reads`: how often a strategy read it while it was valid. */
export type SignalAge = AgeFigures & { readonly name: string };

/** One row per name, the most read first, and one over all names; `all` is undefined when none was read. */
export function signalAges(ages: ReadonlyMap<string, AgeCounts>): {
  readonly all: AgeFigures | undefined;
  readonly names: readonly SignalAge[];
} {
  const names = [...ages]
    .flatMap(([name, { figures }]) => (figures === undefined ? [] : { name, ...figures }))
    .sort((a, b) => b.reads - a.reads || (a.name < b.name ? -1 : 1));
  return { all: AgeCounts.sum(ages.values()).figures, names };
}
