// How quoted markets looked over time, for the pictures of a report: few numbers a market, and not too many
// markets, however long a run is.
import type { Market } from '../domain/index.ts';
import type { QuotePoint } from '../measure/index.ts';
import type { RunFill } from './run-fill.ts';
import { thinned } from './thinned.ts';

/** The most markets with a picture. */
export const MOST_PATHS = 150;
/** The most points of each. */
export const PATH_POINTS = 300;

export type MarketPath = {
  readonly market: Market;
  /** With its start. */
  readonly eventName: string;
  /** Number of fills. */
  readonly fills: number;
  /** By time; thinned to PATH_POINTS. */
  readonly points: readonly QuotePoint[];
};
/** The paths with most fills, and the number of quoted markets that have none. */
export type MarketPathSet = { readonly paths: readonly MarketPath[]; readonly leftOut: number };
export const NO_PATHS: MarketPathSet = { paths: [], leftOut: 0 };

/** Keeps the paths of the markets with most fills; of equal ones, those that were quoted longer. */
export class MarketPaths {
  #paths: MarketPath[] = [];
  #leftOut = 0;

  add(path: MarketPath): void {
    if (path.points.length === 0) return;
    this.#paths.push({ ...path, points: thinned(path.points, PATH_POINTS) });
    if (this.#paths.length > 2 * MOST_PATHS) this.#prune();
  }

  addAll({ paths, leftOut }: MarketPathSet): void {
    this.#leftOut += leftOut;
    for (const path of paths) this.add(path);
  }

  get set(): MarketPathSet {
    this.#prune();
    return { paths: this.#paths, leftOut: this.#leftOut };
  }

  #prune(): void {
    // of one market that several runs quoted, each part is a path of its own
    this.#paths.sort((a, b) => b.fills - a.fills || b.points.length - a.points.length);
    this.#leftOut += Math.max(0, this.#paths.length - MOST_PATHS);
    this.#paths = this.#paths.slice(0, MOST_PATHS);
  }
}

/** The number of fills of each market. */
export function fillsByMarket(fills: Iterable<Pick<RunFill, 'market'>>): ReadonlyMap<Market['id'], number> {
  const counts = new Map<Market['id'], number>();
  for (const { market } of fills) counts.set(market.id, (counts.get(market.id) ?? 0) + 1);
  return counts;
}
