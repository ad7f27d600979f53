// The state of the page, as it is sent (docs/reference/page-stream.md). Money is in dollars, times are Unix
// ms, odds are American and from the order's own side, probabilities are of a market's first side. Unknown
// values are null.
import type { Phase } from '../domain/index.ts';
import type { AttributionRow, RunningFigures, ScoreFigures } from '../run/index.ts';
import type { BotState } from '../ops/index.ts';

export type FeedView = { readonly up: boolean; readonly at: number | null; readonly drops: number };
export type BucketView = { readonly free: number; readonly limit: number };

/**
 * The fence of the guard: since when it forbids the bot to place, why, and when the guard saw the account
 * empty.
 */
export type FenceView = {
  readonly since: number | null;
  readonly why: string;
  readonly hung: boolean;
  readonly cleared: number | null;
};

/** The state of the bot: one sentence, and figures. */
export type NowView = {
  readonly account: string;
  readonly state: BotState;
  readonly why: string;
  readonly trading: string;
  readonly stopping: boolean;
  readonly mode: string | null;
  readonly wantedMode: string;
  readonly version: string;
  readonly build: string;
  readonly config: string;
  readonly configHash: string;
  readonly run: string;
  readonly startedAt: number;
  readonly guard: number | null;
  readonly needsGuard: boolean;
  /** The host of the exchange, or `embedded` for the bot's own paper exchange. */
  readonly exchange: string;
  /** orders.instance, which distinguishes the bots of one account. */
  readonly instance: string;
  /** How long after the bot's last heartbeat a guard acts, ms. */
  readonly guardDeadlineMs: number;
  /** The command that clears the account when the bot cannot. Null when no order outlives the bot. */
  readonly panic: string | null;
  /** The fence, or null when none stands. */
  readonly fence: FenceView | null;
  readonly problems: readonly string[];
  readonly prices: FeedView;
  readonly user: FeedView;
  readonly balance: number | null;
  readonly creditInUse: number;
  readonly pnl: {
    readonly run: number;
    readonly worst: number;
    readonly day: number | null;
    readonly dayLimit: number | null;
    readonly dayStartsAt: number | null;
    readonly all: number;
  };
  readonly inventory: number;
  readonly markets: number;
  readonly wanted: number;
  readonly resting: number;
  readonly quotedShare: number;
  readonly held: Readonly<Record<string, number>>;
  readonly idle: Readonly<Record<string, number>>;
  readonly place: BucketView;
  readonly cancel: BucketView;
  readonly waiting: { readonly slots: number; readonly value: number };
  readonly orders: {
    readonly open: number;
    readonly unknown: number;
    readonly unknownEver: number;
    readonly external: number;
  };
  readonly counts: Readonly<
    Record<
      'frames' | 'intents' | 'placed' | 'edited' | 'cancelled' | 'byOthers' | 'refused' | 'fills' | 'riskFilled',
      number
    >
  >;
  readonly http: Readonly<Record<string, number>>;
  readonly refusals: Readonly<Record<string, number>>;
  /** Latencies of the newest answers by kind of request, ms. */
  readonly latencies: Readonly<Record<string, { readonly p50: number; readonly p99: number; readonly count: number }>>;
  readonly journal: string | null;
  readonly figures: FiguresView;
} & TotalsView;

/** The totals of the run, as in `report --json`. */
export type TotalsView = {
  readonly quoting: RunningFigures['quoting'];
  readonly permits: RunningFigures['permits'];
  /** `inventory` of a report. */
  readonly exposure: RunningFigures['inventory'];
  /** Fills by why they were picked off. `unknown`: younger than a minute. */
  readonly pickedOff: RunningFigures['pickedOff'];
  /** The same figures of fills before the start, and in play. */
  readonly phases: RunningFigures['phases'];
};

/** Sums over the fills of the run in both phases (docs/report.md). Null when unknown. */
export type FiguresView = PhaseFiguresView & {
  /** Fills that were dropped from memory before they settled: their profit is in no sum. */
  readonly lost: number;
  readonly phases: Readonly<Record<Phase, PhaseFiguresView>>;
};
export type PhaseFiguresView = {
  readonly fills: number;
  readonly risk: number;
  readonly open: number;
  readonly unpriced: number;
  readonly spread: number | null;
  readonly identity: {
    readonly spread: number | null;
    readonly drift: number | null;
    readonly luck: number | null;
    /** 0 or below. */
    readonly commission: number | null;
    readonly pnl: number | null;
    readonly fills: number;
  };
  /**
   * Closing line value of fills before the start, weighted by payout and by plain count. `early`: the number
   * of all such fills.
   */
  readonly clv: {
    readonly money: number | null;
    readonly points: number | null;
    readonly share: number | null;
    readonly plainPoints: number | null;
    readonly plainShare: number | null;
    readonly fills: number;
    readonly early: number;
  };
  /** The edge: against the close for fills before the start, against the price 300 s later in play. */
  readonly edge: { readonly money: number | null; readonly perPlace: number | null; readonly fills: number };
  /** Markouts by seconds: dollars, dollars per dollar of payout, number of fills. */
  readonly markouts: Readonly<Record<string, readonly [money: number | null, each: number | null, fills: number]>>;
};

export type BestView = { readonly odds: number; readonly size: number } | null;
export type SlotView = {
  readonly strategy: string;
  readonly side: string;
  readonly odds: number;
  readonly risk: number;
  readonly control: string | null;
  readonly reason: string | null;
  readonly cause: string | null;
  readonly value: number | null;
  readonly since: number | null;
};
export type OwnView = {
  readonly ref: string;
  readonly strategy: string;
  readonly side: string;
  readonly odds: number;
  readonly remaining: number;
  readonly status: string;
  readonly sentAt: number;
  readonly ahead: number;
  readonly rank: number;
};
/** The place of a market by value per place permit. */
export type SelectView = {
  readonly selected: boolean;
  /** 1 the best. Null while a gate is closed. */
  readonly rank: number | null;
  readonly gate: string | null;
  /** Dollars an hour, and per place permit. */
  readonly value: number;
  readonly perPermit: number;
  /** Takes seen, and quotes that had to move, an hour. */
  readonly takes: number;
  readonly requotes: number;
  /** Why it is left out. Null when it is selected. */
  readonly reason: string | null;
};
export type MarketRowView = {
  readonly game: string;
  readonly gameId: string;
  readonly league: string | null;
  readonly start: number | null;
  readonly live: boolean;
  readonly type: string;
  readonly line: number | null;
  /** The part of the game. `full` for the whole game. */
  readonly period: string;
  readonly sides: readonly [string, string];
  readonly quoted: boolean;
  readonly fair: number | null;
  /** Prices of outside sources that have one: `odds`, `model`, `fair`. */
  readonly outside: Readonly<Record<string, number>>;
  readonly first: BestView;
  readonly second: BestView;
  readonly fresh: readonly [string, string] | null;
  readonly slots: readonly SlotView[];
  readonly own: readonly OwnView[];
  readonly said: Readonly<Record<string, string>>;
  /** Null unless markets are ranked (`markets.select`). */
  readonly select: SelectView | null;
  readonly position: readonly [first: number, second: number, staked: number];
  readonly worst: number;
  /** What is held on other exchanges: what each side brings, and whether the values have expired. */
  readonly elsewhere: readonly [first: number, second: number, isExpired: boolean] | null;
  readonly worstOfGame: number;
  /** The worst case of the game with all its parts. */
  readonly worstWithParts: number;
  readonly markout: number | null;
};

/** A game, or a part of one, with fills: what it may bring by the distribution of its score (docs/prices/game-risk.md). */
export type GameRowView = ScoreFigures & {
  readonly game: string;
  readonly league: string;
  readonly start: number;
  readonly live: boolean;
  /** `full` for the whole game. */
  readonly period: string;
  /** The number of markets with a position. */
  readonly markets: number;
  /** At the worst score or void. */
  readonly worst: number;
  /** The scores that hurt, worst first. */
  readonly hurting: readonly (readonly [scores: string, value: number, p: number])[];
  readonly picture: GamePictureView | null;
};
/** What a game brings over margin (columns) and total (rows), the lowest first, row by row. */
export type GamePictureView = {
  /** The lowest value, the width of a column or row, and their number. */
  readonly margins: readonly [from: number, width: number, count: number];
  readonly totals: readonly [from: number, width: number, count: number];
  /** The largest gain or loss of a cell. */
  readonly largest: number;
  /** A letter a cell: what it brings, from `a` (the largest loss) over `j` (nothing) to `s` (the largest gain). */
  readonly values: string;
  /** A digit a cell: the root of its probability, 9 for the likeliest; a space for one that hardly happens. */
  readonly sizes: string;
};

/**
 * The market of an order. `game` includes its start, `line` is that of the first side, `period` is `full` for
 * the whole game.
 */
export type PlaceView = {
  readonly game: string;
  readonly type: string;
  readonly line: number | null;
  readonly period: string;
};

export type OrderRow = PlaceView & {
  readonly orderId: string | null;
  readonly strategy: string;
  readonly market: string;
  readonly side: string;
  readonly odds: number;
  readonly risk: number;
  readonly filled: number;
  readonly mayFill: number;
  readonly status: string;
  readonly sentAt: number;
  readonly placing: string;
  readonly linkedBy: string | null;
  readonly former: boolean;
};

/** An order of the account that another program placed. */
export type ExternalRow = Omit<OrderRow, 'strategy' | 'filled' | 'sentAt' | 'placing'>;

export type FillRowView = {
  readonly t: number;
  readonly market: string | null;
  readonly game: string | null;
  readonly type: string;
  /** The line of the first side. */
  readonly line: number | null;
  /** The part of the game. `full` for the whole game. */
  readonly period: string;
  readonly side: string | null;
  readonly strategy: string | null;
  readonly ref: string | null;
  readonly odds: number | null;
  readonly risk: number;
  readonly payout: number | null;
  readonly f0: number | null;
  readonly fc: number | null;
  /** Markouts by seconds, dollars. */
  readonly markouts: Readonly<Record<string, number>>;
  readonly profit: number | null;
  /** Null for a fill of another program's order. */
  readonly role: 'maker' | 'taker' | null;
  /** How long the order had rested, ms. */
  readonly ageMs: number | null;
  /** Others' stake ahead of the order when it was accepted, and when it filled (unknown in a live run). */
  readonly ahead: number | null;
  readonly aheadAtFill: number | null;
  /** The strategy's reason for the quote. */
  readonly reason: string | null;
  /** The payoff of the market by its two sides before the fill, and after. */
  readonly before: readonly [first: number, second: number];
  readonly after: readonly [first: number, second: number];
  /** Null while unknown. */
  readonly pickedOff: 'latency' | 'pricing' | 'no' | null;
};

/**
 * Sums over the fills that share a property (`by`). Null where no fill has the value. `order`: the place in a
 * report.
 */
export type AttributionView = AttributionRow & {
  readonly phase: Phase | 'sum';
  readonly by: string;
  readonly order: number;
  readonly name: string;
};

export type StrategyRow = {
  readonly name: string;
  readonly scope: string;
  readonly file: string;
  readonly params: readonly ParamView[];
  readonly state: 'runs' | 'paused' | 'off';
  /** The number of markets in which the strategy is disabled while it runs in others. */
  readonly offIn: number;
  readonly wanted: number;
  readonly orders: number;
  readonly fault: { readonly code: string; readonly text: string; readonly place: string | null } | null;
};

export type ParamView = {
  readonly name: string;
  readonly value: unknown;
  readonly isSet: boolean;
  readonly description: string | null;
};

export type LogRow = {
  readonly t: number;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly text: string;
  /** The fields of the newest repetition. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** How often the line was logged, since when, and former different fields, newest first. */
  readonly count: number;
  readonly since: number;
  readonly former: readonly { readonly t: number; readonly fields: Readonly<Record<string, unknown>> }[];
};

export type AlertRow = {
  readonly alert: string;
  readonly level: string;
  readonly text: string;
  readonly since: number;
  readonly over: number | null;
};

/** A time, then the values of gauges and curves. */
export type Point = readonly [
  t: number,
  placeFree: number,
  cancelFree: number,
  waiting: number,
  value: number,
  pnl: number,
  worst: number,
  resting: number,
  wanted: number,
];

export type PageState = {
  readonly seq: number;
  readonly t: number;
  readonly now: NowView;
  readonly markets: Readonly<Record<string, MarketRowView>>;
  /** Games with fills, by id. Computed every two seconds. */
  readonly games: Readonly<Record<string, GameRowView>>;
  readonly orders: Readonly<Record<string, OrderRow>>;
  readonly externals: Readonly<Record<string, ExternalRow>>;
  readonly fills: Readonly<Record<string, FillRowView>>;
  readonly attribution: Readonly<Record<string, AttributionView>>;
  readonly strategies: Readonly<Record<string, StrategyRow>>;
  readonly log: Readonly<Record<string, LogRow>>;
  readonly alerts: Readonly<Record<string, AlertRow>>;
  /** Points of the last minutes by time, and of the whole run, coarser. */
  readonly recent: Readonly<Record<string, Point>>;
  readonly curve: Readonly<Record<string, Point>>;
};

export type LadderRowView = {
  readonly odds: number;
  readonly size: number;
  readonly offers: number;
  readonly own: number;
};

/** The details of one market. */
export type MarketView = {
  readonly id: string;
  readonly ladder: readonly [readonly LadderRowView[], readonly LadderRowView[]] | null;
  /** Points: time, fair price, own best price of each side as probability of the first side. */
  readonly path: readonly (readonly [number, number | null, number | null, number | null])[];
};
