// A pool of threads for scenarios of a backtest and points of a parameter sweep, built on Piscina. A job that
// dies or exceeds its budget ends with its thread; the next job gets a new one. The calling thread only
// waits, so it can renew locks and handle Ctrl-C.
import type { Piscina } from 'piscina';
import { OddsmakerError } from '../domain/index.ts';
import type { ThreadAnswer, ThreadTask, ThreadMessage } from './thread-side.ts';
import { HANDLER } from './thread-side.ts';
import { THREAD_LIMITS } from './young-generation.ts';

/**
 * The usual most jobs of a thread. Strategy files are loaded afresh for each job and stay in the thread's memory.
 */
const MOST_JOBS = 32;
/** The longest timer. A longer delay overflows, and the timer would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** A group of threads that start and end together. */
type Crew<Job, Done> = {
  readonly pool: Piscina<ThreadTask<Job>, ThreadAnswer<Done>>;
  /** Rejects when no thread is alive while a job waits for one. */
  readonly broken: Promise<never>;
  /** The number of jobs that the crew may still take. */
  left: number;
  running: number;
};

type JobOptions<Message> = {
  /** The time budget of the job. The start of its thread is not counted. */
  readonly budgetMs?: number;
  /** Receives the messages that the job sends while it runs. */
  readonly onMessage?: (message: Message) => void;
};

export class ThreadPool<Job, Done, Message = never> {
  readonly #entry: string;
  readonly #atOnce: number;
  readonly #mostJobs: number;
  readonly #crews = new Set<Crew<Job, Done>>();
  readonly #listeners = new Map<number, (message: ThreadMessage<Message>) => void>();
  #crew: Crew<Job, Done> | undefined;
  #jobs = 0;
  #isStopped = false;

  /**
   * `entry`: the URL of the file that a thread runs. It exports, as HANDLER, the result of `inThread`.
   * `mostJobs`: of a thread, before another takes its place, whose code is not compiled yet.
   */
  constructor(entry: URL, atOnce: number, mostJobs = MOST_JOBS) {
    this.#entry = entry.href;
    this.#atOnce = atOnce;
    this.#mostJobs = mostJobs;
  }

  /**
   * Runs a job in a thread.
   * @throws OddsmakerError as the job does, or POINT_OVERRAN when it exceeds its budget; Error when its
   * thread died or the pool was stopped
   */
  async run(job: Job, { budgetMs, onMessage }: JobOptions<Message> = {}): Promise<Done> {
    const crew = await this.#takeCrew();
    const number = (this.#jobs += 1);
    const budget = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    this.#listeners.set(number, (message) => {
      if (message.content !== undefined) onMessage?.(message.content);
      else if (budgetMs !== undefined) timer = setTimeout(() => budget.abort(), Math.min(budgetMs, LONGEST_MS));
    });
    try {
      const answer = await Promise.race([crew.pool.run({ number, job }, { signal: budget.signal }), crew.broken]);
      if ('done' in answer) return answer.done;
      throw new OddsmakerError(answer.code, answer.problem);
    } catch (error) {
      if (!budget.signal.aborted) throw error;
      throw new OddsmakerError('POINT_OVERRAN', `it ran longer than ${(budgetMs ?? 0) / 1000} s, and was ended`);
    } finally {
      clearTimeout(timer);
      this.#listeners.delete(number);
      crew.running -= 1;
      if (crew !== this.#crew && crew.running === 0) await this.#dismiss(crew);
    }
  }

  /** Ends all threads, also those with running jobs or with timers that a strategy file left. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#crews].map((crew) => this.#dismiss(crew)));
  }

  /**
   * The crew for one more job. Piscina is loaded with the first job, because most commands need no thread.
   */
  async #takeCrew(): Promise<Crew<Job, Done>> {
    const library = await import('piscina');
    if (this.#isStopped) throw new Error('the threads were stopped');
    if (this.#crew === undefined || this.#crew.left === 0) {
      const former = this.#crew;
      this.#crew = this.#newCrew(library.Piscina);
      this.#crews.add(this.#crew);
      // no job of the former crew is left that would dismiss it at its end
      if (former?.running === 0) void this.#dismiss(former);
    }
    this.#crew.left -= 1;
    this.#crew.running += 1;
    return this.#crew;
  }

  #newCrew(Pool: typeof Piscina): Crew<Job, Done> {
    const pool = new Pool<ThreadTask<Job>, ThreadAnswer<Done>>({
      filename: this.#entry,
      name: HANDLER,
      minThreads: 0,
      maxThreads: this.#atOnce,
      // threads are kept until the crew ends; an idle thread still runs what its strategies left behind
      idleTimeout: Number.POSITIVE_INFINITY,
      atomics: 'disabled',
      recordTiming: false,
      resourceLimits: THREAD_LIMITS,
    });
    pool.on('message', (message: ThreadMessage<Message>) => this.#listeners.get(message.number)?.(message));
    const broken = new Promise<never>((_resolve, reject) => {
      // the error of a thread without a job: the next job gets another thread, unless none could start
      pool.on('error', (error: Error) => {
        if (pool.threads.length > 0 || pool.queueSize === 0) return;
        reject(error);
        if (this.#crew?.pool === pool) this.#crew = undefined;
      });
    });
    broken.catch(() => undefined);
    return { pool, broken, left: this.#mostJobs * this.#atOnce, running: 0 };
  }

  async #dismiss(crew: Crew<Job, Done>): Promise<void> {
    this.#crews.delete(crew);
    await crew.pool.destroy();
  }
}

/** Runs all tasks, `atOnce` at a time. Rejects with the first failure; the other tasks continue. */
export async function inTurns(tasks: readonly (() => Promise<void>)[], atOnce: number): Promise<void> {
  const left = [...tasks];
  const work = async (): Promise<void> => {
    for (let task = left.shift(); task !== undefined; task = left.shift()) await task();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
