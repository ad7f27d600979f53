// The difference between targets and live orders of one market, slot by slot. A slot with a request in flight or an
// unknown order needs nothing: it is taken until its fate is known.
import type { SlotId } from '../domain/index.ts';
import {
  microsOfCents,
  moveValue,
  NAKED_VALUE,
  oddsOf,
  payoutOf,
  probabilityOfRung,
} from '../domain/index.ts';
import type { OwnOrder } from './ledger.ts';
import { remainingOf } from './ledger.ts';
import type { Target } from './targets.ts';

export type Need =
  | { readonly type: 'cancel'; readonly order: OwnOrder; readonly value: number }
  /**
   * `generous`: the resting price gives away more than the newest intent wants to; `dangerous`: so much that it is
   * better pulled than left until a permit comes.
   */
  | {
      readonly type: 'move';
      readonly order: OwnOrder;
      readonly target: Target;
      readonly value: number;
      readonly generous: boolean;
      readonly dangerous: boolean;
    }
  | { readonly type: 'place'; readonly target: Target; readonly value: number };

/** A quote that was taken to less than this share of its size is filled up again. */
const REFILL_BELOW = 0.5;
/** A price this many tolerances too generous is dangerous. */
const DANGEROUS_TOLERANCES = 2;

export function needsOf(targets: readonly Target[], live: ReadonlySet<OwnOrder>, tolerance: number): Need[] {
  if (live.size === 0) return placesFor(targets);
  const needs: Need[] = [];
  const bySlot = new Map<SlotId, OwnOrder[]>();
  for (const order of live) {
    const orders = bySlot.get(order.slot);
    if (orders === undefined) bySlot.set(order.slot, [order]);
    else orders.push(order);
  }
  for (const target of targets) {
    const orders = bySlot.get(target.slot);
    bySlot.delete(target.slot);
    if (orders === undefined) {
      if (target.denial === undefined) needs.push(placeOf(target));
      continue;
    }
    if (orders.some((order) => order.status !== 'open')) {
      // of an unanswered edit the old order may still rest: a cancel of it is always safe
      for (const order of orders)
        if (isCancellable(order) && order.status === 'unknown' && isUnwanted(order, target, tolerance))
          needs.push(cancelOf(order));
      continue;
    }
    const [order, ...extra] = orders;
    for (const one of extra) needs.push(cancelOf(one));
    if (order === undefined) continue;
    if (target.denial !== undefined) needs.push(cancelOf(order));
    else {
      const need = moveOf(order, target, tolerance);
      if (need !== undefined) needs.push(need);
    }
  }
  for (const orders of bySlot.values())
    for (const order of orders) if (isCancellable(order)) needs.push(cancelOf(order));
  return needs;
}

const placesFor = (targets: readonly Target[]): Need[] =>
  targets.filter((target) => target.denial === undefined).map(placeOf);

const placeOf = (target: Target): Need => ({ type: 'place', target, value: payout(target) * NAKED_VALUE });

/** Open, or of unknown fate with a known id. */
const isCancellable = (order: OwnOrder): boolean =>
  order.status === 'open' ||
  (order.status === 'unknown' && order.orderId !== undefined && order.req === undefined);

const isUnwanted = (order: OwnOrder, target: Target, tolerance: number): boolean =>
  target.denial !== undefined ||
  probabilityOfRung(order.rung) - probabilityOfRung(target.rung) > tolerance * DANGEROUS_TOLERANCES;

const payout = (target: Target): number => payoutOf(microsOfCents(target.risk), oddsOf(target.rung));

function cancelOf(order: OwnOrder): Need {
  return { type: 'cancel', order, value: payoutOf(remainingOf(order), oddsOf(order.rung)) };
}

function moveOf(order: OwnOrder, target: Target, tolerance: number): Need | undefined {
  const q = probabilityOfRung(order.rung);
  const wanted = probabilityOfRung(target.rung);
  const remaining = remainingOf(order);
  const size = microsOfCents(target.risk);
  const priced = Math.abs(q - wanted) <= tolerance;
  const sized = remaining <= size && remaining >= size * REFILL_BELOW;
  if (priced && sized) return undefined;
  const generous = q > wanted || remaining > size;
  const value =
    payoutOf(remaining, oddsOf(order.rung)) * moveValue(q, wanted) +
    (sized ? 0 : payout(target) * NAKED_VALUE * REFILL_BELOW);
  const dangerous = q - wanted > tolerance * DANGEROUS_TOLERANCES || remaining > size;
  return { type: 'move', order, target, value, generous, dangerous };
}
