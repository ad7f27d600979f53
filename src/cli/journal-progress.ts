// How far a command is that reads a long journal: one line on a terminal.
import { LiveLine } from './live-line.ts';

/** Records between two looks at the clock. */
const LOOK_EVERY = 512;

export class JournalProgress {
  readonly #line: LiveLine;
  readonly #startedAt = performance.now();
  #records = 0;

  constructor(out: NodeJS.WriteStream) {
    this.#line = new LiveLine(out);
  }

  /** One more record was read. */
  advance(): void {
    this.#records += 1;
    if (this.#records % LOOK_EVERY === 0) this.#line.draw((now) => this.#textAt(now));
  }

  end(): void {
    this.#line.end();
  }

  #textAt(now: number): string {
    const perSecond = Math.round((this.#records * 1000) / (now - this.#startedAt));
    return `${this.#records.toLocaleString('en-US')} records, ${perSecond.toLocaleString('en-US')}/s`;
  }
}
