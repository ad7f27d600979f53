// A patient maker in a synthetic market: offers of all sizes far from the fair price that rest for long. It
// cancels an offer that the price comes near, and places another elsewhere after a while.
import type { Side, Random } from '../domain/index.ts';
import { microsOfDollars, probabilityOfRung, rungAtMost } from '../domain/index.ts';
import type { VenueAccount, MarketBook, VenueOrder, Venue } from '../venue/index.ts';
import type { Moment } from './synthetic-makers.ts';
import { probabilityFor, stepsUntil } from './synthetic-makers.ts';

const LOOK_EVERY_STEPS = 20;
/** The least distance of its offers from the fair price, in probability. */
const NEAREST = 0.035;
/** The distance of a new offer below the fair price, as a share of that price. */
const PLACED = [0.12, 0.6] as const;

type Place = { readonly side: Side; order: VenueOrder | undefined; nextStep: number | undefined };

export class Patient {
  readonly #venue: Venue;
  readonly #account: VenueAccount;
  readonly #random: Random;
  readonly #places: readonly Place[];

  /** @param most the most offers on each side; it makes at least half as many */
  constructor(venue: Venue, account: VenueAccount, random: Random, book: MarketBook, most: number) {
    this.#venue = venue;
    this.#account = account;
    this.#random = random;
    this.#places = book.market.sides.flatMap((side) =>
      Array.from({ length: Math.round(random.between(most / 2, most)) }, () => ({
        side,
        order: undefined,
        nextStep: 0,
      })),
    );
  }

  step(book: MarketBook, moment: Moment): void {
    if (moment.step % LOOK_EVERY_STEPS !== 0) return;
    this.#venue.run(moment.atMs, () => {
      for (const place of this.#places) this.#tend(book, place, moment);
    });
  }

  withdraw(atMs: number): void {
    for (const place of this.#places) {
      this.#cancel(place, atMs);
      place.nextStep = 0;
    }
  }

  #tend(book: MarketBook, place: Place, { step, atMs, fair }: Moment): void {
    const p = probabilityFor(fair, place.side);
    const { order } = place;
    if (order?.status === 'open') {
      if (p - probabilityOfRung(order.rung) < NEAREST) this.#cancel(place, atMs);
      return;
    }
    place.nextStep ??= step + stepsUntil(this.#random, 60, 300);
    if (step < place.nextStep) return;
    const rung = rungAtMost(Math.min(p * (1 - this.#random.between(...PLACED)), p - NEAREST), 1);
    const risk = microsOfDollars(Math.round(10 + 490 * this.#random.next() ** 3));
    if (rung === undefined) return;
    const placed = this.#venue.place(this.#account, { book, side: place.side, rung, risk, orderType: 'post' }, atMs);
    place.order = placed.ok ? placed.order : undefined;
    place.nextStep = undefined;
  }

  #cancel(place: Place, atMs: number): void {
    if (place.order?.status === 'open') this.#venue.cancel(this.#account, place.order.id, atMs);
    place.order = undefined;
  }
}
