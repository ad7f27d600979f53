// Folds the events of one run into its facts: fills and their prices, quoting, permit use and the result over
// time. `src/report` computes the figures from them. Pure: the same events give the same facts.
import type {
  EventOf,
  GameId,
  MarketId,
  OrderRef,
  Phase,
  PlayerMode,
  QuoteTimes,
  RunCounts,
  RunEvent,
  ShareSums,
  TakeCounts,
} from '../domain/index.ts';
import {
  eachPhase,
  marketOf,
  microsOfCents,
  namedGame,
  ofSide,
  phaseOf,
  plus,
  probabilityOf,
  redacted,
  ZERO,
} from '../domain/index.ts';
import { QuotePoints } from '../measure/index.ts';
import { busiestOf } from './busiest.ts';
import { Curve } from './curve.ts';
import type { FillBook } from './fill-book.ts';
import { GameRiskPeaks } from './game-risks.ts';
import type { MarketPathSet } from './market-paths.ts';
import { fillsByMarket, MarketPaths } from './market-paths.ts';
import { OrderTally } from './order-tally.ts';
import type { RunFill } from './run-fill.ts';
import type { OrderEnd, ReportOrder } from './report-order.ts';
import { RequestUse } from './request-use.ts';
import { fine } from './rounding.ts';
import type { QuotePath, RunFacts } from './run-facts.ts';
import type { RunStatus } from './run-json.ts';
import type { RunningFacts } from './running-figures.ts';
import type { SeriesPath } from './series-book.ts';
import { SeriesBook } from './series-book.ts';

const SAMPLE_MS = 10_000;

/** What a fold keeps in addition to sums. */
type Kept = {
  /** How many different order lifetimes are kept to the millisecond. Absent: all. */
  readonly mostLifetimes?: number;
  /** Keeps each order that rested (`ended`). */
  readonly orders: boolean;
  /** Keeps the quote path of each market (`busiest`). */
  readonly paths: boolean;
  /** Keeps the series that strategies log. Absent: it does not. */
  readonly series?: boolean;
  /**
   * Initial time between points of the curve, ms; each sample with a result is a point. Absent: points
   * are ten seconds apart, and a time without frames has none.
   */
  readonly curveStepMs?: number;
};
const ALL: Kept = { orders: true, paths: true, series: true };

type Order = { -readonly [K in Exclude<keyof ReportOrder, 'toMs' | 'end' | 'fromMs'>]: ReportOrder[K] } & {
  /** When it rested, Unix ms. Undefined: it does not rest yet. */
  fromMs: number | undefined;
  /** Phase of its game when it rested. */
  phase: Phase;
};

/** Current state of a quoted market. */
type Shown = {
  readonly path: QuotePoints;
  readonly resting: Set<Order>;
  fair: number | undefined;
  best: readonly [number | undefined, number | undefined];
};

export class RunFold {
  readonly #fills: FillBook;
  readonly #isCounted: (event: EventOf<'Fill'>) => boolean;
  readonly #kept: Kept;
  /** Orders that were sent and have not ended. */
  readonly #orders = new Map<OrderRef, Order>();
  readonly #ended: ReportOrder[] = [];
  readonly #tallies: Readonly<Record<Phase, OrderTally>>;
  readonly #shown = new Map<MarketId, Shown>();
  readonly #requests = new RequestUse();
  readonly #quotes = eachPhase(() => new Map<string, QuoteTimes>());
  readonly #takes = eachPhase(() => new Map<string, TakeCounts>());
  readonly #curve: Curve;
  #curveAt = Number.NEGATIVE_INFINITY;
  #frames = -1;
  /** Newest value of each field. */
  readonly #sample: { -readonly [Field in keyof EventOf<'Sample'>]: EventOf<'Sample'>[Field] } = { type: 'Sample' };
  readonly #counts: { -readonly [Name in keyof RunCounts]: RunCounts[Name] } = { ...NO_COUNTS };
  readonly #risks = new GameRiskPeaks();
  readonly #series = new SeriesBook();
  readonly #heldWhy = new Map<string, string>();
  /** Names of games with quoted markets, with their starts. */
  readonly #names = new Map<GameId, string>();
  #mode: PlayerMode | undefined;
  #openAtExit: number | undefined;

  /**
   * @param fills shared by the runs of one exchange
   * @param isCounted true for the fills of this run
   */
  constructor(fills: FillBook, isCounted: (event: EventOf<'Fill'>) => boolean, kept = ALL) {
    this.#fills = fills;
    this.#isCounted = isCounted;
    this.#kept = kept;
    this.#curve = new Curve(kept.curveStepMs ?? SAMPLE_MS);
    this.#tallies = eachPhase(() => new OrderTally(kept.mostLifetimes));
  }

  /** Applies the events of one step at `t`, Unix ms. */
  applyEvents(t: number, events: readonly RunEvent[]): void {
    this.#requests.applyEvents(t, events);
    for (const event of events) this.#apply(event, t);
  }

  #apply(event: RunEvent, t: number): void {
    switch (event.type) {
      case 'OrderSubmitted':
        this.#submit(event);
        return;
      case 'OrderRested':
        this.#rest(event, t);
        return;
      case 'OrderMoved':
        this.#move(event);
        return;
      case 'OrderEnded':
        this.#end(event, t);
        return;
      case 'Fill':
        this.#fill(event, t);
        return;
      case 'Sample':
        this.#applySample(event, t);
        return;
      case 'SlotHeld':
        if (!this.#heldWhy.has(event.control))
          this.#heldWhy.set(event.control, `${event.strategy}, ${event.market}: ${event.reason}`);
        return;
      case 'GameRisk':
        this.#risks.applyEvent(event, t);
        return;
      case 'QuotingStarted':
        if (this.#kept.paths && event.game !== undefined)
          this.#names.set(marketOf(event.market).gameId, namedGame(event.game.name, event.game.start));
        return;
      case 'SeriesLogged':
        if (this.#kept.series === true) this.#series.applyEvent(event, t);
        return;
      case 'ModeSeen':
        this.#mode = event.mode;
        return;
      case 'RunEnded':
        this.#openAtExit = event.openAtExit;
        return;
      default:
        this.#fills.applyEvent(event);
    }
  }

  #submit({ ref, strategy, market, side, odds, risk, why }: EventOf<'OrderSubmitted'>): void {
    this.#orders.set(ref, {
      ref,
      strategy,
      market: marketOf(market),
      side,
      price: probabilityOf(odds),
      odds,
      risk: microsOfCents(risk),
      filled: ZERO,
      queuePlaced: undefined,
      fair: undefined,
      // in the form of the journal
      reason: why?.said === undefined ? undefined : redacted(why.said),
      fromMs: undefined,
      phase: 'prematch',
    });
  }

  #rest({ ref, ahead, fair, offered, isInPlay }: EventOf<'OrderRested'>, t: number): void {
    const order = this.#orders.get(ref);
    if (order === undefined || order.fromMs !== undefined || ahead === undefined) return;
    order.fromMs = t;
    order.phase = phaseOf({ isInPlay: isInPlay === true });
    order.queuePlaced = ahead;
    if (offered !== undefined) order.risk = offered;
    order.fair = ofSide(order.side, fair);
    if (!this.#kept.paths) return;
    const shown = this.#shownIn(order.market.id);
    if (fair !== undefined) shown.fair = fair;
    shown.resting.add(order);
    shown.path.see([...shown.resting], t, shown);
  }

  /** Home and away of its game were swapped: the order stays on the same team. */
  #move({ ref, market, side }: EventOf<'OrderMoved'>): void {
    const order = this.#orders.get(ref);
    if (order === undefined) return;
    this.#shown.get(order.market.id)?.resting.delete(order);
    order.market = marketOf(market);
    order.side = side;
    if (!this.#kept.paths || order.fromMs === undefined) return;
    // these prices have the old orientation: the next sample has the new ones
    const shown = this.#shownIn(order.market.id);
    shown.fair = undefined;
    shown.best = [undefined, undefined];
    shown.resting.add(order);
  }

  #end({ ref, how, filled }: EventOf<'OrderEnded'>, t: number): void {
    const order = this.#orders.get(ref);
    if (order === undefined) return;
    this.#orders.delete(ref);
    if (order.fromMs === undefined) return;
    order.filled = filled;
    this.#addRow(order, t, ENDS[how] ?? 'cancelled');
    this.#hide(order, t);
  }

  #hide(order: Order, t: number): void {
    const shown = this.#shown.get(order.market.id);
    if (shown?.resting.delete(order) === true && shown.resting.size > 0) shown.path.see([...shown.resting], t, shown);
  }

  #fill(event: EventOf<'Fill'>, t: number): void {
    if (!this.#isCounted(event) || !this.#fills.addFill(event, t) || event.ref === undefined) return;
    // the part that it took before it rested is not part of the resting order
    if (event.role === 'taker') return;
    const order = this.#orders.get(event.ref);
    if (order !== undefined) order.filled = plus(order.filled, event.risk);
  }

  #applySample(sample: EventOf<'Sample'>, t: number): void {
    Object.assign(this.#sample, sample);
    if (sample.counts !== undefined) Object.assign(this.#counts, sample.counts);
    for (const { phase, league, ...times } of sample.quotes ?? []) this.#quotes[phase].set(league, times);
    for (const { phase, league, ...counts } of sample.takes ?? []) this.#takes[phase].set(league, counts);
    if (this.#kept.paths)
      for (const { market, fair, best } of sample.markets ?? []) {
        const shown = this.#shownIn(market);
        shown.fair = fair;
        shown.best = [best[0] ?? undefined, best[1] ?? undefined];
        if (shown.resting.size > 0) shown.path.see([...shown.resting], t, shown);
      }
    if (this.#isPoint(sample, t)) this.#addPoint(t);
  }

  #isPoint(sample: EventOf<'Sample'>, t: number): boolean {
    if (this.#kept.curveStepMs !== undefined) return sample.marked !== undefined;
    if (t < this.#curveAt || this.#counts.frames === this.#frames) return false;
    this.#frames = this.#counts.frames;
    this.#curveAt = t + this.#curve.stepMs;
    return true;
  }

  #addPoint(t: number): void {
    const { marked = 0, worst = 0, inventory = 0, inPlay = 0 } = this.#sample;
    this.#curve.addPoint(t, {
      marked: marked / 1e6,
      worst: worst / 1e6,
      inventory: inventory / 1e6,
      inPlay: inPlay / 1e6,
    });
  }

  /** Ends the run at `t`, Unix ms, and returns its facts with `fills`, the ones that count. */
  endRun(t: number, fills: readonly RunFill[]): RunFacts {
    for (const order of this.#orders.values()) if (order.fromMs !== undefined) this.#addRow(order, t, 'open');
    this.#orders.clear();
    return { ...this.now, fills, requests: this.#requests.timeline };
  }

  /** Facts of the run so far, as of the newest sample. */
  get now(): RunningFacts {
    const { mostHeld } = this.#sample;
    return {
      phases: eachPhase((phase) => ({
        orders: this.#tallies[phase].counts,
        quotes: Object.fromEntries(this.#quotes[phase]),
        takes: Object.fromEntries(this.#takes[phase]),
        permits: this.#requests.factsIn(phase),
      })),
      curve: this.#curve.points,
      ...(mostHeld === undefined
        ? {}
        : {
            mostHeld: {
              all: mostHeld.all / 1e6,
              prematch: mostHeld.prematch / 1e6,
              inplay: mostHeld.inplay / 1e6,
            },
          }),
      maxDrawdown: (this.#sample.maxDrawdown ?? 0) / 1e6,
      worst: (this.#sample.worstEver ?? 0) / 1e6,
      ...sharesHeld(this.shares),
      risks: this.#risks.all,
    };
  }

  /** The status in `run --json`, as of the newest sample. */
  get status(): RunStatus {
    const { unknownEver, unknown, riskFilled, ...counts } = this.#counts;
    const { marked = 0, worst = 0, shares = NO_SHARES } = this.#sample;
    const { wantedMs, restedMs } = shares;
    return {
      ...counts,
      riskFilled: riskFilled / 1e6,
      unknown: { ever: unknownEver, now: unknown },
      openAtExit: this.#openAtExit,
      pnl: { marked: marked / 1e6, worst: worst / 1e6 },
      quotedShare: wantedMs === 0 ? 0 : restedMs / wantedMs,
      mode: this.#mode,
    };
  }

  /** Number of intents without a quote, by reason. */
  get idle(): Readonly<Record<string, number>> {
    return this.#sample.idle ?? {};
  }

  /** The first reason of each control for an empty slot, with strategy and market. */
  get heldWhy(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#heldWhy);
  }

  /** The times from which the shares of quoted and held back time are computed. */
  get shares(): ShareSums {
    return this.#sample.shares ?? NO_SHARES;
  }

  /** Age of signals when strategies read them. Undefined: none was read, or the run has not ended. */
  get signals(): EventOf<'Sample'>['signals'] {
    return this.#sample.signals;
  }

  /** Time between points of the curve, ms. It grows with the length of the run. */
  get curveStepMs(): number {
    return this.#curve.stepMs;
  }

  /** Times that slots waited for their requests. */
  get waits(): RequestUse['waits'] {
    return this.#requests.waits;
  }

  /** Orders that rested, in the order in which they ended. */
  get ended(): readonly ReportOrder[] {
    return this.#ended;
  }

  /** The series that strategies logged. */
  get series(): readonly SeriesPath[] {
    return this.#series.paths;
  }

  busiest(fills: readonly RunFill[]): QuotePath | undefined {
    return busiestOf(fills, (id) => this.#shown.get(id)?.path.list ?? []);
  }

  /** How the quoted markets looked over time. `fills`: those of the run. */
  paths(fills: readonly RunFill[]): MarketPathSet {
    const counts = fillsByMarket(fills);
    const paths = new MarketPaths();
    for (const [id, { path }] of this.#shown) {
      const market = marketOf(id);
      const { list: points } = path;
      paths.add({
        market,
        eventName: this.#names.get(market.gameId) ?? market.gameId,
        fills: counts.get(id) ?? 0,
        points,
      });
    }
    return paths.set;
  }

  #shownIn(id: MarketId): Shown {
    let shown = this.#shown.get(id);
    if (shown === undefined)
      this.#shown.set(
        id,
        (shown = { path: new QuotePoints(), resting: new Set(), fair: undefined, best: [undefined, undefined] }),
      );
    return shown;
  }

  #addRow({ phase, fromMs = 0, ...order }: Order, toMs: number, end: OrderEnd): void {
    const row: ReportOrder = { ...order, fromMs, toMs, end };
    this.#tallies[phase].addOrder(row);
    if (this.#kept.orders) this.#ended.push(row);
  }
}

/** Shares of the time for which controls and limits kept slots empty. The longest control comes first. */
export const sharesHeld = ({
  wantedMs,
  wantingMs,
  limitedMs,
  held,
}: ShareSums): Pick<RunFacts, 'heldBack' | 'atLimits'> => ({
  heldBack: Object.fromEntries(
    Object.entries(held)
      .sort(([, a], [, b]) => b - a)
      .map(([control, ms]) => [control, fine(ms / wantedMs)]),
  ),
  atLimits: wantingMs === 0 ? 0 : limitedMs / wantingMs,
});

/** Any other end counts as cancelled. */
const ENDS: Readonly<Record<string, OrderEnd>> = { filled: 'filled', edit: 'edited', expired: 'expired' };

const NO_COUNTS: RunCounts = {
  frames: 0,
  intents: 0,
  placed: 0,
  edited: 0,
  cancelled: 0,
  cancelledByOthers: 0,
  undetermined: 0,
  refused: 0,
  unknownEver: 0,
  unknown: 0,
  fills: 0,
  riskFilled: ZERO,
  otherRequests: 0,
};
const NO_SHARES: ShareSums = { wantedMs: 0, restedMs: 0, wantingMs: 0, limitedMs: 0, held: {} };
