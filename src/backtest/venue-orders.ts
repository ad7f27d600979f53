// The orders of a backtest as the venue knows them: when each came to rest and behind how much of the others' stake, how it ended, and
// how the markets looked in which they rested. Raised as the events of a live run.
import type { EventOf, MarketId, Micros, OrderRef, RunEvent } from '../domain/index.ts';
import { forgetOldest, phaseOf, PHASES, probabilityOfRung } from '../domain/index.ts';
import type { Look, Offered } from '../measure/index.ts';
import { QuoteClock, TakeClock } from '../measure/index.ts';
import type { InProcessExchange } from '../paper/index.ts';
import type { QuotePath } from '../run/index.ts';
import type { MarketBook, VenueAccount, VenueOrder } from '../venue/index.ts';
import { compareRank, ghostAvailable, sideOf } from '../venue/index.ts';
import type { FairPrices } from './fair-prices.ts';

/** Takes an event of the venue, and when it happened, Unix ms. */
export type Raise = (t: number, event: RunEvent) => void;

/** How an order came to rest: others' stake that stood before it, and the reason of its intent. */
type RestingAs = { readonly ahead: Micros | undefined; readonly reason: string | undefined };

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

/** Of orders that were sent and are not at the venue yet. */
const REASONS_REMEMBERED = 10_000;

export class VenueOrders {
  readonly #options: VenueOrdersOptions;
  readonly #takes = new TakeClock();
  readonly #clock = new QuoteClock<Resting>();
  readonly #resting = new Map<VenueOrder, Resting>();
  readonly #restingAs = new WeakMap<VenueOrder, RestingAs>();
  /** Why the bot sent it, by the reference, until it rests. */
  readonly #reasons = new Map<string, string>();

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

  /** The bot sent an order, or moved one. */
  applySubmitted({ ref, why }: EventOf<'OrderSubmitted'>): void {
    if (why?.said === undefined) return;
    this.#reasons.set(ref, why.said);
    forgetOldest(this.#reasons, REASONS_REMEMBERED);
  }

  /** What is known of an order of the account, at rest or taken at once. */
  restingAs(order: VenueOrder): RestingAs {
    return this.#restingAs.get(order) ?? { ahead: undefined, reason: this.#reasons.get(order.reference ?? '') };
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
    if (resting !== undefined) {
      this.#resting.delete(order);
      this.#clock.remove(resting, nowMs);
    }
    this.#options.raise(nowMs, {
      type: 'OrderEnded',
      ref: refOf(order),
      how: endOf(order),
      filled: order.filled,
      lifeMs: nowMs - order.createdAtMs,
    });
  }

  #rest(order: VenueOrder, nowMs: number): void {
    const { fairs, raise } = this.#options;
    const { id: orderId, side, rung, book } = order;
    fairs.follow(book, nowMs);
    const ref = refOf(order);
    const ahead = aheadOf(order);
    this.#restingAs.set(order, { ahead, reason: this.#reasons.get(ref) });
    this.#reasons.delete(ref);
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
      rank: ahead === 0 ? 1 : undefined,
      fair: look.fair,
      offered: order.offered,
      ...(look.phase === 'inplay' ? { isInPlay: true } : {}),
    });
  }

  #lookAt(book: MarketBook): Look {
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
