// The fair prices of markets by whoever prices them outside, as probabilities of the first side: signals `fair:<market>` are the
// user's own, `odds:<market>` those of an odds feed. The newest one holds until another comes, as the newest good consensus does.
import { knownPrices, OUTSIDE_SOURCES } from '../domain/index.ts';
import type { GameId, MarketId, OutsideSource, SignalUpdate } from '../domain/index.ts';

export class OutsidePrices {
  readonly #prices = new Map<string, number>();

  /** Signals arrived. What is withdrawn, and what is no probability, is no price: the one before stays. */
  apply({ values }: Pick<SignalUpdate, 'values'>): void {
    for (const [name, value] of Object.entries(values))
      if (value !== null && value > 0 && value < 1 && OUTSIDE_SOURCES.some((source) => name.startsWith(`${source}:`)))
        this.#prices.set(name, value);
  }

  /** Home and away of a game changed places: what was said of its sides holds no more. */
  forgetGame(gameId: GameId): void {
    for (const name of this.#prices.keys()) if (name.includes(`:${gameId}/`)) this.#prices.delete(name);
  }

  /** By source, as probabilities of the first side; absent: this source gave none. */
  pricesOf(id: MarketId): Readonly<Partial<Record<OutsideSource, number>>> {
    return knownPrices(
      Object.fromEntries(OUTSIDE_SOURCES.map((source) => [source, this.#prices.get(`${source}:${id}`)])),
    );
  }
}
