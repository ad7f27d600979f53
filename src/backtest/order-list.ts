// The orders of one scenario that came to rest at the venue: how they stood there, and how they ended.
import { QuoteClock, TakeClock } from '../measure/index.ts';
import type { Look, Offered } from '../measure/index.ts';
import type { MarketId, Micros, OrderRef, Phase } from '../domain/index.ts';
import { eachPhase, forgetOldest, oddsOf, ofSide, phaseOf, probabilityOfRung } from '../domain/index.ts';
import { ownerOf } from '../account/index.ts';
import type { VenueAccount, MarketBook, VenueOrder } from '../venue/index.ts';
import type { InProcessExchange } from '../paper/index.ts';
import { compareRank, ghostAvailable, sideOf } from '../venue/index.ts';
import type { OrderEnd, PhaseFacts, QuotePath, ReportOrder } from '../run/index.ts';
import { OrderTally } from '../run/index.ts';
import type { FairPrices } from './fair-prices.ts';

/** How it came to rest. `ahead`: others' stake that stood before it. */
type Stood = { readonly ahead: Micros; readonly reason: string | undefined };

type Resting = Offered &
  Stood & {
    readonly order: VenueOrder;
    readonly phase: Phase;
    /** Of its stake, dollars. */
    left: number;
    readonly fromMs: number;
    readonly fair: number | undefined;
  };

export type OrderListOptions = {
  readonly exchange: InProcessExchange;
  readonly account: VenueAccount;
  /** Of the bot, in its references. */
  readonly instance: string;
  readonly fairs: FairPrices;
  /** Each order is told, and not only how many there were. */
  readonly keepsOrders: boolean | undefined;
};

/** Of orders that were sent and are not at the venue yet. */
const REASONS_REMEMBERED = 10_000;

export class OrderList {
  readonly #options: OrderListOptions;
  readonly #rows: ReportOrder[] = [];
  readonly #tallies = eachPhase(() => new OrderTally());
  readonly #takes = new TakeClock();
  readonly #clock = new QuoteClock<Resting>();
  readonly #resting = new Map<VenueOrder, Resting>();
  readonly #stood = new WeakMap<VenueOrder, Stood>();
  /** Why the bot sent it, by the reference, until it rests. */
  readonly #said = new Map<string, string>();

  constructor(options: OrderListOptions) {
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

  factsIn(phase: Phase): Omit<PhaseFacts, 'permits'> {
    return {
      orders: this.#tallies[phase].counts,
      quotes: this.#clock.timesIn(phase),
      takes: this.#takes.countsIn(phase),
    };
  }

  /** In the order in which they ended; undefined: they were not asked for. */
  get rows(): readonly ReportOrder[] | undefined {
    return this.#options.keepsOrders === true ? this.#rows : undefined;
  }

  /** The bot sent an order, or moved one, for this reason. */
  said(ref: OrderRef, reason: string | undefined): void {
    if (reason === undefined) return;
    this.#said.set(ref, reason);
    forgetOldest(this.#said, REASONS_REMEMBERED);
  }

  /** What is known of an order of the account, at rest or taken at once. */
  stood(order: VenueOrder): { readonly ahead: Micros | undefined; readonly reason: string | undefined } {
    return this.#stood.get(order) ?? { ahead: undefined, reason: this.#said.get(order.reference ?? '') };
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
    }
  }

  /** The run is over. */
  close(nowMs: number): void {
    for (const resting of this.#clock.close(nowMs)) this.#end(resting, nowMs, 'open');
    this.#resting.clear();
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
      if (!isFill && !this.#stood.has(order)) this.#rest(order, nowMs);
      else if (isFill && resting !== undefined) {
        this.#clock.passIn(order.book.market.id, nowMs);
        resting.left = leftOf(order);
      }
      return;
    }
    if (resting === undefined) return;
    this.#resting.delete(order);
    this.#clock.remove(resting, nowMs);
    this.#end(resting, nowMs, endOf(order));
  }

  #rest(order: VenueOrder, nowMs: number): void {
    const { side, rung, book, reference = '' } = order;
    this.#options.fairs.follow(book, nowMs);
    const stood = { ahead: aheadOf(order), reason: this.#said.get(reference) };
    this.#said.delete(reference);
    this.#stood.set(order, stood);
    const look = this.#lookAt(book);
    const price = probabilityOfRung(rung);
    const resting: Resting = {
      order,
      market: book.market,
      side,
      price,
      phase: look.phase,
      fromMs: nowMs,
      left: leftOf(order),
      payoutLeft: () => resting.left / price,
      ahead: stood.ahead,
      reason: stood.reason,
      fair: ofSide(side, look.fair),
    };
    this.#resting.set(order, resting);
    this.#clock.add(resting, nowMs, look);
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

  #end({ order, phase, fromMs, ahead, fair, reason, price }: Resting, toMs: number, end: OrderEnd): void {
    const { reference = '', book, side, rung, offered, filled } = order;
    this.#tallies[phase].add({ end, fromMs, toMs, queuePlaced: ahead, filled });
    if (this.#options.keepsOrders !== true) return;
    this.#rows.push({
      ref: reference,
      market: book.market,
      side,
      price,
      odds: oddsOf(rung),
      risk: offered,
      filled,
      fromMs,
      toMs,
      end,
      queuePlaced: ahead,
      fair,
      reason,
      strategy: ownerOf(reference, this.#options.instance)?.strategy,
    });
  }
}

const leftOf = ({ offered, filled }: VenueOrder): number => Math.max(0, offered - filled) / 1e6;

const endOf = ({ status, cause }: VenueOrder): OrderEnd =>
  status === 'filled' ? 'filled' : cause === 'expired' ? 'expired' : cause === 'edited' ? 'edited' : 'cancelled';

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
