// Inputs and results of one scenario of a backtest.
import type { Scenario } from '../report/index.ts';
import type {
  CurvePoint,
  MarketPathSet,
  MsCounts,
  QuotePath,
  ReportOrder,
  RunFacts,
  RunFill,
  SeriesPath,
} from '../run/index.ts';
import type { Command, GameId, MarketId, Phase, ShareSums, StrategyId, WindowRule } from '../domain/index.ts';
import type { CoreSettings } from '../engine/index.ts';
import type { JournalWriter } from '../journal/index.ts';
import type { Latency } from './latency.ts';
import type { ScenarioResult } from './result.ts';
import type { Results } from './results-file.ts';
import type { Calibrated } from './scenarios.ts';
import type { RecordedTimes, TimeSource } from './strategy-time/strategy-times.ts';
import type { MarketTotal } from './totals.ts';

export type BacktestOptions = {
  readonly settings: CoreSettings;
  readonly windows: Readonly<Record<'place' | 'cancel' | 'read', WindowRule>>;
  readonly requestTimeoutMs: number;
  readonly expirationMinutes: number | undefined;
  readonly latency: Latency;
  /** Strategies that may read the clock and random numbers: `impure: true`. */
  readonly impure?: ReadonlySet<StrategyId> | undefined;
  /** The latency of the tapes' signals. By default the latency of prices. */
  readonly signalLatency?: Latency | undefined;
  /** The virtual time that strategies take for an input. By default they take none. */
  readonly strategyTime?: TimeSource | undefined;
  readonly seed: number;
  readonly fills: Scenario;
  /** What decides the calibrated scenario: a model or a share. */
  readonly calibrated: Calibrated;
  /** Tape time, Unix ms, at which the bot starts (the book is built up to there), and at which it stops. */
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
  /** Results of games. Undefined when nothing is settled. */
  readonly results: Results | undefined;
  /** The balance of the account when the bot starts, dollars. Default: BALANCE. */
  readonly balance?: number | undefined;
  /** Receives every step of the bot, as in a live run. `ready` resolves when it can take more. */
  readonly journal?:
    | {
        readonly record: JournalWriter['record'];
        readonly ready: () => Promise<void>;
      }
    | undefined;
  /** Keeps the quotes of all markets, not only of the busiest. */
  readonly keepsQuotes?: boolean | undefined;
  /** Keeps each order that rested, not only the number of them. */
  readonly keepsOrders?: boolean | undefined;
  readonly onProgress?: (progress: { readonly frames: number; readonly atMs: number }) => void;
  /** Called for each step with the commands of the bot and a lookup of the games' phases. */
  readonly observe?: ((commands: readonly Command[], phaseIn: (game: GameId) => Phase) => void) | undefined;
};

export type TapeContents = {
  readonly games: readonly { readonly league: string; readonly name: string; readonly start: number }[];
  readonly fromMs: number;
  readonly toMs: number;
};
/** What the figures of several runs are merged from, beside the figures of each. */
export type MergeFacts = {
  readonly shares: ShareSums;
  /** Number of slots by the time that they waited for their requests, ms. */
  readonly waits: MsCounts;
  /** The highest and the lowest marked result, micro-dollars. */
  readonly highest: number;
  readonly lowest: number;
  /**
   * The least part of the balance, dollars, that the limit of credit left while the bot sent orders: infinite
   * when none was sent, negative infinity when the balance held orders back.
   */
  readonly spareCredit: number;
};
export type RunError = { readonly code: string; readonly text: string };
export type ScenarioRun = {
  readonly result: ScenarioResult;
  /** The facts for the report. */
  readonly facts: RunFacts;
  /** Quotes and book of the market with most fills. Undefined when nothing filled. */
  readonly busiest: QuotePath | undefined;
  /** How quoted markets looked over time, those with most fills. */
  readonly paths: MarketPathSet;
  /** The series that strategies logged. */
  readonly series: readonly SeriesPath[];
  /** Quotes and book of each quoted market. Undefined unless `keepsQuotes`. */
  readonly quotes: ReadonlyMap<MarketId, QuotePath['points']> | undefined;
  /** Orders in the order in which they ended. Undefined unless `keepsOrders`. */
  readonly orders: readonly ReportOrder[] | undefined;
  /** Fills in the order of time. */
  readonly fills: readonly RunFill[];
  /** Markets with fills, in the order of their first fill. */
  readonly markets: readonly MarketTotal[];
  /** Frames and game messages that were played. */
  readonly frames: number;
  /** Frames of games in play. */
  readonly inPlay: number;
  readonly equity: readonly CurvePoint[];
  readonly merge: MergeFacts;
  /** The first error alerts, such as a strategy that threw, and the first strategy that completed. */
  readonly errors: readonly RunError[];
  /**
   * When the bot started and was stopped, Unix ms. Undefined when no event of the tapes lies between `fromMs`
   * and `toMs`.
   */
  readonly traded: { readonly fromMs: number; readonly toMs: number } | undefined;
  /** The contents of the tapes up to the end of the run: games, first and last time, Unix ms. */
  readonly seen: TapeContents;
  /** Games that have a result but are not on the tapes. */
  readonly gamesNotOnTapes: readonly GameId[];
  /** Problems of results that their games cannot have. These results settle nothing. */
  readonly resultProblems: readonly string[];
  /** What strategies took for each input. Undefined unless it was measured, now or by an earlier run. */
  readonly strategyTimes?: RecordedTimes | undefined;
  /** Signals of the tapes that no strategy subscribed to. */
  readonly unsubscribedSignals: readonly string[];
};
