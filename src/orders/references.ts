// The reference of an own order tells whose it is, across restarts: `instance.strategy.key.run-n`. The key may have dots
// of its own.
import type { OrderRef, StrategyId } from '../domain/index.ts';

export type Owner = { readonly strategy: StrategyId; readonly key: string };

/** `run` and `count` make it unique. */
export const referenceOf = (
  instance: string,
  { strategy, key }: Owner,
  run: string,
  count: number,
): OrderRef => `${instance}.${strategy}.${key}.${run}-${count.toString(36)}` as OrderRef;

/** The run that made it. */
export const runOf = (ref: string): string => ref.slice(ref.lastIndexOf('.') + 1).replace(/-[^-]*$/, '');

/** Undefined for a reference that no run of this instance made. */
export function ownerOf(ref: string, instance: string): Owner | undefined {
  const [first, strategy, ...rest] = ref.split('.');
  const key = rest.slice(0, -1).join('.');
  return first === instance && strategy !== undefined && key !== ''
    ? { strategy: strategy as StrategyId, key }
    : undefined;
}
