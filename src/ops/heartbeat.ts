// The heartbeat: a small file that the bot writes from its event loop, so that another process sees whether its loop
// turns. `loops` counts completed loops: a bot whose timers run but whose loop does not is as good as dead. It is written
// behind the bot's back; only the acknowledgement of a fence waits for the disk.
import { rename, writeFile } from 'node:fs/promises';
import { rmSync } from 'node:fs';
import type { Owner } from './owner.ts';
import { ourselves, parseOwner } from './owner.ts';
import { readObject, writeWhole } from './run-files.ts';

export type BeatState = {
  readonly loops: number;
  readonly state: string;
  /** The fence that the bot has seen and obeys. */
  readonly fence: string | null;
};
export type Beat = Owner & BeatState & { readonly at: number; readonly fenced: boolean };

export class Heartbeat {
  readonly #file: string;
  readonly #read: () => BeatState;
  readonly #owner = ourselves();
  #writing = false;
  #ended = false;
  /** Grows with every write that waited: an older one that is still under way must not replace it. */
  #generation = 0;

  constructor(file: string, read: () => BeatState) {
    this.#file = file;
    this.#read = read;
  }

  /** Never waits and never throws: a disk that hangs must not stop the bot, and silence is for the guard to judge. */
  beat(): void {
    if (this.#writing || this.#ended) return;
    this.#writing = true;
    const generation = this.#generation;
    const draft = `${this.#file}.${this.#owner.pid}.beat`;
    void writeFile(draft, `${JSON.stringify(this.#content())}\n`, { mode: 0o600 })
      .then(() => (generation === this.#generation ? rename(draft, this.#file) : undefined))
      .catch(() => undefined)
      .finally(() => {
        this.#writing = false;
        // the bot ended in order while this one was on its way
        if (this.#ended) this.#remove();
      });
  }

  /** Written when this returns. */
  beatNow(): void {
    if (this.#ended) return;
    this.#generation += 1;
    try {
      writeWhole(this.#file, this.#content());
    } catch {
      this.beat();
    }
  }

  /** An orderly end: no heartbeat is expected any more. */
  end(): void {
    this.#ended = true;
    this.#remove();
  }

  #remove(): void {
    try {
      rmSync(this.#file, { force: true });
      rmSync(`${this.#file}.${this.#owner.pid}.beat`, { force: true });
    } catch {
      // the guard will see a heartbeat that stopped, and that nothing is open
    }
  }

  #content(): Beat {
    const state = this.#read();
    return { ...this.#owner, at: Date.now(), ...state, fenced: state.fence !== null };
  }
}

/** Undefined when there is none, or none that can be read. */
export function readBeat(file: string): Beat | undefined {
  const object = readObject(file);
  const owner = object === undefined || object === null ? undefined : parseOwner(object);
  if (object === undefined || object === null || owner === undefined) return undefined;
  const { at, loops, state, fence } = object;
  if (typeof at !== 'number' || typeof loops !== 'number') return undefined;
  return {
    ...owner,
    at,
    loops,
    state: typeof state === 'string' ? state : '',
    fence: typeof fence === 'string' ? fence : null,
    fenced: typeof fence === 'string',
  };
}
