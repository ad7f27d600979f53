// Checks the files that a bot must see while it trades (rules.md, 15): the folder of its run, its lease, and
// its journal must still be the same files. A file that was removed or hidden by a mounted disk takes every
// write, but no one can read it.
import { statSync } from 'node:fs';
import { messageOf, systemCodeOf } from '../domain/index.ts';

/** A problem with a path. Path and problem together form a sentence. */
export type JournalProblem = { readonly path: string; readonly problem: string };

export type JournalState = {
  /** The file that is written now. */
  readonly file: string;
  /** Why the disk refuses it, for now or for good. Undefined: it does not. */
  readonly refused: string | undefined;
  /** True when it is refused for good. */
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

  /** The first problem; the one that explains the most comes first. Undefined: there is none. */
  check(): JournalProblem | undefined {
    return this.#folder.check() ?? this.#lease() ?? this.#checkJournal();
  }

  #checkJournal(): JournalProblem | undefined {
    const journal = this.#journal();
    if (journal === undefined) return undefined;
    const { file, refused } = journal;
    // a long journal continues in another file
    if (this.#file?.path !== file) this.#file = new WatchedPath(file, 'file');
    return this.#file.check() ?? (refused === undefined ? undefined : { path: file, problem: refused });
  }
}

type Place = { readonly dev: bigint; readonly ino: bigint };

/** A path, and the file that was there when it was first checked. */
class WatchedPath {
  readonly path: string;
  readonly #kind: 'folder' | 'file';
  readonly #before: Place | undefined;

  constructor(path: string, kind: 'folder' | 'file') {
    this.path = path;
    this.#kind = kind;
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
    if (before === undefined) return `is another ${this.#kind} than the bot writes`;
    if (dev !== before.dev)
      return `is on another device (${before.dev} before, ${dev} now): a disk was mounted or unmounted there`;
    return ino === before.ino
      ? undefined
      : `is another ${this.#kind} (inode ${before.ino} before, ${ino} now): the bot’s was moved or removed`;
  }
}

/** Device and inode of a path, or a sentence about why they cannot be known. */
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
