// What one scenario of a backtest is given, and what it comes to.
import type { Scenario } from '../report/index.ts';
import type { CurvePoint, QuotePath, ReportOrder, RunFacts, RunFill } from '../run/index.ts';
import type { Command, GameId, MarketId, Phase, StrategyId, WindowRule } from '../domain/index.ts';
import type { CoreSettings } from '../engine/index.ts';
import type { JournalWriter } from '../journal/index.ts';
import type { Latency } from './latency.ts';
import type { ScenarioResult } from './result.ts';
import type { Results } from './results-file.ts';
import type { Calibrated } from './scenarios.ts';
import type { MarketTotal } from './totals.ts';

export type BacktestOptions = {
  readonly settings: CoreSettings;
  readonly windows: Readonly<Record<'place' | 'cancel' | 'read', WindowRule>>;
  readonly requestTimeoutMs: number;
  readonly expirationMinutes: number | undefined;
  readonly latency: Latency;
  /** Strategies that may ask for the hour and for dice: `impure: true`. */
  readonly impure?: ReadonlySet<StrategyId> | undefined;
  /** Of signals, as they are told by tapes; that of prices unless told. */
  readonly signalLatency?: Latency | undefined;
  readonly seed: number;
  readonly fills: Scenario;
  /** What the calibrated scenario goes by. */
  readonly calibrated: Calibrated;
  /** Tape time, ms: the book is built up to there, and the bot starts; and where it stops. */
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
  /** Undefined: nothing is settled. */
  readonly results: Results | undefined;
  /** Told of every step of the bot, as if it had been a live one; `ready` resolves when it can take more. */
  readonly journal?:
    | {
        readonly record: JournalWriter['record'];
        readonly ready: () => Promise<void>;
      }
    | undefined;
  /** Quotes of all markets are told, and not only those of the busiest. */
  readonly keepsQuotes?: boolean | undefined;
  /** Each order that rested is told, and not only how many there were. */
  readonly keepsOrders?: boolean | undefined;
  readonly onProgress?: (progress: { readonly frames: number; readonly atMs: number }) => void;
  /** Told of what the bot asks for, step by step, and where games stand. */
  readonly observe?: ((commands: readonly Command[], phaseIn: (game: GameId) => Phase) => void) | undefined;
};

export type TapeContents = {
  readonly games: readonly { readonly league: string; readonly name: string; readonly start: number }[];
  readonly fromMs: number;
  readonly toMs: number;
};
export type RunError = { readonly code: string; readonly text: string };
export type ScenarioRun = {
  readonly result: ScenarioResult;
  /** What its report is made of. */
  readonly facts: RunFacts;
  /** The quotes of the market with most fills over its book; undefined: nothing filled. */
  readonly busiest: QuotePath | undefined;
  /** How all markets that were quoted looked; undefined: that was not asked for. */
  readonly quotes: ReadonlyMap<MarketId, QuotePath['points']> | undefined;
  /** In the order in which they ended; undefined: that was not asked for. */
  readonly orders: readonly ReportOrder[] | undefined;
  /** In the order in which they happened. */
  readonly fills: readonly RunFill[];
  /** Those that filled, in the order of their first fill. */
  readonly markets: readonly MarketTotal[];
  /** Frames and games that the bot and the venue were told. */
  readonly frames: number;
  /** Frames of books of games in play. */
  readonly inPlay: number;
  readonly equity: readonly CurvePoint[];
  /** The first alerts of errors: a strategy that threw, for one; and the first of intents that ended. */
  readonly errors: readonly RunError[];
  /** When the bot started and was stopped, Unix ms; undefined: nothing of the tapes lies between `fromMs` and `toMs`. */
  readonly traded: { readonly fromMs: number; readonly toMs: number } | undefined;
  /** What the tapes told of, as far as the run went: games, and from when to when, Unix ms. */
  readonly seen: TapeContents;
  /** Games with a result that are not on the tapes. */
  readonly unheardOf: readonly GameId[];
  /** Results that games of the tapes cannot have: they settled nothing. */
  readonly resultProblems: readonly string[];
  /** Signals that no strategy asked for. */
  readonly unasked: readonly string[];
};
