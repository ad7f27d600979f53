// Whose code it was that threw outside of a step: in a timer of the process, or in a promise.
import type { StrategyId } from '../../domain/index.ts';

export type StrategyModule = {
  readonly id: StrategyId;
  readonly file: string;
  /** As it stands in a stack. */
  readonly url: string;
};

/** Those whose file is on the stack; none where nobody can tell. */
export function thrownBy(modules: readonly StrategyModule[], { stack = '' }: Error): readonly StrategyModule[] {
  return modules.filter(({ url }) => isOn(stack, url));
}

/** A file is on a stack, in whatever life of it: threads count theirs by themselves. */
export const isOnInAnyGeneration = (stack: string, url: string): boolean => {
  const file = url.replace(/\?life=\d+$/, '');
  return isOn(stack, file) || stack.includes(`${file}?life=`);
};

/** A file is on a stack, in this life of it. */
export const isOn = (stack: string, url: string): boolean => stack.includes(`${url}:`);

/** What was thrown may be anything, and its own texts too: here they are texts. Never throws. */
export function asError(thrown: unknown): Error {
  const error = new Error('something was thrown that cannot be told');
  error.stack = '';
  try {
    if (!(thrown instanceof Error)) error.message = String(thrown);
    else {
      const { message, stack }: { readonly message: unknown; readonly stack?: unknown } = thrown;
      error.message = String(message);
      error.stack = typeof stack === 'string' ? stack : '';
    }
  } catch {
    // what could be told of it is told
  }
  return error;
}
