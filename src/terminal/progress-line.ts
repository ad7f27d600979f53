// The progress of long work: on a terminal one line that refreshes, elsewhere a line every 30 s.
import { LiveLine } from './live-line.ts';

const PRINT_EVERY_MS = 30_000;

export class ProgressLine {
  readonly #out: NodeJS.WriteStream;
  readonly #line: LiveLine;
  #printedAt = performance.now();

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
    this.#line = new LiveLine(out);
  }

  /** Draws or prints the line if it is time. @param text makes the line; it receives performance.now(), ms */
  draw(text: (now: number) => string): void {
    this.#line.draw(text);
    const now = performance.now();
    if (this.#out.isTTY || now - this.#printedAt < PRINT_EVERY_MS) return;
    this.#printedAt = now;
    this.#out.write(`oddsmaker: ${text(now)}\n`);
  }

  clearLine(): void {
    this.#line.clearLine();
  }
}
