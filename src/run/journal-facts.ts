// The facts of a run out of its journal, step by step behind the core: its fills with what was known of their orders, how it quoted,
// what permits it used, and how its result went (src/report makes the figures of it).
import { Curve } from './curve.ts';
import { RequestTimeline } from './request-timeline.ts';
import { PhasePermits } from './waits.ts';
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
  TxId,
} from '../domain/index.ts';
import {
  FLAT,
  gameTitle,
  inventoryOfAll,
  microsOfCents,
  oddsOf,
  ofSide,
  plus,
  probabilityOfRung,
  sidesOf,
  withoutTaken,
  ZERO,
} from '../domain/index.ts';
import type { Core } from '../engine/index.ts';
import type { FillTracker, NewFill } from './fill-tracker.ts';
import type { Look, Offered } from './quote-clock.ts';
import type { OrderEnd, ReportOrder } from './report-order.ts';
import type { OutsideOfFill, OutsideSource } from './outside-prices.ts';
import type { Phase } from './phase.ts';
import type { QuotePath, RunFacts } from './run-facts.ts';
import type { ReportFill } from './report-fill.ts';
import type { RunningFacts } from './running-figures.ts';
import { busiestOf } from './busiest.ts';
import { CAUSE_MS, isInPlay, NO_MARKOUTS } from './fill-tracker.ts';
import { closedOutside, NO_OUTSIDE, openOutside, OutsidePrices } from './outside-prices.ts';
import { eachPhase, phaseOf } from './phase.ts';
import { OrderTally } from './order-tally.ts';
import { PAST_MS } from './report-fill.ts';
import { QuoteClock } from './quote-clock.ts';
import { TakeClock } from './take-clock.ts';
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
  /** When it came to rest. */
  phase: Phase;
  queuePlaced: Micros | undefined;
  fair: number | undefined;
  filled: Micros;
};

/** Learned in part when a fill is made, and at the close the rest: the objects are those of the fill. */
type OwnFair = { readonly f0: number; readonly past: number | undefined; fc: number | undefined };
type Unclosed = {
  readonly txId: TxId;
  readonly market: Market;
  readonly side: Side;
  readonly strategy: StrategyId | undefined;
  readonly isInPlay: boolean;
  readonly outside: OutsideOfFill;
  readonly own: OwnFair | undefined;
};

function ownOf(strategy: StrategyId, id: MarketId, side: Side, t: number, core: Core): OwnFair | undefined {
  const f0 = ofSide(side, core.ownFairOf(strategy, id, t - CAUSE_MS));
  return f0 === undefined
    ? undefined
    : { f0, past: ofSide(side, core.ownFairOf(strategy, id, t - CAUSE_MS - PAST_MS)), fc: undefined };
}

export type RunFill = Omit<ReportFill, 'f0' | 'fc' | 'later' | 'profit' | 'commission'> &
  NewFill & { readonly ref: OrderRef | undefined };

export class FactsOfRun {
  readonly #instance: string;
  readonly #fills: FillTracker<RunFill>;
  readonly #orders = new Map<OrderRef, Order>();
  readonly #ended: ReportOrder[] = [];
  readonly #tallies: Readonly<Record<Phase, OrderTally>>;
  readonly #keepsAll: boolean;
  readonly #clock: QuoteClock<Order>;
  readonly #takes = new TakeClock();
  readonly #requests = new RequestTimeline();
  readonly #permits = new PhasePermits();
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
  constructor(instance: string, fills: FillTracker<RunFill>, kept?: { readonly mostLives: number }) {
    this.#instance = instance;
    this.#fills = fills;
    this.#keepsAll = kept === undefined;
    this.#tallies = eachPhase(() => new OrderTally(kept?.mostLives));
    this.#clock = new QuoteClock(this.#keepsAll);
  }

  step(
    { t, in: input }: Pick<StampedArrival, 't'> & { readonly in?: StampedArrival['in'] },
    commands: readonly Command[],
    core: Core,
  ): void {
    for (const fill of this.#unclosed)
      if (!fill.isInPlay && isInPlay(core.gameOf(fill.market.gameId), t)) this.#close(fill, t, core);
    if (input?.type === 'signal') this.#outside.apply(input);
    const isShort = commands.length > 0 && core.isShortOfPermits;
    for (const command of commands) this.#applyCommand(command, t, isShort, core);
    for (const { ref, isOver, endedAs, ahead } of core.turns()) {
      const order = this.#orders.get(ref as OrderRef);
      if (order === undefined) continue;
      if (isOver) this.#end(order, endedAs, t);
      else if (order.fromMs === undefined && ahead !== undefined) this.#rest(order, ahead, t, core);
    }
    if (t >= this.#lookAt) this.#look(t, core);
  }

  /** A fill of this run, as the core booked it. `fills`: what follows it. */
  apply(fill: Extract<FillNews, { readonly fill: unknown }>['fill'], t: number, core: Core, fills = this.#fills): void {
    const { txId, gameId, market, side, risk, win } = fill;
    if (market === undefined || side === undefined || win === undefined || fills.has(txId)) return;
    const { ref, owner, isOwn } = orderOfFill(fill, this.#instance);
    const order = ref === undefined ? undefined : this.#orders.get(ref);
    if (order !== undefined) {
      this.#clock.passIn(market.id, t);
      order.filled = plus(order.filled, risk);
    }
    const game = core.gameOf(gameId);
    const { first, second } = positionIn(market.id, core) ?? FLAT;
    const own = owner === undefined ? undefined : ownOf(owner.strategy, market.id, side, t, core);
    const isLive = isInPlay(game, t);
    fills.apply(
      // one flat literal with all that it will ever have: there may be very many
      {
        txId,
        ref,
        gameId,
        market,
        side,
        risk,
        payout: risk + win,
        t,
        league: game?.league ?? '',
        start: game?.start ?? t,
        eventName: game === undefined ? gameId : gameTitle(game),
        isInPlay: isLive,
        strategy: owner?.strategy,
        // all of ours are `post`: they wait to be taken
        role: isOwn ? 'maker' : undefined,
        ageMs: order?.fromMs === undefined ? undefined : Math.max(0, t - order.fromMs),
        queuePlaced: order?.queuePlaced,
        queueFilled: undefined,
        reason: order?.reason,
        position: { first, second },
        past: ofSide(side, core.fairBefore(market.id, t - CAUSE_MS - PAST_MS)),
        own,
        outside: this.#outsideOf({ txId, market, side, strategy: owner?.strategy, isInPlay: isLive, own }),
        f0: undefined,
        fc: undefined,
        later: NO_MARKOUTS,
        profit: undefined,
        commission: 0,
      },
      core,
    );
  }

  /** Home and away of the game of a fill changed places (`FillTracker.move`). */
  move({ txId, market, side }: Extract<FillNews, { readonly type: 'moved' }>, core: Core, fills = this.#fills): void {
    fills.move(txId, market, side, core);
    this.#outside.forgetGame(market.gameId);
    for (const fill of this.#unclosed) if (fill.txId === txId) Object.assign(fill, { market, side });
  }

  /** The run is over. `fills`: those that count. */
  end(t: number, core: Core, fills: readonly ReportFill[]): RunFacts {
    for (const order of this.#clock.close(t)) this.#row(order, t, 'open');
    for (const fill of this.#unclosed) if (fill.isInPlay) this.#close(fill, t, core);
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
      phases: eachPhase((phase) => ({
        orders: this.#tallies[phase].counts,
        quotes: this.#clock.timesIn(phase),
        takes: this.#takes.countsIn(phase),
        permits: this.#permits.factsIn(phase),
      })),
      curve: this.#curve.points,
      maxDrawdown: this.#curve.maxDrawdown,
      worst: this.#curve.worst,
      ...this.#held,
    };
  }

  #outsideOf(fill: Omit<Unclosed, 'outside'>): OutsideOfFill {
    if (!this.#keepsAll) return NO_OUTSIDE;
    const { market, side } = fill;
    const outside = openOutside((source) => ofSide(side, this.#outside.newest(source, market.id)));
    this.#unclosed.add({ ...fill, outside });
    return outside;
  }

  #close(fill: Unclosed, t: number, core: Core): void {
    const { market, side, strategy, outside, own } = fill;
    const newest = (source: OutsideSource): number | undefined => ofSide(side, this.#outside.newest(source, market.id));
    Object.assign(outside, closedOutside(outside, newest));
    if (own !== undefined && strategy !== undefined) own.fc = ofSide(side, core.ownFairOf(strategy, market.id, t));
    this.#unclosed.delete(fill);
  }

  /** Orders that rested, in the order in which they ended. */
  get ended(): readonly ReportOrder[] {
    return this.#ended;
  }

  busiest(fills: readonly RunFill[]): QuotePath | undefined {
    return busiestOf(fills, (id) => this.#clock.pathOf(id));
  }

  #applyCommand(command: Command, t: number, isShort: boolean, core: Core): void {
    const inPhase = (market: Market | undefined): Phase =>
      phaseOf({ isInPlay: market !== undefined && isInPlay(core.gameOf(market.gameId), t) });
    switch (command.type) {
      case 'place':
        this.#requests.add('place', t);
        this.#permits.add(
          'place',
          command.orders.map(({ market }) => inPhase(market)),
          command.why,
          isShort,
        );
        for (const [index, order] of command.orders.entries()) this.#sent(order, command.why[index]?.said);
        return;
      case 'edit':
        this.#requests.add('place', t);
        this.#permits.add('place', [inPhase(command.order.market)], [command.why], isShort);
        this.#sent(command.order, command.why.said);
        return;
      case 'cancel':
        this.#requests.add('cancel', t);
        this.#permits.add(
          'cancel',
          command.orderIds.map((id) => inPhase(core.marketOfOrder(id))),
          command.why,
          isShort,
        );
        return;
      default:
    }
  }

  #sent({ ref, market, side, rung, risk }: NewOrder, said: string | undefined): void {
    // as the journal has it
    const reason = said === undefined ? undefined : withoutTaken(said);
    const price = probabilityOfRung(rung);
    const order: Order = {
      ref,
      market,
      side,
      price,
      odds: oddsOf(rung),
      risk: microsOfCents(risk),
      reason,
      fromMs: undefined,
      phase: 'prematch',
      queuePlaced: undefined,
      fair: undefined,
      filled: ZERO,
      payoutLeft: () => Math.max(0, order.risk - order.filled) / price / 1e6,
    };
    this.#orders.set(ref, order);
  }

  #rest(order: Order, ahead: Micros, t: number, core: Core): void {
    const look = lookAt(order.market, t, core);
    const { fair } = look;
    order.fromMs = t;
    order.phase = look.phase;
    order.queuePlaced = ahead;
    order.fair = ofSide(order.side, fair);
    this.#clock.add(order, t, look);
  }

  #end(order: Order, endedAs: string | undefined, t: number): void {
    this.#orders.delete(order.ref);
    if (order.fromMs === undefined) return;
    this.#clock.remove(order, t);
    this.#row(order, t, endedAs === 'filled' ? 'filled' : endedAs === 'edit' ? 'edited' : 'cancelled');
  }

  #row(
    { ref, market, side, price, odds, risk, filled, fromMs = 0, phase, queuePlaced, fair, reason }: Order,
    toMs: number,
    end: OrderEnd,
  ): void {
    const strategy = ownerOf(ref, this.#instance)?.strategy;
    this.#tallies[phase].add({ end, fromMs, toMs, queuePlaced, filled });
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
    for (const { market } of core.ownPrices()) {
      if (!this.#clock.isQuoted(market)) continue;
      const known = this.#clock.marketOf(market);
      if (known === undefined) continue;
      const look = lookAt(known, t, core);
      this.#clock.see(market, t, look);
      const others = this.#keepsAll ? core.othersIn(market) : undefined;
      for (const [index, offers] of (others ?? []).entries())
        this.#takes.see(market, sidesOf(known.type)[index === 0 ? 0 : 1], offers, { ms: t, ...look });
    }
    const { marked, worst } = core;
    this.#curve.look({ marked, worst });
    if (t < this.#sampleAt && !isEnd) return;
    const { heldShare, atLimits, frames } = core.status();
    this.#held = { heldBack: heldShare, atLimits };
    this.#sampleAt = t + this.#curve.stepMs;
    if (frames === this.#frames && !isEnd) return;
    this.#frames = frames;
    const positions = [...core.positions()];
    const live = positions.filter(({ market }) => isInPlay(core.gameOf(market.gameId), t));
    this.#curve.add(t, {
      marked,
      worst,
      inventory: inventoryOfAll(positions) / 1e6,
      inPlay: inventoryOfAll(live) / 1e6,
    });
  }
}

function lookAt({ id, gameId }: Market, t: number, core: Core): Look {
  const game = core.gameOf(gameId);
  return {
    phase: phaseOf({ isInPlay: isInPlay(game, t) }),
    league: game?.league ?? '',
    fair: core.fairOf(id),
    best: core.othersBest(id),
  };
}
