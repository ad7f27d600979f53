// What accounts matched of recorded offers. Where a record of the venue is kept it is remembered by id, since the offers come
// again in its next life.
import { plus } from '../domain/index.ts';
import type { GameId, Micros, OrderId } from '../domain/index.ts';
import type { EventQueue, UsedOffer } from './events.ts';
import type { Ghost, SideBook } from './records.ts';

export class UsedOffers {
  readonly #events: EventQueue;
  readonly #byId = new Map<OrderId, UsedOffer>();

  constructor(events: EventQueue) {
    this.#events = events;
  }

  get byId(): ReadonlyMap<OrderId, UsedOffer> {
    return this.#byId;
  }

  /** So much more of one is matched. */
  use(side: SideBook, ghost: Ghost, risk: Micros): void {
    ghost.used = plus(ghost.used, risk);
    ghost.row = undefined;
    side.isAsTold = false;
    if (!this.#events.isKept) return;
    const { id, used, mostTaken } = ghost;
    const offer: UsedOffer = { id, game: side.book.market.gameId, used, mostTaken };
    this.restore(offer);
    this.#events.offerUsed(offer);
  }

  restore(offer: UsedOffer): void {
    this.#byId.set(offer.id, offer);
  }

  forgetGame(gameId: GameId): void {
    for (const [id, { game }] of this.#byId) if (game === gameId) this.#byId.delete(id);
  }
}
