// What becomes of old journals: those that are older than `journal.keep`, or the oldest of more than `journal.most`, are
// removed. Never the running one, never one of another account, exchange or player mode (its own bot knows of its
// fills), and never one that may tell of a fill whose game is not settled: of the fills that the account still waits for, each
// stands in the journal of the run that placed the order, or in a later one. Where that run is not known, all are kept.
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isSameAccount, messageOf } from '../domain/index.ts';
import { nameOfPart } from './journal-parts.ts';
import { packedFileOf } from './journal-tail.ts';
import { ownerIn } from './last-requests.ts';
import type { JournalOwner } from './last-requests.ts';
import { isStamped } from '../files/index.ts';

export type RetentionRules = {
  /** Undefined: no journal is too old; there may be any number. */
  readonly keepMs: number | undefined;
  readonly mostBytes: number | undefined;
};

export type StoredJournal = {
  /** Name of all its files, up to the number of a part: time and run. They sort by it. */
  readonly name: string;
  /** The first part first. */
  readonly files: readonly string[];
  readonly bytes: number;
  /** Unix ms. */
  readonly changedMs: number;
};

export type Removal = {
  readonly journals: readonly StoredJournal[];
  /** Bytes beyond `mostBytes` that stay, since nothing else may go. */
  readonly beyond: number;
};

/** `runs`: those with fills that are not settled. Undefined: that is not known of all fills. */
export async function removeOldJournals(
  running: string,
  owner: JournalOwner,
  rules: RetentionRules,
  runs: ReadonlySet<string> | undefined,
  nowMs = Date.now(),
): Promise<Removal> {
  const stored = await storedJournals(join(running, '..'));
  const own: StoredJournal[] = [];
  for (const one of stored) if (await isOf(one, owner)) own.push(one);
  const current = nameOfPart(basename(running))?.run ?? '';
  const removal = planRemoval(own, rules, { current, runs, nowMs });
  for (const { files } of removal.journals) for (const file of files) await rm(file, { force: true });
  return removal;
}

/** `journals`: the oldest first. */
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
  let bytes = journals.reduce((sum, one) => sum + one.bytes, 0);
  for (const one of journals) {
    if (one.name >= needed) break;
    if (one.changedMs >= nowMs - keepMs && bytes <= mostBytes) continue;
    removed.push(one);
    bytes -= one.bytes;
  }
  return { journals: removed, beyond: Math.max(0, bytes - mostBytes) };
}

/** The name of the oldest that must stay, and all behind it. */
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
    // others may keep their own files here
    if (name === undefined || !isStamped(name)) continue;
    files.set(name, [...(files.get(name) ?? []), join(folder, entry)]);
  }
  const journals: StoredJournal[] = [];
  for (const [name, entries] of files) {
    const stats = await Promise.all(entries.map((file) => stat(file).catch(() => undefined)));
    const bytes = stats.reduce((sum, one) => sum + (one?.size ?? 0), 0);
    const changedMs = Math.max(0, ...stats.map((one) => one?.mtimeMs ?? 0));
    journals.push({ name, files: entries, bytes, changedMs });
  }
  return journals.sort((one, two) => (one.name < two.name ? -1 : 1));
}

/** One that cannot be read is nobody's. */
async function isOf({ files }: StoredJournal, owner: JournalOwner): Promise<boolean> {
  const [first = ''] = files.filter((file) => packedFileOf(file) === file);
  const found = await ownerIn(first).catch(() => undefined);
  return (
    found !== undefined &&
    isSameAccount(found.username, owner.username) &&
    found.mode === owner.mode &&
    found.restUrl === owner.restUrl
  );
}

const LOOK_EVERY_MS = 1000;
const REMOVE_EVERY_MS = 600_000;

export type RetentionOptions = {
  /** The journal that is being written. */
  readonly running: string;
  readonly owner: JournalOwner;
  readonly rules: RetentionRules;
  /** The runs with fills that are not settled; undefined: not known yet, or not of all. */
  readonly runs: () => ReadonlySet<string> | undefined;
  readonly removed: (names: readonly string[], bytes: number) => void;
  readonly problem: (message: string) => void;
};

/** Removes them once it is known what is settled, and every ten minutes from then on. */
export class JournalRetention {
  readonly #options: RetentionOptions;
  readonly #timer: NodeJS.Timeout;
  #nextAt = 0;
  readonly #unknownUntil = performance.now() + REMOVE_EVERY_MS;
  #removing: Promise<void> | undefined;
  /** Told once, until it changes. */
  #problem = '';

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  #look(): void {
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
      this.#tell(
        beyond === 0
          ? ''
          : 'the journals take more than journal.most, and none may be removed: what is left is the running one, and those that may tell of a fill that is not settled',
      );
    } catch (error) {
      this.#tell(`old journals cannot be removed: ${messageOf(error)}`);
    }
  }

  #tell(problem: string): void {
    if (problem !== '' && problem !== this.#problem) this.#options.problem(problem);
    this.#problem = problem;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#removing;
  }
}
