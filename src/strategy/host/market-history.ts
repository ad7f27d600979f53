// What a market was like before: fair prices and takes. It begins when a strategy reads it first, or when the run
// gives it a history, so that markets in which no strategy is interested cost nothing.
import type { Ladder, Market, MarketId } from '../../domain/index.ts';
import { oddsOf, takesIn } from '../../domain/index.ts';
import type { MarketHistory, PricePoint, Take } from '../view.ts';

/** The most points and takes of one market that are kept. */
export const MOST_POINTS = 1000;

const NO_POINTS: readonly PricePoint[] = Object.freeze([]);
const NO_TAKES: readonly Take[] = Object.freeze([]);

export class RecordedHistory implements MarketHistory {
  readonly market: Market;
  #points: PricePoint[] | undefined;
  #takes: Take[] | undefined;
  #since: number | undefined;
  // the newest price as numbers: a point for each would be garbage where no strategy reads it
  #newestP: number | undefined;
  #newestTime = 0;

  constructor(market: Market) {
    this.market = market;
    // strategies share it
    Object.freeze(this);
  }

  readonly consensus = (most = MOST_POINTS): readonly PricePoint[] => {
    this.begin();
    return this.#points === undefined ? NO_POINTS : this.#points.slice(-Math.max(1, most));
  };

  readonly takes = (most = MOST_POINTS): readonly Take[] => {
    this.begin();
    return this.#takes === undefined ? NO_TAKES : this.#takes.slice(-Math.max(1, most));
  };

  /** Keeps history from now on. */
  begin(): void {
    if (this.#points !== undefined) return;
    this.#points = [];
    if (this.#newestP !== undefined) this.#addPoint(this.#points, this.#newestTime, this.#newestP);
    this.#takes = [];
  }

  /** Time of the first point, kept or not, Unix ms. Undefined without any. */
  get since(): number | undefined {
    return this.#since;
  }

  #addPoint(points: PricePoint[], time: number, p: number): void {
    this.#since ??= time;
    append(points, Object.freeze({ time, p }));
  }

  /**
   * Adds what was recorded before the run. It goes before everything that is known.
   * @param since time of the first point of that record, where it is older than these points; Unix ms
   */
  prepend(points: readonly PricePoint[], takes: readonly Take[], since = points[0]?.time): void {
    this.begin();
    const [first] = this.#points ?? [];
    const isEarlier = ({ time }: { readonly time: number }): boolean => first === undefined || time < first.time;
    this.#points = [...points.filter(isEarlier), ...(this.#points ?? [])].slice(-MOST_POINTS);
    this.#takes = [...takes.filter(isEarlier), ...(this.#takes ?? [])].slice(-MOST_POINTS);
    if (points.length > 0 && since !== undefined) this.#since = Math.min(since, this.#since ?? since);
    const newest = this.#points.at(-1);
    if (this.#newestP === undefined && newest !== undefined)
      [this.#newestP, this.#newestTime] = [newest.p, newest.time];
  }

  /**
   * Applies a changed book.
   * @param fair the fair probability of the first side; undefined: the book gives none
   * @param time Unix ms
   */
  note(
    before: readonly [Ladder, Ladder],
    after: readonly [Ladder, Ladder],
    fair: number | undefined,
    time: number,
  ): void {
    if (fair !== undefined && fair !== this.#newestP) {
      this.#newestP = fair;
      this.#newestTime = time;
      if (this.#points !== undefined) this.#addPoint(this.#points, time, fair);
    }
    if (this.#takes === undefined) return;
    for (const index of [0, 1] as const)
      for (const { offer, risk } of takesIn(before[index], after[index]))
        append(this.#takes, Object.freeze({ time, side: this.market.sides[index], odds: oddsOf(offer.rung), risk }));
  }
}

/** Appends, and drops the older half of what is too much. */
function append<T>(list: T[], value: T): void {
  list.push(value);
  if (list.length >= 2 * MOST_POINTS) list.splice(0, list.length - MOST_POINTS);
}

/** Histories by market. */
export class MarketHistories {
  readonly #all = new Map<MarketId, RecordedHistory>();

  of(market: Market): RecordedHistory {
    let history = this.#all.get(market.id);
    if (history === undefined) this.#all.set(market.id, (history = new RecordedHistory(market)));
    return history;
  }

  known(id: MarketId): RecordedHistory | undefined {
    return this.#all.get(id);
  }

  forget(id: MarketId): void {
    this.#all.delete(id);
  }
}

/** The same history for a trial, which must not begin one. */
export const peeking = (history: RecordedHistory): MarketHistory =>
  history.since === undefined ? NOTHING : { consensus: history.consensus, takes: history.takes };

const NOTHING: MarketHistory = Object.freeze({ consensus: () => NO_POINTS, takes: () => NO_TAKES });
