// The one way in for signals, whoever tells them: each message is read and judged alike, entered as an input, and counted by
// source. What nobody asked for is entered as well, since a strategy may ask for it later; it is told once for each name.
import type { SignalRefusal, SignalUpdate } from '../domain/index.ts';
import { forgetOldest, readSignalMessage } from '../domain/index.ts';
import type { SignalLog } from './source.ts';

export type IntakePorts = {
  /** Undefined: the bot took it; else why not. */
  readonly enter: (update: SignalUpdate) => string | undefined;
  readonly wasAskedFor: (name: string) => boolean;
  /** Unix ms. */
  readonly wall: () => number;
  readonly log: SignalLog;
};

/** What came of messages. */
export type Taken = {
  /** Names that some strategy asked for, and those that none did. */
  readonly accepted: number;
  readonly unknown: readonly string[];
  /** Messages that were not taken, by their place in the list. */
  readonly refused: readonly (SignalRefusal & { readonly index: number })[];
  /** The bot takes none now, as this says. */
  readonly closed?: string;
};

export type IntakeCounts = {
  readonly accepted: number;
  readonly unknown: number;
  readonly refused: number;
  /** Values that a newer one of their name replaced before they were taken. */
  readonly outrun: number;
};
type ReadMessages = {
  readonly updates: readonly SignalUpdate[];
  readonly refused: Taken['refused'];
};
type Counts = { -readonly [K in keyof IntakeCounts]: IntakeCounts[K] };

/** Names that are told as nobody's; more are counted alone. */
const MOST_TOLD = 1000;
/** A strategy may ask a little later: names that are nobody's then are told. */
const DOUBT_MS = 10_000;

export class SignalIntake {
  readonly #ports: IntakePorts;
  readonly #broad: ReadonlySet<string>;
  readonly #counts = new Map<string, Counts>();
  /** Names that nobody asked for, who told them, and when first. */
  readonly #doubtful = new Map<string, { readonly source: string; readonly at: number }>();
  readonly #told = new Set<string>();
  readonly #refusedOnce = new Set<string>();

  /** @param broad sources that tell of more than anybody asks for: nothing is said of it */
  constructor(ports: IntakePorts, broad: readonly string[] = []) {
    this.#ports = ports;
    this.#broad = new Set(broad);
  }

  /** By source. */
  get counts(): Readonly<Record<string, IntakeCounts>> {
    return Object.fromEntries(this.#counts);
  }

  /**
   * Takes what it can.
   * @param source who tells it
   * @param messages each as `readSignalMessage` reads it
   */
  take(source: string, messages: readonly unknown[]): Taken {
    return this.#take(source, this.#read(source, messages), false);
  }

  /**
   * The same of a list that piled up: of each name only the newest value is entered.
   * @param from which one of several sources of that kind it is, for the log
   */
  takeNewest(source: string, messages: readonly unknown[], from = source): Taken {
    return this.#take(source, this.#read(from, messages), true);
  }

  /** Takes nothing when one of the messages cannot be read. */
  takeWhole(source: string, messages: readonly unknown[]): Taken {
    const read = this.#read(source, messages);
    const isBroken = read.refused.some(({ why }) => why === 'malformed');
    return this.#take(source, isBroken ? { ...read, updates: [] } : read, false);
  }

  /** Called now and then: tells which names are still nobody's. */
  lookAround(): void {
    const now = this.#ports.wall();
    const nobodys = new Map<string, string[]>();
    for (const [name, { source, at }] of this.#doubtful) {
      if (Math.abs(now - at) < DOUBT_MS) continue;
      this.#doubtful.delete(name);
      if (this.#ports.wasAskedFor(name)) continue;
      this.#told.add(name);
      nobodys.set(source, [...(nobodys.get(source) ?? []), name]);
    }
    for (const [source, names] of nobodys)
      this.#ports.log.warn('no strategy asks for these signals: each is told once', {
        source,
        names: names.slice(0, 10),
        of: names.length,
      });
  }

  #read(source: string, messages: readonly unknown[]): ReadMessages {
    const now = this.#ports.wall();
    const updates: SignalUpdate[] = [];
    const refused: (SignalRefusal & { readonly index: number })[] = [];
    for (const [index, message] of messages.entries()) {
      const read = readSignalMessage(message, now);
      if ('why' in read) {
        refused.push({ ...read, index });
        this.#tellRefusal(source, read, message);
        continue;
      }
      const { update, slips } = read;
      if (Object.keys(update.values).length > 0) updates.push(update);
      if (slips.length > 0) refused.push({ why: 'slip', problem: slips.join('; '), index });
      for (const slip of slips) this.#tellSlip(source, slip);
    }
    return { updates, refused };
  }

  #take(source: string, { updates, refused }: ReadMessages, isNewestOnly: boolean): Taken {
    const counts = this.#countsOf(source);
    counts.refused += refused.length;
    const entered = isNewestOnly ? newestOfEach(updates) : { updates, outrun: 0 };
    counts.outrun += entered.outrun;
    let accepted = 0;
    const unknown = new Set<string>();
    for (const update of entered.updates) {
      const closed = this.#ports.enter(update);
      if (closed !== undefined) return { accepted, unknown: [...unknown], refused, closed };
      for (const name of Object.keys(update.values))
        if (this.#ports.wasAskedFor(name)) accepted += 1;
        else unknown.add(name);
    }
    counts.accepted += accepted;
    counts.unknown += unknown.size;
    if (!this.#broad.has(source)) this.#doubt(source, unknown);
    return { accepted, unknown: [...unknown], refused };
  }

  #doubt(source: string, names: ReadonlySet<string>): void {
    const at = this.#ports.wall();
    for (const name of names)
      if (!this.#told.has(name) && !this.#doubtful.has(name) && this.#told.size < MOST_TOLD)
        this.#doubtful.set(name, { source, at });
    forgetOldest(this.#doubtful, MOST_TOLD);
  }

  #countsOf(source: string): Counts {
    let counts = this.#counts.get(source);
    if (counts === undefined) this.#counts.set(source, (counts = { accepted: 0, unknown: 0, refused: 0, outrun: 0 }));
    return counts;
  }

  /** Once for each source and what is wrong with a field: another value of it is the same slip. */
  #tellSlip(source: string, problem: string): void {
    const key = `${source} slip ${problem.replace(/, received.*$/, '')}`;
    if (this.#refusedOnce.has(key) || this.#refusedOnce.size >= MOST_TOLD) return;
    this.#refusedOnce.add(key);
    this.#ports.log.warn('a value of a signal is left out: told once for each signal, all are counted', {
      source,
      problem,
    });
  }

  /** Once for each source and kind. */
  #tellRefusal(source: string, { why, problem }: SignalRefusal, message: unknown): void {
    const key = `${source} ${why}`;
    if (this.#refusedOnce.has(key)) return;
    this.#refusedOnce.add(key);
    this.#ports.log.warn('signals are refused: the first of this kind is told, all are counted', {
      source,
      why,
      problem,
      message: shown(message),
    });
  }
}

/** The beginning of a message, which may be anything: what nests deeper than the stack is shown by its problem alone. */
function shown(message: unknown): string {
  try {
    return (JSON.stringify(message) ?? '').slice(0, 200);
  } catch {
    return 'it is nested too deeply to be shown';
  }
}

/** In their order, without the values that a later one replaces. */
function newestOfEach(updates: readonly SignalUpdate[]): {
  readonly updates: readonly SignalUpdate[];
  readonly outrun: number;
} {
  const seen = new Set<string>();
  const kept: SignalUpdate[] = [];
  let outrun = 0;
  for (const update of updates.toReversed()) {
    const all = Object.entries(update.values);
    const left = all.filter(([name]) => !seen.has(name));
    for (const [name] of left) seen.add(name);
    outrun += all.length - left.length;
    if (left.length > 0) kept.push({ ...update, values: Object.fromEntries(left) });
  }
  return { updates: kept.reverse(), outrun };
}
