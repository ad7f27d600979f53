// The fair price of each market by the others' book as the venue has it: own offers out, and what own orders consumed is gone
// from it. A price is noted when all that happened at a moment is over, so whatever is asked while something happens gets
// the newest good one from before it (figures.md, "One fill").
import { consensusOf, FAIR_BOOK, PAST_MS, RecentValues } from '../domain/index.ts';
import type { MarketBook } from '../venue/index.ts';
import { shownOf } from './price-feed.ts';

export class FairPrices {
  /** Of the markets that are followed: the prices of the last seconds, and the one that stood when they began. */
  readonly #paths = new Map<MarketBook, RecentValues>();

  /** From now on; `nowMs`: Unix ms. */
  follow(book: MarketBook, nowMs: number): void {
    if (this.#paths.has(book)) return;
    this.#paths.set(book, new RecentValues(2 * PAST_MS));
    this.note(book, nowMs);
  }

  /** It may have changed, and what caused it is over. */
  note(book: MarketBook, nowMs: number): void {
    const path = this.#paths.get(book);
    if (path === undefined) return;
    const { sides } = book;
    const p = consensusOf(shownOf(sides[0]), shownOf(sides[1]), FAIR_BOOK)?.p;
    if (p !== undefined) path.note(p, nowMs);
  }

  /** Home and away of the game of this book changed places. */
  swapTeams(book: MarketBook): void {
    const path = this.#paths.get(book);
    if (path !== undefined)
      this.#paths.set(
        book,
        path.map((p) => 1 - p),
      );
  }

  /** As probability of the first side; undefined: the book was never good. */
  newest(book: MarketBook): number | undefined {
    return this.#paths.get(book)?.newest;
  }

  /** The same as it stood five seconds ago. */
  past(book: MarketBook, nowMs: number): number | undefined {
    return this.#paths.get(book)?.before(nowMs - PAST_MS);
  }
}
