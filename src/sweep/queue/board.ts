// The sweeps, bundles and workers that are announced in Redis, beside the queues, and why a worker refuses a
// sweep. Sweeps and bundles are signed, and a signature is checked before anything is acted on; reports of
// workers are only shown.
import { randomBytes } from 'node:crypto';
import { printable } from '../../domain/index.ts';
import type { BundledTape } from '../bundled-tape.ts';
import type { SharedKey } from './key-file.ts';
import type { RedisLink } from './redis-link.ts';

export const PREFIX = 'oddsmaker';
const SWEEPS = `${PREFIX}:sweeps`;
const WORKERS = `${PREFIX}:workers`;
const bundleKey = (sha256: string): string => `${PREFIX}:bundle:${sha256}`;
const refusedKey = (sweep: string): string => `${PREFIX}:refused:${sweep}`;
const lateResultsKey = (sweep: string): string => `${PREFIX}:again:${sweep}`;
/** Seconds that Redis keeps a bundle after it was last announced. */
const KEEP_S = 30 * 24 * 3600;
/** A worker that has not reported for longer has ended. */
const SILENT_MS = 15_000;
const ID_BYTES = 6;

export type SweepNotice = {
  readonly id: string;
  /** Name of the configuration file. */
  readonly name: string;
  readonly version: string;
  readonly bundle: string;
  readonly tapes: readonly BundledTape[];
  /** URL at which the submitter serves its tapes; null when it serves none. */
  readonly serve: string | null;
  readonly budgetMs: number;
  readonly points: number;
  /** Unix ms. */
  readonly since: number;
};

export type WorkerNotice = {
  readonly id: string;
  readonly version: string;
  readonly threads: number;
  readonly running: number;
  readonly played: number;
  /** Unix ms. */
  readonly since: number;
  readonly at: number;
};

export const newSweepId = (): string => randomBytes(ID_BYTES).toString('hex');
export const queueOf = (sweep: string): string => `sweep-${sweep}`;

export class Board {
  readonly #link: RedisLink;

  constructor(link: RedisLink) {
    this.#link = link;
  }

  async announce(notice: SweepNotice, bundle: string, key: SharedKey): Promise<void> {
    const { client } = this.#link;
    await this.#link.ask(client.set(bundleKey(notice.bundle), key.seal('bundle', bundle), 'EX', KEEP_S));
    await this.#link.ask(client.hset(SWEEPS, notice.id, key.seal('sweep', JSON.stringify(notice))));
  }

  /**
   * Announces a sweep again: its bundle only when Redis lost it, its notice always, so that a Redis that
   * refuses writes reports it.
   */
  async announceAgain(notice: SweepNotice, bundle: string, key: SharedKey): Promise<void> {
    const { client } = this.#link;
    if ((await this.#link.ask(client.exists(bundleKey(notice.bundle)))) === 0) await this.announce(notice, bundle, key);
    else await this.#link.ask(client.hset(SWEEPS, notice.id, key.seal('sweep', JSON.stringify(notice))));
  }

  /**
   * Removes what Redis holds about a sweep that has ended, except its bundle, which other sweeps may need.
   */
  async withdraw(sweep: string): Promise<void> {
    const { client } = this.#link;
    await this.#link.ask(client.hdel(SWEEPS, sweep));
    await this.#link.ask(client.del(refusedKey(sweep), lateResultsKey(sweep)));
  }

  /** Deletes what workers left of the queue of a sweep that has ended. Does nothing while the sweep runs. */
  async deleteLeftovers(sweep: string): Promise<void> {
    const { client } = this.#link;
    if ((await this.#link.ask(client.hexists(SWEEPS, sweep))) === 1) return;
    const queue = `${PREFIX}:${queueOf(sweep)}`;
    const left = [`${queue}:meta`, `${queue}:stalled-check`, `${queue}:marker`];
    await this.#link.ask(client.del(...left, refusedKey(sweep), lateResultsKey(sweep)));
  }

  /** Sealed notices of all sweeps, by id. The caller opens the seal before it acts on a notice. */
  async sweeps(): Promise<ReadonlyMap<string, string>> {
    return new Map(Object.entries(await this.#link.ask(this.#link.client.hgetall(SWEEPS))));
  }

  async bundle(sha256: string): Promise<string | null> {
    return this.#link.ask(this.#link.client.get(bundleKey(sha256)));
  }

  /** Reports that a worker is running. */
  async report(worker: WorkerNotice): Promise<void> {
    await this.#link.ask(this.#link.client.hset(WORKERS, worker.id, JSON.stringify(worker)));
  }

  async leave(worker: string): Promise<void> {
    await this.#link.ask(this.#link.client.hdel(WORKERS, worker));
  }

  /** Workers that reported recently; removes the others. `now`: Unix ms. */
  async workers(now: number): Promise<readonly WorkerNotice[]> {
    const reports = await this.#link.ask(this.#link.client.hgetall(WORKERS));
    const alive: WorkerNotice[] = [];
    for (const [id, text] of Object.entries(reports)) {
      const notice = workerIn(text);
      if (notice !== undefined && now - notice.at <= SILENT_MS) alive.push(notice);
      else await this.leave(id);
    }
    return alive.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Records why a worker takes no points of a sweep; undefined `why`: it takes points. */
  async refuse(sweep: string, worker: string, why: string | undefined): Promise<void> {
    const { client } = this.#link;
    if (why === undefined) await this.#link.ask(client.hdel(refusedKey(sweep), worker));
    else await this.#link.ask(client.hset(refusedKey(sweep), worker, why));
  }

  /**
   * Reasons of workers that refuse a sweep, by worker. They are not signed: use them as text to show only.
   */
  async refusals(sweep: string): Promise<Readonly<Record<string, string>>> {
    const reasons = await this.#link.ask(this.#link.client.hgetall(refusedKey(sweep)));
    return Object.fromEntries(Object.entries(reasons).map(([worker, why]) => [shown(worker), shown(why)]));
  }

  /** Adds the result of a point that another worker was given meanwhile. */
  async addLateResult(sweep: string, sealed: string): Promise<void> {
    const { client } = this.#link;
    await this.#link.ask(client.rpush(lateResultsKey(sweep), sealed));
    // the sweep may have ended, and then it never removes the list
    await this.#link.ask(client.expire(lateResultsKey(sweep), KEEP_S));
  }

  async lateResults(sweep: string): Promise<readonly string[]> {
    return this.#link.ask(this.#link.client.lrange(lateResultsKey(sweep), 0, -1));
  }

  /** Deletes all late results, whatever type the key has. */
  async dropLateResults(sweep: string): Promise<void> {
    await this.#link.ask(this.#link.client.del(lateResultsKey(sweep)));
  }

  /** Removes the first `count` late results, which were read. */
  async removeLateResults(sweep: string, count: number): Promise<void> {
    if (count > 0) await this.#link.ask(this.#link.client.ltrim(lateResultsKey(sweep), count, -1));
  }
}

const MOST_SHOWN = 500;
const shown = (text: string): string => printable(text.slice(0, MOST_SHOWN));

const TEXTS = ['id', 'version'] as const;
const COUNTS = ['threads', 'running', 'played', 'since', 'at'] as const;

/**
 * A report that a worker wrote, with its texts made printable. Undefined when the text is not such a report.
 */
function workerIn(text: string): WorkerNotice | undefined {
  const report = parsed(text) as Partial<WorkerNotice> | null | undefined;
  if (!TEXTS.every((name) => typeof report?.[name] === 'string')) return undefined;
  if (!COUNTS.every((name) => typeof report?.[name] === 'number')) return undefined;
  const worker = report as WorkerNotice;
  return { ...worker, id: shown(worker.id), version: shown(worker.version) };
}

/** Reads the text of a notice without its seal. Undefined when the text is not a notice. */
export function noticeIn(text: string): SweepNotice | undefined {
  const notice = parsed(text) as Partial<SweepNotice> | null | undefined;
  const isNotice =
    (['id', 'name', 'version', 'bundle'] as const).every((name) => typeof notice?.[name] === 'string') &&
    (['budgetMs', 'points', 'since'] as const).every((name) => typeof notice?.[name] === 'number') &&
    Array.isArray(notice?.tapes) &&
    (notice.serve === null || typeof notice.serve === 'string');
  return isNotice ? (notice as SweepNotice) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
