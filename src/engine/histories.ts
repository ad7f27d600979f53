// The histories of the quoted markets, and the strategies that wait for one: the quotes of a strategy are held back
// until the history of a market is as long as its `warmUp`. A history may begin before the run.
import type { Market, MarketId, MarketPast, Micros, StrategyId } from '../domain/index.ts';
import { marketNamed } from '../domain/index.ts';
import type { Denial } from '../risk/index.ts';
import type { StrategyEntry } from '../strategy/host/index.ts';
import type { RecordedHistory } from '../strategy/host/index.ts';
import { MarketHistories } from '../strategy/host/index.ts';

const WARMING: Denial = { control: 'warm-up', reason: 'the history of the market is shorter than warmUp' };

export class Histories {
  readonly #entries: () => readonly StrategyEntry[];
  readonly all = new MarketHistories();
  /** Markets in which a strategy still warms up. */
  readonly #warming = new Set<MarketId>();
  #doneAt = Number.NEGATIVE_INFINITY;
  #turns = 0;

  constructor(entries: () => readonly StrategyEntry[]) {
    this.#entries = entries;
  }

  openMarket(market: Market): void {
    const history = this.all.of(market);
    if (!this.#entries().some(({ warmUpMs = 0 }) => warmUpMs > 0)) return;
    this.#warming.add(market.id);
    history.begin();
  }

  /** The strategies changed: these open markets may have to warm up now. */
  applyEntries(open: Iterable<Market>): void {
    for (const market of open) this.openMarket(market);
    this.#turns += 1;
  }

  /** Rises when `nextWarm` may be earlier than before. */
  get turns(): number {
    return this.#turns;
  }

  /** Applies a changed book to the history of its market. */
  note(id: MarketId, ...change: Parameters<RecordedHistory['note']>): void {
    const history = this.all.known(id);
    if (history === undefined) return;
    const { since } = history;
    history.note(...change);
    if (history.since !== since) this.#turns += 1;
  }

  closeMarket(id: MarketId): void {
    this.all.forget(id);
    this.#warming.delete(id);
  }

  /** Adds what markets were like before the run. */
  applyPast(markets: readonly MarketPast[]): void {
    for (const { market: id, since, prices, takes } of markets) {
      const market = marketNamed(id);
      if (market === undefined) continue;
      this.#turns += 1;
      this.all.of(market).prepend(
        prices.map(([time, p]) => Object.freeze({ time, p })),
        takes.map(([time, side, odds, risk]) =>
          Object.freeze({ time, side: market.sides[side], odds, risk: risk as Micros }),
        ),
        since,
      );
    }
  }

  /** @param t Unix ms */
  denialOf(strategy: StrategyId, id: MarketId, t: number): Denial | undefined {
    if (this.#warming.size === 0 || !this.#warming.has(id)) return undefined;
    const entry = this.#entries().find((listed) => listed.id === strategy);
    return entry !== undefined && this.#endOf(entry, id) > t ? WARMING : undefined;
  }

  /** The markets in which a warm-up ended since the last call. @param t Unix ms */
  warmIn(t: number): readonly MarketId[] {
    if (this.#warming.size === 0) return [];
    const since = this.#doneAt;
    this.#doneAt = t;
    return [...this.#warming].filter((id) => {
      const ends = this.#entries().map((entry) => this.#endOf(entry, id));
      if (ends.every((end) => end <= t)) this.#warming.delete(id);
      return ends.some((end) => end > since && end <= t);
    });
  }

  /** When the next warm-up ends, Unix ms. Infinite: none is known. */
  get nextWarm(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const id of this.#warming)
      for (const entry of this.#entries()) {
        const end = this.#endOf(entry, id);
        if (end > this.#doneAt) next = Math.min(next, end);
      }
    return next;
  }

  /** When a strategy is warm in a market, Unix ms. Infinite while its history has no price. */
  #endOf({ warmUpMs = 0 }: StrategyEntry, id: MarketId): number {
    if (warmUpMs === 0) return Number.NEGATIVE_INFINITY;
    return (this.all.known(id)?.since ?? Number.POSITIVE_INFINITY) + warmUpMs;
  }
}
