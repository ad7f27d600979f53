// What an order is: what was asked for, or else what lists and events told of one that this run did not ask for.
import type { GameId, Micros } from '../../domain/index.ts';
import { dollarsOfMicros, lineFor, microsOfCents, oddsOf } from '../../domain/index.ts';
import type { KnownOrder } from './order-index.ts';
import { nameOf } from './order-index.ts';
import type { Story, ToldMarket } from './story.ts';
import type { ToldBooks } from './told-books.ts';

export class ToldOrder {
  readonly #order: KnownOrder;
  readonly #books: ToldBooks;
  #seen: { gameId?: GameId; market?: ToldMarket | undefined; odds?: number | undefined; risk?: Micros } = {};

  constructor(order: KnownOrder, books: ToldBooks) {
    this.#order = order;
    this.#books = books;
  }

  /** What is told first counts: later on a part of it may be filled. */
  see(
    gameId: GameId | undefined,
    market: ToldMarket | undefined,
    odds: number | undefined,
    risk: Micros | undefined,
  ): void {
    const seen = this.#seen;
    if (gameId !== undefined) seen.gameId ??= gameId;
    if (risk !== undefined && risk > 0) seen.risk ??= risk;
    seen.market ??= market;
    seen.odds ??= odds;
  }

  get gameId(): GameId | undefined {
    return this.#order.asked?.market.gameId ?? this.#seen.gameId;
  }

  get size(): Micros | undefined {
    const { asked } = this.#order;
    return asked === undefined ? this.#seen.risk : microsOfCents(asked.risk);
  }

  /** No request of this run asked for it. */
  get isFormer(): boolean {
    return this.#order.asked === undefined || this.#order.inherited;
  }

  end(): Story['order'] {
    const { asked, orderIds, replaces, replacedBy, next } = this.#order;
    const { gameId, size } = this;
    const seen = this.#seen;
    const game = this.#books.game(gameId);
    return {
      ...nameOf(this.#order),
      orderIds: [...orderIds],
      ofThisRun: !this.isFormer,
      gameId,
      game: game?.name,
      league: game?.league,
      market:
        asked === undefined
          ? seen.market
          : { type: asked.market.type, side: asked.side, line: lineFor(asked.market, asked.side) },
      odds: asked === undefined ? seen.odds : oddsOf(asked.rung),
      risk: size === undefined ? undefined : dollarsOfMicros(size),
      replaces: replaces === undefined ? undefined : nameOf(replaces),
      replacedBy: replacedBy === undefined ? undefined : nameOf(replacedBy),
      next: next === undefined ? undefined : nameOf(next),
    };
  }
}
