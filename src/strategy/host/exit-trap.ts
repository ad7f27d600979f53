// The end of a process that runs strategies. What a strategy file finds as `process.exit` throws: else a bot would be gone with
// its orders open, and a backtest or a check without a word.
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/** Ends the process or the thread, for us. */
export const leave = process.exit.bind(process);

/** Node itself ends a thread that way after what nobody caught; in the process it only calls what a strategy gave it. */
const isOfNode = ({ stack }: { readonly stack?: unknown }): boolean =>
  !isMainThread && typeof stack === 'string' && (stack.split('\n')[2]?.includes('(node:internal/') ?? false);

const trap = (code?: number | string | null): never => {
  const error = new Error('process.exit() is not for strategies: emit no quotes, or throw');
  if (isOfNode(error)) return leave(code);
  throw error;
};

/** From now on, for every file of the process. */
export function trapExit(): void {
  process.exit = trap;
  syncBuiltinESMExports();
}

/** What is wrong when the process of a test ends, and nobody was told, is told then, and fails it. */
export function failAtExit(left: () => readonly string[]): void {
  process.once('exit', () => {
    const problems = left();
    if (problems.length === 0) return;
    process.stderr.write(`${problems.join('\n')}\n`);
    process.exitCode = 1;
  });
}
