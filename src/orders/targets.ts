// From intents to targets: what should rest in each slot of one market. A price goes onto the ladder in the
// bot's favour and behind the others' best offer, because every quote is `post`. A slot keeps its live order
// by key, else by nearest rung.
import type { OwnOrder } from '../account/index.ts';
import type {
  Cents,
  HeldIntent,
  Ladder,
  Market,
  Quote,
  QuoteIntent,
  Rung,
  Side,
  SlotId,
  StrategyId,
  WantedOrder,
} from '../domain/index.ts';
import {
  crosses,
  elementAt,
  LAST_RUNG,
  microsOfCents,
  oddsOf,
  payoutOf,
  rungOfQuote,
  sideIndex,
  slotId,
  withLast,
} from '../domain/index.ts';
import type { BandReference, Denial, RiskLimits } from '../risk/index.ts';
import type { Freshness } from '../mirror/index.ts';
import { checkQuote } from '../risk/index.ts';

export type Target = WantedOrder & {
  readonly slot: SlotId;
  readonly strategy: StrategyId;
  readonly key: string;
  /** Other clients' offers on this side. */
  readonly queue: Ladder;
  /** Sequence number of the input that brought the intent. */
  readonly intent: number;
  /** The reason that the strategy gave with the intent. */
  readonly said?: string | undefined;
  /** The place of the market by value per permit, where markets are ranked. */
  readonly rank?: string | undefined;
  /** The denial, when nothing may rest here now; the slot is still wanted. */
  readonly denial: Denial | undefined;
};

export type TargetContext = {
  readonly market: Market;
  /** Other clients' offers on the first and second side. */
  readonly others: readonly [Ladder, Ladder];
  readonly freshness: readonly [Freshness, Freshness];
  /** The price that the price band is measured against, independent of the strategy's own fair price. */
  readonly reference: BandReference | undefined;
  readonly limits: RiskLimits;
  /** The limits for the quotes of a strategy. Default: `limits`. */
  readonly limitsOf?: (strategy: StrategyId) => RiskLimits;
  /** Points of odds between two own prices. */
  readonly oddsStep: number;
  readonly live: readonly OwnOrder[];
  /** The targets of this market before. */
  readonly former: readonly Target[];
  /** Denies everything when set: gate closed, feeds down, stopping, or player mode. */
  readonly closed: Denial | undefined;
  /** The denial for one strategy, or for one side of one market. */
  readonly denialOf: (strategy: StrategyId, market: Market, side: Side) => Denial | undefined;
  /** The denial of a market that is not selected, when no control denies the quote. */
  readonly unselected?: Denial | undefined;
  /** The place of the market by value per permit, for people. */
  readonly rank?: string | undefined;
  /**
   * The most that the allowed targets of a side may pay out, stakes included, micro-dollars. Undefined: no
   * limit.
   */
  readonly mostPayout: number | undefined;
};

/**
 * The targets of one market from all strategies' intents, in the order of the YAML file. Where two cross, the
 * first wins.
 */
export function targetsOf(intents: readonly HeldIntent[], context: TargetContext): Target[] {
  const targets: Target[] = [];
  for (let number = 0; number < intents.length; number++) {
    const held = elementAt(intents, number);
    const { strategy, intent } = held;
    const own = ownReference(intent, context);
    for (let index = 0; index < 2; index++) {
      const side = context.market.sides[index as 0 | 1];
      const across = context.others[(1 - index) as 0 | 1][0];
      let quotes: Quote[] | undefined;
      let rungs: Rung[] | undefined;
      for (let quoteIndex = 0; quoteIndex < intent.quotes.length; quoteIndex++) {
        const quote = elementAt(intent.quotes, quoteIndex);
        if (quote.side !== side) continue;
        const rung = rungOfQuote(quote, across?.rung, context.oddsStep);
        if (rung === undefined) targets.push(deniedForPrice(held, side, quote, targets.length, context));
        else {
          quotes = withLast(quotes, quote);
          rungs = withLast(rungs, rung);
        }
      }
      if (quotes === undefined || rungs === undefined) continue;
      const first = elementAt(quotes, 0);
      // the usual case: one quote
      if (quotes.length === 1 && first.key === undefined) {
        const rung = elementAt(rungs, 0);
        const nearest = nearestTo(rung, strategy, side, context.live);
        const key = nearest?.key ?? FIRST_KEY;
        const slot = nearest?.slot ?? slotOf(strategy, side, key, context);
        addTarget(targets, held, { side, rung, risk: first.risk, key, slot }, own);
      } else
        for (const [quoteIndex, key] of keysOf(quotes, rungs, strategy, side, context.live)) {
          const slot = slotOf(strategy, side, key, context);
          const { risk } = elementAt(quotes, quoteIndex);
          addTarget(targets, held, { side, rung: elementAt(rungs, quoteIndex), risk, key, slot }, own);
        }
    }
  }
  return targets;
}

/**
 * The context with the intent's fair price as reference, under `risk.bandWithout: own` and when there is no
 * other reference.
 */
function ownReference({ fair }: QuoteIntent, context: TargetContext): TargetContext {
  return context.reference !== undefined || context.limits.bandWithout !== 'own' || fair === undefined
    ? context
    : { ...context, reference: { p: fair, of: 'own' } };
}

/**
 * A denied target for a quote without a valid price. It has a slot of its own, so that no live order is
 * matched to it. Its rung, for display, is the end of the ladder that the price lies beyond.
 */
function deniedForPrice(
  { strategy, intent, seq }: HeldIntent,
  side: Side,
  quote: Quote,
  number: number,
  { market, others, closed }: TargetContext,
): Target {
  const wantedPrice = 'probability' in quote ? quote.probability : quote.odds;
  const isCertain = 'probability' in quote ? wantedPrice >= 0.5 : wantedPrice < 0;
  const key = `!${number}`;
  return {
    slot: slotId(strategy, market, side, key),
    strategy,
    key,
    market,
    side,
    risk: quote.risk,
    rung: (isCertain ? 0 - LAST_RUNG : LAST_RUNG) as Rung,
    queue: others[sideIndex(side)],
    intent: seq,
    said: intent.reason,
    denial: closed ?? {
      control: 'no-price',
      reason: `${'probability' in quote ? 'probability' : 'odds'} ${wantedPrice}: there are no such odds, a price is above 0 and below 1`,
    },
  };
}

/** The slot id, reused from the former targets when possible. */
function slotOf(
  strategy: StrategyId,
  side: Side,
  key: string,
  { market, former }: Pick<TargetContext, 'market' | 'former'>,
): SlotId {
  for (let index = 0; index < former.length; index++) {
    const target = elementAt(former, index);
    if (target.key === key && target.side === side && target.strategy === strategy) return target.slot;
  }
  return slotId(strategy, market, side, key);
}

function addTarget(
  targets: Target[],
  { strategy, intent, seq }: HeldIntent,
  { side, rung, risk, key, slot }: Pick<Target, 'side' | 'rung' | 'risk' | 'key' | 'slot'>,
  context: TargetContext,
): void {
  const { market, closed, others } = context;
  const queue = others[sideIndex(side)];
  const reason = intent.reason;
  const target = {
    slot,
    strategy,
    key,
    market,
    side,
    rung,
    risk,
    queue,
    intent: seq,
    said: reason,
    rank: context.rank,
    denial: undefined as Denial | undefined,
  };
  target.denial =
    closed ??
    context.denialOf(strategy, market, side) ??
    checkQuote(target, context, context.limitsOf?.(strategy) ?? context.limits) ??
    ownCross(target, targets) ??
    context.unselected;
  if (context.mostPayout !== undefined && target.denial === undefined) {
    target.risk = riskWithin(context.mostPayout - payoutsOf(targets, side), target);
    if (target.risk < context.limits.minOrderRisk)
      target.denial = { control: 'reduce-only', reason: 'the position is smaller than an order can be' };
  }
  targets.push(target);
}

type Sized = { readonly risk: Cents; readonly rung: Rung };
const payoutAt = ({ risk, rung }: Sized): number => payoutOf(microsOfCents(risk), oddsOf(rung));

/** The payout of the allowed targets on this side so far, micro-dollars. */
function payoutsOf(targets: readonly Target[], side: Side): number {
  let sum = 0;
  for (const target of targets) if (target.side === side && target.denial === undefined) sum += payoutAt(target);
  return sum;
}

/** The largest part of the target's size that pays out no more than `most`. */
function riskWithin(most: number, target: Sized): Cents {
  const payout = payoutAt(target);
  return payout <= most ? target.risk : (Math.max(0, Math.floor((target.risk * most) / payout)) as Cents);
}

function ownCross(
  wanted: { readonly side: Side; readonly rung: Rung },
  targets: readonly Target[],
): Denial | undefined {
  for (let index = 0; index < targets.length; index++) {
    const { denial, side, rung, strategy } = elementAt(targets, index);
    if (denial === undefined && side !== wanted.side && crosses(rung, wanted.rung))
      return { control: 'own-cross', reason: `it would cross the quote of ${strategy} on ${side}` };
  }
  return undefined;
}

const FIRST_KEY = '#0';

/** The live order nearest in price whose key the strategy did not choose. */
function nearestTo(rung: Rung, strategy: StrategyId, side: Side, live: readonly OwnOrder[]): OwnOrder | undefined {
  let nearest: OwnOrder | undefined;
  for (let index = 0; index < live.length; index++) {
    const order = elementAt(live, index);
    if (!isCandidate(order, strategy, side)) continue;
    if (nearest === undefined || Math.abs(rung - order.rung) < Math.abs(rung - nearest.rung)) nearest = order;
  }
  return nearest;
}

const isCandidate = (order: OwnOrder, strategy: StrategyId, side: Side): boolean =>
  order.strategy === strategy && order.side === side && isAutoKey(order.key);

/**
 * The key of each quote: its own, else that of the nearest live order without a quote, else the next free
 * number. Quotes with a key of their own come first; of several with the same key, the first counts.
 */
function keysOf(
  quotes: readonly Quote[],
  rungs: readonly Rung[],
  strategy: StrategyId,
  side: Side,
  live: readonly OwnOrder[],
): readonly (readonly [index: number, key: string])[] {
  const keys: [number, string][] = [];
  const used = new Set<string>();
  const unkeyed: number[] = [];
  for (const [index, { key }] of quotes.entries()) {
    if (key === undefined) unkeyed.push(index);
    else if (!used.has(key)) {
      used.add(key);
      keys.push([index, key]);
    }
  }
  if (unkeyed.length === 0) return keys;
  const candidates: { readonly index: number; readonly key: string; readonly distance: number }[] = [];
  for (const order of live) {
    if (!isCandidate(order, strategy, side)) continue;
    for (const index of unkeyed)
      candidates.push({ index, key: order.key, distance: Math.abs(elementAt(rungs, index) - order.rung) });
  }
  candidates.sort((a, b) => a.distance - b.distance);
  const keyOf = new Map<number, string>();
  for (const { index, key } of candidates) {
    if (keyOf.has(index) || used.has(key)) continue;
    keyOf.set(index, key);
    used.add(key);
  }
  let next = 0;
  for (const index of unkeyed) {
    let key = keyOf.get(index);
    if (key === undefined) {
      while (used.has(`#${next}`)) next += 1;
      key = `#${next}`;
      used.add(key);
    }
    keys.push([index, key]);
  }
  return keys;
}

/** True for an automatic key. Strategies cannot choose such keys, so the two never collide. */
const isAutoKey = (key: string): boolean => key.startsWith('#');
