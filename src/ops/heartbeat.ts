// The heartbeat: a small file that the bot writes from its event loop, so that another process sees whether its loop
// turns. `loops` counts completed loops: a bot whose timers run but whose loop does not is as good as dead. It is written
// behind the bot's back; only the acknowledgement of a fence waits for the disk. On a full disk it is written where the one
// before stands: the bot is as alive as before.
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { rmSync } from 'node:fs';
import { messageOf } from '../domain/index.ts';
import type { Owner } from './owner.ts';
import { isSameOwner, ourselves, parseOwner } from './owner.ts';
import { inRoom, overwrite, readObject, writeWhole } from './run-files.ts';

export type BeatState = {
  readonly loops: number;
  readonly state: string;
  /** The fence that the bot has seen and obeys. */
  readonly fence: string | null;
};
export type Beat = Owner &
  BeatState & {
    readonly at: number;
    readonly fenced: boolean;
    /** The pid of a bot that was gone without an orderly end when this one started. */
    readonly after: number | null;
  };

export class Heartbeat {
  readonly #file: string;
  readonly #read: () => BeatState;
  readonly #owner = ourselves();
  readonly #after: number | null;
  readonly #before: Beat | undefined;
  #writtenAt = performance.now();
  #writing = false;
  #ended = false;
  #isGivenBack = false;
  /** Grows with every write that waited: an older one that is still under way must not replace it. */
  #generation = 0;

  /** Why the last one could not be written; undefined: it was. */
  problem: string | undefined;

  /** `after`: the pid of the bot before, where that was gone without an orderly end; `before`: the heartbeat it left behind. */
  constructor(file: string, read: () => BeatState, after?: number, before?: Beat) {
    this.#file = file;
    this.#read = read;
    this.#after = after ?? null;
    this.#before = before;
  }

  /** How long none could be written, ms; 0 while they can. */
  get failingMs(): number {
    return this.problem === undefined ? 0 : performance.now() - this.#writtenAt;
  }

  /** Never waits and never throws: a disk that hangs must not stop the bot, and silence is for the guard to judge. */
  beat(): void {
    if (this.#writing || this.#ended) return;
    this.#writing = true;
    const generation = this.#generation;
    // one bot an account: what a killed one left is written over
    const draft = `${this.#file}.draft`;
    const text = inRoom(this.#content());
    const isNewest = (): boolean => generation === this.#generation;
    void writeFile(draft, text, { mode: 0o600 })
      .then(() => (isNewest() ? rename(draft, this.#file) : rm(draft, { force: true })))
      .catch(async () => {
        if (!isNewest()) return;
        const file = await open(this.#file, 'r+');
        await (isNewest() ? file.write(text, 0) : Promise.resolve()).finally(() => file.close());
      })
      .then(
        () => this.#wrote(),
        (error: unknown) => {
          this.problem = messageOf(error);
        },
      )
      .finally(() => {
        this.#writing = false;
        // the bot ended while this one was on its way; the next one may have begun since
        if (this.#ended && this.#isOurs) this.#leave();
      });
  }

  /** Written when this returns. */
  beatNow(): void {
    if (this.#ended) return;
    this.#generation += 1;
    for (const write of [writeWhole, overwrite]) {
      try {
        write(this.#file, this.#content());
        this.#wrote();
        return;
      } catch {
        // the other way, or the next heartbeat
      }
    }
    this.beat();
  }

  #wrote(): void {
    this.#writtenAt = performance.now();
    this.problem = undefined;
  }

  /** An orderly end: no heartbeat is expected any more. */
  end(): void {
    this.#ended = true;
    this.#leave();
  }

  /** Nothing was sent: the heartbeat that the bot before left behind stands again. False where there was none. */
  giveBack(): boolean {
    if (this.#before === undefined) return false;
    this.#isGivenBack = true;
    this.end();
    return true;
  }

  get #isOurs(): boolean {
    const beat = readBeat(this.#file);
    return beat !== undefined && isSameOwner(beat, this.#owner);
  }

  #leave(): void {
    // none that is under way may replace it
    this.#generation += 1;
    this.#remove();
    if (!this.#isGivenBack || this.#before === undefined) return;
    try {
      writeWhole(this.#file, this.#before);
    } catch {
      // nobody was left to be told: the guard saw that bot end, or has yet to start
    }
  }

  #remove(): void {
    try {
      rmSync(this.#file, { force: true });
      rmSync(`${this.#file}.draft`, { force: true });
    } catch {
      // the guard will see a heartbeat that stopped, and that nothing is open
    }
  }

  #content(): Beat {
    const state = this.#read();
    return {
      ...this.#owner,
      at: Date.now(),
      ...state,
      fenced: state.fence !== null,
      after: this.#after,
    };
  }
}

/** Undefined when there is none, or none that can be read. */
export function readBeat(file: string): Beat | undefined {
  const object = readObject(file);
  const owner = object === undefined || object === null ? undefined : parseOwner(object);
  if (object === undefined || object === null || owner === undefined) return undefined;
  const { at, loops, state, fence, after } = object;
  if (typeof at !== 'number' || typeof loops !== 'number') return undefined;
  return {
    ...owner,
    at,
    loops,
    state: typeof state === 'string' ? state : '',
    fence: typeof fence === 'string' ? fence : null,
    fenced: typeof fence === 'string',
    after: typeof after === 'number' ? after : null,
  };
}
