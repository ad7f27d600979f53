// What was said last under each name: what is the same is not said again.
export class LastReported {
  readonly #texts = new Map<string, string>();

  /** Plain data. True: it is not as it was said last, and is said now. Comparing texts is quicker than walking objects (measured). */
  isNew(name: string, value: unknown): boolean {
    const text = JSON.stringify(value);
    if (this.#texts.get(name) === text) return false;
    this.#texts.set(name, text);
    return true;
  }

  /** The fields that are new. */
  newOf<Fields extends object>(fields: Fields): Partial<Fields> {
    const news: Partial<Fields> = {};
    for (const name in fields) if (this.isNew(name, fields[name])) news[name] = fields[name];
    return news;
  }
}
