// An own order of this or a former run: its terms, and the belief about it. Invariant: only the fold
// (belief.ts) writes the belief; what the exchange reported stays under the order's names (`Name`).
import type { Owner, Placing, OwnOrder, Name } from './records.ts';
import type { Micros, NewOrder, OrderId, PlayerMode } from '../domain/index.ts';
import { slotId, swappedPlace, ZERO } from '../domain/index.ts';

export const ownOrder = (
  { ref, market, side, rung, risk }: NewOrder,
  { strategy, key }: Owner,
  name: Name,
  sent: {
    readonly at: number;
    readonly t: number;
    readonly replaces?: OwnOrder | undefined;
    readonly placing: Placing;
    readonly isOfFormerRun: boolean;
    readonly mode: PlayerMode | undefined;
  },
): OwnOrder => ({
  ref,
  market,
  side,
  rung,
  risk,
  strategy,
  key,
  slot: slotId(strategy, market, side, key),
  sentAt: sent.at,
  sentT: sent.t,
  replaces: sent.replaces,
  isEdit: sent.replaces !== undefined,
  isOfFormerRun: sent.isOfFormerRun,
  mode: sent.mode,
  placing: sent.placing,
  said: name,
  id: undefined,
  linkedBy: 'name',
  keptId: false,
  status: 'sending',
  filled: ZERO,
  reported: ZERO,
  bound: ZERO,
  landed: false,
  openSince: sent.at,
  endedAt: 0,
  counted: { placed: false, refused: false, cancelled: false, undetermined: false, byOthers: false },
  lockedOut: 0,
});

/** Home and away of its game changed places: the order stays on its team. */
export function swapOrder(order: OwnOrder): void {
  const { market, side } = swappedPlace({ market: order.market, side: order.side });
  Object.assign(order, { market, side, slot: slotId(order.strategy, market, side, order.key) });
}

/** The exchange id of the order; undefined while none is known. */
export const idOf = ({ id }: Pick<OwnOrder, 'id'>): OrderId | undefined => id?.orderId;

/** The amount of an active order that is left to take, micro-dollars. */
export const remainingOf = (order: Pick<OwnOrder, 'risk' | 'reported'>): Micros =>
  Math.max(0, order.risk * 10_000 - order.reported) as Micros;

/** The player mode that the exchange reported for the order; undefined when it reported none. */
export const namedMode = ({ said: byRef, id }: OwnOrder): PlayerMode | undefined => byRef.mode ?? id?.mode;

/** What ended a cancelled order: a request of the bot, else `exchange`. Undefined for any other status. */
export function endedBy({ status, id }: OwnOrder): 'cancel' | 'edit' | 'cancel-all' | 'exchange' | undefined {
  if (status !== 'cancelled') return undefined;
  if (id?.cancelledByUs === true) return 'cancel';
  return id?.askedBy === 'bulk' ? 'cancel-all' : (id?.askedBy ?? 'exchange');
}
