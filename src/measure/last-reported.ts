// Filters reports: a value is reported only when it differs from the last one of its name.
export class LastReported {
  readonly #texts = new Map<string, string>();

  /**
   * Whether a value of plain data differs from the last one reported; if so, it counts as reported now. Texts
   * are compared because that is faster than walking objects (measured).
   */
  isNew(name: string, value: unknown): boolean {
    const text = JSON.stringify(value);
    if (this.#texts.get(name) === text) return false;
    this.#texts.set(name, text);
    return true;
  }

  /** The fields whose values are new. */
  newOf<Fields extends object>(fields: Fields): Partial<Fields> {
    const news: Partial<Fields> = {};
    for (const name in fields) if (this.isNew(name, fields[name])) news[name] = fields[name];
    return news;
  }
}
