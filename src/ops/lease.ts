// The lease: one bot per account (rules.md, 16). The file appears whole or not at all, belongs to the process
// named in it, and is replaced only when that process is dead. A bot whose lease is gone, or belongs to
// another process, quotes nothing.
import { linkSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, OddsmakerError, systemCodeOf } from '../domain/index.ts';
import { readBeat } from './heartbeat.ts';
import type { Owner } from './owner.ts';
import { isAlive, isSameOwner, thisProcess, parseOwner } from './owner.ts';
import type { RunFiles } from './run-files.ts';
import { readObject, writeWhole } from './run-files.ts';
import type { JournalProblem } from './journal-health.ts';

export type LeaseFile = Owner & {
  readonly account: string;
  readonly start: string;
  readonly socket: string;
  /** Configuration file of the bot; empty when it has none. */
  readonly config: string;
};

/** How often a start tries again when others compete for the same stale lease. */
const MOST_TRIES = 5;

/** All leases in a folder, of running bots or not. Null: a lease that cannot be read. */
export function leasesIn(folder: string): readonly { readonly path: string; readonly lease: LeaseFile | null }[] {
  let entries: readonly string[];
  try {
    entries = readdirSync(folder);
  } catch {
    return [];
  }
  return entries
    .filter((name) => name.endsWith('.lease'))
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      const lease = readLease(path);
      return lease === undefined ? [] : { path, lease };
    });
}

export class Lease {
  readonly #files: RunFiles;
  #content: LeaseFile;
  /** Pid of the dead bot whose lease was replaced. */
  readonly tookOverFrom: number | undefined;

  private constructor(files: RunFiles, content: LeaseFile, tookOverFrom: number | undefined) {
    this.#files = files;
    this.#content = content;
    this.tookOverFrom = tookOverFrom;
  }

  /**
   * @param deadlineMs a bot of another host (or container) is dead when its heartbeat is older than this
   * @throws OddsmakerError INSTANCE_RUNNING, RUN_FOLDER_UNWRITABLE
   */
  static take(files: RunFiles, deadlineMs: number): Lease {
    const content = {
      account: files.account,
      ...thisProcess(),
      start: new Date().toISOString(),
      socket: files.socket,
      config: files.config,
    };
    try {
      let former: number | undefined;
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        if (create(files.lease, content)) return new Lease(files, content, former);
        const holder = readLease(files.lease);
        if (holder === undefined) continue;
        if (holder === null || isLiving(holder, files, deadlineMs)) throw refusal(files, holder);
        if (setAside(files.lease, holder)) former = holder.pid;
      }
      throw refusal(files, null);
    } catch (error) {
      if (error instanceof OddsmakerError) throw error;
      throw unwritable(files.folder, error);
    }
  }

  /** True when another process holds the lease. */
  get isLost(): boolean {
    const holder = readLease(this.#files.lease);
    return holder !== undefined && holder !== null && !isSameOwner(holder, this.#content);
  }

  /** What is wrong with the lease. Undefined: this process holds it. */
  check(): JournalProblem | undefined {
    const path = this.#files.lease;
    const holder = readLease(path);
    if (holder === undefined)
      return {
        path,
        problem:
          'is missing: the lease of the account was moved or removed; `oddsmaker ctl <config> resume` puts it back',
      };
    if (holder === null)
      return { path, problem: 'cannot be read: the owner of the lease of the account cannot be known' };
    if (isSameOwner(holder, this.#content)) return undefined;
    return { path, problem: `belongs to another process: pid ${holder.pid}, since ${holder.start}` };
  }

  /**
   * Writes the lease again if it is missing; that of another process stays. Throws when the folder takes no
   * file.
   */
  putBack(): void {
    if (readLease(this.#files.lease) === undefined) create(this.#files.lease, this.#content);
  }

  /** Records another path of the control socket: ctl finds the socket through the lease. */
  moveSocket(socket: string): void {
    this.#content = { ...this.#content, socket };
    writeWhole(this.#files.lease, this.#content);
  }

  release(): void {
    const holder = readLease(this.#files.lease);
    if (holder !== undefined && holder !== null && isSameOwner(holder, this.#content))
      rmSync(this.#files.lease, { force: true });
  }
}

/** The error for run files that cannot be written. A full disk has its own code: another try may succeed. */
export const unwritable = (folder: string, error: unknown): OddsmakerError =>
  new OddsmakerError(
    PASSING.has(systemCodeOf(error)) ? 'RUN_FOLDER_FULL' : 'RUN_FOLDER_UNWRITABLE',
    `${folder}: the files of the run cannot be kept here (journal.dir): ${messageOf(error)}`,
    { cause: error },
  );
const PASSING: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE']);

/** Reads a lease. Undefined: there is none. Null: it cannot be read. */
export function readLease(file: string): LeaseFile | undefined | null {
  const object = readObject(file);
  if (object === undefined || object === null) return object;
  const owner = parseOwner(object);
  const text = (key: string): string => (typeof object[key] === 'string' ? object[key] : '');
  return owner === undefined
    ? null
    : {
        ...owner,
        account: text('account'),
        start: text('start'),
        socket: text('socket'),
        config: text('config'),
      };
}

/** Creates the file by a link: it fails when the name is taken, and the file is complete when it appears. */
function create(file: string, content: LeaseFile): boolean {
  const draft = `${file}.${process.pid}.new`;
  try {
    writeWhole(draft, content);
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Removes the lease of a dead bot. If a competing start has already put its own lease there, that one is
 * restored.
 */
function setAside(file: string, dead: LeaseFile): boolean {
  const aside = `${file}.${process.pid}.old`;
  try {
    renameSync(file, aside);
  } catch {
    return false;
  }
  const taken = readLease(aside);
  const wasDead = taken !== undefined && taken !== null && isSameOwner(taken, dead);
  try {
    if (!wasDead) linkSync(aside, file);
  } catch {
    // a third process has it by now; the one that lost its lease sees that at its next heartbeat
  }
  rmSync(aside, { force: true });
  return wasDead;
}

function isLiving(holder: Owner, files: RunFiles, deadlineMs: number): boolean {
  const alive = isAlive(holder);
  if (alive !== undefined) return alive;
  const beat = readBeat(files.heartbeat);
  return beat !== undefined && isSameOwner(beat, holder) && Date.now() - beat.at <= deadlineMs;
}

function refusal(files: RunFiles, holder: LeaseFile | null): OddsmakerError {
  const who = holder === null ? 'a process that cannot be read from it' : `pid ${holder.pid}, since ${holder.start}`;
  return new OddsmakerError(
    'INSTANCE_RUNNING',
    `a bot of account ${files.account} is running: ${files.lease} belongs to ${who}. ` +
      (holder === null
        ? 'If no bot runs, remove that file.'
        : 'Stop it first, or see `oddsmaker ctl <config> status`.'),
  );
}
