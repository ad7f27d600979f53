// The reference of an own order tells whose it is and which player mode it trades in, across restarts:
// `instance.strategy.key.run-n` in coins, `instance.strategy.key.run-cash-n` in cash. The key may have dots of its own.
import type { OrderRef, PlayerMode, StrategyId } from '../domain/index.ts';
import type { Owner } from './records.ts';

/** A run as its references show it. */
export const shownRun = (run: string, mode: PlayerMode): string => (mode === 'cash' ? `${run}-cash` : run);

/** `run` and `count` make it unique. */
export const referenceOf = (instance: string, { strategy, key }: Owner, run: string, count: number): OrderRef =>
  `${instance}.${strategy}.${key}.${run}-${count.toString(36)}` as OrderRef;

const MAKER = /^(?<run>.*?)(?<cash>-cash)?-[^-]*$/;
const makerOf = (ref: string): RegExpExecArray | null => MAKER.exec(ref.slice(ref.lastIndexOf('.') + 1));

/** The run that made it. */
export const runOf = (ref: string): string => makerOf(ref)?.groups?.['run'] ?? '';

/** The first order that its run sent. */
export const isFirstOf = (ref: string): boolean => ref.endsWith('-1');

/** The player mode of an own order. */
export const modeOf = (ref: string): PlayerMode => (makerOf(ref)?.groups?.['cash'] === undefined ? 'coins' : 'cash');

/** Undefined for a reference that no run of this instance made. */
export function ownerOf(ref: string, instance: string): Owner | undefined {
  const first = ref.indexOf('.');
  if (first !== instance.length || !ref.startsWith(instance)) return undefined;
  const second = ref.indexOf('.', first + 1);
  const last = ref.lastIndexOf('.');
  return second > first && last > second + 1
    ? { strategy: ref.slice(first + 1, second) as StrategyId, key: ref.slice(second + 1, last) }
    : undefined;
}
