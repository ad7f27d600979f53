// Tracks the amounts that accounts matched of recorded offers. When the venue's state is stored, they are
// remembered by id, because the same offers are replayed after a restart.
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

  /** Adds `risk` to the matched amount of a recorded offer. */
  use(side: SideBook, ghost: Ghost, risk: Micros): void {
    ghost.used = plus(ghost.used, risk);
    ghost.row = undefined;
    side.isAsShown = false;
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
