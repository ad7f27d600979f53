// The sweep's side of a queue: adds points to a queue of its own and collects their results. A job is named
// by the hash of its point, so that adding it again does not duplicate it. A result is written to disk here
// before it is deleted from Redis.
import { Job, Queue } from 'bullmq';
import { setTimeout as sleep } from 'node:timers/promises';
import { OddsmakerError } from '../../domain/index.ts';
import type { Outcome } from '../outcome.ts';
import type { Task } from '../point.ts';
import type { SweepNotice } from './board.ts';
import { Board, PREFIX, queueOf } from './board.ts';
import type { SharedKey } from './key-file.ts';
import type { JobData } from './messages.ts';
import { openResult, sealPoint } from './messages.ts';
import { QueueKeys } from './queue-keys.ts';
import type { RedisLink } from './redis-link.ts';

const POLL_MS = 200;
const BATCH = 200;
/** How often a note says that no worker is running. */
const NOTE_EVERY_MS = 30_000;
/**
 * How long no result arrives before the queue is checked for lost points; the time doubles after each check.
 */
const QUIET_MS = 5000;
const LONGEST_QUIET_MS = 60_000;
/** How long to wait before a full Redis is tried again. */
const FULL_MS = 1000;

export type Submitted = {
  readonly ended: (task: Task, outcome: Outcome, worker: string) => void;
  readonly note: (text: string) => void;
};

export class Submitter {
  readonly #link: RedisLink;
  readonly #board: Board;
  readonly #key: SharedKey;
  readonly #notice: SweepNotice;
  readonly #queue: Queue<JobData, string>;
  readonly #keys: QueueKeys;
  readonly #noted = new Set<string>();
  #notedAt = performance.now();
  #bundle = '';
  #isWithdrawn = false;
  #quietMs = QUIET_MS;
  #checkAt = 0;
  /** When Redis became full, monotonic ms; undefined while it accepts writes. */
  #fullSince: number | undefined;

  constructor(link: RedisLink, key: SharedKey, notice: SweepNotice) {
    this.#link = link;
    this.#board = new Board(link);
    this.#key = key;
    this.#notice = notice;
    this.#queue = new Queue(queueOf(notice.id), { connection: link.client, prefix: PREFIX });
    this.#queue.on('error', () => undefined);
    this.#keys = new QueueKeys(link, `${PREFIX}:${queueOf(notice.id)}`);
  }

  /** Announces the sweep and its bundle, so that workers can begin. @throws OddsmakerError QUEUE_* */
  async announce(bundle: string): Promise<void> {
    this.#bundle = bundle;
    await this.#board.announce(this.#notice, bundle, this.#key);
  }

  /** Plays all tasks, including those that an earlier run queued. @throws OddsmakerError QUEUE_* */
  async play(tasks: readonly Task[], { ended, note }: Submitted): Promise<void> {
    const waiting = new Map(tasks.map((task) => [task.key, task]));
    await this.#put(tasks);
    this.#hasMoved();
    while (waiting.size > 0) {
      const before = waiting.size;
      const take = (key: string, outcome: Outcome, worker: string): void => {
        const task = waiting.get(key);
        if (task === undefined) return;
        ended(task, outcome, worker);
        waiting.delete(key);
      };
      await this.#collect(take, note);
      await this.#collectLateResults(tasks, { ended, note });
      if (waiting.size === before) {
        await this.#checkQueue(waiting, note);
        await this.#noteMissingWorkers(note);
        await Promise.race([sleep(POLL_MS), this.#link.lost]);
      } else this.#hasMoved();
    }
    await this.#collectLateResults(tasks, { ended, note });
  }

  /** Deletes the sweep from Redis. @throws OddsmakerError QUEUE_* */
  async withdraw(): Promise<void> {
    this.#isWithdrawn = true;
    await this.#board.withdraw(this.#notice.id);
    await this.#link.ask(this.#queue.obliterate({ force: true }));
  }

  async close(): Promise<void> {
    await this.#queue.close().catch(() => undefined);
  }

  async #put(tasks: readonly Task[]): Promise<void> {
    for (let start = 0; start < tasks.length; start += BATCH) await this.#putBatch(tasks.slice(start, start + BATCH));
  }

  #hasMoved(): void {
    this.#notedAt = performance.now();
    this.#quietMs = QUIET_MS;
    this.#checkAt = performance.now() + QUIET_MS;
  }

  async #checkQueue(waiting: ReadonlyMap<string, Task>, note: (text: string) => void): Promise<void> {
    if (this.#isWithdrawn || performance.now() < this.#checkAt) return;
    try {
      await this.#restoreLost(waiting, note);
      this.#fullSince = undefined;
    } catch (error) {
      if (!(error instanceof OddsmakerError) || error.code !== 'QUEUE_FULL') throw error;
      // memory may become free: a full Redis gets as long as one that is away
      if (this.#fullSince === undefined) note(error.message);
      this.#fullSince ??= performance.now();
      if (performance.now() - this.#fullSince >= this.#link.waitMs) throw error;
      this.#checkAt = performance.now() + FULL_MS;
    }
  }

  /** Queues again the points that a Redis lost at a restart or that another client deleted. */
  async #restoreLost(waiting: ReadonlyMap<string, Task>, note: (text: string) => void): Promise<void> {
    this.#quietMs = Math.min(2 * this.#quietMs, LONGEST_QUIET_MS);
    this.#checkAt = performance.now() + this.#quietMs;
    await this.#board.announceAgain(this.#notice, this.#bundle, this.#key);
    const lost = await this.#keys.lost(waiting.keys());
    if (lost.length === 0) return;
    // a remaining part of a job would keep the new one out
    await this.#keys.drop(lost);
    await this.#put(lost.flatMap((key) => waiting.get(key) ?? []));
    note(
      `Redis at ${this.#link.shown} has lost ${lost.length === 1 ? 'a point' : `${lost.length} points`} of this sweep (it restarted without its data, or another client deleted them): queued again`,
    );
    this.#hasMoved();
  }

  async #putBatch(tasks: readonly Task[]): Promise<void> {
    await this.#link.ask(
      this.#queue.addBulk(
        tasks.map((task) => ({
          name: 'point',
          data: sealPoint(this.#key, this.#notice.id, task),
          opts: { jobId: task.key },
        })),
      ),
    );
  }

  async #collect(
    take: (key: string, outcome: Outcome, worker: string) => void,
    note: (text: string) => void,
  ): Promise<void> {
    const ids = await this.#link.ask(this.#queue.getRanges(['completed', 'failed'], 0, BATCH - 1, true));
    const jobs: Job<JobData, string>[] = [];
    const bad = await this.#keys.unreadable(ids, async (id) => {
      const job = await Job.fromId<JobData, string>(this.#queue, id);
      if (job !== undefined) jobs.push(job);
      return job;
    });
    for (const id of bad) await this.#playAgain(id, 'cannot be read', note);
    for (const job of jobs) await this.#collectJob(job, take, note);
  }

  async #collectJob(
    job: Job<JobData, string>,
    take: (key: string, outcome: Outcome, worker: string) => void,
    note: (text: string) => void,
  ): Promise<void> {
    const { id = '', failedReason, returnvalue } = job;
    const isFailed = typeof failedReason === 'string' && failedReason !== '';
    const result = isFailed ? undefined : openResult(this.#key, this.#notice.id, returnvalue);
    if (result !== undefined && result.key === id) take(id, result.outcome, result.worker);
    else if (isFailed)
      take(id, { status: 'failed', code: 'POINT_LOST', problem: 'every worker that played it died' }, '');
    else {
      await this.#playAgain(id, 'is not signed with the key of this sweep', note);
      return;
    }
    await this.#keys.drop([id]);
  }

  /** Deletes a result that cannot be used. The next check finds the point missing and queues it again. */
  async #playAgain(id: string, fault: string, note: (text: string) => void): Promise<void> {
    note(
      `a result of point ${id.slice(0, 12)} ${fault}: another client writes into this Redis; the point is played again`,
    );
    await this.#keys.drop([id]);
    this.#checkAt = 0;
  }

  /** Collects the later results of points that ran twice: the log compares each with the first result. */
  async #collectLateResults(tasks: readonly Task[], { ended, note }: Submitted): Promise<void> {
    const lateResults = await this.#board.lateResults(this.#notice.id).catch(async (error: unknown) => {
      if (!(error instanceof OddsmakerError) || error.code !== 'QUEUE_INVALID') throw error;
      note(`${error.message}; it is removed`);
      await this.#board.dropLateResults(this.#notice.id);
      return [];
    });
    for (const sealed of lateResults) {
      const result = openResult(this.#key, this.#notice.id, sealed);
      const task = tasks.find(({ key }) => key === result?.key);
      if (result !== undefined && task !== undefined) ended(task, result.outcome, result.worker);
    }
    await this.#board.removeLateResults(this.#notice.id, lateResults.length);
  }

  /**
   * Notes why workers take no points of this sweep, each reason once, and now and then that no worker is
   * running.
   */
  async #noteMissingWorkers(note: (text: string) => void): Promise<void> {
    for (const [worker, why] of Object.entries(await this.#board.refusals(this.#notice.id))) {
      const text = `worker ${worker} takes no point of this sweep: ${why}`;
      if (this.#noted.has(text)) continue;
      this.#noted.add(text);
      note(text);
    }
    if (performance.now() - this.#notedAt < NOTE_EVERY_MS) return;
    this.#notedAt = performance.now();
    const workers = await this.#board.workers(Date.now());
    if (workers.length === 0)
      note(`no worker is running: start one with: oddsmaker worker --redis ${this.#link.shown} --key FILE`);
  }
}
