// An order at the venue, and one account's half of a match. `offered` is what came to rest: what an order took on its way
// in is in its plays only, so `remaining = offered − filled` holds for every resting order.
import type { AmericanOdds, Micros, OrderId, PlayerMode, Rung, Side, TxId } from '../domain/index.ts';
import type { Account } from './account.ts';
import type { MarketBook } from './market-book.ts';

export type OrderType = 'post' | 'limit' | 'fillAndKill' | 'fillOrKill';
export const ORDER_TYPES: readonly OrderType[] = ['post', 'limit', 'fillAndKill', 'fillOrKill'];

export type CancelCause = 'cancelled' | 'expired' | 'edited';

export type VenueOrder = {
  readonly kind: 'order';
  readonly id: OrderId;
  readonly account: Account;
  /** The account's mode when it was placed: the balance that it settles against. */
  readonly mode: PlayerMode;
  readonly book: MarketBook;
  /** Another one once home and away of the game change places. */
  side: Side;
  readonly rung: Rung;
  readonly odds: AmericanOdds;
  offered: Micros;
  filled: Micros;
  remaining: Micros;
  /** Whole milliseconds: ages compare as numbers here and as text at the client. */
  readonly createdAtMs: number;
  /** Breaks ties of age. */
  readonly seq: number;
  /** The same of the first order that had its id (wire profile, `editKeepsId`): was it there when a cancel-all began? */
  readonly bornSeq: number;
  readonly expiryMs: number | undefined;
  readonly gameStartExpiry: boolean;
  readonly reference: string | undefined;
  /** Of the request that it came with: all orders of one request share it. */
  readonly requestId: string | undefined;
  status: 'open' | 'filled' | 'cancelled';
  /** Why it was cancelled: takers of it are told. */
  cause: CancelCause | undefined;
  plays: MatchedPlay[];
  /** Its row of the public book as JSON, until it changes. */
  row: string | undefined;
};

/** When it ends by itself, as the public book and its owner are told. */
export const expiryOf = ({ expiryMs, gameStartExpiry, account, book }: VenueOrder): number | undefined =>
  expiryMs ?? (gameStartExpiry && account.showsStarts ? book.game.header.start : undefined);

export type MatchedPlay = {
  readonly txId: TxId;
  readonly order: VenueOrder;
  /** The other order of the match, as the public book named it. */
  readonly counterparty: OrderId | undefined;
  readonly role: 'offer' | 'wager';
  readonly odds: AmericanOdds;
  readonly risk: Micros;
  readonly win: Micros;
  readonly atMs: number;
  /** What the final score made of it, once the game is graded: the amount won, below 0 lost, 0 returned. */
  profit: Micros | undefined;
};

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
