// The fair prices of markets that are not quoted and in which something is held: their fills have markouts and a close.
// What is held there is marked as before.
import { consensusOf, FAIR_BOOK } from '../domain/index.ts';
import type { MarketBook } from '../mirror/index.ts';
import { ownersOf } from './own-rows.ts';
import type { Parts } from './parts.ts';

/** Notes the fair price of a market that is not quoted, where something is held in it and both sides are fresh. */
export function followHeld(book: MarketBook, { account, buffer, prices, quoting }: Parts): void {
  const { market, sides } = book;
  if (account.positionIn(market.id).staked === 0) return;
  const [first, second] = quoting.freshnessOf(book);
  if (first !== 'fresh' || second !== 'fresh') return;
  const fair = consensusOf(ownersOf(sides[0], account).others, ownersOf(sides[1], account).others, FAIR_BOOK);
  if (fair !== undefined) prices.noteFair(market.id, fair.p, buffer.t);
}
