// The fair prices of markets by whoever prices them outside, as probabilities of the first side: signals `fair:<market>` are the
// user's own, `odds:<market>` those of an odds feed. The newest one holds until another comes, as the newest good consensus does.
import type { GameId, MarketId, SignalUpdate } from '../domain/index.ts';

export const OUTSIDE_SOURCES = ['fair', 'odds'] as const;
export type OutsideSource = (typeof OUTSIDE_SOURCES)[number];
/** Who prices a market: outside sources, and the strategy itself by the `fair` of its intents. */
export const SOURCES = [...OUTSIDE_SOURCES, 'own'] as const;
export type Source = (typeof SOURCES)[number];

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

  /** As probability of the first side; undefined: this source gave none. */
  newest(source: OutsideSource, id: MarketId): number | undefined {
    return this.#prices.get(`${source}:${id}`);
  }
}

/** Of one fill, by source: as probability of its side when it filled, and at the close. */
export type OutsideOfFill = Readonly<
  Partial<Record<OutsideSource, { readonly f0: number | undefined; readonly fc: number | undefined }>>
>;

/** Nothing outside priced its market. */
export const NO_OUTSIDE: OutsideOfFill = Object.freeze({});
/** When it filled. */
export function openOutside(priceOf: (source: OutsideSource) => number | undefined): OutsideOfFill {
  const prices: { -readonly [K in keyof OutsideOfFill]: OutsideOfFill[K] } = {};
  for (const source of OUTSIDE_SOURCES) {
    const f0 = priceOf(source);
    if (f0 !== undefined) prices[source] = { f0, fc: undefined };
  }
  return prices;
}

/** The same with the prices of the close. */
export function closedOutside(
  before: OutsideOfFill,
  priceOf: (source: OutsideSource) => number | undefined,
): OutsideOfFill {
  const prices: { -readonly [K in keyof OutsideOfFill]: OutsideOfFill[K] } = { ...before };
  for (const source of OUTSIDE_SOURCES) {
    const fc = priceOf(source);
    if (fc !== undefined) prices[source] = { f0: before[source]?.f0, fc };
  }
  return prices;
}
