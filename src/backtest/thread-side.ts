// The thread's side of the pool (thread-pool.ts): the messages between both, as plain values, and the handler
// of a thread.
import { Console } from 'node:console';
import { parentPort } from 'node:worker_threads';
import type { ErrorCode } from '../domain/index.ts';
import { OddsmakerError } from '../domain/index.ts';

/** The name under which the entry file of a thread exports its handler. */
export const HANDLER = 'handle';

export type ThreadTask<Job> = { readonly number: number; readonly job: Job };
export type ThreadAnswer<Done> = { readonly done: Done } | { readonly code: ErrorCode; readonly problem: string };
/**
 * A message about the job of this number: first, without `content`, that it began; then the messages of the
 * job itself.
 */
export type ThreadMessage<Message> = { readonly number: number; readonly content?: Message };

/** Makes the handler of a thread. An error that is no OddsmakerError ends the thread. */
export function inThread<Job, Done, Message = never>(
  run: (job: Job, report: (message: Message) => void) => Promise<Done>,
): (task: ThreadTask<Job>) => Promise<ThreadAnswer<Done>> {
  // as in the main process: stdout is reserved for the command's output
  globalThis.console = new Console(process.stderr);
  return async ({ number, job }) => {
    const post = (message: ThreadMessage<Message>): void => parentPort?.postMessage(message);
    try {
      post({ number });
      return { done: await run(job, (message) => post({ number, content: message })) };
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
