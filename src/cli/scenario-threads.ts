// Scenarios of a backtest at once, each in a thread of its own: they share nothing but the tapes.
import { Worker } from 'node:worker_threads';
import type { LoadedConfig } from '../config/index.ts';
import type { ErrorCode } from '../domain/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import type { ScenarioDone, ScenarioJob, ScenarioProgress } from './scenario-run.ts';

export type ThreadJob = {
  readonly job: ScenarioJob;
  /** As the backtest read it. */
  readonly loaded: Pick<LoadedConfig, 'config' | 'file'>;
};

export type ThreadMessage =
  | { readonly what: 'read'; readonly tape: number; readonly share: number }
  | { readonly what: 'shown'; readonly frames: number; readonly atMs: number }
  | { readonly what: 'done'; readonly done: ScenarioDone }
  | { readonly what: 'refused'; readonly code: ErrorCode; readonly problem: string };

/** The source, or what was built of it. */
const ENTRY = new URL(import.meta.url.replace(/scenario-threads(\.[jt]s)$/, 'scenario-thread$1'));

const TOLD = ['message', 'messageerror', 'error', 'exit'] as const;

/** Jobs that a thread takes: strategy files are loaded anew for each, and stay with the thread. */
const MOST_JOBS = 32;

/** Each compiles our code once, so it takes one job after the other; never two at once. */
export class ScenarioThreads {
  readonly #idle: Worker[] = [];
  readonly #busy = new Set<Worker>();
  readonly #jobs = new WeakMap<Worker, number>();
  #isStopped = false;

  /** @throws OddsmakerError as the job does */
  async run(job: ThreadJob, { read, show }: ScenarioProgress): Promise<ScenarioDone> {
    if (this.#isStopped) throw new Error('the backtest has ended');
    const worker = this.#idle.pop() ?? new Worker(ENTRY);
    this.#busy.add(worker);
    const jobs = (this.#jobs.get(worker) ?? 0) + 1;
    this.#jobs.set(worker, jobs);
    try {
      const done = await new Promise<ScenarioDone>((resolve, reject) => {
        worker.on('message', (message: ThreadMessage) => {
          if (message.what === 'read') read(message.tape, message.share);
          else if (message.what === 'shown') show(message);
          else if (message.what === 'done') resolve(message.done);
          else reject(new OddsmakerError(message.code, message.problem));
        });
        worker.on('error', reject);
        worker.on('messageerror', reject);
        worker.on('exit', (code) => reject(new Error(`a thread of the backtest ended with ${code}`)));
        worker.postMessage(job);
      });
      // by name: without, those of the worker itself go as well
      for (const event of TOLD) worker.removeAllListeners(event);
      if (jobs < MOST_JOBS) this.#idle.push(worker);
      else await worker.terminate();
      return done;
    } catch (error) {
      // what a job that failed left behind is nobody's any more
      await worker.terminate();
      throw error;
    } finally {
      this.#busy.delete(worker);
    }
  }

  /** Ends whatever still runs; a timer that a strategy file left keeps nobody waiting. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#busy, ...this.#idle].map((worker) => worker.terminate()));
  }
}

/** Runs all of them, so many at once. Rejects with the first that fails; the others go on. */
export async function inTurns(tasks: readonly (() => Promise<void>)[], atOnce: number): Promise<void> {
  const left = [...tasks];
  const work = async (): Promise<void> => {
    for (let task = left.shift(); task !== undefined; task = left.shift()) await task();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
