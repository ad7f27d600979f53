// What sweeps and workers know of each other in Redis, beside the queues: which sweeps there are, the bundle of each, which
// workers, and what keeps a worker from a sweep. Everything that is acted on is signed.
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
const againKey = (sweep: string): string => `${PREFIX}:again:${sweep}`;
/** A bundle that nobody asks for any more. */
const KEPT_S = 30 * 24 * 3600;
/** A worker that is silent for longer is gone. */
const SILENT_MS = 15_000;
const ID_BYTES = 6;

export type SweepNotice = {
  readonly id: string;
  /** The configuration file. */
  readonly name: string;
  readonly version: string;
  readonly bundle: string;
  readonly tapes: readonly BundledTape[];
  /** Where the submitter gives its tapes; null: nowhere. */
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
    await this.#link.ask(client.set(bundleKey(notice.bundle), key.seal('bundle', bundle), 'EX', KEPT_S));
    await this.#link.ask(client.hset(SWEEPS, notice.id, key.seal('sweep', JSON.stringify(notice))));
  }

  /** What is gone of it. The notice is written in any case: a Redis that takes nothing more says so. */
  async announceAgain(notice: SweepNotice, bundle: string, key: SharedKey): Promise<void> {
    const { client } = this.#link;
    if ((await this.#link.ask(client.exists(bundleKey(notice.bundle)))) === 0) await this.announce(notice, bundle, key);
    else await this.#link.ask(client.hset(SWEEPS, notice.id, key.seal('sweep', JSON.stringify(notice))));
  }

  /** It is over: nothing of it stays, its bundle apart, which others may need. */
  async withdraw(sweep: string): Promise<void> {
    const { client } = this.#link;
    await this.#link.ask(client.hdel(SWEEPS, sweep));
    await this.#link.ask(client.del(refusedKey(sweep), againKey(sweep)));
  }

  /** Deletes what workers left of the queue of a sweep that is over; of a sweep that still runs, nothing. */
  async sweepAway(sweep: string): Promise<void> {
    const { client } = this.#link;
    if ((await this.#link.ask(client.hexists(SWEEPS, sweep))) === 1) return;
    const queue = `${PREFIX}:${queueOf(sweep)}`;
    const left = [`${queue}:meta`, `${queue}:stalled-check`, `${queue}:marker`];
    await this.#link.ask(client.del(...left, refusedKey(sweep), againKey(sweep)));
  }

  /** As they stand there, by id: whoever acts on one opens its seal first. */
  async sweeps(): Promise<ReadonlyMap<string, string>> {
    return new Map(Object.entries(await this.#link.ask(this.#link.client.hgetall(SWEEPS))));
  }

  async bundle(sha256: string): Promise<string | null> {
    return this.#link.ask(this.#link.client.get(bundleKey(sha256)));
  }

  /** A worker lives. */
  async report(worker: WorkerNotice): Promise<void> {
    await this.#link.ask(this.#link.client.hset(WORKERS, worker.id, JSON.stringify(worker)));
  }

  async leave(worker: string): Promise<void> {
    await this.#link.ask(this.#link.client.hdel(WORKERS, worker));
  }

  /** Those that live; the others are taken off. `now`: Unix ms. */
  async workers(now: number): Promise<readonly WorkerNotice[]> {
    const told = await this.#link.ask(this.#link.client.hgetall(WORKERS));
    const living: WorkerNotice[] = [];
    for (const [id, text] of Object.entries(told)) {
      const notice = workerIn(text);
      if (notice !== undefined && now - notice.at <= SILENT_MS) living.push(notice);
      else await this.leave(id);
    }
    return living.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Why a worker takes no point of a sweep; undefined: it does. */
  async refuse(sweep: string, worker: string, why: string | undefined): Promise<void> {
    const { client } = this.#link;
    if (why === undefined) await this.#link.ask(client.hdel(refusedKey(sweep), worker));
    else await this.#link.ask(client.hset(refusedKey(sweep), worker, why));
  }

  /** They are signed by nobody: text to show, and no more. */
  async refusals(sweep: string): Promise<Readonly<Record<string, string>>> {
    const told = await this.#link.ask(this.#link.client.hgetall(refusedKey(sweep)));
    return Object.fromEntries(Object.entries(told).map(([worker, why]) => [shown(worker), shown(why)]));
  }

  /** A result of a point that somebody else was given meanwhile. */
  async tellAgain(sweep: string, sealed: string): Promise<void> {
    const { client } = this.#link;
    await this.#link.ask(client.rpush(againKey(sweep), sealed));
    // the sweep may be over
    await this.#link.ask(client.expire(againKey(sweep), KEPT_S));
  }

  async toldAgain(sweep: string): Promise<readonly string[]> {
    return this.#link.ask(this.#link.client.lrange(againKey(sweep), 0, -1));
  }

  /** All of them, whatever is there. */
  async dropAgain(sweep: string): Promise<void> {
    await this.#link.ask(this.#link.client.del(againKey(sweep)));
  }

  /** Those that were read, from the first on. */
  async forgetAgain(sweep: string, count: number): Promise<void> {
    if (count > 0) await this.#link.ask(this.#link.client.ltrim(againKey(sweep), count, -1));
  }
}

const MOST_SHOWN = 500;
const shown = (text: string): string => printable(text.slice(0, MOST_SHOWN));

const TEXTS = ['id', 'version'] as const;
const COUNTS = ['threads', 'running', 'played', 'since', 'at'] as const;

/** Undefined: somebody else wrote it. */
function workerIn(text: string): WorkerNotice | undefined {
  const told = parsed(text) as Partial<WorkerNotice> | null | undefined;
  if (!TEXTS.every((name) => typeof told?.[name] === 'string')) return undefined;
  if (!COUNTS.every((name) => typeof told?.[name] === 'number')) return undefined;
  const worker = told as WorkerNotice;
  return { ...worker, id: shown(worker.id), version: shown(worker.version) };
}

/** The text of a notice, its seal opened or left aside. Undefined: this is none. */
export function noticeIn(text: string): SweepNotice | undefined {
  const told = parsed(text) as Partial<SweepNotice> | null | undefined;
  const isOne =
    (['id', 'name', 'version', 'bundle'] as const).every((name) => typeof told?.[name] === 'string') &&
    (['budgetMs', 'points', 'since'] as const).every((name) => typeof told?.[name] === 'number') &&
    Array.isArray(told?.tapes) &&
    (told.serve === null || typeof told.serve === 'string');
  return isOne ? (told as SweepNotice) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
