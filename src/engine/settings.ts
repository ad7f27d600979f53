// What the core needs to know of a run: the validated configuration, in the core's units.
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

/** Which parts of games are quoted beside, or instead of, whole games. */
export type PartSelection = {
  /** Of child games; `full`: the games themselves. */
  readonly periods: readonly Period[];
  readonly props: boolean;
  readonly futures: boolean;
};

export type MarketSelection = {
  readonly leagues: readonly string[];
  readonly types: readonly MarketType[];
  readonly lines: 'main' | 'all';
  readonly games: 'all' | readonly GameId[];
  /** Quote games in play. */
  readonly live: boolean;
  /** Quotes end this long before the start of a game. */
  readonly stopBeforeMs: number;
  /**
   * Undefined: as version 0.2 did, whatever the feed tells of in a selected league, each a game by itself that hedges and is bounded
   * apart.
   */
  readonly parts?: PartSelection | undefined;
};

export type SafetySettings = {
  /** The kill switch at the start. */
  readonly state: TradingState;
  /** A run that has lost this, marked and settled, halts. */
  readonly haltAtLoss: Micros | undefined;
  readonly losingFills: LosingFillsRule | undefined;
  /** Undefined: no limit of a day. */
  readonly dailyLoss?: DailyLossRule | undefined;
};

/** `count` losing fills within `withinMs` pause a strategy; a fill loses when the consensus is worse `markoutMs` later. */
export type LosingFillsRule = {
  readonly count: number;
  readonly withinMs: number;
  readonly pauseMs: number;
  readonly markoutMs: number;
};

/** What differs between a clock that runs and one that is driven, and between exchanges. */
export type Surroundings = Pick<ModeSettings, 'userEveryMs' | 'modeAgeMs'> &
  Pick<ReconciliationSettings, 'reconcileEveryMs' | 'reconcileBacksOff'> & {
    /** The longest time without a tick when nothing is due. */
    readonly idleTickMs: number;
    /** Without an input for this long the process stood still. */
    readonly stallAfterMs: number;
    /** Rows of the public book say whose they are: own offers stand among the others'. */
    readonly rowsCarryOwners: boolean;
    /** Nobody but this bot changes the account's player mode. */
    readonly modeIsCertain: boolean;
    /** A league without games is worth a warning: its name may be wrong. */
    readonly warnsOfEmptyLeagues: boolean;
    /** False: its events are kept nowhere, so how quotes rest and what follows fills is not measured. */
    readonly measures?: boolean;
  };

/** What may become another while a run goes on, as its parts have it: they read it whenever they need it. */
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
  /** How level scores settle moneylines, where it is not built in. */
  readonly sports: SportsSettings;
  readonly profile: WireProfile;
  /** What the exchange keeps of winnings. */
  readonly commission: CommissionRule;
  readonly lateArrivalMs: number;
  /** See `ReconciliationSettings`. */
  readonly gradesEveryMs?: number | undefined;
  /** Reads of books under way, at most: as many as a window of reads takes. */
  readonly readsAtOnce: number;
  readonly onExit: 'cancel' | 'leave';
  readonly safety: SafetySettings;
  /** What happens to open orders that no run of this instance placed. */
  readonly foreign: 'leave' | 'cancel' | 'refuse';
};
