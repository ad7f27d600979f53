// How old outside prices were when strategies read them: the age of a signal begins when it was true, as its sender says.
import { AgeCounts } from '../domain/index.ts';

export type SignalAge = {
  readonly name: string;
  /** How often a strategy read it, while it held. */
  readonly reads: number;
  /** ms, at most 5 % too high: half, and 95 of 100, of the reads found it no older. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** At the last read, ms. */
  readonly lastMs: number;
};

/** A row a name, the one that is read most often first; and one over all of them, undefined where none was read. */
export function signalAges(ages: ReadonlyMap<string, AgeCounts>): {
  readonly all: Omit<SignalAge, 'name'> | undefined;
  readonly names: readonly SignalAge[];
} {
  const all = new AgeCounts();
  for (const one of ages.values()) all.addAll(one);
  const names = [...ages]
    .map(([name, counts]) => ({ name, ...rowOf(counts) }))
    .sort((a, b) => b.reads - a.reads || (a.name < b.name ? -1 : 1));
  return { all: all.count === 0 ? undefined : rowOf(all), names };
}

const rowOf = (counts: AgeCounts): Omit<SignalAge, 'name'> => ({
  reads: counts.count,
  p50Ms: counts.quantile(0.5),
  p95Ms: counts.quantile(0.95),
  lastMs: Math.round(counts.last),
});
