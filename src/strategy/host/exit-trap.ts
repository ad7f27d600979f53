// Guards `process.exit` in a process that runs strategies: it throws when a strategy file calls it. Otherwise
// a bot would end with its orders open, and a backtest or a check without a message.
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/** The real `process.exit`: ends the process or the thread. */
export const leave = process.exit.bind(process);

/**
 * Whether Node itself called `process.exit`. Node ends a thread this way after an uncaught error. In the main
 * thread Node's frames only call callbacks of strategies, so there the answer is always false.
 */
const isOfNode = ({ stack }: { readonly stack?: unknown }): boolean =>
  !isMainThread && typeof stack === 'string' && (stack.split('\n')[2]?.includes('(node:internal/') ?? false);

const trap = (code?: number | string | null): never => {
  const error = new Error('process.exit() is not for strategies: emit no quotes, or throw');
  if (isOfNode(error)) return leave(code);
  throw error;
};

/** Makes `process.exit` throw from now on, for every file of the process. */
export function trapExit(): void {
  process.exit = trap;
  syncBuiltinESMExports();
}

/**
 * Prints the problems that are still unreported when the process of a test ends, and fails it.
 * @param unreported the problems that no call has thrown
 */
export function failAtExit(unreported: () => readonly string[]): void {
  process.once('exit', () => {
    const problems = unreported();
    if (problems.length === 0) return;
    process.stderr.write(`${problems.join('\n')}\n`);
    process.exitCode = 1;
  });
}
