// Every command of the core to the outside. Commands are data: the door executes them, a replay compares
// them.
import type { GameId, OrderId, OrderRef, TxId } from './brand.ts';
import type { Bucket, RequestId } from './requests.ts';
import type { NewOrder } from './order.ts';
import type { PlayerMode } from './player-mode.ts';

export type Read =
  /** all games of a league with their books, one page */
  | { readonly what: 'league'; readonly league: string; readonly page: number }
  /** one game with its book */
  | { readonly what: 'game'; readonly gameId: GameId }
  /** the account's open orders */
  | { readonly what: 'open-orders' }
  /** the account's matched plays that wait for their games */
  | { readonly what: 'plays' }
  /** one matched play of any order: did its game settle it? */
  | { readonly what: 'play'; readonly txId: TxId }
  /** the fate of an own order, by its reference */
  | { readonly what: 'reference'; readonly ref: OrderRef; readonly gameId: GameId }
  /** one order by id */
  | { readonly what: 'order'; readonly orderId: OrderId }
  /** the current user: player mode and balance */
  | { readonly what: 'user' };

/**
 * True for a read of the whole account. Such reads take precedence over those of single orders, which may be
 * many when the exchange fails.
 */
export const isOfAccount = ({ what }: Read): boolean => what === 'open-orders' || what === 'plays' || what === 'user';

/** The reason why a slot needs a request. */
export type Cause =
  /** nothing rests in a wanted slot */
  | 'empty'
  /** the resting price gives away more than the target; or less */
  | 'generous'
  | 'shy'
  /** more rests than the target; or less than half of it is left */
  | 'oversized'
  | 'refill'
  /** a control denies the resting order; or the slot is no longer wanted */
  | 'denied'
  | 'unwanted'
  /** a second order in the slot; an external order; the run ends */
  | 'doubled'
  | 'foreign'
  | 'stopping';

/** The alternatives for a slot. */
export type Way = 'wait' | 'leave' | 'edit' | 'cancel-and-place';

/** Why an order was placed, moved or cancelled: for the journal and `oddsmaker why`. */
export type Why = {
  readonly cause: Cause;
  /** The sequence number of the input with the newest intent for the slot; null when there is none. */
  readonly intent: number | null;
  readonly said?: string;
  /** The cost of waiting, micro-dollars (trade.md, "Value and staleness"). */
  readonly value: number;
  /** How long the slot had waited, ms. */
  readonly waitedMs: number;
  /** The rejected alternative, and what decided against it. */
  readonly over: Way;
  readonly because: string;
  /** The place of the market by value per permit; only under `markets.select: { by: value }`. */
  readonly rank?: string;
};

export type AlertLevel = 'info' | 'warn' | 'error';

export type Command =
  | {
      readonly type: 'place';
      readonly req: RequestId;
      readonly permit: number;
      readonly orders: readonly NewOrder[];
      /** One for each order. */
      readonly why: readonly Why[];
    }
  | {
      readonly type: 'edit';
      readonly req: RequestId;
      readonly permit: number;
      readonly orderId: OrderId;
      readonly order: NewOrder;
      readonly why: Why;
    }
  | {
      readonly type: 'cancel';
      readonly req: RequestId;
      readonly permit: number;
      readonly orderIds: readonly OrderId[];
      /** One for each id. */
      readonly why: readonly Why[];
    }
  /** Cancels everything on the account, under the cancel-all lock; or everything in a game or league. */
  | {
      readonly type: 'cancel-all';
      readonly req: RequestId;
      readonly scope?: { readonly game: GameId } | { readonly league: string };
      /** The own orders that it is meant for, and one reason for each. */
      readonly orderIds?: readonly OrderId[];
      readonly why?: readonly Why[];
    }
  | { readonly type: 'read'; readonly req: RequestId; readonly read: Read }
  | { readonly type: 'switch-mode'; readonly req: RequestId; readonly mode: PlayerMode }
  /** Grants no permit of this bucket for `forMs`. */
  | { readonly type: 'hold'; readonly bucket: Bucket; readonly forMs: number }
  /** Returns unused permits that were recalled. */
  | { readonly type: 'return'; readonly bucket: Bucket; readonly permits: readonly number[] }
  /** Requests a tick at this monotonic time, ms; replaces the former wake. */
  | { readonly type: 'wake'; readonly at: number }
  /** A log line: a constant sentence and fields. */
  | {
      readonly type: 'alert';
      readonly level: AlertLevel;
      readonly code: string;
      readonly message: string;
      readonly fields: Readonly<Record<string, unknown>>;
    }
  /** Ends the run; exit codes as in the CLI contract. */
  | { readonly type: 'exit'; readonly code: number; readonly reason: string };

/** A command that the exchange answers. */
export type RequestCommand = Extract<Command, { readonly req: RequestId }>;

export const isRequest = (command: Command): command is RequestCommand => 'req' in command;

/** A request and the monotonic time at which it left, ms; an answer is delivered with it. */
export type SentRequest = { readonly command: RequestCommand; readonly at: number };

/**
 * The kind of a request for counts and metrics: place, edit, cancel, cancel-all, switch-mode, `read user`, …
 */
export const kindOf = (command: RequestCommand): string =>
  command.type === 'read' ? `read ${command.read.what}` : command.type;
