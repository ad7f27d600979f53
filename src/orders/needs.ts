// The difference between targets and live orders of one market, slot by slot. A slot with a request in flight or an
// unknown order needs nothing: it is taken until its fate is known.
import type { OwnOrder } from '../account/index.ts';
import { remainingOf } from '../account/index.ts';
import type { Cause, Ladder, SlotId, Way } from '../domain/index.ts';
import {
  crosses,
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
  /** What waiting costs, micro-dollars (trade.md, "Value and staleness"). */
  readonly value: number;
  /** By which needs are served, highest first: the value, less for an offer that stands far back in its queue. */
  readonly rank: number;
  /** Monotonic ms since when the slot needs something; undefined while nobody has seen it. */
  since: number | undefined;
  /** As the newest plan decided: the way it was not served, and why. */
  over: Way;
  because: string;
};
export type Cancel = Common & {
  readonly type: 'cancel';
  readonly order: OwnOrder;
  /** What is wanted in the slot, if anything. */
  readonly target: Target | undefined;
};
export type Move = Common & {
  readonly type: 'move';
  readonly order: OwnOrder;
  readonly target: Target;
  /** The resting offer gives away more than the newest intent wants to. */
  readonly generous: boolean;
  /** So much that an empty slot costs less: better pulled than left until a permit comes. */
  readonly dangerous: boolean;
};
export type Place = Common & { readonly type: 'place'; readonly target: Target };
export type Need = Cancel | Move | Place;

/** Not seen yet, and not decided. */
const NEW = { since: undefined, over: 'wait', because: '' } as const;
/** A quote that was taken to less than this share of its size is filled up again. */
const REFILL_BELOW = 0.5;
/** How much less an offer at the very end of a queue counts. */
const FAR = 0.5;
/** A price this many tolerances too generous is dangerous. */
const DANGEROUS_TOLERANCES = 2;

export function needsOf(targets: readonly Target[], live: readonly OwnOrder[], tolerance: number): Need[] {
  const needs: Need[] = [];
  for (const target of targets) {
    let orders = 0;
    let only: OwnOrder | undefined;
    let areOpen = true;
    let isUnsure = false;
    for (let at = 0; at < live.length; at++) {
      const order = live[at];
      if (order === undefined) break;
      if (order.slot !== target.slot) continue;
      orders += 1;
      only ??= order;
      if (order.status !== 'open') areOpen = false;
      if (order.status === 'unknown') isUnsure = true;
    }
    if (only === undefined) {
      if (target.denial === undefined) needs.push(placeOf(target));
    } else if (!areOpen) {
      if (isUnsure) needs.push(...needsOfUnsure(target, live, tolerance));
    } else if (target.denial !== undefined) {
      for (const one of live) if (one.slot === target.slot) needs.push(cancelOf(one, 'denied', target));
    } else if (orders > 1) {
      // an edit of the wrong one would be answered with nothing
      for (const one of live)
        if (one !== only && one.slot === target.slot) needs.push(cancelOf(one, 'doubled', target));
    } else {
      const need = moveOf(only, target, tolerance, isInTheWay(only, targets));
      if (need !== undefined) needs.push(need);
    }
  }
  for (let at = 0; at < live.length; at++) {
    const order = live[at];
    if (order === undefined) break;
    if (isCancellable(order) && !isWanted(order, targets)) needs.push(cancelOf(order, 'unwanted', undefined));
  }
  return needs;
}

/** Of an unanswered edit the old order may still rest, or is known to: a cancel of it is always safe. */
const needsOfUnsure = (target: Target, live: readonly OwnOrder[], tolerance: number): readonly Need[] =>
  live
    .filter(({ slot }) => slot === target.slot)
    .filter((one) => isCancellable(one) && isUnwanted(one, target, tolerance))
    .map((one) => cancelOf(one, target.denial === undefined ? 'generous' : 'denied', target));

const isWanted = ({ slot }: OwnOrder, targets: readonly Target[]): boolean => {
  for (let at = 0; at < targets.length; at++) if (targets[at]?.slot === slot) return true;
  return false;
};

function placeOf(target: Target): Place {
  const value = payout(target) * NAKED_VALUE;
  return { type: 'place', slot: target.slot, target, cause: 'empty', value, rank: value, ...NEW };
}

/** Open, or of unknown fate with a known id. */
const isCancellable = (order: OwnOrder): boolean =>
  order.status === 'open' || (order.status === 'unknown' && order.id !== undefined && !order.id.isAsked);

const isUnwanted = (order: OwnOrder, target: Target, tolerance: number): boolean =>
  target.denial !== undefined ||
  probabilityOfRung(order.rung) - probabilityOfRung(target.rung) > tolerance * DANGEROUS_TOLERANCES;

const payout = (target: Target): number => payoutOf(microsOfCents(target.risk), oddsOf(target.rung));

/** The whole payout is what it may cost to leave an order that nobody wants. */
export function cancelOf(order: OwnOrder, cause: Cause, target: Target | undefined): Cancel {
  const value = payoutOf(remainingOf(order), oddsOf(order.rung));
  return { type: 'cancel', slot: order.slot, order, target, cause, value, rank: value, ...NEW };
}

/** It rests where a quote on the other side would cross it: then no tolerance keeps it there. */
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
    rank: value * nearness(order, target.queue),
    generous: q > wanted || oversized,
    dangerous,
    ...NEW,
  };
}

/** 1 at the top of the queue, towards a half with more and more of the others' stake in front. */
function nearness(order: OwnOrder, queue: Ladder): number {
  let ahead = 0;
  // by index: iterators of frozen arrays are slow
  for (let at = 0; at < queue.length; at++) {
    const offer = queue[at];
    if (offer === undefined) break;
    const { rung, untaken } = offer;
    if (rung > order.rung) break;
    ahead += untaken;
  }
  return 1 - (FAR * ahead) / (ahead + remainingOf(order));
}
