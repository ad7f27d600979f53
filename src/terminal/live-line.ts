// Shows one line that refreshes in place on a terminal and is erased at the end. It prints nothing elsewhere.
import { ERASE_LINE, printable } from '../domain/index.ts';

const REDRAW_MS = 250;
const USUAL_WIDTH = 80;

export class LiveLine {
  readonly #out: NodeJS.WriteStream;
  #drawnAt = performance.now();
  #drawn = false;

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
  }

  /** Draws the line, at most every 250 ms. @param text makes the line; it receives performance.now(), ms */
  draw(text: (now: number) => string): void {
    if (!this.#out.isTTY) return;
    const now = performance.now();
    if (now - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = now;
    this.#drawn = true;
    // a terminal without a known width reports 0
    const width = this.#out.columns > 0 ? this.#out.columns : USUAL_WIDTH;
    this.#out.write(ERASE_LINE + printable(text(now)).slice(0, Math.max(20, width - 1)));
  }

  clearLine(): void {
    if (this.#drawn) this.#out.write(ERASE_LINE);
    this.#drawn = false;
  }
}
