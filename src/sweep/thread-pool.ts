// Threads that play points, each one after the other. What runs over its budget, or dies, ends with its thread; the next job has
// a new one. The thread that asks only waits: it has time to renew locks and to hear Ctrl-C.
import { Worker } from 'node:worker_threads';
import { OddsmakerError } from '../domain/index.ts';

/** Jobs that a thread takes: strategy files are loaded anew for each, and stay with the thread. */
const MOST_JOBS = 32;

export type PoolMessage<Done> =
  { readonly what: 'done'; readonly done: Done } | { readonly what: 'progress'; readonly share: number };

export class ThreadPool<Job, Done> {
  readonly #entry: URL;
  readonly #idle: Worker[] = [];
  readonly #busy = new Set<Worker>();
  readonly #jobs = new WeakMap<Worker, number>();
  #isStopped = false;

  /** `entry`: the file that a thread runs; it answers each job that it is posted with a PoolMessage `done`. */
  constructor(entry: URL) {
    this.#entry = entry;
  }

  /** @throws OddsmakerError POINT_OVERRAN after its budget; Error when its thread died, or the pool was stopped */
  async run(job: Job, budgetMs: number, progress?: (share: number) => void): Promise<Done> {
    if (this.#isStopped) throw new Error('the threads were stopped');
    const worker = this.#idle.pop() ?? new Worker(this.#entry);
    this.#busy.add(worker);
    const jobs = (this.#jobs.get(worker) ?? 0) + 1;
    this.#jobs.set(worker, jobs);
    let timer: NodeJS.Timeout | undefined;
    try {
      const done = await new Promise<Done>((resolve, reject) => {
        worker.on('message', (message: PoolMessage<Done>) => {
          if (message.what === 'progress') progress?.(message.share);
          else resolve(message.done);
        });
        worker.on('error', reject);
        worker.on('messageerror', reject);
        worker.on('exit', (code) => reject(new Error(`its thread ended with ${code}`)));
        timer = setTimeout(() => {
          reject(
            new OddsmakerError('POINT_OVERRAN', `it ran longer than ${budgetMs / 1000} s, and was ended`),
          );
        }, budgetMs);
        worker.postMessage(job);
      });
      // by name: without, those of the worker itself go as well
      for (const event of ['message', 'messageerror', 'error', 'exit']) worker.removeAllListeners(event);
      if (jobs < MOST_JOBS && !this.#isStopped) this.#idle.push(worker);
      else await worker.terminate();
      return done;
    } catch (error) {
      await worker.terminate();
      throw error;
    } finally {
      clearTimeout(timer);
      this.#busy.delete(worker);
    }
  }

  /** Ends whatever still runs. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#busy, ...this.#idle].map((worker) => worker.terminate()));
  }
}
