// Own fills on the way to what follows them: the ledger and the figures of a run.
import type { FillNews } from '../account/index.ts';
import { ownerOf } from '../account/index.ts';
import type { MarketId, OrderRef, Position } from '../domain/index.ts';
import type { Core } from '../engine/index.ts';

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
