// What every source of signals has in common: what it tells, whether it works, and a log that says each thing once.
import { messageOf } from '../domain/index.ts';

/** A constant sentence and fields. */
export type SignalLog = Readonly<
  Record<'info' | 'warn', (message: string, fields: Readonly<Record<string, unknown>>) => void>
>;

export type SignalSource = {
  /** As counts, log and status name it: `file`, `redis`, `odds`, with its path where there may be several. */
  readonly name: string;
  /** What keeps it from telling anything; undefined: nothing does. */
  readonly problem: string | undefined;
  /** What else is worth a look. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Resolves when nothing comes from it any more. */
  readonly close: () => Promise<void>;
};

/** What a source says of itself. One that cannot even do that has this as its problem: whoever asks must be answered. */
export function statusFieldsOf(source: SignalSource): Pick<SignalSource, 'problem' | 'details'> {
  try {
    return { problem: source.problem, details: source.details };
  } catch (error) {
    return { problem: `it cannot say how it is: ${messageOf(error)}`, details: {} };
  }
}

/** Reasons of one trouble that are told. */
const MOST_REASONS = 5;

/** Whether a source works: trouble is told once when it begins, with each of its reasons once, and once when it is over. */
export class SourceHealth {
  readonly #source: string;
  readonly #log: SignalLog;
  /** Monotonic ms. */
  readonly #now: () => number;
  #failing: { readonly text: string; readonly since: number } | undefined;
  /** Of this trouble. */
  readonly #told = new Set<string>();

  constructor(source: string, log: SignalLog, now: () => number) {
    this.#source = source;
    this.#log = log;
    this.#now = now;
  }

  get problem(): string | undefined {
    return this.#told.size > 0 ? this.#failing?.text : undefined;
  }

  /** It does not work. `graceMs`: what is over by then was no trouble. */
  fail(text: string, graceMs = 0): void {
    const now = this.#now();
    const since = this.#failing?.since ?? now;
    this.#failing = { text, since };
    if (now - since < graceMs || this.#told.has(text) || this.#told.size >= MOST_REASONS) return;
    this.#told.add(text);
    this.#log.warn('a source of signals tells nothing: the bot goes on without it', {
      source: this.#source,
      problem: text,
    });
  }

  /** It works. */
  works(): void {
    const failing = this.#failing;
    this.#failing = undefined;
    if (this.#told.size === 0 || failing === undefined) return;
    this.#told.clear();
    this.#log.info('a source of signals tells again', {
      source: this.#source,
      seconds: Math.round((this.#now() - failing.since) / 1000),
    });
  }
}

/** What cannot be read, or fits nowhere: counted, and the first of each kind told. */
export class Oddities {
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

  /** `kind`: one of few constant words. */
  note(kind: string, example: Readonly<Record<string, unknown>>): void {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    if (count === 1)
      this.#log.warn('a source of signals says what cannot be taken: told once, and counted', {
        source: this.#source,
        kind,
        ...example,
      });
  }
}
