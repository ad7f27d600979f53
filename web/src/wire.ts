// What the bot's stream says (docs/reference/page-stream.md): money in dollars, times in Unix ms, odds American from the owner's
// view, probabilities of a market's first side. What is not known is null.
import type { RowChanges } from '../../src/page/changes.ts';

export type Feed = { readonly up: boolean; readonly at: number | null; readonly drops: number };
export type Bucket = { readonly free: number; readonly limit: number };

export type Fence = {
  readonly since: number | null;
  readonly why: string;
  readonly hung: boolean;
  readonly cleared: number | null;
};

export type Now = {
  readonly account: string;
  readonly state: string;
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
  readonly exchange: string;
  readonly instance: string;
  readonly guardDeadlineMs: number;
  readonly panic: string | null;
  readonly fence: Fence | null;
  readonly problems: readonly string[];
  readonly prices: Feed;
  readonly user: Feed;
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
  readonly place: Bucket;
  readonly cancel: Bucket;
  readonly waiting: { readonly slots: number; readonly value: number };
  readonly orders: {
    readonly open: number;
    readonly unknown: number;
    readonly unknownEver: number;
    readonly external: number;
  };
  readonly counts: Readonly<Record<string, number>>;
  readonly http: Readonly<Record<string, number>>;
  readonly refusals: Readonly<Record<string, number>>;
  readonly latencies: Readonly<Record<string, { readonly p50: number; readonly p99: number; readonly count: number }>>;
  readonly journal: string | null;
  readonly figures: Figures;
} & Totals;

/** Games before their start, and in play; `sum`: both. */
export type Phase = 'prematch' | 'inplay';

/** What the run came to, as `report --json` has it. */
export type Totals = PhaseTotals & {
  readonly phases: Readonly<Record<Phase, PhaseTotals>>;
  readonly exposure: {
    readonly most: number;
    readonly mean: number;
    readonly worst: number | null;
    readonly maxDrawdown: number | null;
    readonly atLimits: number | null;
    readonly heldBack: Readonly<Record<string, number>> | null;
  };
};
export type PhaseTotals = {
  readonly quoting: {
    readonly twoSided: number | null;
    readonly atBest: number | null;
    readonly meanDistance: number | null;
    readonly medianDistance: number | null;
    readonly plainMeanDistance: number | null;
    readonly plainMedianDistance: number | null;
    readonly quoteHours: number;
    readonly orders: number;
    readonly cancelsPerFill: number | null;
    readonly medianLifeMs: number | null;
  };
  readonly permits: {
    readonly place: number;
    readonly cancel: number;
    readonly pnlPerPlace: number | null;
    readonly spreadPerPlace: number | null;
    readonly clvPerPlace: number | null;
    readonly meanWaitMs: number | null;
    readonly staleness: number;
    readonly shadowPrice: number | null;
  };
  readonly pickedOff: Readonly<Record<'latency' | 'pricing' | 'no' | 'unknown', number>>;
};

/** Null: not known. */
export type Figures = PhaseFigures & {
  readonly lost: number;
  readonly phases: Readonly<Record<Phase, PhaseFigures>>;
};
export type PhaseFigures = {
  readonly fills: number;
  readonly risk: number;
  readonly open: number;
  readonly unpriced: number;
  readonly spread: number | null;
  readonly identity: {
    readonly spread: number | null;
    readonly drift: number | null;
    readonly luck: number | null;
    readonly commission: number | null;
    readonly pnl: number | null;
    readonly fills: number;
  };
  readonly clv: {
    readonly money: number | null;
    readonly points: number | null;
    readonly share: number | null;
    readonly plainPoints: number | null;
    readonly plainShare: number | null;
    readonly fills: number;
    readonly early: number;
  };
  readonly edge: { readonly money: number | null; readonly perPlace: number | null; readonly fills: number };
  readonly markouts: Readonly<Record<string, readonly [money: number | null, each: number | null, fills: number]>>;
};

export type Best = { readonly odds: number; readonly size: number } | null;
export type Slot = {
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
export type Own = {
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
export type Market = {
  readonly game: string;
  readonly gameId: string;
  readonly league: string | null;
  readonly start: number | null;
  readonly live: boolean;
  readonly type: string;
  readonly line: number | null;
  readonly period: string;
  readonly sides: readonly [string, string];
  readonly quoted: boolean;
  readonly fair: number | null;
  readonly first: Best;
  readonly second: Best;
  readonly fresh: readonly [string, string] | null;
  readonly slots: readonly Slot[];
  readonly own: readonly Own[];
  readonly said: Readonly<Record<string, string>>;
  readonly position: readonly [first: number, second: number, staked: number];
  readonly worst: number;
  readonly worstOfGame: number;
  readonly worstWithParts: number;
  readonly markout: number | null;
};

/** What it is on: a market of a game, named with its start. `line`: of the first side; `period`: `full` for the game itself. */
export type Place = {
  readonly game: string;
  readonly type: string;
  readonly line: number | null;
  readonly period: string;
};

export type Order = Place & {
  readonly orderId: string | null;
  readonly strategy?: string;
  readonly market: string;
  readonly side: string;
  readonly odds: number;
  readonly risk: number;
  readonly filled?: number;
  readonly mayFill: number;
  readonly status: string;
  readonly sentAt?: number;
  readonly placing?: string;
  readonly linkedBy: string | null;
  readonly former: boolean;
};

export type Fill = {
  readonly t: number;
  readonly market: string | null;
  readonly game: string | null;
  readonly type: string;
  readonly line: number | null;
  readonly period: string;
  readonly side: string | null;
  readonly strategy: string | null;
  readonly ref: string | null;
  readonly odds: number | null;
  readonly risk: number;
  readonly payout: number | null;
  readonly f0: number | null;
  readonly fc: number | null;
  readonly markouts: Readonly<Record<string, number>>;
  readonly profit: number | null;
  readonly role: string | null;
  readonly ageMs: number | null;
  readonly ahead: number | null;
  readonly aheadAtFill: number | null;
  readonly reason: string | null;
  readonly before: readonly [first: number, second: number];
  readonly after: readonly [first: number, second: number];
  readonly pickedOff: string | null;
};

/** Sums over fills that have something in common. */
export type Attribution = {
  readonly by: string;
  readonly phase: Phase | 'sum';
  readonly key: string;
  readonly name: string;
  readonly order: number;
  readonly fills: number;
  readonly risk: number;
  readonly spread: number | null;
  readonly drift: number | null;
  readonly luck: number | null;
  readonly commission: number | null;
  readonly pnl: number | null;
  readonly clv: number | null;
  readonly markout60s: number | null;
  readonly markout300s: number | null;
};

export type Param = {
  readonly name: string;
  readonly value: unknown;
  readonly isSet: boolean;
  readonly description: string | null;
};
export type Strategy = {
  readonly name: string;
  readonly scope: string;
  readonly file: string;
  readonly params: readonly Param[];
  readonly state: 'runs' | 'paused' | 'off';
  readonly offIn: number;
  readonly wanted: number;
  readonly orders: number;
  readonly fault: { readonly code: string; readonly text: string; readonly place: string | null } | null;
};

export type LogLine = {
  readonly t: number;
  readonly level: string;
  readonly text: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly count: number;
  readonly since: number;
  readonly former: readonly { readonly t: number; readonly fields: Readonly<Record<string, unknown>> }[];
};
export type Alert = {
  readonly alert: string;
  readonly level: string;
  readonly text: string;
  readonly since: number;
  readonly over: number | null;
};

/** t, permits in hand of either bucket, slots that wait and their value, P&L, worst loss, quotes that rest of those wanted. */
export type Point = readonly [
  t: number,
  place: number,
  cancel: number,
  waiting: number,
  value: number,
  pnl: number,
  worst: number,
  resting: number,
  wanted: number,
];

export type Rows<T> = Readonly<Record<string, T>>;
export type Sections = {
  readonly markets: Rows<Market>;
  readonly orders: Rows<Order>;
  readonly externals: Rows<Order>;
  readonly fills: Rows<Fill>;
  readonly attribution: Rows<Attribution>;
  readonly strategies: Rows<Strategy>;
  readonly log: Rows<LogLine>;
  readonly alerts: Rows<Alert>;
  readonly recent: Rows<Point>;
  readonly curve: Rows<Point>;
};
export type Snapshot = Sections & { readonly seq: number; readonly t: number; readonly now: Now };

export type Change = { readonly seq: number; readonly t: number; readonly now?: Partial<Now> } & {
  readonly [K in keyof Sections]?: RowChanges;
};

export type LadderRow = {
  readonly odds: number;
  readonly size: number;
  readonly offers: number;
  readonly own: number;
};
export type PathPoint = readonly [t: number, fair: number | null, first: number | null, second: number | null];
export type OneMarket = {
  readonly id: string;
  readonly ladder: readonly [readonly LadderRow[], readonly LadderRow[]] | null;
  readonly path: readonly PathPoint[];
};
export type MarketChange = {
  readonly id: string;
  readonly isNew: boolean;
  readonly ladder?: readonly [readonly LadderRow[], readonly LadderRow[]] | null;
  readonly path: readonly PathPoint[];
};

/** What there is of a run that is over (`oddsmaker view`). */
export type Past = {
  readonly journal: string;
  readonly from: number;
  readonly to: number;
  readonly frames: number;
  readonly marks: readonly (readonly [t: number, kind: 'fill' | 'alert'])[];
  readonly curve: readonly (readonly [t: number, marked: number, worst: number])[];
  readonly ends: string | null;
};
/** One moment of it, and when the moments around it were. */
export type Frame = {
  readonly state: Snapshot;
  readonly market: OneMarket | null;
  readonly before: number | null;
  readonly after: number | null;
};

export type Hello = {
  readonly role: 'control' | 'view';
  readonly everyMs: number;
};
