// Everything that happens in a run, in the words of the trade. The core raises each event once, in the step
// in which it happens; every display, count, store and figure of a run is a fold over events. An event has no
// time of its own: `seq` and `t` are those of its step. Amounts are micro-dollars, the risk of an own order
// is in cents, `fair` is the probability of the market's first side.
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
import type { GameId, StrategyId } from './brand.ts';
import type { AlertLevel, Command } from './command.ts';
import type { DayBase } from './day.ts';
import type { Feed } from './input.ts';
import type { Regime } from './intent.ts';
import type { MarketId } from './market.ts';
import type { Micros } from './money.ts';
import type { Period } from './period.ts';
import type { PersistedValue } from './persisted.ts';
import type { PlayerMode } from './player-mode.ts';
import type { LoggedSeries } from './series.ts';

/** A strategy begins to want quotes in a market where none were wanted. */
type QuotingStarted = {
  readonly type: 'QuotingStarted';
  readonly market: MarketId;
  readonly game: EventGame | undefined;
};

/**
 * Nothing is wanted in a market any more. `reason`: why the bot quotes nothing at all; absent when the
 * strategies want nothing.
 */
type QuotingStopped = { readonly type: 'QuotingStopped'; readonly market: MarketId; readonly reason?: string };

/**
 * A strategy quotes a market in another way than before. `regime`: absent when the strategy names none any more.
 */
type RegimeChanged = {
  readonly type: 'RegimeChanged';
  readonly market: MarketId;
  readonly strategy: StrategyId;
  readonly regime?: Regime;
  readonly before?: Regime;
  readonly reason?: string;
};

/**
 * What a game, or a part of one, may bring with its fills: when these made its worst case worse than ever, every
 * five minutes at most, and at the end of the run. `worst`: at the worst score or void. `markets`: what each
 * position brings on each side.
 */
type GameRisk = {
  readonly type: 'GameRisk';
  readonly game: GameId;
  readonly worst: Micros;
  readonly markets: readonly {
    readonly market: MarketId;
    readonly first: Micros;
    readonly second: Micros;
    readonly staked: Micros;
  }[];
  /** By the distribution of its score; absent when nothing is known of it. */
  readonly score?: ScoreRisk;
};

/** What a game may bring, by the distribution of its score. */
export type ScoreRisk = {
  /** Where the distribution is from: the odds feed, or the exchange's own book. */
  readonly source: 'odds' | 'book';
  readonly expected: Micros;
  readonly deviation: Micros;
  /** What 95 % of scores bring at least. */
  readonly quantile: Micros;
  /** The mean over the worst 5 % of scores. */
  readonly shortfall: Micros;
  /** At the worst score that the distribution has. */
  readonly worst: Micros;
  /** The model of the whole game, as `oddsmaker/pricing` takes it, and the part that it is for. */
  readonly model: {
    readonly sport: string;
    readonly parameters: Readonly<Record<string, number>>;
    readonly state: Readonly<Record<string, unknown>>;
    readonly period: Period;
  };
};

/** A strategy persisted a value: the newest of at most half a second. */
type ValuePersisted = { readonly type: 'ValuePersisted' } & PersistedValue;

/**
 * A strategy logged values of its own series (`log.series`): the newest of at most a second, and longer for one that logs
 * much; of each series only when its value changed.
 */
type SeriesLogged = { readonly type: 'SeriesLogged' } & LoggedSeries;

/**
 * A control keeps wanted slots of a market empty. `strategy` and `reason` are those of the first such slot.
 */
type SlotHeld = {
  readonly type: 'SlotHeld';
  readonly market: MarketId;
  readonly control: string;
  readonly strategy: StrategyId;
  readonly reason: string;
};

/** A control no longer keeps any slot of a market empty. */
type SlotReleased = { readonly type: 'SlotReleased'; readonly market: MarketId; readonly control: string };

/**
 * The day of risk.maxDailyLoss begins. Repeated when the positions at its beginning, or their prices, become
 * known.
 */
type DayBegan = {
  readonly type: 'DayBegan';
  /** Unix ms. */
  readonly startsAt: number;
  /**
   * The positions and prices at its beginning. Absent when those of the previous run still hold, or when they
   * are not known yet.
   */
  readonly base?: DayBase;
};

/** Positions and their marked value in the markets that changed, every two seconds of run time. */
type Marked = {
  readonly type: 'Marked';
  readonly markets: readonly {
    readonly market: MarketId;
    /** The price that the market is marked at, as probability of its first side. */
    readonly price: number | undefined;
    readonly first: Micros;
    readonly second: Micros;
    readonly staked: Micros;
    readonly marked: Micros;
  }[];
};

/** Resting times of the quotes of one league in one phase, summed from the beginning of the run. */
export type QuoteSums = QuoteTimes & { readonly phase: Phase; readonly league: string };

/** Takes between others in one league and one phase, summed from the beginning of the run. */
export type TakeSums = TakeCounts & { readonly phase: Phase; readonly league: string };

/** Counts of a run, from its beginning. */
export type RunCounts = {
  /** Frames of the price feed. */
  readonly frames: number;
  readonly intents: number;
  readonly placed: number;
  readonly edited: number;
  readonly cancelled: number;
  readonly cancelledByOthers: number;
  /** Orders that ended after an own cancel that was never answered. */
  readonly undetermined: number;
  readonly refused: number;
  /** Orders that ever had an unknown fate; and those that have one now. */
  readonly unknownEver: number;
  readonly unknown: number;
  readonly fills: number;
  readonly riskFilled: Micros;
  /** Requests that are neither place, edit nor cancel. */
  readonly otherRequests: number;
};

/** How long slots were wanted, and rested, ms times slots; and how long each control kept them empty. */
export type ShareSums = {
  readonly wantedMs: number;
  readonly restedMs: number;
  /** How long any slot was wanted; and how much of that time a limit kept a slot empty, ms. */
  readonly wantingMs: number;
  readonly limitedMs: number;
  /** How long each control kept slots empty, ms times slots. */
  readonly held: Readonly<Record<string, number>>;
};

/**
 * The state of the run and sums from its beginning: every ten seconds of run time, every minute while nothing
 * is quoted or held, and at the end. An absent field is unchanged since the previous sample.
 */
type Sample = {
  readonly type: 'Sample';
  /** The result of the run, settled and marked. */
  readonly marked?: Micros;
  /** The largest fall of that result from a peak so far. */
  readonly maxDrawdown?: Micros;
  /** The worst result that all resting orders and positions can have now, 0 or below. */
  readonly worst?: Micros;
  /** The lowest `worst` so far. */
  readonly worstEver?: Micros;
  /** The inventory of all markets: how much more they pay on one side than on the other. */
  readonly inventory?: Micros;
  /** The part of the inventory in games in play. */
  readonly inPlay?: Micros;
  /** The largest inventory so far: of all markets, of those before the start, of those in play. */
  readonly mostHeld?: { readonly all: Micros; readonly prematch: Micros; readonly inplay: Micros };
  /** Free permits. */
  readonly permits?: { readonly place: number; readonly cancel: number };
  /** Wanted slots, and slots with a resting order. */
  readonly slots?: { readonly wanted: number; readonly resting: number };
  /** Counts that changed. */
  readonly counts?: Partial<RunCounts>;
  /** How long slots were wanted, had a resting order, and were kept empty by each control. */
  readonly shares?: ShareSums;
  /** Resting times of quotes, for the leagues and phases whose sums changed since the previous sample. */
  readonly quotes?: readonly QuoteSums[];
  /** Takes between others, for the leagues and phases whose sums changed since the previous sample. */
  readonly takes?: readonly TakeSums[];
  /** The number of intents without a quote, by their reason. */
  readonly idle?: Readonly<Record<string, number>>;
  /** The ages of signals when strategies read them; only in the last sample. */
  readonly signals?: AgeFigures;
  /**
   * Quoted markets whose prices changed: the consensus, and the others' best prices by side, from the view of
   * the offer's owner.
   */
  readonly markets?: readonly {
    readonly market: MarketId;
    readonly fair?: number;
    readonly best: readonly [number | null, number | null];
  }[];
};

/** A feed is connected; its messages belong to this epoch. */
type FeedUp = { readonly type: 'FeedUp'; readonly feed: Feed; readonly epoch: number };

/** A feed lost its connection. */
type FeedDown = {
  readonly type: 'FeedDown';
  readonly feed: Feed;
  readonly epoch: number;
  readonly reason: string | undefined;
};

/** The exchange reports a player mode of the account that differs from the one known before. */
type ModeSeen = { readonly type: 'ModeSeen'; readonly mode: PlayerMode };

/** The system's wall clock was set, or differs from the exchange's clock, by `byMs`. */
type ClockStepped = { readonly type: 'ClockStepped'; readonly byMs: number; readonly uncertainMs: number };

/** The lists of the account were read and agree with the bot's beliefs. `open`: own orders on the lists. */
type Reconciled = { readonly type: 'Reconciled'; readonly open: number };

/** The trading state changed. `reason`: why the bot does not trade, or trades only in part. */
type StateChanged = {
  readonly type: 'StateChanged';
  readonly state: 'starting' | 'running' | 'paused' | 'waiting' | 'reduce-only' | 'halted' | 'stopping';
  readonly reason: string | undefined;
};

/**
 * An operator, or the bot itself for safety, gave a command. `by`: the operator; undefined when it was the
 * bot.
 */
type OperatorActed = {
  readonly type: 'OperatorActed';
  readonly command: string;
  readonly reason: string | undefined;
  readonly by: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
};

/**
 * A strategy does not quote any more, in one market or in all: the bot disabled it because of a fault, or it
 * withdrew its intents there.
 */
type StrategyQuarantined = {
  readonly type: 'StrategyQuarantined';
  readonly strategy: StrategyId;
  readonly code: string;
  readonly detail: string;
};

/** A new version of a strategy's file replaced the running one. */
type StrategyReplaced = {
  readonly type: 'StrategyReplaced';
  readonly strategy: StrategyId;
  readonly sha256: string;
};

/** A new configuration is in force. `replaced`: the strategies that started again with it. */
type Configured = {
  readonly type: 'Configured';
  readonly config: string;
  readonly replaced: readonly StrategyId[];
};

/** The run begins. */
type RunStarted = { readonly type: 'RunStarted'; readonly run: string };

/** The run ends; a killed run has no such event. `code`: the exit code of the process. */
type RunEnded = {
  readonly type: 'RunEnded';
  readonly code: number;
  readonly reason: string;
  /** Own orders that may still rest. Undefined when that is not known. */
  readonly openAtExit?: number;
};

/** A message for the operator; levels `error` and `warn` need attention. */
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
  | RegimeChanged
  | ValuePersisted
  | SeriesLogged
  | GameRisk
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
  RegimeChanged: true,
  ValuePersisted: true,
  SeriesLogged: true,
  GameRisk: true,
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
/** Every type of event. */
export const EVENT_TYPES = Object.keys(TYPES) as readonly EventType[];

/** The event of one type. */
export type EventOf<Type extends EventType> = Extract<RunEvent, { readonly type: Type }>;

/** The result of one input: commands for the shell, and events. */
export type Stepped = { readonly commands: readonly Command[]; readonly events: readonly RunEvent[] };
