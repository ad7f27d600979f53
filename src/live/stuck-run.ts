// A strategy that never returns holds the loop of a live run for ever: no timer, no signal and no answer is seen any more. A
// thread looks on. At half of guard.deadline it names the line and cancels everything on the account by a login of its own;
// when nothing is open it ends the process: what has to be told at the end is told by the main thread, while it is paused.
import { closeSync } from 'node:fs';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { Config } from '../config/index.ts';
import type { ExitCode, TakenText } from '../domain/index.ts';
import { EXIT, takenValues } from '../domain/index.ts';
import type { AlertSettings } from '../ops/index.ts';
import type { StuckLine } from './stuck-line.ts';

/** In the order of the array that both threads share. */
export const TURNS = 0;
/** 1 once the main thread ends the run. */
export const ENDING = 1;
/** What the thread calls on the main thread. */
export const NAME_STRATEGY = 'oddsmaker.stuck.strategy';
export const END_RUN = 'oddsmaker.stuck.end';

export type WatchedRun = {
  readonly turns: Int32Array<SharedArrayBuffer>;
  readonly deadlineMs: number;
  /** With the account's own addresses and credentials, also where the exchange is embedded. */
  readonly exchange: Config['exchange'];
  /** Who is told before the run ends. */
  readonly alerts: readonly AlertSettings[];
  /** What the process took from its environment, which is not shown. */
  readonly taken: readonly TakenText[];
};

export type StuckEnd = {
  readonly strategy: string;
  readonly at: StuckLine;
  readonly text: string;
  /** Undefined: that could not be confirmed. */
  readonly open: number | undefined;
};

const ENTRY = new URL(import.meta.url.replace(/stuck-run(\.[jt]s)$/, 'stuck-run-thread$1'));
const TURN_MS = 100;
/** As it is now: for strategies `process.exit` is a trap, and nothing here may wait for the loop. */
const leave = (process as unknown as { readonly reallyExit: (code: number) => never }).reallyExit.bind(process);

/**
 * Watches the loop of the process until what it returns is called.
 *
 * @param strategy whose code runs, if any
 * @param end tells how the run ended, without waiting for anything; returns the exit code
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
    // what Node would say of the thread that is connected is not for the log
    closeSync(2);
    return leave(code);
  };
  const timer = setInterval(() => Atomics.add(watched.turns, TURNS, 1), Math.min(TURN_MS, run.deadlineMs / 20));
  const thread = new Worker(ENTRY, { workerData: watched });
  // one that cannot run watches nothing, and nothing else
  thread.on('error', () => undefined);
  thread.unref();
  return () => {
    clearInterval(timer);
    calls[Symbol.for(NAME_STRATEGY)] = undefined;
    calls[Symbol.for(END_RUN)] = undefined;
    void thread.terminate();
  };
}
