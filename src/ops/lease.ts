// The lease: one bot per account (rules.md, 16). The file appears whole or not at all, belongs to the process named in
// it, and is taken over only when that process is dead. A bot whose lease is gone, or somebody else's, quotes nothing.
import { linkSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, OddsmakerError, systemCodeOf } from '../domain/index.ts';
import { readBeat } from './heartbeat.ts';
import type { Owner } from './owner.ts';
import { isAlive, isSameOwner, ourselves, parseOwner } from './owner.ts';
import type { RunFiles } from './run-files.ts';
import { readObject, writeWhole } from './run-files.ts';
import type { JournalProblem } from './journal-health.ts';

export type LeaseFile = Owner & {
  readonly account: string;
  readonly start: string;
  readonly socket: string;
  /** The configuration of the bot; empty where it has none. */
  readonly config: string;
};

/** Starts that meet at the same stale lease try again this often. */
const MOST_TRIES = 5;

/** The leases that bots left in a folder, running or not. Null: one that cannot be read. */
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
  /** The pid of the dead bot whose lease this was. */
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
      ...ourselves(),
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
        if (holder === null || lives(holder, files, deadlineMs)) throw refusal(files, holder);
        if (setAside(files.lease, holder)) former = holder.pid;
      }
      throw refusal(files, null);
    } catch (error) {
      if (error instanceof OddsmakerError) throw error;
      throw unwritable(files.folder, error);
    }
  }

  /** Another process has it. */
  get isLost(): boolean {
    const holder = readLease(this.#files.lease);
    return holder !== undefined && holder !== null && !isSameOwner(holder, this.#content);
  }

  /** Undefined while it is ours. */
  look(): JournalProblem | undefined {
    const path = this.#files.lease;
    const holder = readLease(path);
    if (holder === undefined)
      return {
        path,
        problem:
          'is missing: the lease of the account was moved or removed; `oddsmaker ctl <config> resume` puts it back',
      };
    if (holder === null) return { path, problem: 'cannot be read: whose lease of the account it is cannot be known' };
    if (isSameOwner(holder, this.#content)) return undefined;
    return { path, problem: `belongs to another process: pid ${holder.pid}, since ${holder.start}` };
  }

  /** Where it is missing; somebody else's is left as it is. Throws where the folder takes no file. */
  putBack(): void {
    if (readLease(this.#files.lease) === undefined) create(this.#files.lease, this.#content);
  }

  /** The control socket had to go elsewhere: ctl finds it by the lease. */
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

/** A full disk may have room again: that is worth another try. */
export const unwritable = (folder: string, error: unknown): OddsmakerError =>
  new OddsmakerError(
    PASSING.has(systemCodeOf(error)) ? 'RUN_FOLDER_FULL' : 'RUN_FOLDER_UNWRITABLE',
    `${folder}: the files of the run cannot be kept here (journal.dir): ${messageOf(error)}`,
    { cause: error },
  );
const PASSING: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE']);

/** Undefined: there is none. Null: there is one that cannot be read. */
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

/** A link fails when the name is taken, and the file behind it is whole already. */
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

/** Removes the lease of a dead bot. Of several that try, one may have its own there already: that is put back. */
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
    // a third has it by now; whoever lost theirs sees it at its next heartbeat
  }
  rmSync(aside, { force: true });
  return wasDead;
}

function lives(holder: Owner, files: RunFiles, deadlineMs: number): boolean {
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
        : 'Stop it first, or look at it with `oddsmaker ctl <config> status`.'),
  );
}
