// The story of one order as data: what `oddsmaker why --json` prints. Money in dollars, odds American and the owner's.
import type {
  AlertLevel,
  Bucket,
  Cause,
  FailureKind,
  Feed,
  MarketType,
  Micros,
  OrderStatus,
  PositionKind,
  Read,
  RequestId,
  Side,
  Way,
} from '../../domain/index.ts';

/** An order by its names, so that one can go on with it. */
export type OrderName = { readonly ref: string | undefined; readonly orderId: string | undefined };

export type BestOffer = {
  readonly side: Side | undefined;
  readonly odds: number;
  readonly left: number;
  /** It is an own offer. */
  readonly own: boolean;
};

export type ToldMarket = {
  readonly type: MarketType;
  readonly side: Side | undefined;
  /** As the owner of that side reads it. */
  readonly line: number | undefined;
};

export type ToldWhy = {
  readonly cause: Cause;
  readonly intent: number | null;
  /** The reason that the strategy gave. */
  readonly said?: string;
  /** What waiting would have cost, dollars. */
  readonly value: number;
  readonly waitedMs: number;
  readonly over: Way;
  readonly because: string;
};

export type RequestType = 'place' | 'edit' | 'cancel' | 'cancel-all';

export type StoryFact =
  /** A former run asked for it and read no answer. */
  | { readonly type: 'inherited'; readonly sentAt: string }
  /** The input that brought an intent behind one of its requests. */
  | {
      readonly type: 'intent';
      readonly input: string;
      readonly feed?: Feed;
      readonly event?: string;
      readonly read?: Read['what'];
      readonly command?: string;
      readonly gameId?: string;
      readonly market?: ToldMarket;
      readonly best?: readonly BestOffer[];
    }
  | { readonly type: 'permit'; readonly bucket: Bucket; readonly permit: number }
  /** `new`: it asks for the order; `old`: it moves the order away or cancels it. */
  | {
      readonly type: 'request';
      readonly request: RequestType;
      readonly req: RequestId;
      readonly role: 'new' | 'old';
      /** The input at which it was decided: its type, and the command of an operator. */
      readonly on: string;
      readonly permit: number | undefined;
      /** How long the permit lay in hand. */
      readonly heldMs: number | undefined;
      /** Its place in the batch, from 1. */
      readonly position: number | undefined;
      readonly of: number | undefined;
      /** Of the order that is asked for. */
      readonly ref: string | undefined;
      readonly odds: number | undefined;
      readonly risk: number | undefined;
      /** The other order of an edit. */
      readonly other: OrderName | undefined;
      /** Of a cancel-all; undefined there: the whole account. */
      readonly scope: { readonly game: string } | { readonly league: string } | undefined;
      /** A cancel-all of several orders does not tell which is for which. */
      readonly why: readonly ToldWhy[];
    }
  | {
      readonly type: 'answer';
      readonly request: RequestType;
      readonly req: RequestId;
      readonly afterMs: number;
      /** It came after the request had timed out. */
      readonly late: boolean;
      readonly status: number;
      /** What it says of this order. */
      readonly says: 'accepted' | 'refused' | 'cancelled' | 'not-cancelled' | 'taken' | 'unclear';
      readonly orderId: string | undefined;
      readonly errorType: string | undefined;
      readonly message: string | undefined;
      /** Filled in all, when the exchange tells it. */
      readonly filled: number | undefined;
      readonly retryAfterSeconds: number | undefined;
    }
  | {
      readonly type: 'failure';
      readonly request: RequestType;
      readonly req: RequestId;
      readonly afterMs: number;
      readonly failure: FailureKind;
      readonly detail: string;
    }
  | {
      readonly type: 'position';
      readonly kind: PositionKind;
      readonly orderId: string | undefined;
      readonly odds: number | undefined;
      readonly offered: number | undefined;
      readonly remaining: number | undefined;
    }
  | {
      readonly type: 'fill';
      readonly txId: string;
      readonly odds: number;
      readonly risk: number;
      /** All fills so far. */
      readonly total: number;
      readonly by: 'feed' | 'answer' | 'look-up' | 'list';
    }
  | { readonly type: 'look-up'; readonly by: 'order' | 'reference'; readonly req: RequestId }
  | {
      readonly type: 'looked-up';
      readonly by: 'order' | 'reference';
      readonly req: RequestId;
      readonly afterMs: number;
      /** 0: no answer. */
      readonly status: number;
      readonly says: 'open' | 'closed' | 'filled' | 'nothing' | 'unreadable';
      readonly remaining: number | undefined;
    }
  /** A list of all open orders; lists that say the same, one after the other, are told once. */
  | {
      readonly type: 'listed';
      readonly shown: boolean;
      readonly of: number;
      readonly remaining: number | undefined;
      readonly times: number;
      readonly lastAt: string;
    }
  /** What the account took in of the order by this record, and what it believes of it since. */
  | {
      readonly type: 'belief';
      readonly facts: readonly ToldFact[];
      readonly status: Outcome['status'];
      readonly filled: number;
      readonly mayStillFill: number;
    }
  | {
      readonly type: 'alert';
      readonly level: AlertLevel;
      readonly code: string;
      readonly message: string;
      readonly fields: Readonly<Record<string, unknown>>;
    };

/** One fact, under the name that it was said of (docs/design/account.md). */
export type ToldFact = {
  readonly from: string;
  readonly says: string;
  readonly ref: string | undefined;
  readonly orderId: string | undefined;
};

/** What the account took in of an order at one point of the journal, and what it believes then. */
export type Believed = {
  readonly facts: readonly ToldFact[];
  /** Undefined: it is no order of ours that is known, or was dropped since. */
  readonly belief:
    | (Pick<Outcome, 'status' | 'endedBy'> & {
        readonly filled: Micros;
        readonly mayStillFill: Micros;
        /** It came to rest. */
        readonly landed: boolean;
      })
    | undefined;
};

export type StoryEvent = {
  readonly seq: number;
  /** ISO, wall clock. */
  readonly at: string;
  /** Monotonic, since the first request for the order. */
  readonly ms: number;
} & StoryFact;

export type Outcome = {
  /** At the end of the journal. `not-sent`: the request never left. `external`: it is no order of ours that is known. */
  readonly status: OrderStatus | 'not-sent' | 'external';
  /** What ended it: a request of ours, or nobody's that the journal knows of. */
  readonly endedBy: 'cancel' | 'edit' | 'cancel-all' | 'exchange' | undefined;
  /** From the first word that it rests to its end; undefined: it never rested. */
  readonly restedMs: number | undefined;
  readonly filled: number;
  readonly risk: number | undefined;
  readonly fills: number;
};

export type Story = {
  readonly order: OrderName & {
    readonly orderIds: readonly string[];
    /** This run asked for it; otherwise a former one did, or somebody else. */
    readonly ofThisRun: boolean;
    readonly gameId: string | undefined;
    readonly game: string | undefined;
    readonly league: string | undefined;
    readonly market: ToldMarket | undefined;
    readonly odds: number | undefined;
    readonly risk: number | undefined;
    readonly replaces: OrderName | undefined;
    readonly replacedBy: OrderName | undefined;
    /** The next order that was placed in its slot. */
    readonly next: OrderName | undefined;
  };
  readonly events: readonly StoryEvent[];
  readonly outcome: Outcome;
};
