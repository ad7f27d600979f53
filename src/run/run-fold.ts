// What one run came to, folded from its events: its fills with what is known of them, how it quoted, what permits it used, and how
// its result went (src/report makes the figures of it). Pure: the same events give the same facts.
import type {
  EventOf,
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
  ofSide,
  phaseOf,
  plus,
  probabilityOf,
  withoutTaken,
  ZERO,
} from '../domain/index.ts';
import { QuotePoints } from '../measure/index.ts';
import { busiestOf } from './busiest.ts';
import { Curve } from './curve.ts';
import type { FillBook } from './fill-book.ts';
import { OrderTally } from './order-tally.ts';
import type { RunFill } from './run-fill.ts';
import type { OrderEnd, ReportOrder } from './report-order.ts';
import { RequestUse } from './request-use.ts';
import { fine } from './rounding.ts';
import type { QuotePath, RunFacts } from './run-facts.ts';
import type { RunStatus } from './run-json.ts';
import type { RunningFacts } from './running-figures.ts';

const SAMPLE_MS = 10_000;

/** What a fold keeps beside sums. */
type Kept = {
  /** Lives of orders that are told apart to the millisecond; absent: all of them. */
  readonly mostLives?: number;
  /** Each order that rested (`ended`). */
  readonly orders: boolean;
  /** How quoted markets looked (`busiest`). */
  readonly paths: boolean;
  /**
   * Each sample with a result is a point of the curve, which begins with points so far apart, ms. Absent: they are ten seconds
   * apart, and none is where no frame came.
   */
  readonly curveStepMs?: number;
};
const ALL: Kept = { orders: true, paths: true };

type Order = { -readonly [K in Exclude<keyof ReportOrder, 'toMs' | 'end' | 'fromMs'>]: ReportOrder[K] } & {
  /** Unix ms; undefined: it does not rest yet. */
  fromMs: number | undefined;
  /** When it came to rest. */
  phase: Phase;
};

/** How a quoted market looks now. */
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
  /** Orders that were sent and are not over. */
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
  /** The newest of each field. */
  readonly #sample: { -readonly [Field in keyof EventOf<'Sample'>]: EventOf<'Sample'>[Field] } = { type: 'Sample' };
  readonly #counts: { -readonly [Name in keyof RunCounts]: RunCounts[Name] } = { ...NO_COUNTS };
  readonly #heldWhy = new Map<string, string>();
  #mode: PlayerMode | undefined;
  #openAtExit: number | undefined;

  /** `fills`: follows those of several runs, where they share an exchange. `isCounted`: fills that this run has a part in. */
  constructor(fills: FillBook, isCounted: (event: EventOf<'Fill'>) => boolean, kept = ALL) {
    this.#fills = fills;
    this.#isCounted = isCounted;
    this.#kept = kept;
    this.#curve = new Curve(kept.curveStepMs ?? SAMPLE_MS);
    this.#tallies = eachPhase(() => new OrderTally(kept.mostLives));
  }

  /** What happened at `t`, Unix ms. */
  apply(t: number, events: readonly RunEvent[]): void {
    this.#requests.apply(t, events);
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
      case 'ModeSeen':
        this.#mode = event.mode;
        return;
      case 'RunEnded':
        this.#openAtExit = event.openAtExit;
        return;
      default:
        this.#fills.apply(event);
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
      // as the journal has it
      reason: why?.said === undefined ? undefined : withoutTaken(why.said),
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

  /** Home and away of its game changed places: it is on the same team. */
  #move({ ref, market, side }: EventOf<'OrderMoved'>): void {
    const order = this.#orders.get(ref);
    if (order === undefined) return;
    this.#shown.get(order.market.id)?.resting.delete(order);
    order.market = marketOf(market);
    order.side = side;
    if (!this.#kept.paths || order.fromMs === undefined) return;
    // prices of the other orientation: the next sample has those of this one
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
    if (!this.#isCounted(event) || !this.#fills.add(event, t) || event.ref === undefined) return;
    // what it took before it rested is no part of what rests
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
    this.#curve.add(t, { marked: marked / 1e6, worst: worst / 1e6, inventory: inventory / 1e6, inPlay: inPlay / 1e6 });
  }

  /** The run is over, at `t`. `fills`: those that count. */
  end(t: number, fills: readonly RunFill[]): RunFacts {
    for (const order of this.#orders.values()) if (order.fromMs !== undefined) this.#addRow(order, t, 'open');
    this.#orders.clear();
    return { ...this.now, fills, requests: this.#requests.timeline };
  }

  /** As of the newest sample. */
  get now(): RunningFacts {
    const { mostHeld, shares = NO_SHARES } = this.#sample;
    const { wantedMs, wantingMs, limitedMs, held } = shares;
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
      // the longest first
      heldBack: Object.fromEntries(
        Object.entries(held)
          .sort(([, a], [, b]) => b - a)
          .map(([control, ms]) => [control, fine(ms / wantedMs)]),
      ),
      atLimits: wantingMs === 0 ? 0 : limitedMs / wantingMs,
    };
  }

  /** What `run --json` says of it, as of the newest sample. */
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

  /** Intents without a quote, by their reason. */
  get idle(): Readonly<Record<string, number>> {
    return this.#sample.idle ?? {};
  }

  /** By control, the first reason that it gave for an empty slot, with strategy and market. */
  get heldWhy(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#heldWhy);
  }

  /** How old signals were when strategies read them; undefined: none was read, or the run is not over. */
  get signals(): EventOf<'Sample'>['signals'] {
    return this.#sample.signals;
  }

  /** From one point of the curve to the next, ms: more, the longer the run. */
  get curveStepMs(): number {
    return this.#curve.stepMs;
  }

  /** How long slots waited for their requests. */
  get waits(): RequestUse['waits'] {
    return this.#requests.waits;
  }

  /** Orders that rested, in the order in which they ended. */
  get ended(): readonly ReportOrder[] {
    return this.#ended;
  }

  busiest(fills: readonly RunFill[]): QuotePath | undefined {
    return busiestOf(fills, (id) => this.#shown.get(id)?.path.list ?? []);
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
    this.#tallies[phase].add(row);
    if (this.#kept.orders) this.#ended.push(row);
  }
}

/** What else ended an order cancelled it. */
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
