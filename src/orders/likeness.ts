// Which unanswered order an open order of the account is, where no reference tells: by market, side, odds, size and time
// (wire profile, `userReference`).
import type { Market, Micros, OrderId, Rung, Side } from '../domain/index.ts';
import { microsOfCents } from '../domain/index.ts';
import type { OwnOrder } from './own-order.ts';

/** An open order of the account as some view shows it; what it does not tell is undefined. */
export type Sighting = {
  readonly orderId: OrderId;
  readonly market: Market;
  readonly side: Side;
  readonly rung: Rung;
  /** Original size. */
  readonly risk: Micros | undefined;
  /** Unix ms on the exchange's clock. */
  readonly createdAt: number | undefined;
};

/** The exchange's clock may differ from ours by this much, and a request may take its time. */
const CLOCKS_MS = 120_000;

export function alike(sighting: Sighting, unknown: Iterable<OwnOrder>): OwnOrder | undefined {
  let best: OwnOrder | undefined;
  let least = CLOCKS_MS;
  for (const order of unknown) {
    if (order.orderId !== undefined || order.market.id !== sighting.market.id) continue;
    if (order.side !== sighting.side || order.rung !== sighting.rung) continue;
    if (sighting.risk !== undefined && sighting.risk !== microsOfCents(order.risk)) continue;
    const apart = Math.abs((sighting.createdAt ?? order.sentT) - order.sentT);
    if (apart >= least) continue;
    best = order;
    least = apart;
  }
  return best;
}
