// What a strategy threw: as an error, with its place, and whose code it was when it was thrown outside a step, in a timer
// of the process or in a promise.
import type { StrategyId } from '../../domain/index.ts';
import { OWN_CODE } from '../../files/index.ts';

/** A loaded strategy file. */
export type StrategyModule = {
  readonly id: StrategyId;
  readonly file: string;
  /** URL of the file as it appears in stacks. */
  readonly url: string;
};

/** The strategies whose file is on the stack. Empty when the stack names none. */
export function thrownBy(modules: readonly StrategyModule[], { stack = '' }: Error): readonly StrategyModule[] {
  return modules.filter(({ url }) => isOn(stack, url));
}

/** Whether a file of any generation is on a stack. Threads number their generations separately. */
export const isOnInAnyGeneration = (stack: string, url: string): boolean => {
  const file = url.replace(/\?life=\d+$/, '');
  return isOn(stack, file) || stack.includes(`${file}?life=`);
};

/** Whether a file of exactly this generation is on a stack. */
export const isOn = (stack: string, url: string): boolean => stack.includes(`${url}:`);

/** A thrown value as an error whose message and stack are strings, whatever it was. Never throws. */
export function asError(thrown: unknown): Error {
  const error = new Error('something was thrown that cannot be shown');
  error.stack = '';
  try {
    if (!(thrown instanceof Error)) error.message = String(thrown);
    else {
      const { message, stack }: { readonly message: unknown; readonly stack?: unknown } = thrown;
      error.message = String(message);
      error.stack = typeof stack === 'string' ? stack : '';
    }
  } catch {
    // the parts that could be read are kept
  }
  return error;
}

/**
 * The place where an error was thrown, as ` (name.ts:12)`, in a file of the strategy's author if there is
 * one. Folders are left out, because they differ between machines.
 */
export const placeOf = (error: Error): string => placeIn(error.stack ?? '');

/** The place in a stack, as ` (name.ts:12)`. */
export function placeIn(stack: string): string {
  const places = [...stack.matchAll(/(\S*?)([^/\\()\s]+\.[cm]?[jt]s)(?:\?[^:]*)?:(\d+):\d+\)?$/gm)];
  const others = places.filter(([, folder = '']) => !folder.includes(OWN_CODE));
  const place = others.find(([, folder = '']) => !folder.includes('/node_modules/')) ?? others[0];
  return place === undefined ? '' : ` (${place[2]}:${place[3]})`;
}
