// How far a command is that reads a long journal: one line on a terminal, taken away at the end; elsewhere nothing.
const EVERY_MS = 250;
/** Records between two looks at the clock. */
const LOOK_EVERY = 512;

export class Progress {
  readonly #out: NodeJS.WriteStream;
  readonly #startedAt = performance.now();
  #records = 0;
  #drawnAt = performance.now();
  #drawn = false;

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
  }

  /** One more record was read. */
  advance(): void {
    this.#records += 1;
    if (!this.#out.isTTY || this.#records % LOOK_EVERY !== 0) return;
    const now = performance.now();
    if (now - this.#drawnAt < EVERY_MS) return;
    this.#drawnAt = now;
    this.#drawn = true;
    const perSecond = (this.#records * 1000) / (now - this.#startedAt);
    this.#out.write(
      `\r\u001b[2K${this.#records.toLocaleString('en-US')} records, ${Math.round(perSecond).toLocaleString('en-US')}/s`,
    );
  }

  end(): void {
    if (this.#drawn) this.#out.write('\r\u001b[2K');
    this.#drawn = false;
  }
}
