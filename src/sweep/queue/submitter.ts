// The side of a sweep: puts points on a queue of its own, and takes what they came to from there. A point is named by its hash, so
// that it is there once, however often it is put; what it came to is written down here before it is taken off there.
import type { Job } from 'bullmq';
import { Queue } from 'bullmq';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '../outcome.ts';
import type { Task } from '../point.ts';
import type { SweepNotice } from './board.ts';
import { Board, PREFIX, queueOf } from './board.ts';
import type { SharedKey } from './key-file.ts';
import type { JobData } from './messages.ts';
import { NOT_SIGNED, openResult, sealPoint } from './messages.ts';
import type { RedisLink } from './redis-link.ts';

const LOOK_MS = 200;
const AT_ONCE = 200;
/** Nobody plays: it is said so often. */
const SAID_EVERY_MS = 30_000;

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
  readonly #said = new Set<string>();
  #saidAt = performance.now();

  constructor(link: RedisLink, key: SharedKey, notice: SweepNotice) {
    this.#link = link;
    this.#board = new Board(link);
    this.#key = key;
    this.#notice = notice;
    this.#queue = new Queue(queueOf(notice.id), { connection: link.client, prefix: PREFIX });
    this.#queue.on('error', () => undefined);
  }

  /** The bundle, so that workers may begin. @throws OddsmakerError QUEUE_* */
  async announce(bundle: string): Promise<void> {
    await this.#board.announce(this.#notice, bundle, this.#key);
  }

  /** All of them, whatever was put there before. @throws OddsmakerError QUEUE_* */
  async play(tasks: readonly Task[], { ended, note }: Submitted): Promise<void> {
    const waiting = new Map(tasks.map((task) => [task.key, task]));
    for (let at = 0; at < tasks.length; at += AT_ONCE) await this.#put(tasks.slice(at, at + AT_ONCE));
    while (waiting.size > 0) {
      const before = waiting.size;
      const take = (key: string, outcome: Outcome, worker: string): void => {
        const task = waiting.get(key);
        if (task === undefined) return;
        ended(task, outcome, worker);
        waiting.delete(key);
      };
      await this.#collect(take, note);
      await this.#collectAgain(tasks, ended);
      if (waiting.size === before) {
        await this.#sayWhoIsMissing(note);
        await Promise.race([sleep(LOOK_MS), this.#link.lost]);
      } else this.#saidAt = performance.now();
    }
    await this.#collectAgain(tasks, ended);
  }

  /** Nothing of it is left. @throws OddsmakerError QUEUE_* */
  async withdraw(): Promise<void> {
    await this.#board.withdraw(this.#notice.id);
    await this.#link.ask(this.#queue.obliterate({ force: true }));
  }

  async close(): Promise<void> {
    await this.#queue.close().catch(() => undefined);
  }

  async #put(tasks: readonly Task[]): Promise<void> {
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
    const jobs = await this.#link.ask(this.#queue.getJobs(['completed', 'failed'], 0, AT_ONCE - 1, true));
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
    else if (isFailed) take(id, { status: 'failed', code: 'POINT_LOST', problem: lossOf(failedReason) }, '');
    else {
      note(
        `a result of point ${id.slice(0, 12)} is not signed with the key of this sweep: it is played again`,
      );
      const { data } = job;
      await this.#link.ask(job.remove());
      await this.#link.ask(this.#queue.add('point', data, { jobId: id }));
      return;
    }
    await this.#link.ask(job.remove());
  }

  /** Of points that ran twice, the later result: the log compares it with the first. */
  async #collectAgain(tasks: readonly Task[], ended: Submitted['ended']): Promise<void> {
    const told = await this.#board.toldAgain(this.#notice.id);
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

const lossOf = (reason: string): string =>
  reason === NOT_SIGNED
    ? 'a worker found it changed: somebody else writes into this Redis'
    : 'every worker that played it died meanwhile';
