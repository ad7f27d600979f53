// The arithmetic of a match, and the preview of a take. A match is (makerRisk, takerRisk = winOf(makerRisk,
// maker's odds)): each side wins the other's stake, so rounding neither creates nor destroys money.
import type { AmericanOdds, Micros, Rung } from '../domain/index.ts';
import { crosses, riskToWin, winOf, ZERO } from '../domain/index.ts';
import type { VenueAccount, SideBook, VenueOrder } from './records.ts';
import { availableOf, walk } from './market-book.ts';

/** One cent. A taker's remainder below it is dropped, as it is not worth resting. */
export const DUST = 10_000 as Micros;

/**
 * Rounds an amount towards zero to an even number of micro-dollars. All amounts at the venue are even, so
 * that half a stake (a quarter line) settles exactly and the two sides of a match still sum to zero.
 */
export const even = (amount: number): Micros => (amount - (amount % 2)) as Micros;

/** The most that rounding can leave of an amount, micro-dollars. */
const ROUNDING = 10;

export type Match = { readonly makerRisk: Micros; readonly takerRisk: Micros };

/**
 * The largest match of an offer's `available` amount with a taker's `stake`, both even. Undefined when there
 * is none.
 */
export function matchOf(available: Micros, odds: AmericanOdds, stake: Micros): Match | undefined {
  if (available <= 0 || stake <= 0) return undefined;
  const whole = even(winOf(available, odds));
  if (whole <= stake) return { makerRisk: available, takerRisk: whole };
  const share = even(Math.min(available, riskToWin(stake, odds)));
  // a remainder that only rounding left is matched too
  const makerRisk = available - share <= ROUNDING ? available : share;
  return makerRisk > 0 ? { makerRisk, takerRisk: stake } : undefined;
}

export type Preview = {
  /** The part of the taker's stake that would match. */
  readonly takeable: Micros;
  /** The taker's own offer that would be matched first. Undefined when there is none. */
  readonly own: VenueOrder | undefined;
};

/** Previews a take at `limit` or better, without changing anything. */
export function previewTake(side: SideBook, limit: Rung, stake: Micros, account: VenueAccount): Preview {
  let takeable = ZERO;
  let own: VenueOrder | undefined;
  walk(side, (offer) => {
    if (takeable >= stake || !crosses(limit, offer.rung)) return false;
    if (own === undefined && offer.kind === 'order' && offer.account === account) own = offer;
    takeable = (takeable + winOf(availableOf(offer), offer.odds)) as Micros;
    return true;
  });
  return { takeable: Math.min(takeable, stake) as Micros, own };
}
