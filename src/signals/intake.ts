// The single entry point for signals of all sources. Every message is validated in the same way, entered as
// an input and counted by source. Names without a subscriber are entered as well, since a strategy may
// subscribe later; each such name is reported once.
import type { SignalRefusal, SignalUpdate } from '../domain/index.ts';
import { forgetOldest, readSignalMessage } from '../domain/index.ts';
import type { SignalLog } from './source.ts';

export type IntakePorts = {
  /** Enters an update as an input. Returns undefined when the bot accepted it, else the reason why not. */
  readonly enter: (update: SignalUpdate) => string | undefined;
  /** Whether a strategy has subscribed to the name. */
  readonly isSubscribed: (name: string) => boolean;
  /** Unix ms. */
  readonly wall: () => number;
  readonly log: SignalLog;
};

/** The outcome of a list of messages. */
export type Taken = {
  /** Number of values whose name has a subscriber. */
  readonly accepted: number;
  /** Names without a subscriber. */
  readonly unknown: readonly string[];
  /** Messages that were refused, in whole or in part, with their index in the list. */
  readonly refused: readonly (SignalRefusal & { readonly index: number })[];
  /** Why the bot accepts no signals now. Absent when it does. */
  readonly closed?: string;
};

/** Totals of one source. */
export type IntakeCounts = {
  readonly accepted: number;
  readonly unknown: number;
  readonly refused: number;
  /** Values that a newer value of the same name replaced before they were entered. */
  readonly outrun: number;
};
type ReadMessages = {
  readonly updates: readonly SignalUpdate[];
  readonly refused: Taken['refused'];
};
type Counts = { -readonly [K in keyof IntakeCounts]: IntakeCounts[K] };

/** Names without a subscriber that are reported. Further names are only counted. */
const MOST_REPORTED = 1000;
/** A strategy may subscribe a little later: names without a subscriber are reported after this time. */
const GRACE_MS = 10_000;

export class SignalIntake {
  readonly #ports: IntakePorts;
  readonly #broad: ReadonlySet<string>;
  readonly #counts = new Map<string, Counts>();
  /** Names without a subscriber, each with its source and the time it was first seen, Unix ms. */
  readonly #unsubscribed = new Map<string, { readonly source: string; readonly at: number }>();
  /** Names that were reported as having no subscriber. */
  readonly #reported = new Set<string>();
  /** Keys of refusals that were logged. */
  readonly #loggedRefusals = new Set<string>();

  /**
   * @param broad sources that send more than strategies subscribe to: their names without a subscriber are
   * not reported
   */
  constructor(ports: IntakePorts, broad: readonly string[] = []) {
    this.#ports = ports;
    this.#broad = new Set(broad);
  }

  /** Totals by source. */
  get counts(): Readonly<Record<string, IntakeCounts>> {
    return Object.fromEntries(this.#counts);
  }

  /**
   * Enters the messages that are valid, and refuses the others.
   * @param source name of the source
   * @param messages in the form that `readSignalMessage` reads
   */
  take(source: string, messages: readonly unknown[]): Taken {
    return this.#take(source, this.#read(source, messages), false);
  }

  /**
   * Enters a list that piled up: only the newest value of each name is entered.
   * @param from the single source, for the log, when there are several of the kind `source`
   */
  takeNewest(source: string, messages: readonly unknown[], from = source): Taken {
    return this.#take(source, this.#read(from, messages), true);
  }

  /** Enters all messages, or none when one of them is malformed. */
  takeWhole(source: string, messages: readonly unknown[]): Taken {
    const read = this.#read(source, messages);
    const isBroken = read.refused.some(({ why }) => why === 'malformed');
    return this.#take(source, isBroken ? { ...read, updates: [] } : read, false);
  }

  /** Reports the names that still have no subscriber. Called periodically. */
  lookAround(): void {
    const now = this.#ports.wall();
    const overdue = new Map<string, string[]>();
    for (const [name, { source, at: firstSeenAt }] of this.#unsubscribed) {
      if (Math.abs(now - firstSeenAt) < GRACE_MS) continue;
      this.#unsubscribed.delete(name);
      if (this.#ports.isSubscribed(name)) continue;
      this.#reported.add(name);
      overdue.set(source, [...(overdue.get(source) ?? []), name]);
    }
    for (const [source, names] of overdue)
      this.#ports.log.warn('no strategy asks for these signals: each is reported once', {
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
        this.#logRefusal(source, read, message);
        continue;
      }
      const { update, slips } = read;
      if (Object.keys(update.values).length > 0) updates.push(update);
      if (slips.length > 0) refused.push({ why: 'slip', problem: slips.join('; '), index });
      for (const slip of slips) this.#logSlip(source, slip);
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
        if (this.#ports.isSubscribed(name)) accepted += 1;
        else unknown.add(name);
    }
    counts.accepted += accepted;
    counts.unknown += unknown.size;
    if (!this.#broad.has(source)) this.#noteUnsubscribed(source, unknown);
    return { accepted, unknown: [...unknown], refused };
  }

  /** Notes names without a subscriber, to report them later. */
  #noteUnsubscribed(source: string, names: ReadonlySet<string>): void {
    const now = this.#ports.wall();
    for (const name of names)
      if (!this.#reported.has(name) && !this.#unsubscribed.has(name) && this.#reported.size < MOST_REPORTED)
        this.#unsubscribed.set(name, { source, at: now });
    forgetOldest(this.#unsubscribed, MOST_REPORTED);
  }

  #countsOf(source: string): Counts {
    let counts = this.#counts.get(source);
    if (counts === undefined) this.#counts.set(source, (counts = { accepted: 0, unknown: 0, refused: 0, outrun: 0 }));
    return counts;
  }

  /**
   * Logs a bad value once per source and kind of mistake. Another value with the same mistake is not logged
   * again.
   */
  #logSlip(source: string, problem: string): void {
    const key = `${source} slip ${problem.replace(/, received.*$/, '')}`;
    if (this.#loggedRefusals.has(key) || this.#loggedRefusals.size >= MOST_REPORTED) return;
    this.#loggedRefusals.add(key);
    this.#ports.log.warn('a value of a signal is left out: reported once for each signal, all are counted', {
      source,
      problem,
    });
  }

  /** Logs a refusal once per source and kind. */
  #logRefusal(source: string, { why, problem }: SignalRefusal, message: unknown): void {
    const key = `${source} ${why}`;
    if (this.#loggedRefusals.has(key)) return;
    this.#loggedRefusals.add(key);
    this.#ports.log.warn('signals are refused: the first of this kind is reported, all are counted', {
      source,
      why,
      problem,
      message: shown(message),
    });
  }
}

/**
 * The beginning of a message as text. A message that nests too deeply for the stack is replaced by a note.
 */
function shown(message: unknown): string {
  try {
    return (JSON.stringify(message) ?? '').slice(0, 200);
  } catch {
    return 'it is nested too deeply to be shown';
  }
}

/** The updates in order, without values that a later one replaces, and the number of these. */
function newestOfEach(updates: readonly SignalUpdate[]): {
  readonly updates: readonly SignalUpdate[];
  readonly outrun: number;
} {
  const seen = new Set<string>();
  const kept: SignalUpdate[] = [];
  let outrun = 0;
  for (const update of updates.toReversed()) {
    const all = Object.entries(update.values);
    const newest = all.filter(([name]) => !seen.has(name));
    for (const [name] of newest) seen.add(name);
    outrun += all.length - newest.length;
    if (newest.length > 0) kept.push({ ...update, values: Object.fromEntries(newest) });
  }
  return { updates: kept.reverse(), outrun };
}
