// Counts the reasons that strategies give for an intent without quotes. Number and length of the reasons are
// bounded, because strategies choose the text.

/** Highest number of reasons counted separately. */
const MOST_REASONS = 2000;
/** Highest number of reasons reported by name. */
const REASONS_NAMED = 20;
/** Characters kept of each reason. */
const LONGEST_REASON = 80;
const OTHER_REASONS = 'other reasons';

export class IdleReasons {
  readonly #counts = new Map<string, number>();

  /** Counts one intent without quotes. */
  note(reason = 'no reason given'): void {
    const text = reason.slice(0, LONGEST_REASON);
    const named = this.#counts.has(text) || this.#counts.size < MOST_REASONS ? text : OTHER_REASONS;
    this.#counts.set(named, (this.#counts.get(named) ?? 0) + 1);
  }

  /**
   * Number of intents without a quote by reason, the most frequent first. All other reasons are summed in one
   * entry.
   */
  get counts(): Readonly<Record<string, number>> {
    const all = [...this.#counts].sort(([, a], [, b]) => b - a);
    const named = all.filter(([reason]) => reason !== OTHER_REASONS).slice(0, REASONS_NAMED);
    const others = all.reduce((sum, [, count]) => sum + count, 0) - named.reduce((sum, [, count]) => sum + count, 0);
    return Object.fromEntries(others === 0 ? named : [...named, [OTHER_REASONS, others]]);
  }
}
