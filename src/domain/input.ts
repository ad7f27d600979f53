// Everything that can enter the core, read and in the domain's terms; and what is received from the exchange before it is
// read. A journal holds what was received, so that a replay runs through the same parsers.
import type { GameId, StrategyId } from './brand.ts';
import type { SentRequest } from './command.ts';
import type { DayAtBoot } from './day.ts';
import type { GameResult } from './game-result.ts';
import type { GameMessage, SideFrame } from './market-data.ts';
import type { MarketType } from './market.ts';
import type { RestingOrder, UnansweredOrder } from './order.ts';
import type { Answer, PositionEvent } from './outcome.ts';
import type { PlayerMode } from './player-mode.ts';
import type { Bucket, FailureKind, RequestId } from './requests.ts';
import type { AfterCrash, Standing, WaitsFor } from './restart.ts';
import type { SignalUpdate } from './signal.ts';

export type Feed = 'prices' | 'user';
export type OperatorCommand =
  /** end in order; end at once, cancelling everything */
  | 'stop'
  | 'abort'
  /** quote nothing until `resume`; `resume` also lifts `reduce-only` and `halt` */
  | 'pause'
  | 'resume'
  /** the same by the bot itself, while it cannot see what it does (rules.md, 15); only `release` ends it */
  | 'hold'
  | 'release'
  /** kill switch: only quotes that make a position smaller; nothing at all, and everything cancelled */
  | 'reduce-only'
  | 'halt'
  /** cancel everything on the account now; quoting goes on */
  | 'cancel-all';

export type Input =
  /**
   * First input of every run. `run` makes references unique across restarts; `unanswered` are orders of the run before
   * that may still land; `resting`: orders of former runs, by the id under which they rested, for an exchange that reports
   * no references; `day`: what former runs of the day brought; `standing`: what they left tightened; `after`: the run
   * before was gone without an orderly end; `runs`: those of which there are journals here: an order of the instance that none of
   * them explains is another bot's. Without it (before 0.3, and of an exchange that starts with the run) each is a former run's.
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
  /** Login or a later read of the current user. */
  | {
      readonly type: 'session';
      readonly username: string;
      readonly userId: string | undefined;
      readonly mode: PlayerMode | undefined;
      /** Spendable balance of the configured mode in dollars, when the exchange tells it. */
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
  /** A frame that nobody can read; without a problem the event itself is not known. */
  | {
      readonly type: 'malformed';
      readonly feed: Feed;
      readonly event: string;
      readonly problem: string | undefined;
      /** How it begins, and the game that it seems to be of. */
      readonly data: string;
      readonly gameId: GameId | undefined;
    }
  /**
   * A frame over exchange.maxFrame, dropped unread. `gameId` and `frame`: its game and side, as far as its beginning names them;
   * the offers of `frame` are not those of the side.
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
  /** The right to send one request of a bucket; handed back by spending it. */
  | { readonly type: 'permit'; readonly bucket: Bucket; readonly permit: number }
  /** The exchange takes fewer requests than was thought: as many permits of those in hand are wanted back. */
  | { readonly type: 'recall'; readonly bucket: Bucket; readonly permits: number }
  /** An answer that came from the exchange itself. */
  | {
      readonly type: 'answer';
      readonly req: RequestId;
      readonly answer: Answer;
      /** HTTP status; absent: 200, in process. */
      readonly status?: number;
      /** What it answers; absent: nobody knows that request. */
      readonly asked?: SentRequest | undefined;
    }
  /** No answer (yet): after `timeout` a reply to the same request may still follow. */
  | {
      readonly type: 'failure';
      readonly req: RequestId;
      readonly failure: FailureKind;
      readonly detail: string;
      /** What was not answered; absent: nobody knows that request. */
      readonly asked?: SentRequest | undefined;
    }
  | { readonly type: 'tick' }
  /**
   * The system's wall clock was set while the bot ran, or is not the exchange's. `t` of all inputs stays what it was, or becomes the
   * exchange's, and may be off by `uncertainMs` from now on. `byMs`: how far the system's clock moved, or is ahead.
   */
  | {
      readonly type: 'clock';
      readonly news: 'stepped' | 'differs' | 'anchored';
      readonly byMs: number;
      readonly uncertainMs: number;
    }
  /** Named numbers from outside that strategies may read. */
  | ({ readonly type: 'signal' } & SignalUpdate)
  /** `by`: who said it, such as a token's name and where it came from; left out where it is the bot's own doing. */
  | {
      readonly type: 'operator';
      readonly command: OperatorCommand;
      readonly reason?: string;
      readonly by?: string;
    }
  /**
   * An operator pauses one strategy, or lets it quote again; another `pause` or `resume` changes nothing of it. `revive`: one
   * that was taken off begins anew.
   */
  | {
      readonly type: 'strategy';
      readonly strategy: StrategyId;
      readonly command: 'pause' | 'resume' | 'revive';
      readonly by?: string;
    }
  /** The shell keeps the bot from quoting, with a reason; without one no more. `resume` ends it too. */
  | { readonly type: 'wait'; readonly for: WaitsFor; readonly reason?: string }
  /** How a game ended that the exchange does not grade (rules.md, 11). `by`: who says so. */
  | {
      readonly type: 'settle';
      readonly gameId: GameId;
      readonly result: GameResult;
      readonly by?: string;
    }
  /** The same in journals of versions before 0.3: a final score, which decided every market. */
  | {
      readonly type: 'settle';
      readonly gameId: GameId;
      readonly home: number;
      readonly away: number;
      readonly by?: string;
    }
  /** An operator's result was wrong, whole or for some market types: what it settled waits for the game again. */
  | {
      readonly type: 'unsettle';
      readonly gameId: GameId;
      readonly types?: readonly MarketType[];
      readonly by?: string;
    }
  /** A strategy's file was changed, and was loaded with this hash: it takes the place of the former one, and its quotes. */
  | { readonly type: 'reload'; readonly strategy: StrategyId; readonly sha256: string }
  /**
   * The configuration was read again: limits, selection and parameters are those of the one that was loaded under this name; these
   * strategies take the place of the former ones of their ids.
   */
  | {
      readonly type: 'configure';
      readonly config: string;
      readonly replace: readonly StrategyId[];
      readonly by?: string;
    }
  /** A strategy took longer for one input than its budget: CPU of the thread, and by the clock, ms. The core counts. */
  | {
      readonly type: 'strategy-strike';
      readonly strategy: StrategyId;
      readonly cpuMs: number;
      readonly wallMs: number;
    }
  /** The shell measured or caught something about a strategy that a replay must not measure again. */
  | {
      readonly type: 'strategy-fault';
      readonly strategy: StrategyId;
      readonly code: 'ASYNC_EMISSION' | 'STRATEGY_OVERRUN';
      readonly detail: string;
    };

/** What the exchange sent, as received. */
export type Received =
  /** `data` is the payload string. */
  | {
      readonly type: 'frame';
      readonly feed: Feed;
      readonly epoch: number;
      readonly event: string;
      readonly data: string;
    }
  /** A frame that is too long to be taken in. `head`: how its payload begins. */
  | {
      readonly type: 'long-frame';
      readonly feed: Feed;
      readonly epoch: number;
      readonly event: string;
      readonly bytes: number;
      readonly head: string;
    }
  /** `body` is its JSON. */
  | {
      readonly type: 'reply';
      readonly req: RequestId;
      readonly status: number;
      readonly body: unknown;
      readonly retryAfterSeconds?: number;
    };

/** Everything that reaches a run, read or not; and what a journal holds. */
export type Arrival = Received | Input;

/** `t`: wall clock, `mono`: monotonic clock, both in ms. Only `mono` measures durations. */
export type Stamped<T> = {
  readonly seq: number;
  readonly t: number;
  readonly mono: number;
  readonly in: T;
};
export type StampedInput = Stamped<Input>;
export type StampedArrival = Stamped<Arrival>;
