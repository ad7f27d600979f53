// Every input of the core, parsed into the domain's terms; and every message of the exchange as received,
// before it is parsed. A journal holds the received form, so that a replay runs the same parsers.
import type { GameId, StrategyId } from './brand.ts';
import type { SentRequest } from './command.ts';
import type { DayAtBoot } from './day.ts';
import type { GameResult } from './game-result.ts';
import type { GameMessage, SideFrame } from './market-data.ts';
import type { MarketType } from './market.ts';
import type { MarketPast } from './market-past.ts';
import type { RestingOrder, UnansweredOrder } from './order.ts';
import type { Answer, PositionEvent } from './outcome.ts';
import type { PersistedValue } from './persisted.ts';
import type { PlayerMode } from './player-mode.ts';
import type { Bucket, FailureKind, RequestId } from './requests.ts';
import type { AfterCrash, Standing, WaitsFor } from './restart.ts';
import type { SignalUpdate } from './signal.ts';

export type Feed = 'prices' | 'user';
export type OperatorCommand =
  /** `stop` ends in order; `abort` ends at once and cancels everything */
  | 'stop'
  | 'abort'
  /** `pause` quotes nothing until `resume`, which also lifts `reduce-only` and `halt` */
  | 'pause'
  | 'resume'
  /**
   * `hold`: the bot pauses itself while it cannot see the effect of its actions (rules.md, 15); only
   * `release` ends it
   */
  | 'hold'
  | 'release'
  /**
   * kill switches: `reduce-only` allows only quotes that reduce a position; `halt` quotes nothing and cancels
   * everything
   */
  | 'reduce-only'
  | 'halt'
  /** cancels everything on the account now; quoting continues */
  | 'cancel-all';

export type Input =
  /**
   * The first input of every run. `run` makes references unique across restarts. `unanswered`: orders of the
   * previous run that may still land. `resting`: orders of former runs by the id under which they rested, for
   * an exchange that reports no references. `day`: the result of former runs of the day. `standing`:
   * restrictions that they left. `after`: set when the previous run ended without an orderly stop. `runs`:
   * the runs with a journal here; an order of the instance that none of them explains belongs to another bot.
   * Without `runs` (before 0.3, or an exchange that starts with the run) every such order counts as a former
   * run's.
   */
  | {
      readonly type: 'boot';
      readonly run: string;
      readonly unanswered?: readonly UnansweredOrder[];
      readonly resting?: readonly RestingOrder[];
      readonly day?: DayAtBoot;
      readonly standing?: Standing;
      readonly after?: AfterCrash;
      readonly runs?: readonly string[];
    }
  /** A login, or a later read of the current user. */
  | {
      readonly type: 'session';
      readonly username: string;
      readonly userId: string | undefined;
      readonly mode: PlayerMode | undefined;
      /** The spendable balance of the configured mode in dollars, when the exchange reports it. */
      readonly balance: number | undefined;
    }
  /** The token expired and the exchange refused a new login. */
  | { readonly type: 'session-lost'; readonly reason: string }
  | {
      readonly type: 'feed';
      readonly feed: Feed;
      readonly status: 'up' | 'down';
      readonly epoch: number;
      readonly reason?: string;
    }
  /** Frames of the price feed, after conflation. */
  | { readonly type: 'side'; readonly epoch: number; readonly frame: SideFrame }
  | { readonly type: 'game'; readonly epoch: number; readonly game: GameMessage }
  /** An event of the user feed. */
  | { readonly type: 'position'; readonly position: PositionEvent }
  /** A frame that cannot be read. `problem` is undefined when the event itself is unknown. */
  | {
      readonly type: 'malformed';
      readonly feed: Feed;
      readonly event: string;
      readonly problem: string | undefined;
      /** The beginning of the frame; and its game, as far as it can be recognized. */
      readonly data: string;
      readonly gameId: GameId | undefined;
    }
  /**
   * A frame longer than exchange.maxFrame, dropped unread. `gameId` and `frame`: its game and side, as far as
   * its beginning names them; the offers in `frame` are not those of the side.
   */
  | {
      readonly type: 'oversize';
      readonly feed: Feed;
      readonly epoch: number;
      readonly event: string;
      readonly bytes: number;
      readonly gameId: GameId | undefined;
      readonly frame: SideFrame | undefined;
    }
  /** The right to send one request of a bucket; sending the request returns it. */
  | { readonly type: 'permit'; readonly bucket: Bucket; readonly permit: number }
  /** The exchange accepts fewer requests than assumed: this many unused permits must be returned. */
  | { readonly type: 'recall'; readonly bucket: Bucket; readonly permits: number }
  /** An answer that came from the exchange itself. */
  | {
      readonly type: 'answer';
      readonly req: RequestId;
      readonly answer: Answer;
      /** The HTTP status; absent for 200 in process. */
      readonly status?: number;
      /** The request that it answers; absent when that request is unknown. */
      readonly asked?: SentRequest | undefined;
    }
  /** A request without an answer: after `timeout` its reply may still follow. */
  | {
      readonly type: 'failure';
      readonly req: RequestId;
      readonly failure: FailureKind;
      readonly detail: string;
      /** The unanswered request; absent when that request is unknown. */
      readonly asked?: SentRequest | undefined;
    }
  | { readonly type: 'tick' }
  /**
   * The system's wall clock was set while the bot ran, or differs from the exchange's. `t` of all inputs
   * continues unchanged, or follows the exchange's clock, and may be off by `uncertainMs` from now on.
   * `byMs`: how far the system's clock moved, or is ahead.
   */
  | {
      readonly type: 'clock';
      readonly news: 'stepped' | 'differs' | 'anchored';
      readonly byMs: number;
      readonly uncertainMs: number;
    }
  /** Named numbers of an outside program, for strategies to read. */
  | ({ readonly type: 'signal' } & SignalUpdate)
  /** The value that a strategy persisted in a former run. It follows the boot. */
  | ({ readonly type: 'persisted' } & PersistedValue)
  /** What markets were like before the run, where a strategy has `warmUp`. It follows the boot. */
  | { readonly type: 'history'; readonly markets: readonly MarketPast[] }
  /**
   * An operator's command. `by`: the sender, such as a token's name and its address; absent when the bot acts
   * on its own.
   */
  | {
      readonly type: 'operator';
      readonly command: OperatorCommand;
      readonly reason?: string;
      readonly by?: string;
    }
  /**
   * An operator pauses one strategy, or lets it quote again; the general `pause` and `resume` do not change
   * that. `revive` restarts a strategy that was disabled.
   */
  | {
      readonly type: 'strategy';
      readonly strategy: StrategyId;
      readonly command: 'pause' | 'resume' | 'revive';
      readonly by?: string;
    }
  /**
   * The shell keeps the bot from quoting, with a reason; without a reason it releases the bot. `resume`
   * releases it too.
   */
  | { readonly type: 'wait'; readonly for: WaitsFor; readonly reason?: string }
  /** The result of a game that the exchange does not grade (rules.md, 11). `by`: its source. */
  | {
      readonly type: 'settle';
      readonly gameId: GameId;
      readonly result: GameResult;
      readonly by?: string;
    }
  /** The result of a game in journals of versions before 0.3: a final score, which decided every market. */
  | {
      readonly type: 'settle';
      readonly gameId: GameId;
      readonly home: number;
      readonly away: number;
      readonly by?: string;
    }
  /**
   * An operator's result was wrong, as a whole or for some market types: the fills that it settled are open
   * again.
   */
  | {
      readonly type: 'unsettle';
      readonly gameId: GameId;
      readonly types?: readonly MarketType[];
      readonly by?: string;
    }
  /**
   * A strategy's file was changed and loaded with this hash: it replaces the running version and takes over
   * its quotes.
   */
  | { readonly type: 'reload'; readonly strategy: StrategyId; readonly sha256: string }
  /**
   * The configuration was read again: limits, selection and parameters are those loaded under this name; the
   * strategies in `replace` replace the former ones with their ids.
   */
  | {
      readonly type: 'configure';
      readonly config: string;
      readonly replace: readonly StrategyId[];
      readonly by?: string;
    }
  /**
   * A strategy exceeded its budget for one input: CPU time of the thread, and elapsed time, ms. The core
   * counts the strikes.
   */
  | {
      readonly type: 'strategy-strike';
      readonly strategy: StrategyId;
      readonly cpuMs: number;
      readonly wallMs: number;
    }
  /** A fault of a strategy that the shell measured or caught, and that a replay must not measure again. */
  | {
      readonly type: 'strategy-fault';
      readonly strategy: StrategyId;
      readonly code: 'ASYNC_EMISSION' | 'STRATEGY_OVERRUN';
      readonly detail: string;
    };

/** A message of the exchange, as received. */
export type Received =
  /** A frame of a feed. `data` is the payload string. */
  | {
      readonly type: 'frame';
      readonly feed: Feed;
      readonly epoch: number;
      readonly event: string;
      readonly data: string;
    }
  /** A frame that is too long to be read. `head`: the beginning of its payload. */
  | {
      readonly type: 'long-frame';
      readonly feed: Feed;
      readonly epoch: number;
      readonly event: string;
      readonly bytes: number;
      readonly head: string;
    }
  /** A reply over HTTP. `body` is its JSON. */
  | {
      readonly type: 'reply';
      readonly req: RequestId;
      readonly status: number;
      readonly body: unknown;
      readonly retryAfterSeconds?: number;
    };

/** Every arrival at a run, parsed or not; and every entry of a journal. */
export type Arrival = Received | Input;

/**
 * An entry with its times. `t`: wall clock, `mono`: monotonic clock, both in ms. Only `mono` measures
 * durations.
 */
export type Stamped<T> = {
  readonly seq: number;
  readonly t: number;
  readonly mono: number;
  readonly in: T;
};
export type StampedInput = Stamped<Input>;
export type StampedArrival = Stamped<Arrival>;
