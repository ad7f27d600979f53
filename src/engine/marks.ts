// Values of positions at the prices at which their markets are marked.
import type { Account } from '../account/index.ts';
import type { Market, Position } from '../domain/index.ts';
import { markedAt } from '../domain/index.ts';
import type { Prices } from './prices.ts';

/** The position in one market, and its marked value, micro-dollars. */
export type Mark = { readonly market: Market; readonly position: Position; readonly marked: number };

export function* marksOf({ holdings }: Account, prices: Prices): Iterable<Mark> {
  for (const [id, { market, position }] of holdings.positions) {
    yield { market, position, marked: markedAt(position, prices.get(id)) };
  }
}

/** The result of the run, settled and marked at the consensus, micro-dollars. */
export function markedOf(account: Account, prices: Prices): number {
  let sum: number = account.holdings.realized;
  for (const [id, { position }] of account.holdings.positions) sum += markedAt(position, prices.get(id));
  return sum;
}
