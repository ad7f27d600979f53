// What leaves the exchange: a server sends JSON, a process of one may take what a client would read of it, and nothing is
// written.
export class Payload {
  /** What the text says; undefined when only the text is known. */
  readonly value: unknown;
  /** What a client reads of it: then it has no text. */
  readonly read: unknown;
  #text: string | undefined;

  private constructor(value: unknown, text: string | undefined, read?: unknown) {
    this.value = value;
    this.#text = text;
    this.read = read;
  }

  static ofValue(value: unknown): Payload {
    return new Payload(value, undefined);
  }

  static ofText(text: string): Payload {
    return new Payload(undefined, text);
  }

  static ofRead(read: unknown): Payload {
    return new Payload(undefined, undefined, read);
  }

  get text(): string {
    return (this.#text ??= JSON.stringify(this.value));
  }

  /** The same after its text was changed; `change` is not asked for where it changes nothing. */
  with(change: ((text: string) => string) | undefined): Payload {
    return change === undefined || this.read !== undefined ? this : Payload.ofText(change(this.text));
  }
}
