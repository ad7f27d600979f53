// The facts of a run out of its journal, step by step behind the core: its fills with what was known of their orders, how it quoted,
// what permits it used, and how its result went (src/report makes the figures of it).
import { Curve } from '../backtest/curve.ts';
import { RequestCounts } from '../backtest/request-counts.ts';
import { Waits } from '../backtest/waits.ts';
import type { FillNews } from '../account/index.ts';
import { ownerOf } from '../account/index.ts';
import type {
  AmericanOdds,
  Command,
  Market,
  MarketId,
  Micros,
  NewOrder,
  OrderRef,
  Side,
  StampedArrival,
  StrategyId,
  Why,
} from '../domain/index.ts';
import { FLAT, inventoryOfAll, microsOfCents, oddsOf, ofSide, probabilityOfRung } from '../domain/index.ts';
import type { Core } from '../engine/index.ts';
import type {
  FillTracker,
  NewFill,
  Offered,
  OrderEnd,
  QuotePath,
  ReportFill,
  ReportOrder,
  RunFacts,
  RunningFacts,
} from '../report/index.ts';
import {
  busiestOf,
  CAUSE_MS,
  isInPlay,
  OrderTally,
  OutsidePrices,
  PAST_MS,
  QuoteClock,
} from '../report/index.ts';
import { orderOfFill, positionIn } from './own-fill.ts';

/** Quotes, books and the result are looked at so often: frames come faster. */
const LOOK_EVERY_MS = 1000;

type Order = Offered & {
  readonly ref: OrderRef;
  readonly odds: AmericanOdds;
  readonly risk: Micros;
  readonly reason: string | undefined;
  /** Unix ms; undefined: it does not rest yet. */
  fromMs: number | undefined;
  queuePlaced: Micros | undefined;
  fair: number | undefined;
  filled: Micros;
};

type Unclosed = {
  readonly market: Market;
  readonly side: Side;
  readonly isInPlay: boolean;
  readonly prices: { readonly f0: number | undefined; fc: number | undefined };
};

function ownOf(strategy: StrategyId, id: MarketId, side: Side, t: number, core: Core): RunFill['own'] {
  const f0 = ofSide(side, core.ownFairOf(strategy, id, t - CAUSE_MS));
  return f0 === undefined
    ? undefined
    : { f0, past: ofSide(side, core.ownFairOf(strategy, id, t - CAUSE_MS - PAST_MS)) };
}

export type RunFill = Omit<ReportFill, 'f0' | 'fc' | 'later' | 'profit' | 'commission'> &
  NewFill & { readonly ref: OrderRef | undefined };

export class FactsOfRun {
  readonly #instance: string;
  readonly #fills: FillTracker<RunFill>;
  readonly #orders = new Map<OrderRef, Order>();
  readonly #ended: ReportOrder[] = [];
  readonly #tally: OrderTally;
  readonly #keepsAll: boolean;
  readonly #clock: QuoteClock<Order>;
  readonly #waits = new Waits();
  readonly #requests = new RequestCounts();
  readonly #permits = { place: 0, cancel: 0 };
  readonly #outside = new OutsidePrices();
  /** Fills that wait for the outside price of the close. */
  readonly #unclosed = new Set<Unclosed>();
  readonly #curve = new Curve();
  #lookAt = Number.NEGATIVE_INFINITY;
  #sampleAt = Number.NEGATIVE_INFINITY;
  /** Frames that had come when the curve was last looked at: where none comes, nothing is told, as in a backtest. */
  #frames = -1;
  #held: Pick<RunFacts, 'heldBack' | 'atLimits'> = { heldBack: {}, atLimits: 0 };

  /**
   * `fills`: follows those of several runs, where they share an exchange. `kept`: of a run that may go on for months its orders are counted here, and no
   * list grows with it.
   */
  constructor(instance: string, fills: FillTracker<RunFill>, kept?: { readonly tally: OrderTally }) {
    this.#instance = instance;
    this.#fills = fills;
    this.#keepsAll = kept === undefined;
    this.#tally = kept?.tally ?? new OrderTally();
    this.#clock = new QuoteClock(this.#keepsAll);
  }

  step(
    { t, in: input }: Pick<StampedArrival, 't'> & { readonly in?: StampedArrival['in'] },
    commands: readonly Command[],
    core: Core,
  ): void {
    for (const fill of this.#unclosed)
      if (!fill.isInPlay && isInPlay(core.gameOf(fill.market.gameId), t)) this.#close(fill);
    if (input?.type === 'signal') this.#outside.apply(input);
    const isShort = commands.length > 0 && core.isShortOfPermits;
    for (const command of commands) this.#applyCommand(command, t, isShort);
    for (const { ref, isOver, endedAs, ahead } of core.turns()) {
      const order = this.#orders.get(ref as OrderRef);
      if (order === undefined) continue;
      if (isOver) this.#end(order, endedAs, t);
      else if (order.fromMs === undefined && ahead !== undefined) this.#rest(order, ahead, t, core);
    }
    if (t >= this.#lookAt) this.#look(t, core);
  }

  /** A fill of this run, as the core booked it. `fills`: what follows it. */
  apply(
    fill: Extract<FillNews, { readonly fill: unknown }>['fill'],
    t: number,
    core: Core,
    fills = this.#fills,
  ): void {
    const { txId, gameId, market, side, risk, win } = fill;
    if (market === undefined || side === undefined || win === undefined) return;
    const { ref, owner, isOwn } = orderOfFill(fill, this.#instance);
    const order = ref === undefined ? undefined : this.#orders.get(ref);
    if (order !== undefined) order.filled = (order.filled + risk) as Micros;
    const game = core.gameOf(gameId);
    const { first, second } = positionIn(market.id, core) ?? FLAT;
    fills.apply(
      {
        ...{ txId, ref, gameId, market, side, risk, payout: risk + win, t },
        ...{ league: game?.league ?? '', start: game?.start ?? t, eventName: game?.eventName ?? gameId },
        isInPlay: isInPlay(game, t),
        strategy: owner?.strategy,
        // all of ours are `post`: they wait to be taken
        role: isOwn ? 'maker' : undefined,
        ageMs: order?.fromMs === undefined ? undefined : Math.max(0, t - order.fromMs),
        queuePlaced: order?.queuePlaced,
        queueFilled: undefined,
        reason: order?.reason,
        position: { first, second },
        past: ofSide(side, core.fairBefore(market.id, t - CAUSE_MS - PAST_MS)),
        own: owner === undefined ? undefined : ownOf(owner.strategy, market.id, side, t, core),
        outside: this.#outsideOf(market, side, isInPlay(game, t)),
      },
      core,
    );
  }

  /** The run is over. `fills`: those that count. */
  end(t: number, core: Core, fills: readonly ReportFill[]): RunFacts {
    for (const order of this.#clock.close(t)) this.#row(order, t, 'open');
    for (const fill of this.#unclosed) if (fill.isInPlay) this.#close(fill);
    this.#look(t, core, true);
    return { ...this.#now, fills, requests: this.#requests.list };
  }

  /** As it stands at `t`. */
  at(t: number): RunningFacts {
    this.#clock.pass(t);
    return this.#now;
  }

  get #now(): RunningFacts {
    return {
      orders: this.#tally.counts,
      quotes: this.#clock.times,
      permits: { ...this.#waits.facts, ...this.#permits },
      curve: this.#curve.points,
      maxDrawdown: this.#curve.maxDrawdown,
      worst: this.#curve.worst,
      ...this.#held,
    };
  }

  #outsideOf(market: Market, side: Side, isLive: boolean): RunFill['outside'] {
    if (!this.#keepsAll) return undefined;
    const prices = { f0: ofSide(side, this.#outside.newest(market.id)), fc: undefined };
    this.#unclosed.add({ market, side, isInPlay: isLive, prices });
    return prices;
  }

  #close(fill: Unclosed): void {
    fill.prices.fc = ofSide(fill.side, this.#outside.newest(fill.market.id));
    this.#unclosed.delete(fill);
  }

  /** Orders that rested, in the order in which they ended. */
  get ended(): readonly ReportOrder[] {
    return this.#ended;
  }

  busiest(fills: readonly RunFill[]): QuotePath | undefined {
    return busiestOf(fills, (id) => this.#clock.pathOf(id));
  }

  #applyCommand(command: Command, t: number, isShort: boolean): void {
    switch (command.type) {
      case 'place':
        this.#count('place', command.why, t, isShort);
        for (const [index, order] of command.orders.entries()) this.#sent(order, command.why[index]?.said);
        return;
      case 'edit':
        this.#count('place', [command.why], t, isShort);
        this.#sent(command.order, command.why.said);
        return;
      case 'cancel':
        this.#count('cancel', command.why, t, isShort);
        return;
      default:
    }
  }

  #count(kind: 'place' | 'cancel', why: readonly Why[], t: number, isShort: boolean): void {
    this.#permits[kind] += 1;
    this.#requests.add(kind, t);
    for (const one of why) this.#waits.add(one, isShort);
  }

  #sent({ ref, market, side, rung, risk }: NewOrder, reason: string | undefined): void {
    this.#orders.set(ref, {
      ...{
        ref,
        market,
        side,
        price: probabilityOfRung(rung),
        odds: oddsOf(rung),
        risk: microsOfCents(risk),
        reason,
      },
      ...{ fromMs: undefined, queuePlaced: undefined, fair: undefined, filled: 0 as Micros },
    });
  }

  #rest(order: Order, ahead: Micros, t: number, core: Core): void {
    const { id } = order.market;
    const fair = core.fairOf(id);
    order.fromMs = t;
    order.queuePlaced = ahead;
    order.fair = ofSide(order.side, fair);
    this.#clock.add(order, t, { fair, best: core.othersBest(id) });
  }

  #end(order: Order, endedAs: string | undefined, t: number): void {
    this.#orders.delete(order.ref);
    if (order.fromMs === undefined) return;
    this.#clock.remove(order, t);
    this.#row(order, t, endedAs === 'filled' ? 'filled' : endedAs === 'edit' ? 'edited' : 'cancelled');
  }

  #row(
    { ref, market, side, price, odds, risk, filled, fromMs = 0, queuePlaced, fair, reason }: Order,
    toMs: number,
    end: OrderEnd,
  ): void {
    const strategy = ownerOf(ref, this.#instance)?.strategy;
    this.#tally.add({ end, fromMs, toMs, queuePlaced, filled });
    if (this.#keepsAll)
      this.#ended.push({
        ref,
        strategy,
        market,
        side,
        price,
        odds,
        risk,
        filled,
        fromMs,
        toMs,
        end,
        queuePlaced,
        fair,
        reason,
      });
  }

  #look(t: number, core: Core, isEnd = false): void {
    this.#lookAt = t + LOOK_EVERY_MS;
    for (const { market, fair } of core.ownPrices())
      if (this.#clock.isQuoted(market)) this.#clock.see(market, t, { fair, best: core.othersBest(market) });
    const { marked, worst } = core;
    this.#curve.look({ marked, worst });
    if (t < this.#sampleAt && !isEnd) return;
    const { heldShare, atLimits, frames } = core.status();
    this.#held = { heldBack: heldShare, atLimits };
    this.#sampleAt = t + this.#curve.stepMs;
    if (frames === this.#frames && !isEnd) return;
    this.#frames = frames;
    this.#curve.add(t, { marked, worst, inventory: inventoryOfAll(core.positions()) / 1e6 });
  }
}
