// Own fills on the way to what follows them: the ledger, the page, and the figures of a run.
import type { FillNews } from '../account/index.ts';
import { ownerOf } from '../account/index.ts';
import type { MarketId, OrderRef, Position } from '../domain/index.ts';
import type { Core } from '../engine/index.ts';
import type { FillTracker } from '../report/index.ts';

type Fill = Extract<FillNews, { readonly fill: unknown }>['fill'];

/** The reference of its order, as far as one is known, and whose order that is; an order of ours, or of somebody else. */
export function orderOfFill({ name, ref: told }: Fill, instance: string) {
  const ref: OrderRef | undefined = name?.ref ?? name?.holder?.ref ?? told;
  const owner = ref === undefined ? undefined : ownerOf(ref, instance);
  return { ref, owner, isOwn: name?.holder !== undefined || owner !== undefined };
}

export function positionIn(id: MarketId, core: Pick<Core, 'marks'>): Position | undefined {
  for (const { market, position } of core.marks()) if (market.id === id) return position;
  return undefined;
}

/** `t`: Unix ms. One that cannot be followed is left out. */
export function follow(
  fills: FillTracker,
  { txId, market, side, risk, win }: Fill,
  t: number,
  core: Pick<Core, 'gameOf' | 'fairOf'>,
): void {
  if (market === undefined || side === undefined || win === undefined) return;
  const isInPlay = core.gameOf(market.gameId)?.live === true;
  fills.apply({ txId, market, side, risk, payout: risk + win, t, isInPlay }, core);
}
