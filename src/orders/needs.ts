// The difference between targets and live orders of one market, slot by slot. Invariant: a slot with a
// request in flight or an unknown order needs nothing, because it is occupied until its fate is known.
import type { OwnOrder } from '../account/index.ts';
import { remainingOf } from '../account/index.ts';
import type { Cause, Ladder, SlotId, Way } from '../domain/index.ts';
import {
  crosses,
  elementAt,
  microsOfCents,
  moveValue,
  NAKED_VALUE,
  oddsOf,
  payoutOf,
  probabilityOfRung,
} from '../domain/index.ts';
import type { Target } from './targets.ts';

type Common = {
  readonly slot: SlotId;
  readonly cause: Cause;
  /** The cost of waiting, micro-dollars (trade.md, "Value and staleness"). */
  readonly value: number;
  /** Needs are served by rank, highest first: the value, less for an offer far back in its queue. */
  readonly rank: number;
  /** Since when the slot needs something, monotonic ms. Undefined until the need pool takes the need. */
  since: number | undefined;
  /** The alternative that the newest plan rejected. `because`: the reason. */
  over: Way;
  because: string;
};
export type Cancel = Common & {
  readonly type: 'cancel';
  readonly order: OwnOrder;
  /** The target of the slot, if any. */
  readonly target: Target | undefined;
};
export type Move = Common & {
  readonly type: 'move';
  readonly order: OwnOrder;
  readonly target: Target;
  /** True when the resting offer gives away more than the newest intent wants. */
  readonly generous: boolean;
  /**
   * True when the offer gives away so much that an empty slot costs less: it is cancelled rather than left
   * until a permit comes.
   */
  readonly dangerous: boolean;
};
export type Place = Common & { readonly type: 'place'; readonly target: Target };
export type Need = Cancel | Move | Place;

/** The fields of a need before the pool and the planner set them. */
const UNDECIDED = { since: undefined, over: 'wait', because: '' } as const;
/** A quote is refilled below this share of its size. */
const REFILL_BELOW = 0.5;
/** The discount of an offer at the very end of a queue. */
const BACK_DISCOUNT = 0.5;
/** A price is dangerous when it is too generous by this many tolerances. */
const DANGEROUS_TOLERANCES = 2;

export function needsOf(targets: readonly Target[], live: readonly OwnOrder[], tolerance: number): Need[] {
  const needs: Need[] = [];
  for (let number = 0; number < targets.length; number++) {
    const target = elementAt(targets, number);
    let orders = 0;
    let firstOrder: OwnOrder | undefined;
    let areOpen = true;
    let hasUnknown = false;
    for (let index = 0; index < live.length; index++) {
      const order = live[index];
      if (order === undefined) break;
      if (order.slot !== target.slot) continue;
      orders += 1;
      firstOrder ??= order;
      if (order.status !== 'open') areOpen = false;
      if (order.status === 'unknown') hasUnknown = true;
    }
    if (firstOrder === undefined) {
      if (target.denial === undefined) needs.push(placeOf(target));
    } else if (!areOpen) {
      if (hasUnknown) needs.push(...needsOfUnknown(target, live, tolerance));
    } else if (target.denial !== undefined) {
      for (const order of live) if (order.slot === target.slot) needs.push(cancelOf(order, 'denied', target));
    } else if (orders > 1) {
      // one of the orders may be gone, and an edit of that one would fail
      for (const order of live)
        if (order !== firstOrder && order.slot === target.slot) needs.push(cancelOf(order, 'doubled', target));
    } else {
      const need = moveOf(firstOrder, target, tolerance, isInTheWay(firstOrder, targets));
      if (need !== undefined) needs.push(need);
    }
  }
  for (let index = 0; index < live.length; index++) {
    const order = live[index];
    if (order === undefined) break;
    if (isCancellable(order) && !isWanted(order, targets)) needs.push(cancelOf(order, 'unwanted', undefined));
  }
  return needs;
}

/** The cancels of a slot with an unanswered edit: the old order may rest, and cancelling it is safe. */
const needsOfUnknown = (target: Target, live: readonly OwnOrder[], tolerance: number): readonly Need[] =>
  live
    .filter(({ slot }) => slot === target.slot)
    .filter((order) => isCancellable(order) && isUnwanted(order, target, tolerance))
    .map((order) => cancelOf(order, target.denial === undefined ? 'generous' : 'denied', target));

const isWanted = ({ slot }: OwnOrder, targets: readonly Target[]): boolean => {
  for (let index = 0; index < targets.length; index++) if (targets[index]?.slot === slot) return true;
  return false;
};

function placeOf(target: Target): Place {
  const value = payout(target) * NAKED_VALUE;
  return { type: 'place', slot: target.slot, target, cause: 'empty', value, rank: value, ...UNDECIDED };
}

/** True for an order that is open, or of unknown fate with a known id. */
const isCancellable = (order: OwnOrder): boolean =>
  order.status === 'open' || (order.status === 'unknown' && order.id !== undefined && !order.id.isAsked);

const isUnwanted = (order: OwnOrder, target: Target, tolerance: number): boolean =>
  target.denial !== undefined ||
  probabilityOfRung(order.rung) - probabilityOfRung(target.rung) > tolerance * DANGEROUS_TOLERANCES;

const payout = (target: Target): number => payoutOf(microsOfCents(target.risk), oddsOf(target.rung));

/** The cancel of an order. Its value is the whole payout, which an unwanted order may cost. */
export function cancelOf(order: OwnOrder, cause: Cause, target: Target | undefined): Cancel {
  const value = payoutOf(remainingOf(order), oddsOf(order.rung));
  return { type: 'cancel', slot: order.slot, order, target, cause, value, rank: value, ...UNDECIDED };
}

/** True when a quote on the other side would cross the order: then it must move, whatever the tolerance. */
function isInTheWay(order: OwnOrder, targets: readonly Target[]): boolean {
  for (const { side, rung, denial } of targets)
    if (denial === undefined && side !== order.side && crosses(rung, order.rung)) return true;
  return false;
}

function moveOf(order: OwnOrder, target: Target, tolerance: number, inTheWay: boolean): Move | undefined {
  const q = probabilityOfRung(order.rung);
  const wanted = probabilityOfRung(target.rung);
  const remaining = remainingOf(order);
  const size = microsOfCents(target.risk);
  const priced = Math.abs(q - wanted) <= tolerance && !(inTheWay && order.rung !== target.rung);
  const oversized = remaining > size;
  const sized = !oversized && remaining >= size * REFILL_BELOW;
  if (priced && sized) return undefined;
  const dangerous = q - wanted > tolerance * DANGEROUS_TOLERANCES || oversized;
  const value =
    payoutOf(remaining, oddsOf(order.rung)) * moveValue(q, wanted) +
    (sized ? 0 : payout(target) * NAKED_VALUE * REFILL_BELOW);
  return {
    type: 'move',
    slot: target.slot,
    order,
    target,
    cause: oversized ? 'oversized' : priced ? 'refill' : q > wanted ? 'generous' : 'shy',
    value,
    rank: value * queueWeight(order, target.queue),
    generous: q > wanted || oversized,
    dangerous,
    ...UNDECIDED,
  };
}

/** The weight of a queue position: 1 at the front, towards one half with others' stake in front. */
function queueWeight(order: OwnOrder, queue: Ladder): number {
  let ahead = 0;
  // by index: iterators of frozen arrays are slow
  for (let index = 0; index < queue.length; index++) {
    const offer = queue[index];
    if (offer === undefined) break;
    const { rung, untaken } = offer;
    if (rung > order.rung) break;
    ahead += untaken;
  }
  return 1 - (BACK_DISCOUNT * ahead) / (ahead + remainingOf(order));
}
