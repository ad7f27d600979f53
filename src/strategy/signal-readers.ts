// Records which instance reads which signal. When a signal changes, only its readers see their markets again.
import { forgetOldest } from '../domain/index.ts';

const MOST_REMEMBERED = 10_000;

export class SignalReaders<Reader extends object> {
  readonly #byName = new Map<string, Set<Reader>>();
  readonly #namesOf = new Map<Reader, Set<string>>();
  /**
   * Names that any reader has subscribed to, including readers that no longer exist. The oldest are
   * forgotten.
   */
  readonly #subscribed = new Set<string>();

  /**
   * Subscribes a reader to a signal.
   * @param name chosen by the strategy, so it may be any string
   */
  note(name: string, reader: Reader): void {
    let names = this.#namesOf.get(reader);
    if (names === undefined) this.#namesOf.set(reader, (names = new Set()));
    if (names.has(name)) return;
    names.add(name);
    this.#subscribed.delete(name);
    this.#subscribed.add(name);
    forgetOldest(this.#subscribed, MOST_REMEMBERED);
    const readers = this.#byName.get(name);
    if (readers === undefined) this.#byName.set(name, new Set([reader]));
    else readers.add(reader);
  }

  /** The readers of any of these signals, each once, in the order of subscription. */
  readersOf(names: readonly string[]): Iterable<Reader> {
    const [name] = names;
    if (name !== undefined && names.length === 1) return this.#byName.get(name) ?? [];
    return new Set(names.flatMap((each) => [...(this.#byName.get(each) ?? [])]));
  }

  /** Whether any reader has subscribed to this signal, among the newest 10,000 names. */
  isSubscribed(name: string): boolean {
    return this.#subscribed.has(name);
  }

  /** Removes all subscriptions of a reader. */
  forget(reader: Reader): void {
    for (const name of this.#namesOf.get(reader) ?? []) {
      const readers = this.#byName.get(name);
      readers?.delete(reader);
      if (readers?.size === 0) this.#byName.delete(name);
    }
    this.#namesOf.delete(reader);
  }
}
