// Builds the state of the page from a core and the state of the process, for a live bot or a replayed
// journal. It follows every step, as the journal does, and changes nothing.
import type { GameId, MarketId, StampedArrival } from '../domain/index.ts';
import { eachPhase, MARKOUT_SECONDS, namedGame, parseTime, redactedKeys } from '../domain/index.ts';
import type { Core, CoreStatus } from '../engine/index.ts';
import type { FillSums, RunFill } from '../run/index.ts';
import { cents, clvRatios, markoutOf, perPlaceOf } from '../run/index.ts';
import type { Fence, BotState } from '../ops/index.ts';
import type { GameRisksSource } from './game-rows.ts';
import { GameRows } from './game-rows.ts';
import type { PageFigures } from './page-figures.ts';
import { FigureRows } from './page-figures.ts';
import { History } from './history.ts';
import { dollarsOf, fillRow, orderRow, periodOf, rowOf } from './page-rows.ts';
import type { Parts } from './parts.ts';
import { ROWS_IN_PART, wholeOf } from './parts.ts';
import type { PageSource } from './server/page-stream.ts';
import type {
  AlertRow,
  FenceView,
  FiguresView,
  PhaseFiguresView,
  LogRow,
  MarketView,
  NowView,
  PageState,
  ParamView,
  PlaceView,
  Point,
  StrategyRow,
  TotalsView,
} from './state.ts';

/** The part of the core that the page reads. */
export type PageCore = Pick<
  Core,
  | 'status'
  | 'eachMarket'
  | 'strategies'
  | 'strategiesOff'
  | 'orders'
  | 'externalOrders'
  | 'ladder'
  | 'ownPrices'
  | 'gameOf'
> &
  GameRisksSource;

/** The state of a run outside its core. */
export type ShellView = {
  readonly state: BotState;
  readonly account: string;
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
  readonly panic: string | undefined;
  readonly fence: Fence | undefined;
  readonly problems: readonly string[];
  /** Why nothing is quoted, if the process knows the reason. Undefined when the core does. */
  readonly closed?: string | undefined;
  /** The time of the last frame of each feed, Unix ms. */
  readonly frameAt: { readonly prices: number | undefined; readonly user: number | undefined };
  readonly drops: { readonly prices: number; readonly user: number };
  readonly limits: { readonly place: number; readonly cancel: number };
  readonly http: Readonly<Record<string, number>>;
  readonly refusals: Readonly<Record<string, number>>;
  readonly latencies: NowView['latencies'];
  readonly journal: string | undefined;
  /** The result of all earlier runs of the account, dollars. */
  readonly formerPnl: number;
  readonly strategies: Readonly<Record<string, StrategyFile>>;
  readonly log: Readonly<Record<string, LogRow>>;
  readonly alerts: Readonly<Record<string, AlertRow>>;
};

export type StrategyFile = {
  readonly file: string;
  readonly params: readonly ParamView[];
  readonly fault: StrategyRow['fault'];
};

const MOST_FILLS = 500;

export class PageView implements PageSource {
  readonly #core: PageCore;
  readonly #figures: PageFigures;
  readonly #figureRows: FigureRows;
  readonly #gameRows: GameRows;
  readonly #shell: () => ShellView;
  /** The newest fills by txID, oldest first, and those that changed since their rows were made. */
  readonly #fills = new Map<string, RunFill>();
  readonly #changed = new Set<string>();
  /** The rows of fills. They are kept, since there are many and few change. */
  #fillRows: PageState['fills'] = {};
  readonly #history = new History();
  #seq = 0;
  #t = 0;

  /** @param figures must follow each step before this view does */
  constructor(core: PageCore, figures: PageFigures, shell: () => ShellView) {
    this.#core = core;
    this.#figures = figures;
    this.#figureRows = new FigureRows(figures);
    this.#gameRows = new GameRows(core);
    this.#shell = shell;
  }

  /** Follows a step, after the core. */
  step({ seq, t }: Pick<StampedArrival, 'seq' | 't'>): void {
    this.#seq = seq;
    this.#t = t;
    const core = this.#core;
    for (const fill of this.#figures.changed) this.#keep(fill);
    this.#history.step(
      t,
      () => pointOf(t, core.status()),
      () => core.ownPrices(),
    );
  }

  #keep(fill: RunFill): void {
    const { txId, t } = fill;
    const [oldest] = this.#fills.values();
    // a fill that was dropped stays dropped when it changes
    if (this.#fills.size >= MOST_FILLS && oldest !== undefined && !this.#fills.has(txId)) {
      if (t < oldest.t) return;
      this.#fills.delete(oldest.txId);
    }
    this.#fills.set(txId, fill);
    this.#changed.add(txId);
  }

  state(): PageState {
    return wholeOf(this.stateInParts());
  }

  *stateInParts(): Parts<PageState> {
    const core = this.#core;
    const [seq, t] = [this.#seq, this.#t];
    const shell = this.#shell();
    yield;
    const now = nowOf(core.status(), shell, figuresOf(this.#figures));
    yield;
    const totals = this.#figureRows.totals(t);
    yield;
    const markets = yield* this.#marketRows();
    const games = yield* this.#gameRows.at(t);
    const orders: Record<string, PageState['orders'][string]> = {};
    for (const [index, order] of core.orders().entries()) {
      orders[order.ref] = { ...orderRow(order), ...this.#placeOf(order) };
      if (index % ROWS_IN_PART === 0) yield;
    }
    const off = new Map(core.strategiesOff().map((strategy) => [strategy.id, strategy.markets]));
    return {
      seq,
      t,
      now: { ...now, ...totals },
      markets,
      games,
      orders,
      externals: Object.fromEntries(
        core.externalOrders().map((order) => [
          order.orderId,
          {
            ...this.#placeOf(order),
            orderId: order.orderId,
            market: order.market,
            side: order.side,
            odds: order.odds,
            risk: order.risk,
            mayFill: order.mayFill,
            status: 'open',
            linkedBy: null,
            former: false,
          },
        ]),
      ),
      fills: this.#fillsNow(),
      attribution: this.#figureRows.attribution(t),
      strategies: Object.fromEntries(
        core.strategies().map(({ id, isOff, isPaused, name, scope, wanted, orders }) => {
          const { file = '', params = [], fault = null } = shell.strategies[id] ?? {};
          const state = isOff ? 'off' : isPaused ? 'paused' : 'runs';
          const offIn = off.get(id) ?? 0;
          return [id, { name, scope, file, params, state, offIn, wanted, orders, fault }];
        }),
      ),
      log: shell.log,
      alerts: shell.alerts,
      recent: this.#history.recent,
      curve: this.#history.curve,
    };
  }

  *#marketRows(): Parts<PageState['markets']> {
    const markouts = new Map<string, number>();
    for (const fill of this.#fills.values()) {
      const latest = MARKOUT_SECONDS.map((seconds) => markoutOf(fill, seconds)).findLast(
        (money) => money !== undefined,
      );
      if (latest !== undefined) markouts.set(fill.market.id, (markouts.get(fill.market.id) ?? 0) + latest);
    }
    const rows: Record<string, PageState['markets'][string]> = {};
    let count = 0;
    for (const market of this.#core.eachMarket()) {
      const row = rowOf(market, this.#t, markouts.get(market.market));
      rows[market.market] = { ...row, period: this.#periodOf(market.gameId as GameId) };
      if ((count += 1) % ROWS_IN_PART === 0) yield;
    }
    return rows;
  }

  market(id: string): MarketView | undefined {
    const ladder = this.#core.ladder(id as MarketId);
    const path = this.#history.pathOf(id);
    if (ladder === undefined && path.length === 0) return undefined;
    return { id, ladder: ladder ?? null, path };
  }

  #periodOf(gameId: GameId): string {
    return periodOf(this.#core.gameOf(gameId));
  }

  #placeOf({ gameId, type, line }: PlacedOrder): PlaceView {
    const game = this.#core.gameOf(gameId);
    const name = game === undefined ? gameId : namedGame(game.eventName, game.start);
    return { game: name, type, line: line ?? null, period: periodOf(game) };
  }

  #fillsNow(): PageState['fills'] {
    const changed = this.#changed;
    if (changed.size === 0) return this.#fillRows;
    const before = this.#fillRows;
    this.#fillRows = Object.fromEntries(
      [...this.#fills].map(([txId, fill]) => {
        const known = changed.has(txId) ? undefined : before[txId];
        // the core may forget a game before its fills are final
        const game = this.#core.gameOf(fill.gameId);
        const period = game === undefined ? before[txId]?.period : periodOf(game);
        return [txId, known ?? fillRow(fill, period)];
      }),
    );
    changed.clear();
    return this.#fillRows;
  }
}

function pointOf(t: number, { permits, waiting, pnl, resting, wanted }: CoreStatus): Point {
  return [
    ...([t, permits.place, permits.cancel, waiting.slots, cents(waiting.value)] as const),
    ...([cents(pnl.marked), cents(pnl.worst), resting, wanted] as const),
  ];
}

function nowOf(status: CoreStatus, shell: ShellView, figures: FiguresView): Omit<NowView, keyof TotalsView> {
  const { pnl, day, permits, feeds, unknown } = status;
  const feed = (name: 'prices' | 'user') => ({
    up: feeds[name],
    at: shell.frameAt[name] ?? null,
    drops: shell.drops[name],
  });
  return {
    account: shell.account,
    state: shell.state,
    why: whyOf(status, shell),
    trading: status.trading,
    stopping: status.stopping,
    mode: status.mode ?? null,
    wantedMode: shell.wantedMode,
    version: shell.version,
    build: shell.build,
    config: shell.config,
    configHash: shell.configHash,
    run: shell.run,
    startedAt: shell.startedAt,
    guard: shell.guard,
    needsGuard: shell.needsGuard,
    exchange: shell.exchange,
    instance: shell.instance,
    guardDeadlineMs: shell.guardDeadlineMs,
    panic: shell.panic ?? null,
    fence: fenceView(shell.fence),
    problems: shell.problems,
    prices: feed('prices'),
    user: feed('user'),
    balance: status.balance ?? null,
    creditInUse: cents(status.creditInUse),
    pnl: {
      run: cents(pnl.marked),
      worst: cents(pnl.worst),
      day: day?.brought === undefined ? null : cents(day.brought / 1e6),
      dayLimit: day === undefined ? null : day.limit / 1e6,
      dayStartsAt: day?.startsAt ?? null,
      all: cents(shell.formerPnl + pnl.marked),
    },
    inventory: cents(status.inventory),
    markets: status.markets,
    wanted: status.wanted,
    resting: status.resting,
    quotedShare: Math.round(status.quotedShare * 1e3) / 1e3,
    held: status.held,
    idle: redactedKeys(status.idle),
    place: { free: permits.place, limit: shell.limits.place },
    cancel: { free: permits.cancel, limit: shell.limits.cancel },
    waiting: { slots: status.waiting.slots, value: cents(status.waiting.value) },
    orders: {
      open: status.openOrders,
      unknown: unknown.now,
      unknownEver: unknown.ever,
      external: status.externalOrders,
    },
    counts: {
      frames: status.frames,
      intents: status.intents,
      placed: status.placed,
      edited: status.edited,
      cancelled: status.cancelled,
      byOthers: status.cancelledByOthers,
      refused: status.refused,
      fills: status.fills,
      riskFilled: cents(status.riskFilled),
    },
    http: shell.http,
    refusals: shell.refusals,
    latencies: shell.latencies,
    journal: shell.journal ?? null,
    figures,
  };
}

const fenceView = (fence: Fence | undefined): FenceView | null =>
  fence === undefined
    ? null
    : { since: parseTime(fence.when) ?? null, why: fence.why, hung: fence.hung, cleared: fence.cleared ?? null };

/** Returns one sentence: what the bot does, or why it does not quote. */
function whyOf(status: CoreStatus, { state, problems, closed = status.closed }: ShellView): string {
  if (state === 'stopping') return 'Stopping: cancelling all orders, then asking the exchange until nothing is open.';
  if (closed !== undefined) return `Nothing is quoted: ${closed}.`;
  if (state === 'starting') return 'Starting: waiting for the login, the first books and the orders of the account.';
  if (problems.length > 0) return `${problems.join('; ')}.`;
  if (state === 'reduce-only') return 'Only quotes that make a position smaller.';
  if (status.wanted === 0) return 'Ready, and no strategy wants a quote now.';
  const held = Object.values(status.held).reduce((sum, count) => sum + count, 0);
  const reference = status.withoutReference > 0 ? ` (price-band: no reference for ${status.withoutReference})` : '';
  const kept = held > 0 ? `; controls keep ${held} empty${reference}` : '';
  return `Quoting: ${status.resting} of ${status.wanted} wanted quotes rest in ${status.markets} markets${kept}.`;
}

function figuresOf({ sums, figures }: PageFigures): FiguresView {
  const { place } = figures.permits;
  return {
    ...sumsView(sums.sums, place),
    lost: sums.lost,
    phases: eachPhase((phase) => sumsView(sums.sumsIn(phase), figures.phases[phase].permits.place)),
  };
}

/** @param place the number of place permits used */
function sumsView(sums: FillSums, place: number): PhaseFiguresView {
  const { identity, clv, edge, early, spread } = sums;
  const money = (micros: number): number => cents(dollarsOf(micros));
  const known = (fills: number, value: number): number | null => (fills === 0 ? null : value);
  // without any fill each part is 0
  const parts = sums.fills === 0 ? 1 : identity.fills;
  const rounded = (value: number | null, digits: number): number | null =>
    value === null ? null : Number(value.toFixed(digits)) + 0;
  const ratios = clvRatios(clv);
  return {
    fills: sums.fills,
    risk: money(sums.risk),
    open: sums.open,
    unpriced: sums.unpriced.fills,
    spread: known(spread.fills, money(spread.money)),
    identity: {
      spread: known(parts, money(identity.spread)),
      drift: known(parts, money(identity.drift)),
      luck: known(parts, money(identity.luck)),
      pnl: known(parts, money(identity.pnl)),
      commission: known(parts, money(identity.commission)),
      fills: identity.fills,
    },
    clv: {
      money: known(clv.fills, money(clv.money)),
      points: rounded(ratios.points, 5),
      share: rounded(ratios.share, 3),
      plainPoints: rounded(ratios.plainPoints, 5),
      plainShare: rounded(ratios.plainShare, 3),
      fills: clv.fills,
      early: early.fills,
    },
    edge: {
      money: known(edge.fills, money(edge.money)),
      perPlace: rounded(perPlaceOf(place, edge, sums), 6),
      fills: edge.fills,
    },
    markouts: Object.fromEntries(
      MARKOUT_SECONDS.map((seconds) => {
        const { fills: count, money: sum, payout } = sums.markouts[seconds];
        return [
          seconds,
          [known(count, money(sum)), payout === 0 ? null : Math.round((1e5 * sum) / payout) / 1e5, count],
        ];
      }),
    ),
  };
}

type PlacedOrder = Pick<ReturnType<PageCore['orders']>[number], 'gameId' | 'type' | 'line'>;
