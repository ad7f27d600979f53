// Finds the strategy whose code threw outside a step: in a timer of the process or in a promise.
import type { StrategyId } from '../../domain/index.ts';

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
