// The fair price of each market by the others' book as the venue has it: own offers out, and what own orders consumed is gone
// from it. A price is noted when all that happened at a moment is over, so whatever is asked while something happens gets
// the newest good one from before it (REPORT.md, "One fill").
import { consensusOf, FAIR_BOOK } from '../domain/index.ts';
import type { MarketBook } from '../paper/index.ts';
import { PAST_MS } from '../report/index.ts';
import { shownOf } from './price-feed.ts';

type Noted = { readonly t: number; readonly p: number };

export class FairPrices {
  /** Of the markets that are followed: the prices of the last seconds, and the one that stood when they began. */
  readonly #paths = new Map<MarketBook, Noted[]>();

  /** From now on; `nowMs`: Unix ms. */
  follow(book: MarketBook, nowMs: number): void {
    if (this.#paths.has(book)) return;
    this.#paths.set(book, []);
    this.note(book, nowMs);
  }

  /** It may have changed, and what caused it is over. */
  note(book: MarketBook, nowMs: number): void {
    const path = this.#paths.get(book);
    if (path === undefined) return;
    const { sides } = book;
    const p = consensusOf(shownOf(sides[0]), shownOf(sides[1]), FAIR_BOOK)?.p;
    const last = path.at(-1);
    if (p === undefined || p === last?.p) return;
    if (last?.t === nowMs) path.pop();
    path.push({ t: nowMs, p });
    let past = 0;
    while ((path[past + 1]?.t ?? nowMs) < nowMs - PAST_MS) past += 1;
    if (past > 0) path.splice(0, past);
  }

  /** As probability of the first side; undefined: the book was never good. */
  newest(book: MarketBook): number | undefined {
    return this.#paths.get(book)?.at(-1)?.p;
  }

  /** The same as it stood five seconds ago. */
  past(book: MarketBook, nowMs: number): number | undefined {
    return this.#paths.get(book)?.findLast(({ t }) => t <= nowMs - PAST_MS)?.p;
  }
}
