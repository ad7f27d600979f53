// The fair prices of markets by whoever prices them outside: signals named `fair:<market>`, probabilities of the first side, as
// an own model or an odds feed tells them. The newest one holds until another comes, as
// the newest good consensus does.
import type { MarketId, SignalUpdate } from '../domain/index.ts';

/** What a signal is called that carries the price of a market, before the market's id. */
export const OUTSIDE_PREFIX = 'fair:';

export class OutsidePrices {
  readonly #prices = new Map<string, number>();

  /** Signals were told. What is withdrawn, and what is no probability, is no price: the one before stays. */
  apply({ values }: Pick<SignalUpdate, 'values'>): void {
    for (const [name, value] of Object.entries(values))
      if (name.startsWith(OUTSIDE_PREFIX) && value !== null && value > 0 && value < 1)
        this.#prices.set(name.slice(OUTSIDE_PREFIX.length), value);
  }

  /** As probability of the first side; undefined: none was told. */
  newest(id: MarketId): number | undefined {
    return this.#prices.get(id);
  }
}
