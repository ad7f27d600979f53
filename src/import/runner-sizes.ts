// The sizes that Betfair shows of one runner: what can be backed and laid at each price, and what was traded
// there. Changes are returned with their sizes before and after, so that trades can be compared with them.
import type { PlaceSize, PriceSize, RunnerChange } from './stream-line.ts';

export type List = 'back' | 'lay';

export type SizeChange = {
  readonly list: List;
  readonly price: number;
  /** The backer's stake at that price, before and after. */
  readonly before: number;
  readonly after: number;
  /** True when the price left the best prices that the data shows: it may still be there. */
  readonly isHidden: boolean;
};

export class RunnerSizes {
  readonly #sizes: Readonly<Record<List, Map<number, number>>> = { back: new Map(), lay: new Map() };
  readonly #places: Readonly<Record<List, Map<number, PriceSize>>> = { back: new Map(), lay: new Map() };
  /** The most places seen so far: with this many, a new place pushes out the last. */
  readonly #most: Record<List, number> = { back: 0, lay: 0 };
  readonly #traded = new Map<number, number>();

  sizeAt(list: List, price: number): number {
    return this.#sizes[list].get(price) ?? 0;
  }

  /**
   * Applies changes of the runner. Returns the changed sizes, and in `traded` the growth of trades by price.
   * `isImage`: what it omits is gone.
   */
  applyChanges(
    changes: readonly RunnerChange[],
    isImage: boolean,
  ): { readonly sizes: readonly SizeChange[]; readonly traded: ReadonlyMap<number, number> } {
    const sizes = [...this.#applyList('back', changes, isImage), ...this.#applyList('lay', changes, isImage)];
    const traded = new Map<number, number>();
    for (const change of changes)
      for (const [price, size] of change.traded ?? []) {
        const grown = size - (this.#traded.get(price) ?? 0);
        this.#traded.set(price, size);
        // a closed market resets its trades to nothing
        if (grown > 0) traded.set(price, (traded.get(price) ?? 0) + grown);
      }
    return { sizes, traded };
  }

  #applyList(list: List, changes: readonly RunnerChange[], isImage: boolean): readonly SizeChange[] {
    const after = new Map<number, number>();
    const known = this.#sizes[list];
    if (isImage) {
      for (const price of known.keys()) after.set(price, 0);
      this.#places[list].clear();
    }
    let lastPlaced: number | undefined;
    for (const change of changes) {
      const whole = list === 'back' ? change.toBack : change.toLay;
      for (const [price, size] of whole ?? []) after.set(price, size);
      const best = list === 'back' ? change.bestToBack : change.bestToLay;
      if (best === undefined) continue;
      lastPlaced = this.#place(list, best);
      for (const price of known.keys()) after.set(price, 0);
      for (const [price, size] of this.#places[list].values()) after.set(price, size);
    }
    const found: SizeChange[] = [];
    for (const [price, size] of after) {
      const before = known.get(price) ?? 0;
      if (before === size) continue;
      if (size === 0) known.delete(price);
      else known.set(price, size);
      const isHidden = size === 0 && lastPlaced !== undefined && isWorse(list, price, lastPlaced);
      found.push({ list, price, before, after: size, isHidden });
    }
    return found;
  }

  /**
   * Applies changed places. Returns the last price when all places are used, so a worse price would not be
   * shown.
   */
  #place(list: List, best: readonly PlaceSize[]): number | undefined {
    const places = this.#places[list];
    for (const [place, price, size] of best) {
      if (size === 0) places.delete(place);
      else places.set(place, [price, size]);
    }
    const most = Math.max(this.#most[list], places.size);
    this.#most[list] = most;
    if (places.size < most) return undefined;
    const prices = [...places.values()].map(([price]) => price);
    return prices.length === 0 ? undefined : list === 'back' ? Math.min(...prices) : Math.max(...prices);
  }
}

/** Whether a price is worse than the last one: a backer wants high prices, a layer low ones. */
const isWorse = (list: List, price: number, last: number): boolean => (list === 'back' ? price < last : price > last);
