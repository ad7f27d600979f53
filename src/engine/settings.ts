// The settings of the core: the validated configuration, in the units of the core.
import type {
  CommissionRule,
  GameId,
  MarketType,
  Micros,
  Period,
  PlayerMode,
  SportsSettings,
  TradingState,
} from '../domain/index.ts';
import type { DailyLossRule, ModeSettings, ReconciliationSettings } from '../account/index.ts';
import type { OrderSettings } from '../orders/index.ts';
import type { RiskLimits } from '../risk/index.ts';
import type { StrategyEntry } from '../strategy/host/index.ts';
import type { WireProfile } from '../wire/index.ts';

/** The parts of games that are quoted in addition to, or instead of, whole games. */
export type PartSelection = {
  /** The periods of child games. `full` means the games themselves. */
  readonly periods: readonly Period[];
  readonly props: boolean;
  readonly futures: boolean;
};

export type MarketSelection = {
  readonly leagues: readonly string[];
  readonly types: readonly MarketType[];
  readonly lines: 'main' | 'all';
  readonly games: 'all' | readonly GameId[];
  /** True to quote games in play. */
  readonly live: boolean;
  /** How long before the start of a game its quotes end. */
  readonly stopBeforeMs: number;
  /**
   * The selected parts of games. Undefined as in version 0.2: everything that the feed lists in a selected
   * league is quoted, each as a separate game with its own hedging and limits.
   */
  readonly parts?: PartSelection | undefined;
  /** Quotes only the markets that bring most per place permit. Undefined: all selected ones. */
  readonly select?: ValueSelection | undefined;
};

export type ValueSelection = {
  /** The most markets quoted at once. */
  readonly most: number;
  readonly gates: SelectGates;
};

/** A market is left out where one of these does not hold. */
export type SelectGates = {
  /** Takes seen in its book, an hour. */
  readonly minTakesPerHour: number;
  /** The distance between the best offers of both sides, as probability. */
  readonly maxSpread: number;
  /** The fair price is at least this far from 0 and 1. */
  readonly pinned: number;
  /** Both sides of the book were confirmed within this time. */
  readonly maxPriceAgeMs: number;
};

export type SafetySettings = {
  /** State of the kill switch at the start. */
  readonly state: TradingState;
  /** The run halts at this loss, marked and settled. Undefined when there is no limit. */
  readonly haltAtLoss: Micros | undefined;
  readonly losingFills: LosingFillsRule | undefined;
  /** The daily loss limit. Undefined when there is none. */
  readonly dailyLoss?: DailyLossRule | undefined;
};

/**
 * `count` losing fills within `withinMs` pause a strategy; a fill loses when the consensus is worse
 * `markoutMs` later.
 */
export type LosingFillsRule = {
  readonly count: number;
  readonly withinMs: number;
  readonly pauseMs: number;
  readonly markoutMs: number;
};

/** Settings that differ between a running and a driven clock, and between exchanges. */
export type Surroundings = Pick<ModeSettings, 'userEveryMs' | 'modeAgeMs'> &
  Pick<ReconciliationSettings, 'reconcileEveryMs' | 'reconcileBacksOff'> & {
    /** The longest time without a tick when nothing is due. */
    readonly idleTickMs: number;
    /** The process counts as stalled after this long without an input. */
    readonly stallAfterMs: number;
    /** True when rows of the public book carry their owners, so that own offers are among them. */
    readonly rowsCarryOwners: boolean;
    /** True when no other client changes the account's player mode. */
    readonly modeIsCertain: boolean;
    /** True to warn of a league without games: its name may be wrong. */
    readonly warnsOfEmptyLeagues: boolean;
    /** False when the events are not stored, so that quotes and fills are not measured. Default true. */
    readonly measures?: boolean;
  };

/** Settings that may change during a run. The parts share these objects and read them on each use. */
export type LiveSettings = {
  readonly risk: Mutable<RiskLimits>;
  readonly markets: Mutable<MarketSelection>;
  readonly safety: Mutable<SafetySettings>;
};
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export const liveSettingsOf = ({ orders, markets, safety }: CoreSettings): LiveSettings => ({
  risk: { ...orders.risk },
  markets: { ...markets },
  safety: { ...safety },
});

export type CoreSettings = Surroundings & {
  readonly playerMode: PlayerMode;
  readonly allowModeSwitch: boolean;
  readonly markets: MarketSelection;
  readonly strategies: readonly StrategyEntry[];
  readonly orders: OrderSettings;
  /** How level scores settle moneylines, for sports where it is not built in. */
  readonly sports: SportsSettings;
  readonly profile: WireProfile;
  /** The most that the score of a game in play may be old, ms (signals.scoreAge). */
  readonly scoreAgeMs: number;
  /** The exchange's commission on winnings. */
  readonly commission: CommissionRule;
  readonly lateArrivalMs: number;
  /** See `ReconciliationSettings`. */
  readonly gradesEveryMs?: number | undefined;
  /** Highest number of book reads in flight: one window of reads. */
  readonly readsAtOnce: number;
  readonly onExit: 'cancel' | 'leave';
  readonly safety: SafetySettings;
  /** What happens to open orders that no run of this instance placed. */
  readonly foreign: 'leave' | 'cancel' | 'refuse';
};
