// JSON on its way out: a server sends its text, a process of one takes what the text would say and nothing is written.
export class Payload {
  /** What the text says; undefined when only the text is known. */
  readonly value: unknown;
  #text: string | undefined;

  private constructor(value: unknown, text: string | undefined) {
    this.value = value;
    this.#text = text;
  }

  static ofValue(value: unknown): Payload {
    return new Payload(value, undefined);
  }

  static ofText(text: string): Payload {
    return new Payload(undefined, text);
  }

  get text(): string {
    return (this.#text ??= JSON.stringify(this.value));
  }

  /** The same after its text was changed; `change` is not asked for where it changes nothing. */
  with(change: ((text: string) => string) | undefined): Payload {
    return change === undefined ? this : Payload.ofText(change(this.text));
  }
}
