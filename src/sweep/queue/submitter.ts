// The side of a sweep: puts points on a queue of its own, and takes what they came to from there. A point is named by its hash, so
// that it is there once, however often it is put; what it came to is written down here before it is taken off there.
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

const LOOK_MS = 200;
const AT_ONCE = 200;
/** Nobody plays: it is said so often. */
const SAID_EVERY_MS = 30_000;
/** Nothing moves: it is looked whether all is there still, then less and less often. */
const QUIET_MS = 5000;
const LONGEST_QUIET_MS = 60_000;
/** It is full. */
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
  readonly #said = new Set<string>();
  #saidAt = performance.now();
  #bundle = '';
  #isWithdrawn = false;
  #quietMs = QUIET_MS;
  #lookAt = 0;
  /** Redis takes nothing more since then. */
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

  /** The bundle, so that workers may begin. @throws OddsmakerError QUEUE_* */
  async announce(bundle: string): Promise<void> {
    this.#bundle = bundle;
    await this.#board.announce(this.#notice, bundle, this.#key);
  }

  /** All of them, whatever was put there before. @throws OddsmakerError QUEUE_* */
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
      await this.#collectAgain(tasks, { ended, note });
      if (waiting.size === before) {
        await this.#lookAfter(waiting, note);
        await this.#sayWhoIsMissing(note);
        await Promise.race([sleep(LOOK_MS), this.#link.lost]);
      } else this.#hasMoved();
    }
    await this.#collectAgain(tasks, { ended, note });
  }

  /** Nothing of it is left. @throws OddsmakerError QUEUE_* */
  async withdraw(): Promise<void> {
    this.#isWithdrawn = true;
    await this.#board.withdraw(this.#notice.id);
    await this.#link.ask(this.#queue.obliterate({ force: true }));
  }

  async close(): Promise<void> {
    await this.#queue.close().catch(() => undefined);
  }

  async #put(tasks: readonly Task[]): Promise<void> {
    for (let at = 0; at < tasks.length; at += AT_ONCE) await this.#putSome(tasks.slice(at, at + AT_ONCE));
  }

  #hasMoved(): void {
    this.#saidAt = performance.now();
    this.#quietMs = QUIET_MS;
    this.#lookAt = performance.now() + QUIET_MS;
  }

  async #lookAfter(waiting: ReadonlyMap<string, Task>, note: (text: string) => void): Promise<void> {
    if (this.#isWithdrawn || performance.now() < this.#lookAt) return;
    try {
      await this.#mend(waiting, note);
      this.#fullSince = undefined;
    } catch (error) {
      if (!(error instanceof OddsmakerError) || error.code !== 'QUEUE_FULL') throw error;
      // it may have room again, and is waited for as one that is away
      if (this.#fullSince === undefined) note(error.message);
      this.#fullSince ??= performance.now();
      if (performance.now() - this.#fullSince >= this.#link.waitMs) throw error;
      this.#lookAt = performance.now() + FULL_MS;
    }
  }

  /** Puts again what is no longer there: of a Redis that lost its memory, or that others write into. */
  async #mend(waiting: ReadonlyMap<string, Task>, note: (text: string) => void): Promise<void> {
    this.#quietMs = Math.min(2 * this.#quietMs, LONGEST_QUIET_MS);
    this.#lookAt = performance.now() + this.#quietMs;
    await this.#board.announceAgain(this.#notice, this.#bundle, this.#key);
    const lost = await this.#keys.lost(waiting.keys());
    if (lost.length === 0) return;
    // half of one would keep the whole one out
    await this.#keys.drop(lost);
    await this.#put(lost.flatMap((key) => waiting.get(key) ?? []));
    note(
      `Redis at ${this.#link.shown} has lost ${lost.length === 1 ? 'a point' : `${lost.length} points`} of this sweep (it was restarted without what it held, or somebody removed them): put there again`,
    );
    this.#hasMoved();
  }

  async #putSome(tasks: readonly Task[]): Promise<void> {
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
    const ids = await this.#link.ask(this.#queue.getRanges(['completed', 'failed'], 0, AT_ONCE - 1, true));
    const jobs: Job<JobData, string>[] = [];
    const bad = await this.#keys.unreadable(ids, async (id) => {
      const job = await Job.fromId<JobData, string>(this.#queue, id);
      if (job !== undefined) jobs.push(job);
      return job;
    });
    for (const id of bad) await this.#playAgain(id, 'cannot be read', note);
    for (const job of jobs) await this.#collectOne(job, take, note);
  }

  async #collectOne(
    job: Job<JobData, string>,
    take: (key: string, outcome: Outcome, worker: string) => void,
    note: (text: string) => void,
  ): Promise<void> {
    const { id = '', failedReason, returnvalue } = job;
    const isFailed = typeof failedReason === 'string' && failedReason !== '';
    const result = isFailed ? undefined : openResult(this.#key, this.#notice.id, returnvalue);
    if (result !== undefined && result.key === id) take(id, result.outcome, result.worker);
    else if (isFailed)
      take(id, { status: 'failed', code: 'POINT_LOST', problem: 'every worker that played it died meanwhile' }, '');
    else {
      await this.#playAgain(id, 'is not signed with the key of this sweep', note);
      return;
    }
    await this.#keys.drop([id]);
  }

  /** It is missed at the next look, if it was a point of this sweep. */
  async #playAgain(id: string, what: string, note: (text: string) => void): Promise<void> {
    note(`a result of point ${id.slice(0, 12)} ${what}: somebody else writes into this Redis; it is played again`);
    await this.#keys.drop([id]);
    this.#lookAt = 0;
  }

  /** Of points that ran twice, the later result: the log compares it with the first. */
  async #collectAgain(tasks: readonly Task[], { ended, note }: Submitted): Promise<void> {
    const told = await this.#board.toldAgain(this.#notice.id).catch(async (error: unknown) => {
      if (!(error instanceof OddsmakerError) || error.code !== 'QUEUE_INVALID') throw error;
      note(`${error.message}; it is removed`);
      await this.#board.dropAgain(this.#notice.id);
      return [];
    });
    for (const sealed of told) {
      const result = openResult(this.#key, this.#notice.id, sealed);
      const task = tasks.find(({ key }) => key === result?.key);
      if (result !== undefined && task !== undefined) ended(task, result.outcome, result.worker);
    }
    await this.#board.forgetAgain(this.#notice.id, told.length);
  }

  /** Why nobody takes its points, each reason once; and that there is nobody, now and then. */
  async #sayWhoIsMissing(note: (text: string) => void): Promise<void> {
    for (const [worker, why] of Object.entries(await this.#board.refusals(this.#notice.id))) {
      const text = `worker ${worker} takes no point of this sweep: ${why}`;
      if (this.#said.has(text)) continue;
      this.#said.add(text);
      note(text);
    }
    if (performance.now() - this.#saidAt < SAID_EVERY_MS) return;
    this.#saidAt = performance.now();
    const workers = await this.#board.workers(Date.now());
    if (workers.length === 0)
      note(`no worker is there: start some by: oddsmaker worker --redis ${this.#link.shown} --key FILE`);
  }
}
