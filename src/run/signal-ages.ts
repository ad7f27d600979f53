// How old outside prices were when strategies read them: the age of a signal begins when it was true, as its sender says.
import type { AgeFigures } from '../domain/index.ts';
import { AgeCounts } from '../domain/index.ts';

/** `reads`: how often a strategy read it while it held. */
export type SignalAge = AgeFigures & { readonly name: string };

/** A row a name, the one that is read most often first; and one over all of them, undefined where none was read. */
export function signalAges(ages: ReadonlyMap<string, AgeCounts>): {
  readonly all: AgeFigures | undefined;
  readonly names: readonly SignalAge[];
} {
  const names = [...ages]
    .flatMap(([name, { figures }]) => (figures === undefined ? [] : { name, ...figures }))
    .sort((a, b) => b.reads - a.reads || (a.name < b.name ? -1 : 1));
  return { all: AgeCounts.sum(ages.values()).figures, names };
}
