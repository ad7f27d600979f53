// Raises the own orders of a backtest as the venue sees them, as the events of a live run: when each came to
// rest, the others' stake ahead of it, how it ended, and the state of the markets in which they rested.
import type { EventOf, MarketId, Micros, OrderId, OrderRef, RunEvent } from '../domain/index.ts';
import { forgetOldest, phaseOf, probabilityOfRung } from '../domain/index.ts';
import type { MarketPrices, OwnQuote } from '../measure/index.ts';
import { leagueRows, QuoteClock, TakeClock } from '../measure/index.ts';
import type { InProcessExchange } from '../paper/index.ts';
import type { QuotePath } from '../run/index.ts';
import type { MarketBook, VenueAccount, VenueOrder } from '../venue/index.ts';
import { compareRank, ghostAvailable, sideOf } from '../venue/index.ts';
import type { FairPrices } from './fair-prices.ts';

/** Receives an event of the venue and its time, Unix ms. */
export type Raise = (t: number, event: RunEvent) => void;

type Submitted = Pick<EventOf<'OrderSubmitted'>, 'market' | 'side'> & {
  /** Unix ms. */
  readonly t: number;
  /** The reason of the intent. */
  readonly reason: string | undefined;
};

/**
 * How an order came to rest: the others' stake ahead of it, the reason of its intent, and when the bot sent
 * it, Unix ms.
 */
type RestingAs = {
  readonly ahead: Micros | undefined;
  readonly reason: string | undefined;
  readonly sentAt?: number | undefined;
};

type Resting = OwnQuote & {
  readonly order: VenueOrder;
  /** The unfilled stake, dollars. */
  left: number;
};

export type VenueOrdersOptions = {
  readonly exchange: InProcessExchange;
  readonly account: VenueAccount;
  readonly fairs: FairPrices;
  readonly raise: Raise;
};

/** The most orders that are kept as sent and not yet at the venue. */
const MOST_ON_THE_WAY = 10_000;

export class VenueOrders {
  readonly #options: VenueOrdersOptions;
  readonly #takes = new TakeClock();
  readonly #clock = new QuoteClock<Resting>();
  readonly #resting = new Map<VenueOrder, Resting>();
  readonly #restingAs = new WeakMap<VenueOrder, RestingAs>();
  /** Orders as the bot sent them, by reference, until they rest. */
  readonly #submitted = new Map<OrderRef, Submitted>();

  constructor(options: VenueOrdersOptions) {
    this.#options = options;
    const { exchange, account } = options;
    const { venue } = exchange.world;
    const { sink } = venue;
    venue.sink = {
      sideChanged: (side) => sink.sideChanged(side),
      gameChanged: (game, type) => sink.gameChanged(game, type),
      position: (owner, record) => {
        const { order, play, rests } = record;
        if (owner === account && rests) this.#apply(order, play !== undefined);
        sink.position(owner, record);
      },
    };
  }

  /** Records that the bot sent or edited an order at `t`, Unix ms. */
  applySubmitted({ ref, market, side, why }: EventOf<'OrderSubmitted'>, t: number): void {
    this.#submitted.set(ref, { t, market, side, reason: why?.said });
    forgetOldest(this.#submitted, MOST_ON_THE_WAY);
  }

  /** How an own order came to rest, also when it was taken at once. */
  restingAs(order: VenueOrder): RestingAs {
    return this.#restingAs.get(order) ?? { ahead: undefined, reason: this.#submitted.get(refOf(order))?.reason };
  }

  /** Updates the clocks after a change of a book or its fair price. */
  note(book: MarketBook, nowMs: number): void {
    const { id } = book.market;
    if (!this.#clock.isQuoted(id)) return;
    const state = this.#marketStateOf(book);
    this.#clock.see(id, nowMs, state);
    const [first, second] = book.sides;
    this.#takes.see(id, [first.offers, second.offers], nowMs, state);
  }

  /** Starts afresh after a gap of the recording: what changed meanwhile counts as no take. */
  noteGap(): void {
    this.#takes.gap();
  }

  /**
   * Moves resting orders to the side where their team is now, after home and away of a game changed places.
   */
  swapTeams(books: ReadonlySet<MarketBook>, nowMs: number): void {
    this.#takes.gap();
    const swapped = [...this.#resting.values()].filter(({ order }) => books.has(order.book));
    for (const resting of swapped) this.#clock.remove(resting, nowMs);
    for (const resting of swapped) {
      const { book, side } = resting.order;
      Object.assign(resting, { market: book.market, side });
      this.#clock.addQuote(resting, nowMs, this.#marketStateOf(book));
      this.#options.raise(nowMs, { type: 'OrderMoved', ref: refOf(resting.order), market: book.market.id, side });
    }
  }

  /** Ends the run. Returns how long orders rested, and what others took, by phase and league. */
  takeSample(nowMs: number): Required<Pick<EventOf<'Sample'>, 'quotes' | 'takes'>> {
    this.#clock.closeSample(nowMs);
    this.#resting.clear();
    return {
      quotes: leagueRows((phase) => this.#clock.timesIn(phase)),
      takes: leagueRows((phase) => this.#takes.countsIn(phase)),
    };
  }

  dropPath(id: MarketId): void {
    this.#clock.dropPath(id);
  }

  /** The quote path of each market that was quoted, by id. */
  paths(): ReadonlyMap<MarketId, QuotePath['points']> {
    return new Map([...this.#clock.markets].map((id) => [id, this.#clock.pathOf(id)]));
  }

  /** The markets that were quoted. */
  get markets(): Iterable<MarketId> {
    return this.#clock.markets;
  }

  pathOf(id: MarketId): QuotePath['points'] {
    return this.#clock.pathOf(id);
  }

  /** Applies a record of an own order: it came to rest, filled or ended. */
  #apply(order: VenueOrder, isFill: boolean): void {
    const { nowMs } = this.#options.exchange;
    const resting = this.#resting.get(order);
    if (order.status === 'open') {
      if (!isFill && !this.#restingAs.has(order)) this.#rest(order, nowMs);
      else if (isFill && resting !== undefined) {
        this.#clock.passIn(order.book.market.id, nowMs);
        resting.left = leftOf(order);
      }
      return;
    }
    if (resting !== undefined) this.#remove(resting, nowMs);
    this.#raiseEnd(order, endOf(order), nowMs);
  }

  /**
   * Ends an order that was filled as a taker: it never rests, and the venue has no record of its own for it.
   */
  endTaken(order: VenueOrder): void {
    if (order.status !== 'open' && order.reference !== undefined)
      this.#raiseEnd(order, 'filled', this.#options.exchange.nowMs);
  }

  #remove(resting: Resting, nowMs: number): void {
    this.#resting.delete(resting.order);
    this.#clock.remove(resting, nowMs);
  }

  #raiseEnd(order: VenueOrder, how: string, nowMs: number): void {
    const { sentAt = order.createdAtMs } = this.#restingAs.get(order) ?? {};
    const lifeMs = Math.round(nowMs - sentAt);
    this.#options.raise(nowMs, { type: 'OrderEnded', ref: refOf(order), how, filled: order.filled, lifeMs });
  }

  /**
   * Ends the former order of an edit that keeps the id (wire profile, `editKeepsId`): the venue reports no
   * end for it.
   */
  #endEdited(id: OrderId, nowMs: number): void {
    if (!this.#options.exchange.world.venue.profile.editKeepsId) return;
    for (const resting of this.#resting.values())
      if (resting.order.id === id) {
        this.#remove(resting, nowMs);
        this.#raiseEnd(resting.order, 'edit', nowMs);
      }
  }

  #rest(order: VenueOrder, nowMs: number): void {
    const { fairs, raise } = this.#options;
    const { id: orderId, side, rung, book } = order;
    fairs.follow(book, nowMs);
    this.#endEdited(orderId, nowMs);
    const ref = refOf(order);
    const ahead = aheadOf(order);
    const submitted = this.#submitted.get(ref);
    this.#submitted.delete(ref);
    this.#restingAs.set(order, { ahead, reason: submitted?.reason, sentAt: submitted?.t });
    // the teams changed places while the order was on its way; it stays on its team
    if (submitted !== undefined && (submitted.side !== side || submitted.market !== book.market.id))
      raise(nowMs, { type: 'OrderMoved', ref, market: book.market.id, side });
    const state = this.#marketStateOf(book);
    const price = probabilityOfRung(rung);
    const resting: Resting = {
      order,
      market: book.market,
      side,
      price,
      left: leftOf(order),
      payoutLeft: () => resting.left / price,
    };
    this.#resting.set(order, resting);
    this.#clock.addQuote(resting, nowMs, state);
    raise(nowMs, {
      type: 'OrderRested',
      ref,
      orderId,
      ahead,
      // not known here: own orders may stand before it
      rank: undefined,
      fair: state.fair,
      offered: order.offered,
      ...(state.phase === 'inplay' ? { isInPlay: true } : {}),
    });
  }

  #marketStateOf(book: MarketBook): MarketPrices {
    const { header } = book.game;
    const { nowMs } = this.#options.exchange;
    return {
      phase: phaseOf({ isInPlay: header.live || header.start <= nowMs }),
      league: header.league,
      fair: this.#options.fairs.newest(book),
      best: [bestOf(book, 0), bestOf(book, 1)],
    };
  }
}

/** The reference of an order. All orders of the account are the bot's. */
const refOf = ({ reference = '' }: VenueOrder): OrderRef => reference as OrderRef;

const leftOf = ({ offered, filled }: VenueOrder): number => Math.max(0, offered - filled) / 1e6;

/** The ending of an order, in the words of `OrderEnded`. */
const endOf = ({ status, cause }: VenueOrder): string =>
  status === 'filled' ? 'filled' : cause === 'expired' ? 'expired' : cause === 'edited' ? 'edit' : 'cancel';

/** The best price of the others on a side, as a probability. Undefined when there is none. */
function bestOf({ sides }: MarketBook, sideIndex: 0 | 1): number | undefined {
  const { ghosts } = sides[sideIndex];
  for (let index = 0; index < ghosts.length; index++) {
    const ghost = ghosts[index];
    if (ghost !== undefined && ghostAvailable(ghost) > 0) return probabilityOfRung(ghost.rung);
  }
  return undefined;
}

/** The others' stake that is served before an order. */
export function aheadOf(order: VenueOrder): Micros {
  let ahead = 0;
  for (const ghost of sideOf(order.book, order.side).ghosts) {
    if (compareRank(ghost, order) > 0) break;
    ahead += ghostAvailable(ghost);
  }
  return ahead as Micros;
}
