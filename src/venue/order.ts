// An order at the venue, and one account's half of a match. `offered` is what came to rest: what an order took on its way
// in is in its plays only, so `remaining = offered − filled` holds for every resting order.
import type { VenueOrder, MatchedPlay, MarketBook } from './records.ts';
import type { AmericanOdds, Micros, OrderId, Rung, Side, TxId } from '../domain/index.ts';

export type OrderType = 'post' | 'limit' | 'fillAndKill' | 'fillOrKill';
export const ORDER_TYPES: readonly OrderType[] = ['post', 'limit', 'fillAndKill', 'fillOrKill'];

/** When it ends by itself, as the public book and its owner are told. */
export const expiryOf = ({ expiryMs, gameStartExpiry, account, book }: VenueOrder): number | undefined =>
  expiryMs ?? (gameStartExpiry && account.showsStarts ? book.game.header.start : undefined);

/** A play of this life: its id is made when somebody asks for it. */
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

  constructor(of: Omit<MatchedPlay, 'txId' | 'profit'>, number: number, nameOf: (count: number) => string) {
    this.order = of.order;
    this.counterparty = of.counterparty;
    this.role = of.role;
    this.odds = of.odds;
    this.risk = of.risk;
    this.win = of.win;
    this.atMs = of.atMs;
    this.profit = undefined;
    this.number = number;
    this.nameOf = nameOf;
  }

  get txId(): TxId {
    return this.nameOf(this.number) as TxId;
  }
}

/** An order that was read and belongs to a market, before the venue has said yes. */
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
  /** The one resting offer that it takes, whatever else there is. */
  readonly target?: OrderId | undefined;
};
