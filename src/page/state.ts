// What the page shows, as it goes over the wire (docs/reference/page-stream.md). Money is dollars, times are Unix ms, odds American
// from the owner's view, probabilities of a market's first side. What is not known is null.
import type { Phase } from '../domain/index.ts';
import type { AttributionRow, RunningFigures } from '../run/index.ts';
import type { BotState } from '../ops/index.ts';

export type FeedView = { readonly up: boolean; readonly at: number | null; readonly drops: number };
export type BucketView = { readonly free: number; readonly limit: number };

/** What the guard did: `since` it forbids the bot to place, `why`, and when it had seen the account empty. */
export type FenceView = {
  readonly since: number | null;
  readonly why: string;
  readonly hung: boolean;
  readonly cleared: number | null;
};

/** One sentence, and figures. */
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
  /** Host of the exchange; `embedded`: a paper exchange of its own. */
  readonly exchange: string;
  /** orders.instance: tells bots of one account apart. */
  readonly instance: string;
  /** A guard acts so long after the last sign of life, ms. */
  readonly guardDeadlineMs: number;
  /** What clears the account when the bot cannot; null: nothing of it rests on an exchange that outlives it. */
  readonly panic: string | null;
  /** The fence that stands. */
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
  /** Of the newest answers, by kind of request, ms. */
  readonly latencies: Readonly<Record<string, { readonly p50: number; readonly p99: number; readonly count: number }>>;
  readonly journal: string | null;
  readonly figures: FiguresView;
} & TotalsView;

/** What the run came to, as `report --json` has it. */
export type TotalsView = {
  readonly quoting: RunningFigures['quoting'];
  readonly permits: RunningFigures['permits'];
  /** What was held: `inventory` of a report. */
  readonly exposure: RunningFigures['inventory'];
  /** Fills; `unknown`: younger than a minute. */
  readonly pickedOff: RunningFigures['pickedOff'];
  /** The same of fills before the start, and in play. */
  readonly phases: RunningFigures['phases'];
};

/** Sums over the fills of the run (docs/report.md), of both phases; null: not known. */
export type FiguresView = PhaseFiguresView & {
  /** Not settled when they could be followed no longer: what they bring is in no sum. */
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
  /** Of fills before the start: weighted by payout, and by plain count; `early`: all of them. */
  readonly clv: {
    readonly money: number | null;
    readonly points: number | null;
    readonly share: number | null;
    readonly plainPoints: number | null;
    readonly plainShare: number | null;
    readonly fills: number;
    readonly early: number;
  };
  /** By the close before the start, by the price 300 s later in play. */
  readonly edge: { readonly money: number | null; readonly perPlace: number | null; readonly fills: number };
  /** By seconds: dollars, and dollars a dollar of payout. */
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
export type MarketRowView = {
  readonly game: string;
  readonly gameId: string;
  readonly league: string | null;
  readonly start: number | null;
  readonly live: boolean;
  readonly type: string;
  readonly line: number | null;
  /** `full`: the game itself. */
  readonly period: string;
  readonly sides: readonly [string, string];
  readonly quoted: boolean;
  readonly fair: number | null;
  readonly first: BestView;
  readonly second: BestView;
  readonly fresh: readonly [string, string] | null;
  readonly slots: readonly SlotView[];
  readonly own: readonly OwnView[];
  readonly said: Readonly<Record<string, string>>;
  readonly position: readonly [first: number, second: number, staked: number];
  readonly worst: number;
  readonly worstOfGame: number;
  /** Of the game and all its parts. */
  readonly worstWithParts: number;
  readonly markout: number | null;
};

/** What an order is on. `game` has its start; `line`: of the first side; `period`: `full` for the game itself. */
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

/** An order of the account that is none of this bot's. */
export type ExternalRow = Omit<OrderRow, 'strategy' | 'filled' | 'sentAt' | 'placing'>;

export type FillRowView = {
  readonly t: number;
  readonly market: string | null;
  readonly game: string | null;
  readonly type: string;
  /** Of the first side. */
  readonly line: number | null;
  /** `full`: the game itself. */
  readonly period: string;
  readonly side: string | null;
  readonly strategy: string | null;
  readonly ref: string | null;
  readonly odds: number | null;
  readonly risk: number;
  readonly payout: number | null;
  readonly f0: number | null;
  readonly fc: number | null;
  /** By seconds, dollars. */
  readonly markouts: Readonly<Record<string, number>>;
  readonly profit: number | null;
  /** Null: of no order of ours. */
  readonly role: 'maker' | 'taker' | null;
  /** How long its order had rested. */
  readonly ageMs: number | null;
  /** Others' stake before it when it came to rest, and when it filled: which a live run does not know. */
  readonly ahead: number | null;
  readonly aheadAtFill: number | null;
  /** The strategy's. */
  readonly reason: string | null;
  /** What the market paid by its sides before it, and after. */
  readonly before: readonly [first: number, second: number];
  readonly after: readonly [first: number, second: number];
  /** Null: not known yet. */
  readonly pickedOff: 'latency' | 'pricing' | 'no' | null;
};

/** Fills that have something in common (`by`): sums, null where none of them is known. `order`: as a report has them. */
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
  /** Markets in which it is off while it runs in others. */
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
  /** Of the newest. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** How often it came, since when; and with other fields before, the newest first. */
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

/** t, then what the gauges and curves show. */
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
  readonly orders: Readonly<Record<string, OrderRow>>;
  readonly externals: Readonly<Record<string, ExternalRow>>;
  readonly fills: Readonly<Record<string, FillRowView>>;
  readonly attribution: Readonly<Record<string, AttributionView>>;
  readonly strategies: Readonly<Record<string, StrategyRow>>;
  readonly log: Readonly<Record<string, LogRow>>;
  readonly alerts: Readonly<Record<string, AlertRow>>;
  /** The last minutes, by their times; and the whole run, coarser. */
  readonly recent: Readonly<Record<string, Point>>;
  readonly curve: Readonly<Record<string, Point>>;
};

export type LadderRowView = {
  readonly odds: number;
  readonly size: number;
  readonly offers: number;
  readonly own: number;
};

/** One market, for whoever looks at it. */
export type MarketView = {
  readonly id: string;
  readonly ladder: readonly [readonly LadderRowView[], readonly LadderRowView[]] | null;
  /** t, fair, own best price of either side as probability of the first side. */
  readonly path: readonly (readonly [number, number | null, number | null, number | null])[];
};
