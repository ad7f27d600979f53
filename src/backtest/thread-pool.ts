// Threads beside the one that asks: scenarios of a backtest, points of a sweep. Piscina keeps them; each takes one job after the
// other. What dies, or runs over its budget, ends with its thread, and the next job has a new one. The thread that asks only
// waits: it has time to renew locks and to hear Ctrl-C.
import type { Piscina } from 'piscina';
import { OddsmakerError } from '../domain/index.ts';
import type { ThreadAnswer, ThreadTask, ThreadMessage } from './thread-side.ts';
import { HANDLER } from './thread-side.ts';

/** Jobs that a thread takes: strategy files are loaded anew for each, and stay with the thread. */
const MOST_JOBS = 32;
/** More overflows a timer, and it would be over at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Threads that began together and go together. */
type Crew<Job, Done> = {
  readonly pool: Piscina<ThreadTask<Job>, ThreadAnswer<Done>>;
  /** Rejects when none of its threads lives, and a job waits for one. */
  readonly broken: Promise<never>;
  /** Jobs that it may still take. */
  left: number;
  running: number;
};

/** The entry file of a thread, beside the module at `url`, as source or built. */
export const threadFile = (name: string, url: string): string =>
  new URL(`./${name}${url.slice(url.lastIndexOf('.'))}`, url).href;

type Asked<Told> = {
  /** Of the job: how long its thread takes to begin is not counted. */
  readonly budgetMs?: number;
  /** What the job tells meanwhile. */
  readonly hear?: (told: Told) => void;
};

export class ThreadPool<Job, Done, Told = never> {
  readonly #entry: string;
  readonly #atOnce: number;
  readonly #crews = new Set<Crew<Job, Done>>();
  readonly #hearing = new Map<number, (word: ThreadMessage<Told>) => void>();
  #crew: Crew<Job, Done> | undefined;
  #jobs = 0;
  #isStopped = false;

  /** `entry`: the URL of the file that a thread runs; it exports what `inThread` makes, as HANDLER. */
  constructor(entry: string, atOnce: number) {
    this.#entry = entry;
    this.#atOnce = atOnce;
  }

  /** @throws OddsmakerError as the job does, or POINT_OVERRAN after its budget; Error when its thread died, or the pool was stopped */
  async run(job: Job, { budgetMs, hear }: Asked<Told> = {}): Promise<Done> {
    const crew = await this.#joinCrew();
    const number = (this.#jobs += 1);
    const budget = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    this.#hearing.set(number, (word) => {
      if (word.told !== undefined) hear?.(word.told);
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
      this.#hearing.delete(number);
      crew.running -= 1;
      if (crew !== this.#crew && crew.running === 0) await this.#dismiss(crew);
    }
  }

  /** Ends whatever still runs; a timer that a strategy file left keeps nobody waiting. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#crews].map((crew) => this.#dismiss(crew)));
  }

  /** The crew of one more job. Piscina is loaded with the first: most commands need no thread. */
  async #joinCrew(): Promise<Crew<Job, Done>> {
    const library = await import('piscina');
    if (this.#isStopped) throw new Error('the threads were stopped');
    if (this.#crew === undefined || this.#crew.left === 0) {
      const former = this.#crew;
      this.#crew = this.#newCrew(library.Piscina);
      this.#crews.add(this.#crew);
      // nobody ends in it any more
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
      // kept until the crew goes; and a thread that waits hears what its strategies left behind
      idleTimeout: Number.POSITIVE_INFINITY,
      atomics: 'disabled',
      recordTiming: false,
    });
    pool.on('message', (word: ThreadMessage<Told>) => this.#hearing.get(word.number)?.(word));
    const broken = new Promise<never>((_resolve, reject) => {
      // of a thread that had no job: the next job has another one, unless none could begin
      pool.on('error', (error: Error) => {
        if (pool.threads.length > 0 || pool.queueSize === 0) return;
        reject(error);
        if (this.#crew?.pool === pool) this.#crew = undefined;
      });
    });
    broken.catch(() => undefined);
    return { pool, broken, left: MOST_JOBS * this.#atOnce, running: 0 };
  }

  async #dismiss(crew: Crew<Job, Done>): Promise<void> {
    this.#crews.delete(crew);
    await crew.pool.destroy();
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
