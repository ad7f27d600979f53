// An order at the venue, and one account's side of a match. `offered` is the amount that rested. The amount
// matched on entry is in the plays only, so `remaining = offered − filled` holds for every resting order.
import type { VenueOrder, MatchedPlay, MarketBook } from './records.ts';
import type { AmericanOdds, Micros, OrderId, Rung, Side, TxId } from '../domain/index.ts';

export type OrderType = 'post' | 'limit' | 'fillAndKill' | 'fillOrKill';
export const ORDER_TYPES: readonly OrderType[] = ['post', 'limit', 'fillAndKill', 'fillOrKill'];

/** The order's expiry as the public book and its owner see it, Unix ms. Undefined when none is shown. */
export const expiryOf = ({ expiryMs, gameStartExpiry, account, book }: VenueOrder): number | undefined =>
  expiryMs ?? (gameStartExpiry && account.showsStarts ? book.game.header.start : undefined);

/** A play made in this run (not restored). Its id is computed on demand. */
export class FreshPlay implements MatchedPlay {
  readonly order: VenueOrder;
  readonly counterparty: OrderId | undefined;
  readonly role: 'offer' | 'wager';
  readonly odds: AmericanOdds;
  readonly risk: Micros;
  readonly win: Micros;
  readonly atMs: number;
  profit: Micros | undefined;
  readonly number: number;
  readonly nameOf: (count: number) => string;

  constructor(fields: Omit<MatchedPlay, 'txId' | 'profit'>, number: number, nameOf: (count: number) => string) {
    this.order = fields.order;
    this.counterparty = fields.counterparty;
    this.role = fields.role;
    this.odds = fields.odds;
    this.risk = fields.risk;
    this.win = fields.win;
    this.atMs = fields.atMs;
    this.profit = undefined;
    this.number = number;
    this.nameOf = nameOf;
  }

  get txId(): TxId {
    return this.nameOf(this.number) as TxId;
  }
}

/** A parsed order for a market that the venue has not accepted yet. */
export type Ticket = {
  readonly book: MarketBook;
  readonly side: Side;
  readonly rung: Rung;
  readonly risk: Micros;
  readonly orderType: OrderType;
  readonly expiryMs?: number | undefined;
  readonly gameStartExpiry?: boolean;
  readonly reference?: string | undefined;
  readonly requestId?: string | undefined;
  /** Id of the only resting offer that it may take. Undefined for an order that matches by price. */
  readonly target?: OrderId | undefined;
};
