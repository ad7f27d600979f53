// What the core needs to know of a run: the validated configuration, in the core's units.
import type { GameId, MarketType, Micros, PlayerMode, SportsSettings } from '../domain/index.ts';
import type { OrderSettings } from '../orders/index.ts';
import type { StrategyEntry } from '../strategy/host.ts';
import type { WireProfile } from '../wire/index.ts';

export type MarketSelection = {
  readonly leagues: readonly string[];
  readonly types: readonly MarketType[];
  readonly lines: 'main' | 'all';
  readonly games: 'all' | readonly GameId[];
  /** Quote games in play. */
  readonly live: boolean;
  /** Quotes end this long before the start of a game. */
  readonly stopBeforeMs: number;
};

export type TradingState = 'active' | 'reduce-only' | 'halted';

export type SafetySettings = {
  /** The kill switch at the start. */
  readonly state: TradingState;
  /** A run that has lost this, marked and settled, halts. */
  readonly haltAtLoss: Micros | undefined;
  readonly losingFills: LosingFillsRule | undefined;
};

/** `count` losing fills within `withinMs` pause a strategy; a fill loses when the consensus is worse `markoutMs` later. */
export type LosingFillsRule = {
  readonly count: number;
  readonly withinMs: number;
  readonly pauseMs: number;
  readonly markoutMs: number;
};

export type CoreSettings = {
  readonly playerMode: PlayerMode;
  readonly allowModeSwitch: boolean;
  readonly markets: MarketSelection;
  readonly strategies: readonly StrategyEntry[];
  readonly orders: OrderSettings;
  /** How level scores settle moneylines, where it is not built in. */
  readonly sports: SportsSettings;
  readonly profile: WireProfile;
  readonly lateArrivalMs: number;
  /** Reads of books under way, at most: as many as a window of reads takes. */
  readonly readsAtOnce: number;
  /**
   * Live, it is due every half second, and without an input for longer than that the process stood still. On a virtual
   * clock it may wait until there is something to do; and since nobody else has the account there, it is read less often.
   */
  readonly housekeeping: 'steady' | 'when-due';
  /** The public book has own offers among the others'; that of a backtest has not. */
  readonly bookShowsOwn: boolean;
  readonly onExit: 'cancel' | 'leave';
  readonly safety: SafetySettings;
  /** What happens to open orders that no run of this instance placed. */
  readonly foreign: 'leave' | 'cancel' | 'refuse';
};
