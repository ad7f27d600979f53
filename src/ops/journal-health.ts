// What a bot must see while it trades (rules.md, 15): the folder of its run, its lease, and the journal that it writes, each
// still the one that it was. A file that was removed or covered by another disk takes every write, and nobody reads it.
import { statSync } from 'node:fs';
import { messageOf, systemCodeOf } from '../domain/index.ts';

/** What is wrong, with its path: a sentence. */
export type JournalProblem = { readonly path: string; readonly problem: string };

export type JournalState = {
  /** The file that is written now. */
  readonly file: string;
  /** Why the disk does not take it, or never will again; undefined: it does. */
  readonly refused: string | undefined;
  /** It never will again. */
  readonly isTorn: boolean;
};

export class JournalHealth {
  readonly #folder: WatchedPath;
  readonly #lease: () => JournalProblem | undefined;
  readonly #journal: () => JournalState | undefined;
  #file: WatchedPath | undefined;

  constructor(folder: string, lease: () => JournalProblem | undefined, journal: () => JournalState | undefined) {
    this.#folder = new WatchedPath(folder, 'folder');
    this.#lease = lease;
    this.#journal = journal;
  }

  /** Undefined: all is where it was. What explains the most comes first. */
  check(): JournalProblem | undefined {
    return this.#folder.check() ?? this.#lease() ?? this.#lookAtJournal();
  }

  #lookAtJournal(): JournalProblem | undefined {
    const journal = this.#journal();
    if (journal === undefined) return undefined;
    const { file, refused } = journal;
    // a long journal goes on in another file
    if (this.#file?.path !== file) this.#file = new WatchedPath(file, 'file');
    return this.#file.check() ?? (refused === undefined ? undefined : { path: file, problem: refused });
  }
}

type Place = { readonly dev: bigint; readonly ino: bigint };

/** A path, and what stood there when it was first looked at. */
class WatchedPath {
  readonly path: string;
  readonly #what: 'folder' | 'file';
  readonly #before: Place | undefined;

  constructor(path: string, what: 'folder' | 'file') {
    this.path = path;
    this.#what = what;
    const place = placeOf(path);
    this.#before = typeof place === 'string' ? undefined : place;
  }

  check(): JournalProblem | undefined {
    const now = placeOf(this.path);
    const problem = typeof now === 'string' ? now : this.#difference(now);
    return problem === undefined ? undefined : { path: this.path, problem };
  }

  #difference({ dev, ino }: Place): string | undefined {
    const before = this.#before;
    if (before === undefined) return `is another ${this.#what} than the bot writes`;
    if (dev !== before.dev)
      return `is on another device (${before.dev} before, ${dev} now): a disk was mounted or unmounted there`;
    return ino === before.ino
      ? undefined
      : `is another ${this.#what} (inode ${before.ino} before, ${ino} now): the bot’s was moved or removed`;
  }
}

/** Or why it cannot be known. */
function placeOf(path: string): Place | string {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return { dev, ino };
  } catch (error) {
    return systemCodeOf(error) === 'ENOENT'
      ? 'is missing: it was moved, removed or unmounted'
      : `cannot be looked at: ${messageOf(error)}`;
  }
}
