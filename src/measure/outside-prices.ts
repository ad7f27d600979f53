// Fair prices of markets from outside sources, as probabilities of the first side: signals `fair:<market>`
// are the user's own prices, `odds:<market>` those of an odds feed, `model:<market>` those of its models. The newest price of a source holds until
// the next, as the newest good consensus does.
import { knownPrices, OUTSIDE_SOURCES } from '../domain/index.ts';
import type { GameId, MarketId, OutsideSource, SignalUpdate } from '../domain/index.ts';

export class OutsidePrices {
  readonly #prices = new Map<string, number>();

  /** Applies signals. A withdrawn signal, or a value that is no probability, leaves the former price. */
  applySignals({ values }: Pick<SignalUpdate, 'values'>): void {
    for (const [name, value] of Object.entries(values))
      if (value !== null && value > 0 && value < 1 && OUTSIDE_SOURCES.some((source) => name.startsWith(`${source}:`)))
        this.#prices.set(name, value);
  }

  /** Drops the prices of a game whose home and away changed places: they no longer fit its sides. */
  forgetGame(gameId: GameId): void {
    for (const name of this.#prices.keys()) if (name.includes(`:${gameId}/`)) this.#prices.delete(name);
  }

  /**
   * The prices of a market by source, as probabilities of the first side. A source without a price is absent.
   */
  pricesOf(id: MarketId): Readonly<Partial<Record<OutsideSource, number>>> {
    return knownPrices(
      Object.fromEntries(OUTSIDE_SOURCES.map((source) => [source, this.#prices.get(`${source}:${id}`)])),
    );
  }
}
