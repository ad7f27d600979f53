// Stakes that filled since the last balance was requested. The balance does not contain them yet, so they use
// credit separately (rules.md, 13).
import { plus, minus, ZERO } from '../domain/index.ts';
import type { Micros } from '../domain/index.ts';

export class UnreadFills {
  /** The stake of all these fills, micro-dollars. */
  risk = ZERO;
  /** The fills, oldest first. `seenAt`: monotonic ms. */
  readonly #fills: { readonly risk: Micros; readonly seenAt: number }[] = [];

  addFill(risk: Micros, seenAt: number): void {
    this.#fills.push({ risk, seenAt });
    this.risk = plus(this.risk, risk);
  }

  /** A balance was reported: it contains the fills seen before it was requested (`askedAt`, monotonic ms). */
  applyBalance(askedAt: number): void {
    for (let next = this.#fills[0]; next !== undefined && next.seenAt < askedAt; next = this.#fills[0]) {
      this.#fills.shift();
      this.risk = minus(this.risk, next.risk);
    }
  }
}
