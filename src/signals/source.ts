// Common parts of all signal sources: their interface, their health, and logs that report each problem once.
import { messageOf } from '../domain/index.ts';

/** A log that takes a constant sentence and fields. */
export type SignalLog = Readonly<
  Record<'info' | 'warn', (message: string, fields: Readonly<Record<string, unknown>>) => void>
>;

export type SignalSource = {
  /**
   * Name in counts, log and status: `redis`, `odds`, or `file` with its path, as there may be several files.
   */
  readonly name: string;
  /** Why it delivers no signals. Undefined when it works. */
  readonly problem: string | undefined;
  /** Further fields for status. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Stops it. Resolves when it will deliver nothing more. */
  readonly close: () => Promise<void>;
};

/**
 * The status fields of a source. When reading them throws, that is its problem: a status request must always
 * be answered.
 */
export function statusFieldsOf(source: SignalSource): Pick<SignalSource, 'problem' | 'details'> {
  try {
    return { problem: source.problem, details: source.details };
  } catch (error) {
    return { problem: `its status cannot be read: ${messageOf(error)}`, details: {} };
  }
}

/** Reasons that are logged for one outage. */
const MOST_REASONS = 5;

/**
 * The health of a source. An outage is logged when it begins, once for each of its reasons, and when it ends.
 */
export class SourceHealth {
  readonly #source: string;
  readonly #log: SignalLog;
  /** Monotonic ms. */
  readonly #now: () => number;
  #failing: { readonly text: string; readonly since: number } | undefined;
  /** Reasons of this outage that were logged. */
  readonly #logged = new Set<string>();

  constructor(source: string, log: SignalLog, now: () => number) {
    this.#source = source;
    this.#log = log;
    this.#now = now;
  }

  /** The newest reason of the current outage. Undefined when none was logged. */
  get problem(): string | undefined {
    return this.#logged.size > 0 ? this.#failing?.text : undefined;
  }

  /** Records a failure. A failure that ends within `graceMs` is not logged. */
  fail(text: string, graceMs = 0): void {
    const now = this.#now();
    const since = this.#failing?.since ?? now;
    this.#failing = { text, since };
    if (now - since < graceMs || this.#logged.has(text) || this.#logged.size >= MOST_REASONS) return;
    this.#logged.add(text);
    this.#log.warn('a source of signals fails: the bot continues without it', {
      source: this.#source,
      problem: text,
    });
  }

  /** Records that the source works. */
  works(): void {
    const failing = this.#failing;
    this.#failing = undefined;
    if (this.#logged.size === 0 || failing === undefined) return;
    this.#logged.clear();
    this.#log.info('a source of signals works again', {
      source: this.#source,
      seconds: Math.round((this.#now() - failing.since) / 1000),
    });
  }
}

/** Counts data that cannot be used, by kind, and logs the first of each kind. */
export class UnusableData {
  readonly #source: string;
  readonly #log: SignalLog;
  readonly #counts = new Map<string, number>();

  constructor(source: string, log: SignalLog) {
    this.#source = source;
    this.#log = log;
  }

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  /** Counts one. `kind` is one of a few constant texts. */
  note(kind: string, example: Readonly<Record<string, unknown>>): void {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    if (count === 1)
      this.#log.warn('a source of signals sends data that cannot be used: reported once, and counted', {
        source: this.#source,
        kind,
        ...example,
      });
  }
}
