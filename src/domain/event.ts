// What happened in a run, in the trade's words. The core says each event once, in the step in which it happens; whatever shows,
// counts, stores or judges a run is a fold over events. An event has no time of its own: `seq` and `t` are those of its step.
// Amounts are micro-dollars, the risk of an own order cents, `fair` the probability of the market's first side.
import type {
  OrderInherited,
  OrderSubmitted,
  OrderAccepted,
  OrderRejected,
  OrderUnknown,
  OrderResolved,
  Evidence,
  ExternalOrder,
  OrderRested,
  OrderEnded,
  OrderMoved,
  OrderRevived,
  CancelSubmitted,
  RequestAnswered,
  WindowHeld,
} from './order-events.ts';
import type { Fill, Markout, CloseTaken, FillMoved, Settled, Unsettled, EventGame } from './fill-events.ts';
import type { AgeFigures } from './age-counts.ts';
import type { Phase } from './phase.ts';
import type { QuoteTimes, TakeCounts } from './quote-times.ts';
import type { StrategyId } from './brand.ts';
import type { AlertLevel, Command } from './command.ts';
import type { DayBase } from './day.ts';
import type { Feed } from './input.ts';
import type { MarketId } from './market.ts';
import type { Micros } from './money.ts';
import type { PlayerMode } from './player-mode.ts';

/** A strategy wants something in a market in which nothing was wanted. */
type QuotingStarted = {
  readonly type: 'QuotingStarted';
  readonly market: MarketId;
  readonly game: EventGame | undefined;
};

/** Nothing is wanted in a market any more. `reason`: why nothing is quoted at all; absent: it is the strategies' wish. */
type QuotingStopped = { readonly type: 'QuotingStopped'; readonly market: MarketId; readonly reason?: string };

/** A control keeps wanted slots of a market empty; the strategy and the reason are those of the first. */
type SlotHeld = {
  readonly type: 'SlotHeld';
  readonly market: MarketId;
  readonly control: string;
  readonly strategy: StrategyId;
  readonly reason: string;
};

/** It keeps none there any more. */
type SlotReleased = { readonly type: 'SlotReleased'; readonly market: MarketId; readonly control: string };

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
  | OrderInherited
  | OrderSubmitted
  | OrderAccepted
  | OrderRejected
  | OrderUnknown
  | OrderResolved
  | OrderRested
  | OrderRevived
  | OrderMoved
  | OrderEnded
  | Evidence
  | ExternalOrder
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
  | QuotingStarted
  | QuotingStopped
  | SlotHeld
  | SlotReleased
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
  OrderInherited: true,
  OrderSubmitted: true,
  OrderAccepted: true,
  OrderRejected: true,
  OrderUnknown: true,
  OrderResolved: true,
  OrderRested: true,
  OrderRevived: true,
  OrderMoved: true,
  OrderEnded: true,
  Evidence: true,
  ExternalOrder: true,
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
  QuotingStarted: true,
  QuotingStopped: true,
  SlotHeld: true,
  SlotReleased: true,
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
