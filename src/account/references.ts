// The reference of an own order shows its owner and its player mode across restarts:
// `instance.strategy.key.run-n` in coins, `instance.strategy.key.run-cash-n` in cash. The key may contain
// dots.
import type { OrderRef, PlayerMode, StrategyId } from '../domain/index.ts';
import type { Owner } from './records.ts';

/** The run part of a reference. */
export const shownRun = (run: string, mode: PlayerMode): string => (mode === 'cash' ? `${run}-cash` : run);

/** The reference of a new order. `run` and `count` make it unique. */
export const referenceOf = (instance: string, { strategy, key }: Owner, run: string, count: number): OrderRef =>
  `${instance}.${strategy}.${key}.${run}-${count.toString(36)}` as OrderRef;

const RUN_PART = /^(?<run>.*?)(?<cash>-cash)?-[^-]*$/;
const runPartOf = (ref: string): RegExpExecArray | null => RUN_PART.exec(ref.slice(ref.lastIndexOf('.') + 1));

/** The run that made the reference; empty when it has no run part. */
export const runOf = (ref: string): string => runPartOf(ref)?.groups?.['run'] ?? '';

/** True for the first order that its run sent. */
export const isFirstOf = (ref: string): boolean => ref.endsWith('-1');

/** The player mode in the reference of an own order. */
export const modeOf = (ref: string): PlayerMode => (runPartOf(ref)?.groups?.['cash'] === undefined ? 'coins' : 'cash');

/** The strategy and key in a reference; undefined for a reference that no run of this instance made. */
export function ownerOf(ref: string, instance: string): Owner | undefined {
  const first = ref.indexOf('.');
  if (first !== instance.length || !ref.startsWith(instance)) return undefined;
  const second = ref.indexOf('.', first + 1);
  const last = ref.lastIndexOf('.');
  return second > first && last > second + 1
    ? { strategy: ref.slice(first + 1, second) as StrategyId, key: ref.slice(second + 1, last) }
    : undefined;
}
