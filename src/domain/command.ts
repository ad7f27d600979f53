// Everything the core can ask of the outside. Commands are data: the gateway carries them out, a replay compares them.
import type { GameId, OrderId, OrderRef } from './brand.ts';
import type { Bucket, PlayerMode, RequestId } from './input.ts';
import type { NewOrder } from './order.ts';

export type Read =
  /** all games of a league with their books, one page */
  | { readonly what: 'league'; readonly league: string; readonly page: number }
  /** one game with its book */
  | { readonly what: 'game'; readonly gameId: GameId }
  /** the account's open orders */
  | { readonly what: 'open-orders' }
  /** the account's matched plays that wait for their games */
  | { readonly what: 'plays' }
  /** where an order of ours went, by its reference */
  | { readonly what: 'reference'; readonly ref: OrderRef; readonly gameId: GameId }
  /** one order by id */
  | { readonly what: 'order'; readonly orderId: OrderId }
  /** the current user: player mode and balance */
  | { readonly what: 'user' };

export type AlertLevel = 'info' | 'warn' | 'error';

export type Command =
  | {
      readonly type: 'place';
      readonly req: RequestId;
      readonly permit: number;
      readonly orders: readonly NewOrder[];
    }
  | {
      readonly type: 'edit';
      readonly req: RequestId;
      readonly permit: number;
      readonly orderId: OrderId;
      readonly order: NewOrder;
    }
  | {
      readonly type: 'cancel';
      readonly req: RequestId;
      readonly permit: number;
      readonly orderIds: readonly OrderId[];
    }
  | { readonly type: 'cancel-all'; readonly req: RequestId }
  | { readonly type: 'read'; readonly req: RequestId; readonly read: Read }
  | { readonly type: 'switch-mode'; readonly req: RequestId; readonly mode: PlayerMode }
  /** Give no permit of this bucket for `forMs`. */
  | { readonly type: 'hold'; readonly bucket: Bucket; readonly forMs: number }
  /** Permits handed back unused, because they were recalled. */
  | { readonly type: 'return'; readonly bucket: Bucket; readonly permits: readonly number[] }
  /** Send a tick at this monotonic time; replaces the former wake. */
  | { readonly type: 'wake'; readonly at: number }
  /** A constant sentence and fields, for the log. */
  | {
      readonly type: 'alert';
      readonly level: AlertLevel;
      readonly code: string;
      readonly message: string;
      readonly fields: Readonly<Record<string, unknown>>;
    }
  /** The run is over; exit codes as in the CLI contract. */
  | { readonly type: 'exit'; readonly code: number; readonly reason: string };
