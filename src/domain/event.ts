// What happened in a run, in the trade's words. The core says each event once, in the step in which it happens; whatever shows,
// counts, stores or judges a run is a fold over events. An event has no time of its own: `seq` and `t` are those of its step.
// Amounts are micro-dollars, the risk of an own order cents, `fair` the probability of the market's first side.
import type { AgeFigures } from './age-counts.ts';
import type { MarkoutSeconds } from './fill-times.ts';
import type { Phase } from './phase.ts';
import type { Source } from './price-sources.ts';
import type { QuoteTimes, TakeCounts } from './quote-times.ts';
import type { GameId, OrderId, OrderRef, StrategyId, TxId } from './brand.ts';
import type { AlertLevel, Command, Why } from './command.ts';
import type { DayBase } from './day.ts';
import type { GameResult } from './game-result.ts';
import type { Feed } from './input.ts';
import type { Bucket, FailureKind, RequestId } from './requests.ts';
import type { MarketId, Side } from './market.ts';
import type { Cents, Micros } from './money.ts';
import type { AmericanOdds } from './odds.ts';
import type { PlayerMode } from './player-mode.ts';

/** Where an order or a fill is: a market and the side that it backs. */
type Place = { readonly market: MarketId; readonly side: Side };

/** A game as it is known when something happens in it. */
export type EventGame = {
  readonly league: string;
  readonly sport: string;
  readonly name: string;
  /** Unix ms. */
  readonly start: number;
  readonly live: boolean;
};

/** Which request of ours brought an order, and how it was answered. */
type Answered = {
  readonly ref: OrderRef;
  readonly request: RequestId;
  /** HTTP status; undefined: there was no answer. */
  readonly status: number | undefined;
  /** From the command to the answer, or to where it was given up, ms. */
  readonly latencyMs: number;
};

/** A place or an edit leaves for the exchange, with one order of it. */
type OrderSubmitted = Place & {
  readonly type: 'OrderSubmitted';
  readonly ref: OrderRef;
  readonly request: RequestId;
  /** Undefined: the reference names none of ours. */
  readonly strategy: StrategyId | undefined;
  /** The strategy's name for the quote. */
  readonly key: string | undefined;
  readonly odds: AmericanOdds;
  readonly risk: Cents;
  /** The order that an edit takes the place of. */
  readonly replaces?: OrderId;
  readonly why: Why | undefined;
  /** What the market is marked at. */
  readonly fair: number | undefined;
  /** Absent: its game has not begun. */
  readonly isInPlay?: true;
  /** So few place permits were left that what waited, waited for one. */
  readonly isShort?: true;
};

/** The exchange took an order. */
type OrderAccepted = Answered & { readonly type: 'OrderAccepted'; readonly orderId: OrderId | undefined };

/** The exchange refused an order, or it was not sent at all. */
type OrderRejected = Answered & {
  readonly type: 'OrderRejected';
  /** The exchange's own word for the reason. */
  readonly code: string | undefined;
  readonly reason: string;
  /** False: something of ours held it back, and it never left. */
  readonly isSent: boolean;
};

/** No readable answer: the order may rest, or may not. */
type OrderUnknown = Answered & { readonly type: 'OrderUnknown'; readonly reason: string };

/** The fate of an order is known again, by whatever showed it. */
type OrderResolved = { readonly type: 'OrderResolved'; readonly ref: OrderRef; readonly as: string };

/** An order rests at the exchange. `ahead`: others' stake that is taken before it; undefined: its book is not known. */
type OrderRested = {
  readonly type: 'OrderRested';
  readonly ref: OrderRef;
  readonly orderId: OrderId | undefined;
  readonly ahead: Micros | undefined;
  /** 1: nothing is taken before it. */
  readonly rank: number | undefined;
  /** The consensus of the others then. */
  readonly fair: number | undefined;
  readonly isInPlay?: true;
};

/** An order is over. `how`: filled, refused, never-landed, not-sent, or what cancelled it (cancel, edit, cancel-all, exchange). */
type OrderEnded = {
  readonly type: 'OrderEnded';
  readonly ref: OrderRef;
  readonly how: string;
  readonly filled: Micros;
  /** Since it left for the exchange, ms. */
  readonly lifeMs: number;
};

/** An order that was believed to be over may rest after all. */
type OrderRevived = { readonly type: 'OrderRevived'; readonly ref: OrderRef };

/** A cancel leaves: of these orders, of a game, of a league, or (without either) of the whole account. */
type CancelSubmitted = {
  readonly type: 'CancelSubmitted';
  readonly request: RequestId;
  readonly orders: readonly {
    readonly orderId: OrderId;
    readonly why: Why | undefined;
    readonly isInPlay?: true;
  }[];
  /** As of an order that is submitted. */
  readonly isShort?: true;
  readonly scope?: { readonly game: GameId } | { readonly league: string } | 'account';
};

/**
 * What a market was worth, by who says so, as probability of its first side; absent: unknown. `consensus`: of the others' book;
 * `own`: the strategy of the order; `fair` and `odds`: signals of these names.
 */
export type PricesBySource = Readonly<Partial<Record<'consensus' | Source, number>>>;

/** A fill is booked, once for each txID; once more when its market becomes known. */
type Fill = {
  readonly type: 'Fill';
  readonly txId: TxId;
  readonly gameId: GameId;
  /** Undefined until the game is known: then all of the stake may be lost. */
  readonly market: MarketId | undefined;
  readonly side: Side | undefined;
  readonly odds: AmericanOdds;
  readonly risk: Micros;
  /** What it brings beyond its stake if it wins. */
  readonly win: Micros;
  /** An order of this bot, in whatever run. */
  readonly isOwn: boolean;
  readonly ref: OrderRef | undefined;
  readonly strategy: StrategyId | undefined;
  /** What reported it: the user feed, or an answer to a request. */
  readonly source: 'feed' | 'answer';
  readonly game: EventGame | undefined;
  /** What the market is marked at. */
  readonly fair: number | undefined;
  /** What the market pays by either side, with it. */
  readonly position: { readonly first: Micros; readonly second: Micros } | undefined;
  /** Right before what caused it, and PAST_MS earlier. */
  readonly before: PricesBySource;
  readonly past: PricesBySource;
  /** Of an order that this run sent and saw come to rest: for how long it had, ms, and others' stake ahead of it then. */
  readonly ageMs?: number;
  readonly ahead?: Micros;
  /** Of the intent. */
  readonly reason?: string;
};

/** So many seconds after a fill. `fair`: the consensus, probability of the market's first side; absent: there was none. */
type Markout = {
  readonly type: 'Markout';
  readonly txId: TxId;
  readonly seconds: MarkoutSeconds;
  readonly fair?: number;
};

/**
 * The close of a market with fills: its last prices before the start, of fills from before it; of fills in play the last ones
 * before it settled, or before the run ended.
 */
type CloseTaken = {
  readonly type: 'CloseTaken';
  readonly market: MarketId;
  readonly isInPlay: boolean;
  readonly prices: Omit<PricesBySource, 'own'>;
  /** By each strategy with such a fill that says what a market is worth. */
  readonly own: Readonly<Record<StrategyId, number>>;
};

/** Home and away of its game changed places: a fill stays on its team. */
type FillMoved = Place & { readonly type: 'FillMoved'; readonly txId: TxId };

/** The end of its game settled a fill. */
type Settled = {
  readonly type: 'Settled';
  readonly txId: TxId;
  /** Before commission. */
  readonly profit: Micros;
  /** What the exchange keeps more for it; below 0: less, since it lost. */
  readonly commission: Micros;
  /** False: no result is known, and its stake counts as lost. */
  readonly isTold: boolean;
  readonly source: 'operator' | 'graded';
  /** As the operator gave it. */
  readonly result: GameResult | undefined;
};

/** An operator took back what settled a fill. */
type Unsettled = { readonly type: 'Unsettled'; readonly txId: TxId };

/** The day of risk.maxDailyLoss begins, Unix ms; once more when what was held at its beginning becomes known, or its price. */
type DayBegan = {
  readonly type: 'DayBegan';
  readonly startsAt: number;
  /** Absent: as the run before left it, or not known yet. */
  readonly base?: DayBase;
};

/** What is held in the markets that changed, and what that is worth: every two seconds of run time. */
type Marked = {
  readonly type: 'Marked';
  readonly markets: readonly {
    readonly market: MarketId;
    /** What it is marked at, the probability of its first side. */
    readonly price: number | undefined;
    readonly first: Micros;
    readonly second: Micros;
    readonly staked: Micros;
    readonly marked: Micros;
  }[];
};

/** Quotes of one league in one phase, summed up from the beginning of the run. */
export type QuoteSums = QuoteTimes & { readonly phase: Phase; readonly league: string };
/** The same of what others took from others. */
export type TakeSums = TakeCounts & { readonly phase: Phase; readonly league: string };

/** What a run counts, from its beginning. */
export type RunCounts = {
  /** Of the price feed. */
  readonly frames: number;
  readonly intents: number;
  readonly placed: number;
  readonly edited: number;
  readonly cancelled: number;
  readonly cancelledByOthers: number;
  /** Orders that ended after a cancel of ours that was never answered. */
  readonly undetermined: number;
  readonly refused: number;
  /** Orders whose fate was open once; and is now. */
  readonly unknownEver: number;
  readonly unknown: number;
  readonly fills: number;
  readonly riskFilled: Micros;
  /** Requests that are neither place, edit nor cancel. */
  readonly otherRequests: number;
};

/** For how long something was wanted, ms times slots; and for how long by what it was kept from the book. */
export type ShareSums = {
  readonly wantedMs: number;
  readonly restedMs: number;
  /** For how long anything was wanted, and of that for how long a limit kept a slot empty, ms. */
  readonly wantingMs: number;
  readonly limitedMs: number;
  /** By control, ms times slots. */
  readonly held: Readonly<Record<string, number>>;
};

/**
 * What goes on all the time: every ten seconds of run time, every minute where nothing is quoted or held, and at the end. It says how
 * the run stands, and sums from its beginning; a field that is absent is as in the sample before.
 */
type Sample = {
  readonly type: 'Sample';
  /** What the run brought, settled and marked, and the largest fall of it from a peak so far. */
  readonly marked?: Micros;
  readonly maxDrawdown?: Micros;
  /** The most that all that rests and is held may lose, 0 or below: now, and at its worst so far. */
  readonly worst?: Micros;
  readonly worstEver?: Micros;
  /** Of all markets what they pay more on one side than on the other, and the part of it that is in play. */
  readonly inventory?: Micros;
  readonly inPlay?: Micros;
  /** The largest of both so far, and of the part that is before the start. */
  readonly mostHeld?: { readonly all: Micros; readonly prematch: Micros; readonly inplay: Micros };
  /** Permits that are free. */
  readonly permits?: { readonly place: number; readonly cancel: number };
  /** Slots that are wanted, and that rest. */
  readonly slots?: { readonly wanted: number; readonly resting: number };
  /** Those that changed. */
  readonly counts?: Partial<RunCounts>;
  readonly shares?: ShareSums;
  /** Leagues and phases with other sums than in the sample before. */
  readonly quotes?: readonly QuoteSums[];
  readonly takes?: readonly TakeSums[];
  /** Intents without a quote, by their reason. */
  readonly idle?: Readonly<Record<string, number>>;
  /** How old signals were when strategies read them; at the end alone. */
  readonly signals?: AgeFigures;
  /** Quoted markets that look different: the consensus, and the others' best prices by side, as its owner has them. */
  readonly markets?: readonly {
    readonly market: MarketId;
    readonly fair?: number;
    readonly best: readonly [number | null, number | null];
  }[];
};

/** Any answer to a request, or its failure. A late answer comes behind the failure `timeout` of the same request. */
type RequestAnswered = {
  readonly type: 'RequestAnswered';
  readonly request: RequestId;
  /** place, edit, cancel, cancel-all, switch-mode, or `read` with what is read. */
  readonly kind: string;
  readonly status: number | undefined;
  readonly failure?: FailureKind;
  /** The exchange's own word for a refusal. */
  readonly code?: string;
  readonly latencyMs: number;
};

/** No request of this bucket leaves for a while, since the exchange said so. */
type WindowHeld = { readonly type: 'WindowHeld'; readonly bucket: Bucket; readonly forMs: number };

/** A feed is connected; what comes of it is of this epoch. */
type FeedUp = { readonly type: 'FeedUp'; readonly feed: Feed; readonly epoch: number };
/** The connection of a feed is gone. */
type FeedDown = {
  readonly type: 'FeedDown';
  readonly feed: Feed;
  readonly epoch: number;
  readonly reason: string | undefined;
};

/** The exchange named the player mode of the account, another one than before. */
type ModeSeen = { readonly type: 'ModeSeen'; readonly mode: PlayerMode };

/** The wall clock of the system was set, or is not the exchange's: by so much. */
type ClockStepped = { readonly type: 'ClockStepped'; readonly byMs: number; readonly uncertainMs: number };

/** The lists of the account were read and agree with what is believed. `open`: own orders on them. */
type Reconciled = { readonly type: 'Reconciled'; readonly open: number };

/** Whether and how far the bot trades. `reason`: why it does not, or not wholly. */
type StateChanged = {
  readonly type: 'StateChanged';
  readonly state: 'starting' | 'running' | 'paused' | 'waiting' | 'reduce-only' | 'halted' | 'stopping';
  readonly reason: string | undefined;
};

/** An operator, or a safety net, gave a command. `by`: who; undefined: the bot's own nets. */
type OperatorActed = {
  readonly type: 'OperatorActed';
  readonly command: string;
  readonly reason: string | undefined;
  readonly by: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
};

/** A strategy was taken off, whole or in a market, for a fault of its own; or it ended its intents there. */
type StrategyQuarantined = {
  readonly type: 'StrategyQuarantined';
  readonly strategy: StrategyId;
  readonly code: string;
  readonly detail: string;
};

/** Another version of a strategy's file took over. */
type StrategyReplaced = {
  readonly type: 'StrategyReplaced';
  readonly strategy: StrategyId;
  readonly sha256: string;
};

/** Another configuration took over, and with it these strategies. */
type Configured = {
  readonly type: 'Configured';
  readonly config: string;
  readonly replaced: readonly StrategyId[];
};

/** The run begins. */
type RunStarted = { readonly type: 'RunStarted'; readonly run: string };
/** The run ends by itself, with the exit code of its process. */
type RunEnded = {
  readonly type: 'RunEnded';
  readonly code: number;
  readonly reason: string;
  /** Own orders that may rest; undefined: that is not known. */
  readonly openAtExit?: number;
};

/** Something that a person should know; `error` and `warn` ask for a look. */
type Alert = {
  readonly type: 'Alert';
  readonly level: AlertLevel;
  readonly code: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
};

export type RunEvent =
  | RunStarted
  | OrderSubmitted
  | OrderAccepted
  | OrderRejected
  | OrderUnknown
  | OrderResolved
  | OrderRested
  | OrderRevived
  | OrderEnded
  | CancelSubmitted
  | Fill
  | FillMoved
  | Markout
  | CloseTaken
  | Settled
  | Unsettled
  | DayBegan
  | Marked
  | Sample
  | RequestAnswered
  | WindowHeld
  | FeedUp
  | FeedDown
  | ModeSeen
  | ClockStepped
  | Reconciled
  | StateChanged
  | OperatorActed
  | StrategyQuarantined
  | StrategyReplaced
  | Configured
  | Alert
  | RunEnded;

export type EventType = RunEvent['type'];
const TYPES: Readonly<Record<EventType, true>> = {
  RunStarted: true,
  OrderSubmitted: true,
  OrderAccepted: true,
  OrderRejected: true,
  OrderUnknown: true,
  OrderResolved: true,
  OrderRested: true,
  OrderRevived: true,
  OrderEnded: true,
  CancelSubmitted: true,
  Fill: true,
  FillMoved: true,
  Markout: true,
  CloseTaken: true,
  Settled: true,
  Unsettled: true,
  DayBegan: true,
  Marked: true,
  Sample: true,
  RequestAnswered: true,
  WindowHeld: true,
  FeedUp: true,
  FeedDown: true,
  ModeSeen: true,
  ClockStepped: true,
  Reconciled: true,
  StateChanged: true,
  OperatorActed: true,
  StrategyQuarantined: true,
  StrategyReplaced: true,
  Configured: true,
  Alert: true,
  RunEnded: true,
};
/** All there are. */
export const EVENT_TYPES = Object.keys(TYPES) as readonly EventType[];

/** One event by its name. */
export type EventOf<Type extends EventType> = Extract<RunEvent, { readonly type: Type }>;

/** What comes of one input: what to do, and what happened. */
export type Stepped = { readonly commands: readonly Command[]; readonly events: readonly RunEvent[] };
