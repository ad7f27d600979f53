// The orders of a backtest as the venue knows them: when each came to rest and behind how much of the others' stake, how it ended, and
// how the markets looked in which they rested. Raised as the events of a live run.
import type { EventOf, MarketId, Micros, OrderId, OrderRef, RunEvent } from '../domain/index.ts';
import { forgetOldest, phaseOf, PHASES, probabilityOfRung } from '../domain/index.ts';
import type { MarketLook, Offered } from '../measure/index.ts';
import { QuoteClock, TakeClock } from '../measure/index.ts';
import type { InProcessExchange } from '../paper/index.ts';
import type { QuotePath } from '../run/index.ts';
import type { MarketBook, VenueAccount, VenueOrder } from '../venue/index.ts';
import { compareRank, ghostAvailable, sideOf } from '../venue/index.ts';
import type { FairPrices } from './fair-prices.ts';

/** Takes an event of the venue, and when it happened, Unix ms. */
export type Raise = (t: number, event: RunEvent) => void;

type Submitted = Pick<EventOf<'OrderSubmitted'>, 'market' | 'side'> & {
  /** Unix ms. */
  readonly t: number;
  /** Of the intent. */
  readonly reason: string | undefined;
};

/** How an order came to rest: others' stake that stood before it, the reason of its intent, and when the bot sent it, Unix ms. */
type RestingAs = {
  readonly ahead: Micros | undefined;
  readonly reason: string | undefined;
  readonly sentAt?: number | undefined;
};

type Resting = Offered & {
  readonly order: VenueOrder;
  /** Of its stake, dollars. */
  left: number;
};

export type VenueOrdersOptions = {
  readonly exchange: InProcessExchange;
  readonly account: VenueAccount;
  readonly fairs: FairPrices;
  readonly raise: Raise;
};

/** Orders that were sent and are not at the venue yet. */
const MOST_ON_THE_WAY = 10_000;

export class VenueOrders {
  readonly #options: VenueOrdersOptions;
  readonly #takes = new TakeClock();
  readonly #clock = new QuoteClock<Resting>();
  readonly #resting = new Map<VenueOrder, Resting>();
  readonly #restingAs = new WeakMap<VenueOrder, RestingAs>();
  /** As the bot sent it, by the reference, until it rests. */
  readonly #submitted = new Map<OrderRef, Submitted>();

  constructor(options: VenueOrdersOptions) {
    this.#options = options;
    const { exchange, account } = options;
    const { venue } = exchange.world;
    const { sink } = venue;
    venue.sink = {
      sideChanged: (side) => sink.sideChanged(side),
      gameChanged: (game, type) => sink.gameChanged(game, type),
      position: (of, record) => {
        const { order, play, rests } = record;
        if (of === account && rests) this.#apply(order, play !== undefined);
        sink.position(of, record);
      },
    };
  }

  /** The bot sent an order, or moved one, at `t`, Unix ms. */
  applySubmitted({ ref, market, side, why }: EventOf<'OrderSubmitted'>, t: number): void {
    this.#submitted.set(ref, { t, market, side, reason: why?.said });
    forgetOldest(this.#submitted, MOST_ON_THE_WAY);
  }

  /** What is known of an order of the account, at rest or taken at once. */
  restingAs(order: VenueOrder): RestingAs {
    return this.#restingAs.get(order) ?? { ahead: undefined, reason: this.#submitted.get(refOf(order))?.reason };
  }

  /** The book changed just now, or its fair price. */
  note(book: MarketBook, nowMs: number): void {
    const { id } = book.market;
    if (!this.#clock.isQuoted(id)) return;
    const look = this.#lookAt(book);
    this.#clock.see(id, nowMs, look);
    for (const { side, offers } of book.sides) this.#takes.see(id, side, offers, { ms: nowMs, ...look });
  }

  /** The recording has a gap. */
  noteGap(): void {
    this.#takes.gap();
  }

  /** Home and away of a game changed places: what rests there stays on its team. */
  swapTeams(books: ReadonlySet<MarketBook>, nowMs: number): void {
    this.#takes.gap();
    const swapped = [...this.#resting.values()].filter(({ order }) => books.has(order.book));
    for (const resting of swapped) this.#clock.remove(resting, nowMs);
    for (const resting of swapped) {
      const { book, side } = resting.order;
      Object.assign(resting, { market: book.market, side });
      this.#clock.add(resting, nowMs, this.#lookAt(book));
      this.#options.raise(nowMs, { type: 'OrderMoved', ref: refOf(resting.order), market: book.market.id, side });
    }
  }

  /** The run is over. Returns for how long what rested where, and what others took, by phase and league. */
  close(nowMs: number): Required<Pick<EventOf<'Sample'>, 'quotes' | 'takes'>> {
    this.#clock.close(nowMs);
    this.#resting.clear();
    return {
      quotes: PHASES.flatMap((phase) =>
        Object.entries(this.#clock.timesIn(phase)).map(([league, times]) => ({ phase, league, ...times })),
      ),
      takes: PHASES.flatMap((phase) =>
        Object.entries(this.#takes.countsIn(phase)).map(([league, counts]) => ({ phase, league, ...counts })),
      ),
    };
  }

  dropPath(id: MarketId): void {
    this.#clock.dropPath(id);
  }

  /** How each market that was quoted looked, by its id. */
  paths(): ReadonlyMap<MarketId, QuotePath['points']> {
    return new Map([...this.#clock.markets].map((id) => [id, this.#clock.pathOf(id)]));
  }

  pathOf(id: MarketId): QuotePath['points'] {
    return this.#clock.pathOf(id);
  }

  /** An own order came to rest, filled, or ended. */
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

  #remove(resting: Resting, nowMs: number): void {
    this.#resting.delete(resting.order);
    this.#clock.remove(resting, nowMs);
  }

  #raiseEnd(order: VenueOrder, how: string, nowMs: number): void {
    const { sentAt = order.createdAtMs } = this.#restingAs.get(order) ?? {};
    const lifeMs = Math.round(nowMs - sentAt);
    this.#options.raise(nowMs, { type: 'OrderEnded', ref: refOf(order), how, filled: order.filled, lifeMs });
  }

  /** The venue says nothing of an order whose id an edit keeps (wire profile, `editKeepsId`). */
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
    // the teams changed places while it was on its way, and it is on the same team
    if (submitted !== undefined && (submitted.side !== side || submitted.market !== book.market.id))
      raise(nowMs, { type: 'OrderMoved', ref, market: book.market.id, side });
    const look = this.#lookAt(book);
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
    this.#clock.add(resting, nowMs, look);
    raise(nowMs, {
      type: 'OrderRested',
      ref,
      orderId,
      ahead,
      // own orders may stand before it
      rank: undefined,
      fair: look.fair,
      offered: order.offered,
      ...(look.phase === 'inplay' ? { isInPlay: true } : {}),
    });
  }

  #lookAt(book: MarketBook): MarketLook {
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

/** Orders of a backtest are all the bot's. */
const refOf = ({ reference = '' }: VenueOrder): OrderRef => reference as OrderRef;

const leftOf = ({ offered, filled }: VenueOrder): number => Math.max(0, offered - filled) / 1e6;

/** As `OrderEnded` says it. */
const endOf = ({ status, cause }: VenueOrder): string =>
  status === 'filled' ? 'filled' : cause === 'expired' ? 'expired' : cause === 'edited' ? 'edit' : 'cancel';

/** Of the others. */
function bestOf({ sides }: MarketBook, index: 0 | 1): number | undefined {
  const { ghosts } = sides[index];
  for (let at = 0; at < ghosts.length; at++) {
    const ghost = ghosts[at];
    if (ghost !== undefined && ghostAvailable(ghost) > 0) return probabilityOfRung(ghost.rung);
  }
  return undefined;
}

/** What of the others' stakes is served before an order. */
export function aheadOf(order: VenueOrder): Micros {
  let ahead = 0;
  for (const ghost of sideOf(order.book, order.side).ghosts) {
    if (compareRank(ghost, order) > 0) break;
    ahead += ghostAvailable(ghost);
  }
  return ahead as Micros;
}
