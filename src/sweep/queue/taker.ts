// The side of a worker: takes points from the queues of all sweeps in turn, one of each, so that a long sweep keeps no short one
// waiting. Points run elsewhere (threads); here locks are renewed, so that nobody else is given a point that still runs.
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

const LOOK_MS = 250;
const SWEEPS_MS = 300;
/** A sweep that could not be opened is tried again. */
const AGAIN_MS = 10_000;
const REPORT_MS = 2000;
const MOST_STALLED = 2;
/** A result that Redis does not take now. */
const RETRY_MS = 1000;

/** A sweep that can be played here. */
export type OpenSweep = {
  /** @throws OddsmakerError when the machine lacks what the point needs: the point is for others, or for later */
  readonly play: (point: PointMessage) => Promise<Outcome>;
  readonly close: () => void;
};

export type TakerOptions = {
  /** As it is told to others, such as host and process. */
  readonly id: string;
  readonly version: string;
  readonly threads: number;
  /** A worker that is silent for so long has lost its points to others. */
  readonly lockMs: number;
  /** How long a result that Redis does not take is kept. */
  readonly waitMs: number;
  /** Makes a sweep ready from its bundle. @throws OddsmakerError when it cannot be played here, or not yet */
  readonly open: (notice: SweepNotice, bundle: string) => Promise<OpenSweep>;
  readonly note: (text: string) => void;
};

type Sweep = {
  /** As it was announced last: a sweep that goes on may give its tapes elsewhere. */
  notice: SweepNotice;
  sealed: string;
  readonly queue: Worker<JobData, string>;
  readonly keys: QueueKeys;
  /** Undefined: not yet, or it cannot be played here. */
  opened: OpenSweep | undefined;
  /** What it was before the machine lost what it needs, while points still run there. */
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
  /** The sweep that was served last. */
  #last = '';
  #failure: Error | undefined;
  /** Redis takes nothing more since then. */
  #fullSince: number | undefined;

  constructor(link: RedisLink, key: SharedKey, options: TakerOptions) {
    this.#link = link;
    this.#board = new Board(link);
    this.#key = key;
    this.#options = options;
  }

  /** No point is taken any more; `run` ends when those that run have ended. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Until it is stopped. @throws OddsmakerError QUEUE_* */
  async run(): Promise<void> {
    const reporting = setInterval(() => void this.#report(), REPORT_MS);
    let lookedAt = Number.NEGATIVE_INFINITY;
    try {
      await this.#report();
      while (!this.#isStopping || this.#running > 0) {
        if (this.#failure !== undefined) throw this.#failure;
        if (!this.#isStopping && performance.now() - lookedAt >= SWEEPS_MS) {
          lookedAt = performance.now();
          await this.#lookForSweeps();
        }
        const isBusy = this.#isStopping || this.#running >= this.#options.threads || !(await this.#takeOne());
        if (isBusy) await this.#pause();
      }
    } finally {
      clearInterval(reporting);
      for (const sweep of this.#sweeps.values()) await this.#drop(sweep);
      if (this.#link.client.status === 'ready') await this.#board.leave(this.#options.id).catch(() => undefined);
    }
  }

  /** A moment, or until a thread is free. */
  async #pause(): Promise<void> {
    const freed = new Promise<void>((resolve) => {
      this.#freed = resolve;
    });
    const stop = new AbortController();
    const moment = sleep(LOOK_MS, undefined, { signal: stop.signal }).catch(() => undefined);
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

  /** A full Redis may have room again; it is waited for as one that is away. */
  #waitForRoom(error: OddsmakerError): void {
    if (this.#fullSince === undefined) {
      this.#fullSince = performance.now();
      this.#options.note(error.message);
    } else if (performance.now() - this.#fullSince >= this.#options.waitMs) this.#failure ??= error;
  }

  async #lookForSweeps(): Promise<void> {
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
      else if (sweep.opened === undefined && performance.now() - sweep.triedAt >= AGAIN_MS) this.#open(sweep);
    }
  }

  /** Unsigned ones are nobody’s, and of another version results would be others. */
  #noticeOf(id: string, text: string): SweepNotice | undefined {
    if (this.#refused.has(text)) return undefined;
    const opened = this.#key.open('sweep', text);
    const notice = opened === undefined ? undefined : noticeIn(opened);
    if (notice !== undefined && notice.id === id && notice.version === this.#options.version) return notice;
    this.#refused.add(text);
    if (notice === undefined || notice.id !== id) {
      this.#options.note(`sweep ${id} is not signed with the key of this worker: nothing of it is taken`);
      void this.#tellWhy(id, 'it is not signed with the key of this worker');
      return undefined;
    }
    const why = `the sweep is of version ${notice.version}, the worker of ${this.#options.version}: both must be the same`;
    this.#options.note(`sweep ${id} (${notice.name}) is refused: ${why}`);
    void this.#tellWhy(id, why);
    return undefined;
  }

  async #tellWhy(sweep: string, why: string | undefined): Promise<void> {
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
    // what ails the connection, the link tells
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

  /** Goes on in the background: other sweeps need not wait for its tapes. */
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
          sealed === null ? 'its bundle is gone' : 'its bundle is not signed with the key of this worker',
        );
      return this.#options.open(notice, bundle);
    };
    void open()
      .then(
        async (opened) => {
          sweep.opened = opened;
          if (sweep.why !== undefined) await this.#tellWhy(notice.id, undefined);
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
    await this.#tellWhy(id, why);
    if (sweep.why !== why) this.#options.note(`sweep ${id} (${name}) cannot be played here: ${why}`);
    sweep.why = why;
  }

  async #drop(sweep: Sweep): Promise<void> {
    this.#sweeps.delete(sweep.notice.id);
    sweep.opened?.close();
    sweep.former?.close();
    await sweep.queue.close(true).catch(() => undefined);
    // also at a stop, between two looks for sweeps: this one may have ended since
    await this.#board.sweepAway(sweep.notice.id).catch(() => undefined);
  }

  /** A point of the sweep whose turn it is. False: there is none. */
  async #takeOne(): Promise<boolean> {
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
        // to take a point is to write
        this.#waitForRoom(error);
        await sleep(RETRY_MS);
      } else if (error instanceof OddsmakerError && error.code !== 'QUEUE_INVALID') throw error;
      else await this.#dropUnreadable(sweep, error);
      return undefined;
    }
  }

  /** What somebody else wrote over: the sweep puts it again. A queue that is broken otherwise is left alone for a while. */
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

  async #dropPoints({ keys, notice }: Sweep, ids: readonly string[], what: string): Promise<void> {
    for (const id of ids)
      this.#options.note(
        `point ${id.slice(0, 12)} of sweep ${notice.id} ${what}: somebody else writes into this Redis; it is taken out of the queue`,
      );
    await keys.drop(ids);
  }

  /** Nothing of it is taken before it is opened again. */
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
    let isOurs = true;
    const renewing = setInterval(() => {
      void job.extendLock(token, lockMs).then(
        (told) => {
          if (!told) isOurs = false;
        },
        () => undefined,
      );
    }, lockMs / 4);
    try {
      const outcome = await this.#outcomeOf(sweep, sweep.opened, point);
      if (outcome === undefined) {
        if (isOurs) await this.#handBack(job, token);
        return;
      }
      const sealed = sealResult(this.#key, { sweep: point.sweep, key: point.key, worker: id, outcome });
      await this.#tell(sweep, job, token, sealed, () => isOurs);
      this.#played += 1;
    } finally {
      clearInterval(renewing);
    }
  }

  /** Undefined: it cannot be played here, and nothing else of that sweep before it is opened again. */
  async #outcomeOf(sweep: Sweep, opened: OpenSweep, point: PointMessage): Promise<Outcome | undefined> {
    try {
      return await opened.play(point);
    } catch (error) {
      if (!(error instanceof OddsmakerError)) throw error;
      if (sweep.opened === opened) await this.#setAside(sweep, error.message);
      return undefined;
    }
  }

  /** For another worker, or for later. What cannot be given back is another one's once its lock is over. */
  async #handBack(job: Job<JobData, string>, token: string): Promise<void> {
    await this.#link.ask(job.moveToWait(token)).catch((error: unknown) => {
      if (error instanceof OddsmakerError && error.code !== 'QUEUE_FULL') throw error;
    });
  }

  /** Until Redis takes it, or for too long. */
  async #tell(
    { notice }: Sweep,
    job: Job<JobData, string>,
    token: string,
    sealed: string,
    isOurs: () => boolean,
  ): Promise<void> {
    const until = performance.now() + this.#options.waitMs;
    for (;;) {
      try {
        if (isOurs()) {
          await this.#link.ask(job.moveToCompleted(sealed, token, false));
          return;
        }
        await this.#tellAgain(notice, sealed);
        return;
      } catch (error) {
        if (error instanceof OddsmakerError) {
          if (error.code !== 'QUEUE_FULL' || performance.now() > until) throw error;
          this.#waitForRoom(error);
          await sleep(RETRY_MS);
        } else if (isLostLock(error)) {
          await this.#tellAgain(notice, sealed);
          return;
        } else throw error;
      }
    }
  }

  /** Somebody else was given it meanwhile: both results must be the same. */
  async #tellAgain({ id }: SweepNotice, sealed: string): Promise<void> {
    this.#options.note(`a point of sweep ${id} was given to another worker meanwhile: its result is told as well`);
    await this.#board.tellAgain(id, sealed);
  }
}

function closeFormer(sweep: Sweep): void {
  sweep.former?.close();
  sweep.former = undefined;
}

/** The job is somebody else’s, or is gone: as BullMQ says it. */
const isLostLock = (error: unknown): boolean =>
  /missing lock|lock mismatch|not in the active state|missing key|not locked/i.test(messageOf(error));
