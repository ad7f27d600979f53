// The worker's side of the queues: takes points from the queues of all sweeps in turn, one from each, so that
// a long sweep does not delay a short one. Threads play the points; this file renews their locks, so that no
// other worker is given a point that still runs.
import { Job, Worker } from 'bullmq';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, OddsmakerError } from '../../domain/index.ts';
import type { Outcome } from '../outcome.ts';
import type { SweepNotice } from './board.ts';
import { Board, noticeIn, PREFIX, queueOf } from './board.ts';
import type { SharedKey } from './key-file.ts';
import type { JobData, PointMessage } from './messages.ts';
import { openPoint, sealResult } from './messages.ts';
import { QueueKeys } from './queue-keys.ts';
import type { RedisLink } from './redis-link.ts';

const POLL_MS = 250;
const SWEEPS_POLL_MS = 300;
/** How long after a failed attempt a sweep is opened again. */
const REOPEN_MS = 10_000;
const REPORT_MS = 2000;
const MOST_STALLED = 2;
/** How long to wait before a result that Redis refused is sent again. */
const RETRY_MS = 1000;

/** A sweep whose points this worker can play. */
export type OpenSweep = {
  /**
   * Plays a point. @throws OddsmakerError when this machine lacks what the point needs: the point goes back
   * into the queue
   */
  readonly play: (point: PointMessage) => Promise<Outcome>;
  readonly close: () => void;
};

export type TakerOptions = {
  /** Name of the worker in Redis, such as host and process. */
  readonly id: string;
  readonly version: string;
  readonly threads: number;
  /** How long a worker may not renew the lock of a point before the point goes to another worker. */
  readonly lockMs: number;
  /** How long a result that Redis refuses is kept. */
  readonly waitMs: number;
  /** Prepares a sweep from its bundle. @throws OddsmakerError when it cannot be played here, or not yet */
  readonly open: (notice: SweepNotice, bundle: string) => Promise<OpenSweep>;
  readonly note: (text: string) => void;
};

type Sweep = {
  /** The latest notice: a resumed sweep may serve its tapes at another address. */
  notice: SweepNotice;
  sealed: string;
  readonly queue: Worker<JobData, string>;
  readonly keys: QueueKeys;
  /** The open sweep. Undefined before it is opened, and while it cannot be played here. */
  opened: OpenSweep | undefined;
  /** The sweep as it was open before this machine lost what it needs, while points still run in it. */
  former: OpenSweep | undefined;
  isOpening: boolean;
  triedAt: number;
  why: string | undefined;
  running: number;
  isGone: boolean;
};

export class Taker {
  readonly #link: RedisLink;
  readonly #board: Board;
  readonly #key: SharedKey;
  readonly #options: TakerOptions;
  readonly #sweeps = new Map<string, Sweep>();
  readonly #refused = new Set<string>();
  readonly #since = Date.now();
  #running = 0;
  #played = 0;
  #tokens = 0;
  #isStopping = false;
  #freed: () => void = () => undefined;
  /** Id of the sweep whose point was taken last. */
  #last = '';
  #failure: Error | undefined;
  /** When Redis became full, monotonic ms; undefined while it accepts writes. */
  #fullSince: number | undefined;

  constructor(link: RedisLink, key: SharedKey, options: TakerOptions) {
    this.#link = link;
    this.#board = new Board(link);
    this.#key = key;
    this.#options = options;
  }

  /** Takes no more points; `run` ends when the running points have ended. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Takes and plays points until it is stopped. @throws OddsmakerError QUEUE_* */
  async run(): Promise<void> {
    const reporting = setInterval(() => void this.#report(), REPORT_MS);
    let polledAt = Number.NEGATIVE_INFINITY;
    try {
      await this.#report();
      while (!this.#isStopping || this.#running > 0) {
        if (this.#failure !== undefined) throw this.#failure;
        if (!this.#isStopping && performance.now() - polledAt >= SWEEPS_POLL_MS) {
          polledAt = performance.now();
          await this.#pollSweeps();
        }
        const isBusy = this.#isStopping || this.#running >= this.#options.threads || !(await this.#takePoint());
        if (isBusy) await this.#pause();
      }
    } finally {
      clearInterval(reporting);
      for (const sweep of this.#sweeps.values()) await this.#drop(sweep);
      if (this.#link.client.status === 'ready') await this.#board.leave(this.#options.id).catch(() => undefined);
    }
  }

  /** Waits until the next poll is due or a thread becomes free. */
  async #pause(): Promise<void> {
    const freed = new Promise<void>((resolve) => {
      this.#freed = resolve;
    });
    const stop = new AbortController();
    const moment = sleep(POLL_MS, undefined, { signal: stop.signal }).catch(() => undefined);
    await Promise.race([moment, freed, this.#link.lost]).finally(() => stop.abort());
  }

  async #report(): Promise<void> {
    const { id, version, threads } = this.#options;
    const notice = { id, version, threads, running: this.#running, played: this.#played };
    try {
      await this.#board.report({ ...notice, since: this.#since, at: Date.now() });
      this.#fullSince = undefined;
    } catch (error) {
      if (!(error instanceof OddsmakerError)) return;
      if (error.code === 'QUEUE_FULL') this.#waitForRoom(error);
      else this.#failure ??= error;
    }
  }

  /** Waits for a full Redis as long as for one that is away, since memory may become free. */
  #waitForRoom(error: OddsmakerError): void {
    if (this.#fullSince === undefined) {
      this.#fullSince = performance.now();
      this.#options.note(error.message);
    } else if (performance.now() - this.#fullSince >= this.#options.waitMs) this.#failure ??= error;
  }

  async #pollSweeps(): Promise<void> {
    const sealed = await this.#board.sweeps();
    for (const [id, text] of sealed) {
      const known = this.#sweeps.get(id);
      if (known?.sealed === text) continue;
      const notice = this.#noticeOf(id, text);
      if (notice === undefined) continue;
      if (known === undefined) await this.#add(notice, text);
      else {
        Object.assign(known, { notice, sealed: text });
        if (known.opened === undefined) this.#open(known);
      }
    }
    for (const [id, sweep] of this.#sweeps) {
      sweep.isGone = !sealed.has(id);
      if (sweep.isGone && sweep.running === 0 && !sweep.isOpening) await this.#drop(sweep);
      else if (sweep.opened === undefined && performance.now() - sweep.triedAt >= REOPEN_MS) this.#open(sweep);
    }
  }

  /**
   * The notice of a sweep. Undefined when it is not signed with the key of this worker, or has another
   * version, with which results would differ.
   */
  #noticeOf(id: string, text: string): SweepNotice | undefined {
    if (this.#refused.has(text)) return undefined;
    const opened = this.#key.open('sweep', text);
    const notice = opened === undefined ? undefined : noticeIn(opened);
    if (notice !== undefined && notice.id === id && notice.version === this.#options.version) return notice;
    this.#refused.add(text);
    if (notice === undefined || notice.id !== id) {
      this.#options.note(`sweep ${id} is not signed with the key of this worker: none of its points are taken`);
      void this.#reportRefusal(id, 'it is not signed with the key of this worker');
      return undefined;
    }
    const why = `the sweep is of version ${notice.version}, the worker of ${this.#options.version}: both must be the same`;
    this.#options.note(`sweep ${id} (${notice.name}) is refused: ${why}`);
    void this.#reportRefusal(id, why);
    return undefined;
  }

  async #reportRefusal(sweep: string, why: string | undefined): Promise<void> {
    await this.#board.refuse(sweep, this.#options.id, why).catch(() => undefined);
  }

  async #add(notice: SweepNotice, sealed: string): Promise<void> {
    const queue = new Worker<JobData, string>(queueOf(notice.id), null, {
      connection: this.#link.client,
      prefix: PREFIX,
      lockDuration: this.#options.lockMs,
      stalledInterval: Math.ceil(this.#options.lockMs / 2),
      maxStalledCount: MOST_STALLED,
    });
    // the link reports problems of the connection
    queue.on('error', () => undefined);
    const sweep: Sweep = {
      keys: new QueueKeys(this.#link, `${PREFIX}:${queueOf(notice.id)}`),
      notice,
      sealed,
      queue,
      opened: undefined,
      former: undefined,
      why: undefined,
      isOpening: false,
      triedAt: 0,
      running: 0,
      isGone: false,
    };
    this.#sweeps.set(notice.id, sweep);
    await this.#link.ask(queue.startStalledCheckTimer());
    this.#open(sweep);
  }

  /** Opens a sweep in the background, so that other sweeps do not wait for its tapes. */
  #open(sweep: Sweep): void {
    if (sweep.isOpening || sweep.former !== undefined) return;
    sweep.isOpening = true;
    const { notice } = sweep;
    const open = async (): Promise<OpenSweep> => {
      const sealed = await this.#board.bundle(notice.bundle);
      const bundle = this.#key.open('bundle', sealed);
      if (bundle === undefined)
        throw new OddsmakerError(
          'SWEEP_INVALID',
          sealed === null ? 'its bundle is no longer in Redis' : 'its bundle is not signed with the key of this worker',
        );
      return this.#options.open(notice, bundle);
    };
    void open()
      .then(
        async (opened) => {
          sweep.opened = opened;
          if (sweep.why !== undefined) await this.#reportRefusal(notice.id, undefined);
          sweep.why = undefined;
        },
        (error: unknown) => this.#cannotPlay(sweep, messageOf(error)),
      )
      .finally(() => {
        sweep.isOpening = false;
        sweep.triedAt = performance.now();
      });
  }

  async #cannotPlay(sweep: Sweep, why: string): Promise<void> {
    const { id, name } = sweep.notice;
    await this.#reportRefusal(id, why);
    if (sweep.why !== why) this.#options.note(`sweep ${id} (${name}) cannot be played here: ${why}`);
    sweep.why = why;
  }

  async #drop(sweep: Sweep): Promise<void> {
    this.#sweeps.delete(sweep.notice.id);
    sweep.opened?.close();
    sweep.former?.close();
    await sweep.queue.close(true).catch(() => undefined);
    // also at a stop: this sweep may have ended since the last poll
    await this.#board.deleteLeftovers(sweep.notice.id).catch(() => undefined);
  }

  /** Takes a point of the sweep whose turn it is. False when there is none. */
  async #takePoint(): Promise<boolean> {
    const open = [...this.#sweeps.values()].filter(({ opened, isGone }) => opened !== undefined && !isGone);
    const after = open.findIndex(({ notice }) => notice.id === this.#last) + 1;
    for (const sweep of [...open.slice(after), ...open.slice(0, after)]) {
      const token = `${this.#options.id} ${(this.#tokens += 1)}`;
      const job = await this.#next(sweep, token);
      if (job === undefined) continue;
      this.#last = sweep.notice.id;
      this.#running += 1;
      sweep.running += 1;
      void this.#play(sweep, job, token)
        .catch((error: unknown) => {
          this.#failure ??= error instanceof Error ? error : new Error(messageOf(error));
        })
        .finally(() => {
          this.#running -= 1;
          sweep.running -= 1;
          if (sweep.running === 0) closeFormer(sweep);
          this.#freed();
        });
      return true;
    }
    return false;
  }

  async #next(sweep: Sweep, token: string): Promise<Job<JobData, string> | undefined> {
    try {
      return await this.#link.ask(sweep.queue.getNextJob(token, { block: false }));
    } catch (error) {
      if (error instanceof OddsmakerError && error.code === 'QUEUE_FULL') {
        // taking a point is a write
        this.#waitForRoom(error);
        await sleep(RETRY_MS);
      } else if (error instanceof OddsmakerError && error.code !== 'QUEUE_INVALID') throw error;
      else await this.#dropUnreadable(sweep, error);
      return undefined;
    }
  }

  /**
   * Removes running jobs that another client overwrote; the sweep queues them again. A queue that fails for
   * another reason is set aside for a while.
   */
  async #dropUnreadable(sweep: Sweep, why: unknown): Promise<void> {
    const { keys, queue } = sweep;
    try {
      const bad = await keys.unreadable(await keys.active(), (id) => Job.fromId(queue, id));
      if (bad.length > 0) {
        await this.#dropPoints(sweep, bad, 'cannot be read');
        return;
      }
      await this.#setAside(sweep, messageOf(why));
    } catch (error) {
      if (!(error instanceof OddsmakerError) || error.code !== 'QUEUE_INVALID') throw error;
      await this.#setAside(sweep, error.message);
    }
  }

  async #dropPoints({ keys, notice }: Sweep, ids: readonly string[], fault: string): Promise<void> {
    for (const id of ids)
      this.#options.note(
        `point ${id.slice(0, 12)} of sweep ${notice.id} ${fault}: another client writes into this Redis; the point is removed from the queue`,
      );
    await keys.drop(ids);
  }

  /** Takes no points of a sweep until it is opened again. */
  async #setAside(sweep: Sweep, why: string): Promise<void> {
    if (sweep.running > 0) sweep.former ??= sweep.opened;
    else sweep.opened?.close();
    sweep.opened = undefined;
    sweep.triedAt = performance.now();
    await this.#cannotPlay(sweep, why);
  }

  async #play(sweep: Sweep, job: Job<JobData, string>, token: string): Promise<void> {
    const { lockMs, id } = this.#options;
    const point = openPoint(this.#key, sweep.notice.id, job.id, job.data);
    if (point === undefined) {
      await this.#dropPoints(sweep, [job.id ?? ''], 'is not signed with the key of this worker');
      return;
    }
    if (sweep.opened === undefined) {
      await this.#handBack(job, token);
      return;
    }
    let hasLock = true;
    const renewing = setInterval(() => {
      void job.extendLock(token, lockMs).then(
        (isRenewed) => {
          if (!isRenewed) hasLock = false;
        },
        () => undefined,
      );
    }, lockMs / 4);
    try {
      const outcome = await this.#outcomeOf(sweep, sweep.opened, point);
      if (outcome === undefined) {
        if (hasLock) await this.#handBack(job, token);
        return;
      }
      const sealed = sealResult(this.#key, { sweep: point.sweep, key: point.key, worker: id, outcome });
      await this.#sendResult(sweep, job, token, sealed, () => hasLock);
      this.#played += 1;
    } finally {
      clearInterval(renewing);
    }
  }

  /** The result of a point. Undefined when this machine cannot play it; then the sweep is set aside. */
  async #outcomeOf(sweep: Sweep, opened: OpenSweep, point: PointMessage): Promise<Outcome | undefined> {
    try {
      return await opened.play(point);
    } catch (error) {
      if (!(error instanceof OddsmakerError)) throw error;
      if (sweep.opened === opened) await this.#setAside(sweep, error.message);
      return undefined;
    }
  }

  /** Puts a point back into the queue. If Redis is full, another worker gets the point when its lock ends. */
  async #handBack(job: Job<JobData, string>, token: string): Promise<void> {
    await this.#link.ask(job.moveToWait(token)).catch((error: unknown) => {
      if (error instanceof OddsmakerError && error.code !== 'QUEUE_FULL') throw error;
    });
  }

  /** Sends a result, again and again while Redis is full, for at most `waitMs`. */
  async #sendResult(
    { notice }: Sweep,
    job: Job<JobData, string>,
    token: string,
    sealed: string,
    hasLock: () => boolean,
  ): Promise<void> {
    const until = performance.now() + this.#options.waitMs;
    for (;;) {
      try {
        if (hasLock()) {
          await this.#link.ask(job.moveToCompleted(sealed, token, false));
          return;
        }
        await this.#sendLateResult(notice, sealed);
        return;
      } catch (error) {
        if (error instanceof OddsmakerError) {
          if (error.code !== 'QUEUE_FULL' || performance.now() > until) throw error;
          this.#waitForRoom(error);
          await sleep(RETRY_MS);
        } else if (isLostLock(error)) {
          await this.#sendLateResult(notice, sealed);
          return;
        } else throw error;
      }
    }
  }

  /** Sends the result of a point that another worker was given as well: the sweep compares both results. */
  async #sendLateResult({ id }: SweepNotice, sealed: string): Promise<void> {
    this.#options.note(`a point of sweep ${id} was given to another worker as well: both results are reported`);
    await this.#board.addLateResult(id, sealed);
  }
}

function closeFormer(sweep: Sweep): void {
  sweep.former?.close();
  sweep.former = undefined;
}

/** True for the errors of BullMQ that say that another worker has the job, or that it no longer exists. */
const isLostLock = (error: unknown): boolean =>
  /missing lock|lock mismatch|not in the active state|missing key|not locked/i.test(messageOf(error));
