// What of a bot holds over restarts, beside its journal and named by the account: what a human or a limit tightened, when
// runs were gone without an orderly end, and which ledger keeps the day's loss. Whole or not at all, and on disk when a
// write returns.
import type { Standing } from '../domain/index.ts';
import { readObject, writeWhole } from './run-files.ts';

export type Crash = {
  /** Of the process. */
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
   * The ledger of the last run; `lost`: since when it is not complete any more, Unix ms. `lacks`: journals of runs whose rows it
   * has not all taken.
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

  /** What cannot be read may have been a halt, and counts as one. */
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

  /** Throws what the disk says; what is to be kept is known all the same, and written with the next one. */
  keep(change: Partial<KeptState>): void {
    this.#state = { ...this.#state, ...change };
    writeWhole(this.#file, this.#state, true);
  }
}
