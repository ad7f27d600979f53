// Matches the names of leagues in a configuration or on a command line with the exchange's leagues: the same
// name, else the one that differs only in case or accents. When several leagues differ only so, a name with
// yet another spelling matches none of them: nothing is traded by guess.
import { forgetOldest } from './bounded.ts';
import { plainName } from './plain-name.ts';

/** The bound of the remembered names; an exchange has hundreds. */
const MOST_NAMES = 10_000;

export class LeagueNames {
  /** The exchange's spellings, by their common form. */
  readonly #spellings = new Map<string, Set<string>>();
  readonly #plain = new Map<string, string>();

  /** Records a spelling of the exchange. Returns true when it was unknown. */
  see(league: string): boolean {
    const plain = this.#plainOf(league);
    const spellings = this.#spellings.get(plain) ?? new Set<string>();
    if (spellings.has(league)) return false;
    this.#spellings.set(plain, spellings.add(league));
    forgetOldest(spellings, MOST_NAMES);
    forgetOldest(this.#spellings, MOST_NAMES);
    return true;
  }

  /** True when one of the wanted names means this league of the exchange. */
  isAmong(wanted: readonly string[], league: string): boolean {
    if (wanted.includes(league)) return true;
    const plain = this.#plainOf(league);
    const spellings = this.#spellings.get(plain);
    if (spellings !== undefined && spellings.size > (spellings.has(league) ? 1 : 0)) return false;
    return wanted.some((name) => this.#plainOf(name) === plain);
  }

  /** The leagues of the exchange among which a name is ambiguous; empty when it is not. */
  rivals(wanted: string): readonly string[] {
    const spellings = this.#spellings.get(this.#plainOf(wanted));
    return spellings === undefined || spellings.size < 2 || spellings.has(wanted) ? [] : [...spellings];
  }

  /** True when both names are equal, except for case and accents. */
  areAlike(a: string, b: string): boolean {
    return a === b || this.#plainOf(a) === this.#plainOf(b);
  }

  /** True when the exchange has another league that differs only in case or accents. */
  isSpeltOtherwise(league: string): boolean {
    return (this.#spellings.get(this.#plainOf(league))?.size ?? 0) > 1;
  }

  #plainOf(name: string): string {
    let plain = this.#plain.get(name);
    if (plain === undefined) {
      this.#plain.set(name, (plain = plainName(name)));
      forgetOldest(this.#plain, MOST_NAMES);
    }
    return plain;
  }
}
