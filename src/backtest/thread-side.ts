// The side of a thread of the pool (thread-pool.ts): what passes between both, as plain values.
import { Console } from 'node:console';
import { parentPort } from 'node:worker_threads';
import type { ErrorCode } from '../domain/index.ts';
import { OddsmakerError } from '../domain/index.ts';

/** What the file of a thread exports. */
export const HANDLER = 'handle';

export type ThreadTask<Job> = { readonly number: number; readonly job: Job };
export type ThreadAnswer<Done> = { readonly done: Done } | { readonly code: ErrorCode; readonly problem: string };
/** Told of the job of that number: first that it began, then what it says itself. */
export type ThreadMessage<Told> = { readonly number: number; readonly told?: Told };

/** Makes the handler of a thread. What it throws, an OddsmakerError apart, ends the thread. */
export function inThread<Job, Done, Told = never>(
  run: (job: Job, tell: (told: Told) => void) => Promise<Done>,
): (task: ThreadTask<Job>) => Promise<ThreadAnswer<Done>> {
  // as in the process: stdout is for what the command produces
  globalThis.console = new Console(process.stderr);
  return async ({ number, job }) => {
    const say = (word: ThreadMessage<Told>): void => parentPort?.postMessage(word);
    try {
      say({ number });
      return { done: await run(job, (told) => say({ number, told })) };
    } catch (error) {
      // the class of an error does not pass between threads
      if (error instanceof OddsmakerError) return { code: error.code, problem: error.message };
      queueMicrotask(() => {
        throw error;
      });
      return new Promise<never>(() => undefined);
    }
  };
}
