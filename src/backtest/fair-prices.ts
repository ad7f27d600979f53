// The fair price of each market by the others' book as the venue has it: without own offers and without what
// own orders consumed. Prices are noted after all events of a moment, so a lookup during an event gets the
// newest good price from before it (figures.md, "One fill").
import { consensusOf, FAIR_BOOK, PAST_MS, RecentValues } from '../domain/index.ts';
import type { MarketBook } from '../venue/index.ts';
import { shownOf } from './price-feed.ts';

export class FairPrices {
  /** The prices of the last seconds of each followed market, and the one that stood when they began. */
  readonly #paths = new Map<MarketBook, RecentValues>();

  /** Follows a market from now on (Unix ms). */
  follow(book: MarketBook, nowMs: number): void {
    if (this.#paths.has(book)) return;
    this.#paths.set(book, new RecentValues(2 * PAST_MS));
    this.note(book, nowMs);
  }

  /** Notes the price of a followed market after an event is complete. */
  note(book: MarketBook, nowMs: number): void {
    const path = this.#paths.get(book);
    if (path === undefined) return;
    const { sides } = book;
    const p = consensusOf(shownOf(sides[0]), shownOf(sides[1]), FAIR_BOOK)?.p;
    if (p !== undefined) path.note(p, nowMs);
  }

  /** Inverts the prices of a market after home and away of its game changed places. */
  swapTeams(book: MarketBook): void {
    const path = this.#paths.get(book);
    if (path !== undefined)
      this.#paths.set(
        book,
        path.map((p) => 1 - p),
      );
  }

  /** The newest price, as a probability of the first side. Undefined when the book was never good. */
  newest(book: MarketBook): number | undefined {
    return this.#paths.get(book)?.newest;
  }

  /** The price that stood PAST_MS before `nowMs`. */
  past(book: MarketBook, nowMs: number): number | undefined {
    return this.#paths.get(book)?.before(nowMs - PAST_MS);
  }
}
