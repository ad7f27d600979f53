// Which leagues of an exchange are meant by the names in a configuration or on a command line: the same name, else the one that
// differs from it only in case or accents. Where several differ only so, none of them is taken for a further spelling: nothing is
// traded by guess.
import { forgetOldest } from './bounded.ts';
import { plainName } from './plain-name.ts';

/** An exchange has hundreds. */
const MOST_NAMES = 10_000;

export class LeagueNames {
  /** As the exchange writes them, by what is the same in all spellings. */
  readonly #spellings = new Map<string, Set<string>>();
  readonly #plain = new Map<string, string>();

  /** The exchange writes it so. True: that was not known. */
  see(league: string): boolean {
    const plain = this.#plainOf(league);
    const spellings = this.#spellings.get(plain) ?? new Set<string>();
    if (spellings.has(league)) return false;
    this.#spellings.set(plain, spellings.add(league));
    forgetOldest(spellings, MOST_NAMES);
    forgetOldest(this.#spellings, MOST_NAMES);
    return true;
  }

  /** One of the names that are wanted means this league of the exchange. */
  isAmong(wanted: readonly string[], league: string): boolean {
    if (wanted.includes(league)) return true;
    const plain = this.#plainOf(league);
    const spellings = this.#spellings.get(plain);
    if (spellings !== undefined && spellings.size > (spellings.has(league) ? 1 : 0)) return false;
    return wanted.some((name) => this.#plainOf(name) === plain);
  }

  /** Leagues of the exchange between which a name does not decide; none: it does. */
  rivals(wanted: string): readonly string[] {
    const spellings = this.#spellings.get(this.#plainOf(wanted));
    return spellings === undefined || spellings.size < 2 || spellings.has(wanted) ? [] : [...spellings];
  }

  /** The same but for case and accents. */
  areAlike(a: string, b: string): boolean {
    return a === b || this.#plainOf(a) === this.#plainOf(b);
  }

  /** The exchange has another league that differs from it only in case or accents. */
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
