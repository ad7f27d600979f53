// Outgoing data of the exchange. A server sends it as JSON; an in-process client may take the parsed value,
// and no JSON is written.
export class Payload {
  /** The value of the text. Undefined when only the text is known. */
  readonly value: unknown;
  /** The value as a client parses it. When set, the payload has no text. */
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

  /** The payload with its text changed. Without `change`, or without a text, it stays the same. */
  with(change: ((text: string) => string) | undefined): Payload {
    return change === undefined || this.read !== undefined ? this : Payload.ofText(change(this.text));
  }
}
