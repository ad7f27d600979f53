// The heartbeat: a small file that the bot writes from its event loop, so that another process sees whether
// its loop runs. `loops` counts completed loops: a bot whose timers run but whose loop does not is as good as
// dead. Writing is asynchronous; only the acknowledgement of a fence waits for the disk. On a full disk the
// former heartbeat is overwritten in place.
//
// The last heartbeat of an orderly end is a farewell, and the file stays: a missing file means nothing
// (rules.md, 15).
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, systemCodeOf } from '../domain/index.ts';
import type { Owner } from './owner.ts';
import { isSameOwner, thisProcess, parseOwner } from './owner.ts';
import type { JsonObject } from './run-files.ts';
import { IN_PLACE, inRoom, NEW_TEXT, overwrite, readObject, writeWhole } from './run-files.ts';

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
    /** Pid of the former bot if it ended without an orderly end. */
    readonly after: number | null;
    /** True for the last heartbeat of an orderly end: the open orders of the account are known. */
    readonly farewell: boolean;
    /** Former bots that ended in order, as read when this one started, newest first. */
    readonly ended: readonly Owner[];
  };

/**
 * Most entries of `ended`. A guard checks at least once a second: no more bots start and end between two
 * checks.
 */
const MOST_ENDED = 4;
/** How long a farewell waits for a heartbeat that is being written, ms. */
const LAST_WRITE_MS = 2000;

export class Heartbeat {
  readonly #file: string;
  readonly #read: () => BeatState;
  readonly #owner = thisProcess();
  readonly #after: number | null;
  readonly #before: Beat | undefined;
  #writtenAt = performance.now();
  #writing = false;
  #underWay: Promise<void> = Promise.resolve();
  /** The final content of the file once the bot has ended. */
  #last: Beat | undefined;
  /**
   * Grows with every synchronous write: an older asynchronous one that is still under way must not replace
   * it.
   */
  #generation = 0;

  /** Why the last heartbeat could not be written. Undefined: it was. */
  problem: string | undefined;

  /**
   * @param after pid of the former bot if it ended without an orderly end
   * @param before the heartbeat that it left
   */
  constructor(file: string, read: () => BeatState, after?: number, before?: Beat) {
    this.#file = file;
    this.#read = read;
    this.#after = after ?? null;
    this.#before = before;
  }

  /** How long writing has failed, ms; 0 while it works. */
  get failingMs(): number {
    return this.problem === undefined ? 0 : performance.now() - this.#writtenAt;
  }

  /**
   * Writes a heartbeat. It never waits and never throws: a hanging disk must not stop the bot; the guard
   * judges the silence.
   */
  beat(): void {
    if (this.#writing || this.#last !== undefined) return;
    this.#writing = true;
    const generation = this.#generation;
    // there is one bot per account: the draft of a killed bot is overwritten
    const draft = `${this.#file}.draft`;
    const text = inRoom(this.#content());
    const isNewest = (): boolean => generation === this.#generation;
    this.#underWay = writeFile(draft, text, { mode: 0o600, flag: NEW_TEXT })
      .then(() => (isNewest() ? rename(draft, this.#file) : rm(draft, { force: true })))
      .catch(async (error: unknown) => {
        // the draft was a link to another place: it is removed for the next write
        if (systemCodeOf(error) === 'ELOOP') await rm(draft, { force: true });
        if (!isNewest()) return;
        const file = await open(this.#file, IN_PLACE);
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
        // the bot ended during this write, and the next bot may have begun since
        if (this.#last !== undefined && this.#isOwn) this.#writeLast(this.#last);
      });
  }

  /** Writes a heartbeat synchronously. */
  beatNow(): void {
    if (this.#last !== undefined) return;
    this.#generation += 1;
    if (this.#write(this.#content()) === undefined) this.#wrote();
    else this.beat();
  }

  #wrote(): void {
    this.#writtenAt = performance.now();
    this.problem = undefined;
  }

  /**
   * Writes the farewell of an orderly end. Resolves with what prevented it, if anything: then a guard takes
   * this bot for dead.
   */
  async writeFarewell(): Promise<string | undefined> {
    return this.#leave({ ...this.#content(), farewell: true });
  }

  /** Writes the farewell synchronously, for a process that is stuck and whose pending writes never end. */
  endNow(): void {
    this.#last = { ...this.#content(), farewell: true };
    this.#generation += 1;
    this.#writeLast(this.#last);
  }

  /**
   * Restores the heartbeat of the former bot after a run that sent nothing, and adds this bot to those that
   * ended in order. False when there was no former heartbeat.
   */
  async giveBack(): Promise<boolean> {
    if (this.#before === undefined) return false;
    await this.#leave({ ...this.#before, ended: [this.#owner, ...this.#before.ended].slice(0, MOST_ENDED) });
    return true;
  }

  get #isOwn(): boolean {
    const beat = readBeat(this.#file);
    return beat !== undefined && isSameOwner(beat, this.#owner);
  }

  async #leave(last: Beat): Promise<string | undefined> {
    this.#last = last;
    // none that is under way may replace it
    this.#generation += 1;
    await Promise.race([this.#underWay, sleep(LAST_WRITE_MS, undefined, { ref: false })]);
    return this.#writeLast(last);
  }

  #writeLast(last: Beat): string | undefined {
    try {
      rmSync(`${this.#file}.draft`, { force: true });
    } catch {
      // the next bot writes over it
    }
    return this.#write(last);
  }

  /** Undefined when it is written; else why not. */
  #write(beat: Beat): string | undefined {
    let problem: string | undefined;
    for (const write of [writeWhole, overwrite]) {
      try {
        write(this.#file, beat);
        return undefined;
      } catch (error) {
        // the other way of writing, or the next heartbeat, may work
        problem ??= messageOf(error);
      }
    }
    return problem;
  }

  #content(): Beat {
    const state = this.#read();
    return {
      ...this.#owner,
      at: Date.now(),
      ...state,
      fenced: state.fence !== null,
      after: this.#after,
      farewell: false,
      ended: endedBefore(this.#before),
    };
  }
}

/** The bots that ended in order according to the former heartbeat, its own bot included. */
function endedBefore(before: Beat | undefined): readonly Owner[] {
  if (before === undefined) return [];
  const { pid, host, ticks, farewell, ended } = before;
  return (farewell ? [{ pid, host, ticks }, ...ended] : ended).slice(0, MOST_ENDED);
}

/** Reads a heartbeat. Undefined: there is none, or it cannot be read. */
export function readBeat(file: string): Beat | undefined {
  const object = readObject(file);
  const owner = object === undefined || object === null ? undefined : parseOwner(object);
  if (object === undefined || object === null || owner === undefined) return undefined;
  const { at: writtenMs, loops, state, fence, after, farewell, ended } = object;
  if (typeof writtenMs !== 'number' || typeof loops !== 'number') return undefined;
  return {
    ...owner,
    at: writtenMs,
    loops,
    state: typeof state === 'string' ? state : '',
    fence: typeof fence === 'string' ? fence : null,
    fenced: typeof fence === 'string',
    after: typeof after === 'number' ? after : null,
    farewell: farewell === true,
    ended: Array.isArray(ended) ? ended.flatMap(ownerIn) : [],
  };
}

const ownerIn = (value: unknown): readonly Owner[] => {
  const owner = typeof value === 'object' && value !== null ? parseOwner(value as JsonObject) : undefined;
  return owner === undefined ? [] : [owner];
};
