// Everything the core can ask of the outside. Commands are data: the door carries them out, a replay compares them.
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
  /** one matched play, whoever placed its order: has its game settled it? */
  | { readonly what: 'play'; readonly txId: TxId }
  /** where an order of ours went, by its reference */
  | { readonly what: 'reference'; readonly ref: OrderRef; readonly gameId: GameId }
  /** one order by id */
  | { readonly what: 'order'; readonly orderId: OrderId }
  /** the current user: player mode and balance */
  | { readonly what: 'user' };

/** One that tells of the whole account: it goes before those of single orders, which may be many when the exchange fails. */
export const isOfAccount = ({ what }: Read): boolean => what === 'open-orders' || what === 'plays' || what === 'user';

/** What made a slot need a request. */
export type Cause =
  /** nothing rests where something is wanted */
  | 'empty'
  /** the resting price gives away more than is wanted; or less */
  | 'generous'
  | 'shy'
  /** more rests than is wanted; or less than half of it is left */
  | 'oversized'
  | 'refill'
  /** a control denies what rests; or nothing is wanted there any more */
  | 'denied'
  | 'unwanted'
  /** a second order in the slot; an order of somebody else; the run ends */
  | 'doubled'
  | 'foreign'
  | 'stopping';

/** What else could have been done for a slot. */
export type Way = 'wait' | 'leave' | 'edit' | 'cancel-and-place';

/** Why an order was placed, moved or cancelled: for the journal and `oddsmaker why`. */
export type Why = {
  readonly cause: Cause;
  /** Sequence number of the input that brought the newest intent for the slot; null when there is none. */
  readonly intent: number | null;
  /** The reason that the strategy gave with that intent. */
  readonly said?: string;
  /** What waiting would have cost, micro-dollars (trade.md, "Value and staleness"). */
  readonly value: number;
  /** How long the slot had waited, ms. */
  readonly waitedMs: number;
  /** The way that lost, and what decided. */
  readonly over: Way;
  readonly because: string;
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
  /** Cancels everything on the account, under its lock; or everything in a game or league. */
  | {
      readonly type: 'cancel-all';
      readonly req: RequestId;
      readonly scope?: { readonly game: GameId } | { readonly league: string };
      /** The orders of ours that it is for, and one reason for each. */
      readonly orderIds?: readonly OrderId[];
      readonly why?: readonly Why[];
    }
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

/** A command that the exchange answers. */
export type RequestCommand = Extract<Command, { readonly req: RequestId }>;

export const isRequest = (command: Command): command is RequestCommand => 'req' in command;

/** A request as it left, `at` monotonic ms: what an answer is handed on with. */
export type SentRequest = { readonly command: RequestCommand; readonly at: number };

/** What is asked for, for counts and metrics: place, edit, cancel, cancel-all, switch-mode, `read user`, … */
export const kindOf = (command: RequestCommand): string =>
  command.type === 'read' ? `read ${command.read.what}` : command.type;
