// Who asked for which signal: only they are shown their markets again when it changes.
import { forgetOldest } from '../domain/index.ts';

const MOST_REMEMBERED = 10_000;

export class SignalReaders<Reader extends object> {
  readonly #byName = new Map<string, Set<Reader>>();
  readonly #namesOf = new Map<Reader, Set<string>>();
  /** Also by readers that are gone. */
  readonly #asked = new Set<string>();

  /** `name`: of a plugin, so it may be anything. */
  note(name: string, reader: Reader): void {
    let names = this.#namesOf.get(reader);
    if (names === undefined) this.#namesOf.set(reader, (names = new Set()));
    if (names.has(name)) return;
    names.add(name);
    this.#asked.delete(name);
    this.#asked.add(name);
    forgetOldest(this.#asked, MOST_REMEMBERED);
    const readers = this.#byName.get(name);
    if (readers === undefined) this.#byName.set(name, new Set([reader]));
    else readers.add(reader);
  }

  /** Of any of these, each once, in the order in which they asked. */
  of(names: readonly string[]): Iterable<Reader> {
    const [name] = names;
    if (name !== undefined && names.length === 1) return this.#byName.get(name) ?? [];
    return new Set(names.flatMap((one) => [...(this.#byName.get(one) ?? [])]));
  }

  wasAskedFor(name: string): boolean {
    return this.#asked.has(name);
  }

  forget(reader: Reader): void {
    for (const name of this.#namesOf.get(reader) ?? []) {
      const readers = this.#byName.get(name);
      readers?.delete(reader);
      if (readers?.size === 0) this.#byName.delete(name);
    }
    this.#namesOf.delete(reader);
  }
}
