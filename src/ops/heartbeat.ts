// The heartbeat: a small file that the bot writes from its event loop, so that another process sees whether its loop
// turns. `loops` counts completed loops: a bot whose timers run but whose loop does not is as good as dead. It is written
// behind the bot's back; only the acknowledgement of a fence waits for the disk. On a full disk it is written where the one
// before stands: the bot is as alive as before.
//
// The last heartbeat of an orderly end is a farewell, and it stays: a file that is missing says nothing (rules.md, 15).
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, systemCodeOf } from '../domain/index.ts';
import type { Owner } from './owner.ts';
import { isSameOwner, ourselves, parseOwner } from './owner.ts';
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
    /** The pid of a bot that was gone without an orderly end when this one started. */
    readonly after: number | null;
    /** The last one of this bot: it is known what is open on the account. */
    readonly farewell: boolean;
    /** Bots before this one whose farewells were read when it started, newest first. */
    readonly ended: readonly Owner[];
  };

/** A guard looks at least once a second: no more bots start and end between two of its looks. */
const MOST_ENDED = 4;
/** How long a farewell waits for the heartbeat that is on its way. */
const LAST_WRITE_MS = 2000;

export class Heartbeat {
  readonly #file: string;
  readonly #read: () => BeatState;
  readonly #owner = ourselves();
  readonly #after: number | null;
  readonly #before: Beat | undefined;
  #writtenAt = performance.now();
  #writing = false;
  #underWay: Promise<void> = Promise.resolve();
  /** What stands in the file once the bot has ended. */
  #last: Beat | undefined;
  /** Grows with every write that waited: an older one that is still under way must not replace it. */
  #generation = 0;

  /** Why the last one could not be written; undefined: it was. */
  problem: string | undefined;

  /** `after`: the pid of the bot before, where that was gone without an orderly end; `before`: the heartbeat that it left. */
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
    if (this.#writing || this.#last !== undefined) return;
    this.#writing = true;
    const generation = this.#generation;
    // one bot an account: what a killed one left is written over
    const draft = `${this.#file}.draft`;
    const text = inRoom(this.#content());
    const isNewest = (): boolean => generation === this.#generation;
    this.#underWay = writeFile(draft, text, { mode: 0o600, flag: NEW_TEXT })
      .then(() => (isNewest() ? rename(draft, this.#file) : rm(draft, { force: true })))
      .catch(async (error: unknown) => {
        // a link in its place would have led elsewhere: the next one finds none
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
        // the bot ended while this one was on its way; the next one may have begun since
        if (this.#last !== undefined && this.#isOurs) this.#writeLast(this.#last);
      });
  }

  /** Written when this returns. */
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
   * The farewell of an orderly end, the last thing that is written. Resolves when it is on its way to the disk, with what
   * kept it from there, if so: then a guard takes this bot for dead.
   */
  async end(): Promise<string | undefined> {
    return this.#leave({ ...this.#content(), farewell: true });
  }

  /** The same, written when this returns: for a process that stands still, and whose writes under way never end. */
  endNow(): void {
    this.#last = { ...this.#content(), farewell: true };
    this.#generation += 1;
    this.#writeLast(this.#last);
  }

  /**
   * Nothing was sent: the heartbeat of the bot before stands again, which says of this one that it ended in order. False
   * where there was none.
   */
  async giveBack(): Promise<boolean> {
    if (this.#before === undefined) return false;
    await this.#leave({ ...this.#before, ended: [this.#owner, ...this.#before.ended].slice(0, MOST_ENDED) });
    return true;
  }

  get #isOurs(): boolean {
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
        // the other way, or the next heartbeat
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

/** Whose farewells the heartbeat before tells of, its own included. */
function endedBefore(before: Beat | undefined): readonly Owner[] {
  if (before === undefined) return [];
  const { pid, host, ticks, farewell, ended } = before;
  return (farewell ? [{ pid, host, ticks }, ...ended] : ended).slice(0, MOST_ENDED);
}

/** Undefined when there is none, or none that can be read. */
export function readBeat(file: string): Beat | undefined {
  const object = readObject(file);
  const owner = object === undefined || object === null ? undefined : parseOwner(object);
  if (object === undefined || object === null || owner === undefined) return undefined;
  const { at, loops, state, fence, after, farewell, ended } = object;
  if (typeof at !== 'number' || typeof loops !== 'number') return undefined;
  return {
    ...owner,
    at,
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
