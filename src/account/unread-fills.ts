// Stakes that filled since the balance was asked for last: it does not know of them yet, so they use credit by themselves
// (rules.md, 13).
import { plus, minus, ZERO } from '../domain/index.ts';
import type { Micros } from '../domain/index.ts';

export class UnreadFills {
  /** Of all of them. */
  risk = ZERO;
  /** Oldest first, monotonic ms. */
  readonly #fills: { readonly risk: Micros; readonly seenAt: number }[] = [];

  add(risk: Micros, seenAt: number): void {
    this.#fills.push({ risk, seenAt });
    this.risk = plus(this.risk, risk);
  }

  /** The balance was told, and asked for at `asked`: it has what was seen before. */
  applyBalance(asked: number): void {
    for (let next = this.#fills[0]; next !== undefined && next.seenAt < asked; next = this.#fills[0]) {
      this.#fills.shift();
      this.risk = minus(this.risk, next.risk);
    }
  }
}
