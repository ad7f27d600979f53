// The arithmetic of a match and the look ahead of a taker. A match is (makerRisk, takerRisk = winOf(makerRisk, maker's
// odds)): each side wins the other's stake, so nothing is made or lost whatever was rounded.
import type { AmericanOdds, Micros, Rung } from '../domain/index.ts';
import { crosses, riskToWin, winOf, ZERO } from '../domain/index.ts';
import type { VenueAccount, SideBook, VenueOrder } from './records.ts';
import { availableOf, walk } from './market-book.ts';

/** Less than a cent is not worth resting: a taker's remainder below it is let go. */
export const DUST = 10_000 as Micros;

/**
 * Every amount at the venue is a whole number of pairs of micro-dollars, so that half a stake (a quarter line) can be
 * settled exactly and both halves of a match still add up to nothing.
 */
export const even = (amount: number): Micros => (amount - (amount % 2)) as Micros;

/** What rounding can leave of an amount, micro-dollars. */
const ROUNDING = 10;

export type Match = { readonly makerRisk: Micros; readonly takerRisk: Micros };

/** The largest match of an offer with `available` left against a taker's `stake`, both even; undefined when there is none. */
export function matchOf(available: Micros, odds: AmericanOdds, stake: Micros): Match | undefined {
  if (available <= 0 || stake <= 0) return undefined;
  const whole = even(winOf(available, odds));
  if (whole <= stake) return { makerRisk: available, takerRisk: whole };
  const share = even(Math.min(available, riskToWin(stake, odds)));
  // neither side keeps what only rounding left over
  const makerRisk = available - share <= ROUNDING ? available : share;
  return makerRisk > 0 ? { makerRisk, takerRisk: stake } : undefined;
}

export type Preview = {
  /** The taker's stake that would match, up to what was asked. */
  readonly takeable: Micros;
  /** The first offer of the account itself that would be hit. */
  readonly own: VenueOrder | undefined;
};

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
