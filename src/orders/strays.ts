// What was told of orders under an id or a reference before anybody knew whose that is: kept for whoever turns out to have it.
import type { AmericanOdds, Micros, OrderId, OrderRef, TxId } from '../domain/index.ts';
import { forgetOldest } from '../domain/index.ts';

/** Plays that fill an order of this id or reference which is not known yet. */
export type Stray = {
  /** What another order was filled while it was taken for the one with this id. */
  mistaken: number;
  /** And that other order was told to be cancelled. */
  isGone: boolean;
  /** The plays of that. */
  readonly moved: Set<TxId>;
  readonly plays: Map<TxId, { readonly risk: Micros; readonly odds: AmericanOdds }>;
};

export class Strays {
  readonly #byName = new Map<OrderId | OrderRef, Stray>();
  readonly #most: number;

  /** `most`: of more the oldest are forgotten. */
  constructor(most: number) {
    this.#most = most;
  }

  of(named: OrderId | OrderRef): Stray {
    let stray = this.#byName.get(named);
    if (stray === undefined) {
      this.#byName.set(named, (stray = { mistaken: 0, isGone: false, moved: new Set(), plays: new Map() }));
      forgetOldest(this.#byName, this.#most);
    }
    return stray;
  }

  /** They are known now. */
  take(named: OrderId | OrderRef): Stray | undefined {
    const stray = this.#byName.get(named);
    this.#byName.delete(named);
    return stray;
  }
}
