// A strategy that never returns blocks the event loop of a live run: no timer, signal or reply is processed.
// A second thread watches the loop. When the loop has stood still for half of guard.deadline, the thread logs
// the line, cancels all orders of the account by a login of its own, and ends the process. The final records
// are written by the main thread while the debugger holds it paused.
import { closeSync } from 'node:fs';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { Config } from '../config/index.ts';
import type { ExitCode, TakenText } from '../domain/index.ts';
import { EXIT, takenValues } from '../domain/index.ts';
import { ownModule } from '../files/index.ts';
import type { AlertSettings } from '../ops/index.ts';
import type { StuckLine } from './stuck-line.ts';

/** Index of the loop counter in the array that both threads share. */
export const TURNS = 0;
/** Index of the flag that is 1 once the main thread ends the run. */
export const ENDING = 1;
/** Names of the global symbols whose functions the watching thread calls on the main thread. */
export const NAME_STRATEGY = 'oddsmaker.stuck.strategy';
export const END_RUN = 'oddsmaker.stuck.end';

export type WatchedRun = {
  readonly turns: Int32Array<SharedArrayBuffer>;
  readonly deadlineMs: number;
  /** Exchange settings with the actual URLs and credentials, also for an embedded exchange. */
  readonly exchange: Config['exchange'];
  /** Targets of the alert that is sent before the run ends. */
  readonly alerts: readonly AlertSettings[];
  /** Secrets that the process took from its environment. They are removed from all output. */
  readonly taken: readonly TakenText[];
};

export type StuckEnd = {
  readonly strategy: string;
  readonly at: StuckLine;
  readonly text: string;
  /** Open orders at the end. Undefined when their number could not be confirmed. */
  readonly open: number | undefined;
};

const ENTRY = ownModule('live/stuck-run-thread');
const TICK_MS = 100;
/** Exits without the event loop. Bound now, because `process.exit` is replaced by a trap for strategies. */
const leave = (process as unknown as { readonly reallyExit: (code: number) => never }).reallyExit.bind(process);

/**
 * Watches the event loop of the process.
 *
 * @param strategy returns the strategy whose code runs, if any
 * @param end reports how the run ended, synchronously, and returns the exit code
 * @returns a function that ends the watch
 */
export function watchRun(
  run: Omit<WatchedRun, 'turns' | 'taken'>,
  strategy: () => string | undefined,
  end: (stuck: StuckEnd) => ExitCode,
): () => void {
  const watched: WatchedRun = { ...run, taken: takenValues(), turns: new Int32Array(new SharedArrayBuffer(8)) };
  const calls = globalThis as unknown as Record<symbol, unknown>;
  calls[Symbol.for(NAME_STRATEGY)] = strategy;
  calls[Symbol.for(END_RUN)] = (stuck: StuckEnd): never => {
    Atomics.store(watched.turns, ENDING, 1);
    let code: ExitCode = EXIT.bug;
    try {
      code = end(stuck);
    } catch (error) {
      process.stderr.write(`oddsmaker: a bug: ${inspect(error)}\n`);
    }
    // keeps Node's warning about the connected debugger out of the log
    closeSync(2);
    return leave(code);
  };
  const timer = setInterval(() => Atomics.add(watched.turns, TURNS, 1), Math.min(TICK_MS, run.deadlineMs / 20));
  const thread = new Worker(ENTRY, { workerData: watched });
  // a thread that fails to run only leaves the loop unwatched
  thread.on('error', () => undefined);
  thread.unref();
  return () => {
    clearInterval(timer);
    calls[Symbol.for(NAME_STRATEGY)] = undefined;
    calls[Symbol.for(END_RUN)] = undefined;
    void thread.terminate();
  };
}
