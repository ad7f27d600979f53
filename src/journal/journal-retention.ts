// Removes old journals: those older than `journal.keep`, and the oldest while all take more than
// `journal.most`. Never removed are the running one, those of another account, exchange or player mode (their
// own bot knows their fills), and those that may have a fill whose game is not settled. Such a fill is in the
// journal of the run that placed the order, or in a later one. When that run is unknown, all journals stay.
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isSameAccount, messageOf } from '../domain/index.ts';
import { nameOfPart } from './journal-parts.ts';
import { packedFileOf } from './journal-tail.ts';
import { ownerIn } from './last-requests.ts';
import type { JournalOwner } from './last-requests.ts';
import { isStamped } from '../files/index.ts';

export type RetentionRules = {
  /** Maximum age, ms. Undefined for no limit. */
  readonly keepMs: number | undefined;
  /** Maximum size of all journals, bytes. Undefined for no limit. */
  readonly mostBytes: number | undefined;
};

export type StoredJournal = {
  /** Common part of its file names: time and run. Sorts by time. */
  readonly name: string;
  /** Paths of its files, ordered by part. */
  readonly files: readonly string[];
  readonly bytes: number;
  /** Latest change of its files, Unix ms. */
  readonly changedMs: number;
};

export type Removal = {
  readonly journals: readonly StoredJournal[];
  /** Bytes above `mostBytes` that stay, because the rest must not be removed. */
  readonly beyond: number;
};

/** Removes old journals. `runs` are the runs with unsettled fills. Undefined when they are not all known. */
export async function removeOldJournals(
  running: string,
  owner: JournalOwner,
  rules: RetentionRules,
  runs: ReadonlySet<string> | undefined,
  nowMs = Date.now(),
): Promise<Removal> {
  const stored = await storedJournals(join(running, '..'));
  const own: StoredJournal[] = [];
  for (const journal of stored) if (await belongsTo(journal, owner)) own.push(journal);
  const current = nameOfPart(basename(running))?.run ?? '';
  const removal = planRemoval(own, rules, { current, runs, nowMs });
  for (const { files } of removal.journals) for (const file of files) await rm(file, { force: true });
  return removal;
}

/** Selects the journals to remove. `journals` are ordered from the oldest. */
export function planRemoval(
  journals: readonly StoredJournal[],
  { keepMs = Number.POSITIVE_INFINITY, mostBytes = Number.POSITIVE_INFINITY }: RetentionRules,
  {
    current,
    runs,
    nowMs,
  }: { readonly current: string; readonly runs: ReadonlySet<string> | undefined; readonly nowMs: number },
): Removal {
  const needed = firstNeeded(journals, current, runs);
  const removed: StoredJournal[] = [];
  let bytes = journals.reduce((sum, journal) => sum + journal.bytes, 0);
  for (const journal of journals) {
    if (journal.name >= needed) break;
    if (journal.changedMs >= nowMs - keepMs && bytes <= mostBytes) continue;
    removed.push(journal);
    bytes -= journal.bytes;
  }
  return { journals: removed, beyond: Math.max(0, bytes - mostBytes) };
}

/** Name of the oldest journal that must stay. All later ones stay too. '' when all must stay. */
function firstNeeded(
  journals: readonly StoredJournal[],
  current: string,
  runs: ReadonlySet<string> | undefined,
): string {
  if (runs === undefined) return '';
  const needed = [...runs].map((run) => journals.find(({ name }) => name.endsWith(`-${run}`))?.name ?? '');
  return [current, ...needed].sort()[0] ?? '';
}

async function storedJournals(folder: string): Promise<readonly StoredJournal[]> {
  const files = new Map<string, string[]>();
  for (const entry of (await readdir(folder)).sort()) {
    const name = nameOfPart(packedFileOf(entry))?.run;
    // the folder may hold other files
    if (name === undefined || !isStamped(name)) continue;
    files.set(name, [...(files.get(name) ?? []), join(folder, entry)]);
  }
  const journals: StoredJournal[] = [];
  for (const [name, entries] of files) {
    const stats = await Promise.all(entries.map((file) => stat(file).catch(() => undefined)));
    const bytes = stats.reduce((sum, entry) => sum + (entry?.size ?? 0), 0);
    const changedMs = Math.max(0, ...stats.map((entry) => entry?.mtimeMs ?? 0));
    journals.push({ name, files: entries, bytes, changedMs });
  }
  return journals.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether a journal belongs to this owner. False when it cannot be read. */
async function belongsTo({ files }: StoredJournal, owner: JournalOwner): Promise<boolean> {
  const [first = ''] = files.filter((file) => packedFileOf(file) === file);
  const found = await ownerIn(first).catch(() => undefined);
  return (
    found !== undefined &&
    isSameAccount(found.username, owner.username) &&
    found.mode === owner.mode &&
    found.restUrl === owner.restUrl
  );
}

const CHECK_EVERY_MS = 1000;
const REMOVE_EVERY_MS = 600_000;

export type RetentionOptions = {
  /** The journal that is being written. */
  readonly running: string;
  readonly owner: JournalOwner;
  readonly rules: RetentionRules;
  /** Runs with unsettled fills. Undefined while they are not all known. */
  readonly runs: () => ReadonlySet<string> | undefined;
  readonly removed: (names: readonly string[], bytes: number) => void;
  readonly problem: (message: string) => void;
};

/**
 * Removes old journals every ten minutes. Begins when the unsettled fills are known, or after ten minutes.
 */
export class JournalRetention {
  readonly #options: RetentionOptions;
  readonly #timer: NodeJS.Timeout;
  #nextAt = 0;
  readonly #unknownUntil = performance.now() + REMOVE_EVERY_MS;
  #removing: Promise<void> | undefined;
  /** The last reported problem, so that each is reported once. */
  #problem = '';

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#check(), CHECK_EVERY_MS);
    this.#timer.unref();
  }

  #check(): void {
    const now = performance.now();
    if (now < this.#nextAt || this.#removing !== undefined) return;
    const runs = this.#options.runs();
    // the account may not have been read yet
    if (runs === undefined && now < this.#unknownUntil) return;
    this.#nextAt = now + REMOVE_EVERY_MS;
    this.#removing = this.#remove(runs).finally(() => {
      this.#removing = undefined;
    });
  }

  async #remove(runs: ReadonlySet<string> | undefined): Promise<void> {
    const { running, owner, rules, removed } = this.#options;
    try {
      const { journals, beyond } = await removeOldJournals(running, owner, rules, runs);
      if (journals.length > 0)
        removed(
          journals.map(({ name }) => name),
          journals.reduce((sum, { bytes }) => sum + bytes, 0),
        );
      this.#warn(
        beyond === 0
          ? ''
          : 'the journals take more than journal.most, and none may be removed: the rest are the running one, and those that may have a fill that is not settled',
      );
    } catch (error) {
      this.#warn(`old journals cannot be removed: ${messageOf(error)}`);
    }
  }

  #warn(problem: string): void {
    if (problem !== '' && problem !== this.#problem) this.#options.problem(problem);
    this.#problem = problem;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#removing;
  }
}
