// The history of each market on the tapes before a backtest begins (`--from`), for strategies with `warmUp`.
import type { Input, Ladder } from '../domain/index.ts';
import { consensusOf, FAIR_BOOK, NO_OFFERS, sideIndex } from '../domain/index.ts';
import { RecordedHistory } from '../strategy/host/index.ts';
import type { MarketBook } from '../venue/index.ts';
import { shownOf } from './price-feed.ts';

type Followed = { readonly history: RecordedHistory; ladders: readonly [Ladder, Ladder] };

export class TapeHistory {
  readonly #sinceMs: number;
  readonly #markets = new Map<MarketBook, Followed>();

  /** @param sinceMs Unix ms: of what was before, only the price that stood then matters */
  constructor(sinceMs: number) {
    this.#sinceMs = sinceMs;
  }

  /** Notes a book after an event before the start. @param nowMs Unix ms */
  note(book: MarketBook, nowMs: number): void {
    // what stands at the beginning is its first point
    const t = Math.max(nowMs, this.#sinceMs);
    let market = this.#markets.get(book);
    if (market === undefined) {
      market = { history: new RecordedHistory(book.market), ladders: [NO_OFFERS, NO_OFFERS] };
      this.#markets.set(book, market);
    }
    const ladders = [shownOf(book.sides[0]), shownOf(book.sides[1])] as const;
    if (nowMs >= this.#sinceMs) market.history.begin();
    market.history.note(market.ladders, ladders, consensusOf(...ladders, FAIR_BOOK)?.p, t);
    market.ladders = ladders;
  }

  /** Home and away of these markets changed places: their prices are of other sides now. */
  forget(book: MarketBook): void {
    this.#markets.delete(book);
  }

  /** The history as an input of the bot. Undefined: there is none. */
  get input(): Input | undefined {
    const markets = [...this.#markets.values()].flatMap(({ history }) => {
      const prices = history.consensus().map(({ time, p }) => [time, p] as const);
      if (prices.length === 0) return [];
      const takes = history.takes().map(({ time, side, odds, risk }) => [time, sideIndex(side), odds, risk] as const);
      const [[first] = []] = prices;
      const isCut = history.since !== undefined && first !== undefined && history.since < first;
      return [{ market: history.market.id, ...(isCut && { since: history.since }), prices, takes }];
    });
    return markets.length === 0 ? undefined : { type: 'history', markets };
  }
}
