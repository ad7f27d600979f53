// The state of a bot that survives restarts, in a file beside its journal, named after the account:
// restrictions set by an operator or a limit, crashes of runs, and the ledger that keeps the day's loss. It
// is written whole or not at all, and is on disk when a write returns.
import type { Standing } from '../domain/index.ts';
import { readObject, writeWhole } from './run-files.ts';

export type Crash = {
  /** Identity of the process. */
  readonly id: string;
  /** Unix ms. */
  readonly at: number;
};

export type KeptState = {
  readonly standing?: Standing | undefined;
  readonly crashes: readonly Crash[];
  /** Parameters that an operator changed while a bot ran, by strategy and name. */
  readonly params?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
  /**
   * The ledger of the last run. `lost`: since when it is no longer complete, Unix ms. `lacks`: runs whose
   * rows it has not all taken; their journals have them.
   */
  readonly ledger?:
    | {
        readonly id: string;
        readonly file: string;
        readonly lost?: number | undefined;
        readonly lacks?: readonly string[] | undefined;
      }
    | undefined;
};

export class StandingFile {
  readonly #file: string;
  #state: KeptState;

  /** Reads the file. An unreadable file may have been a halt, and counts as one. */
  constructor(file: string) {
    this.#file = file;
    const object = readObject(file);
    const state: Partial<KeptState> | undefined =
      object === null
        ? {
            standing: {
              state: 'halted',
              reason: `${file} cannot be read: it may have been a halt`,
              paused: false,
            },
          }
        : object;
    this.#state = { ...state, crashes: Array.isArray(state?.crashes) ? state.crashes : [] };
  }

  get state(): KeptState {
    return this.#state;
  }

  /**
   * Writes a change. Throws the errors of the disk; the change then stays in memory and is written with the
   * next one.
   */
  keep(change: Partial<KeptState>): void {
    this.#state = { ...this.#state, ...change };
    writeWhole(this.#file, this.#state, true);
  }
}
