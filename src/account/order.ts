// An order that we sent, or that a former run did: what was asked for, and what is believed of it. The belief is written by
// the fold alone (belief.ts); what the exchange said is kept under its names (`Name`).
import type { Owner, Placing, OwnOrder, Name } from './records.ts';
import type { Micros, NewOrder, OrderId, PlayerMode } from '../domain/index.ts';
import { slotId, swappedPlace, ZERO } from '../domain/index.ts';

export const ownOrder = (
  { ref, market, side, rung, risk }: NewOrder,
  { strategy, key }: Owner,
  said: Name,
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
  said,
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

/** Home and away of its game changed places: it stays on its team. */
export function swapOrder(order: OwnOrder): void {
  const { market, side } = swappedPlace({ market: order.market, side: order.side });
  Object.assign(order, { market, side, slot: slotId(order.strategy, market, side, order.key) });
}

/** The exchange's id of it, as far as one is known. */
export const idOf = ({ id }: Pick<OwnOrder, 'id'>): OrderId | undefined => id?.orderId;

/** What of an active order is left to take. */
export const remainingOf = (order: Pick<OwnOrder, 'risk' | 'reported'>): Micros =>
  Math.max(0, order.risk * 10_000 - order.reported) as Micros;

/** The player mode that a record of the exchange names for it. */
export const namedMode = ({ said, id }: OwnOrder): PlayerMode | undefined => said.mode ?? id?.mode;

/** What ended a cancelled order: a request of ours, or nobody's that is known. */
export function endedBy({ status, id }: OwnOrder): 'cancel' | 'edit' | 'cancel-all' | 'exchange' | undefined {
  if (status !== 'cancelled') return undefined;
  if (id?.cancelledByUs === true) return 'cancel';
  return id?.askedBy === 'bulk' ? 'cancel-all' : (id?.askedBy ?? 'exchange');
}
