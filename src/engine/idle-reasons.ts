// Why strategies want nothing, in their own words: counted by reason, with bounds, since the words are theirs.

/** Reasons that are counted apart, those of them that are named, and letters of each. */
const MOST_REASONS = 2000;
const REASONS_NAMED = 20;
const LONGEST_REASON = 80;
const OTHER_REASONS = 'other reasons';

export class IdleReasons {
  readonly #counts = new Map<string, number>();

  /** A strategy wants nothing, and says why. */
  note(reason = 'no reason given'): void {
    const said = reason.slice(0, LONGEST_REASON);
    const named = this.#counts.has(said) || this.#counts.size < MOST_REASONS ? said : OTHER_REASONS;
    this.#counts.set(named, (this.#counts.get(named) ?? 0) + 1);
  }

  /** Intents without a quote by the reason they gave, the most frequent first; all but those are one. */
  get counts(): Readonly<Record<string, number>> {
    const all = [...this.#counts].sort(([, a], [, b]) => b - a);
    const named = all.filter(([reason]) => reason !== OTHER_REASONS).slice(0, REASONS_NAMED);
    const others = all.reduce((sum, [, count]) => sum + count, 0) - named.reduce((sum, [, count]) => sum + count, 0);
    return Object.fromEntries(others === 0 ? named : [...named, [OTHER_REASONS, others]]);
  }
}
