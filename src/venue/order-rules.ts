// The rules that refuse an order: by the state of its game, the account's credit and the order type (spec,
// Errors 409). A rule changes nothing.
import { crosses, microsOfDollars, winOf } from '../domain/index.ts';
import type { VenueAccount, CancelCause, VenueOrder } from './records.ts';
import { availableOf, crossingOf, offerOf, oppositeOf } from './market-book.ts';
import { previewTake } from './matching.ts';
import type { Ticket } from './order.ts';
import type { Refusal } from './refusal.ts';
import { refuse } from './refusal.ts';

export function gameRefusal(ticket: Ticket, nowMs: number): Refusal | undefined {
  const { header } = ticket.book.game;
  if (header.ended || !header.open) return refuse(409, 'Game has been taken OTB or is graded');
  if (!header.live && header.start <= nowMs) return refuse(409, 'Game is past start time');
  if (header.live && ticket.gameStartExpiry === true) return refuse(409, 'Game has started');
  return undefined;
}

/**
 * The refusal of an order that the account's balance or liability limit does not cover.
 * @param maxLiability the most that an account may lose on one game, dollars; null: no limit
 * @param replaced the order that this one replaces: its stake does not count
 */
export function creditRefusal(
  account: VenueAccount,
  ticket: Ticket,
  maxLiability: number | null,
  replaced?: VenueOrder,
): Refusal | undefined {
  if (account.internal) return undefined;
  const { market, game } = ticket.book;
  const credit = account.credit[account.mode];
  const release = replaced !== undefined && replaced.mode === account.mode ? replaced : undefined;
  if (release !== undefined)
    credit.removeOpen(release.book.market, release.book.game.rule, release.side, release.remaining);
  const allowed = credit.allows(account.balances[account.mode], market, game.rule, ticket.side, ticket.risk);
  const liable =
    maxLiability !== null &&
    credit.gameLossWith(market, game.rule, ticket.side, ticket.risk) > microsOfDollars(maxLiability);
  if (release !== undefined)
    credit.addOpen(release.book.market, release.book.game.rule, release.side, release.remaining);
  if (!allowed) return refuse(409, 'Order size exceeds available credit', 'rejected_liability');
  return liable ? refuse(409, `Exceeds max liability ${maxLiability}`, 'rejected_liability') : undefined;
}

/** Tolerance: the available amount is published rounded to a cent, so it may be this much too large. */
const HALF_A_CENT = 5_000;

/** Whether the order would match a resting offer now. */
export const wouldMatch = ({ book, side, rung }: Ticket): boolean =>
  crossingOf(oppositeOf(book, side), rung) !== undefined;

const notAvailable = (takeable: number): Refusal =>
  refuse(
    409,
    `Order size exceeds quantity available, which is $${(takeable / 1_000_000).toFixed(2)}`,
    'rejected_order_type_rules',
  );

const ownOrder = (id: string): Refusal =>
  refuse(409, `You cannot fill your own order: ${id}`, 'rejected_order_type_rules');

/**
 * The refusal of a take of one named offer, which matches the whole risk or nothing.
 * @param known the order with that id, open or ended
 */
export function targetRefusal(
  account: VenueAccount,
  ticket: Ticket,
  known: VenueOrder | undefined,
): Refusal | undefined {
  const { target, book, side, rung, risk } = ticket;
  if (target === undefined) return undefined;
  const offer = offerOf(oppositeOf(book, side), target);
  if (offer === undefined) {
    if (known === undefined) return refuse(404, `Order not found: ${target}`);
    if (known.status === 'open') return refuse(400, `Order ${target} is not on the other side of this market`);
    if (known.status === 'filled') return notAvailable(0);
    return refuse(409, ENDED[known.cause ?? 'cancelled']);
  }
  if (!crosses(rung, offer.rung)) return refuse(409, 'Odds have been edited');
  if (offer.kind === 'order' && offer.account === account && account.mode === 'cash') return ownOrder(target);
  const takeable = winOf(availableOf(offer), offer.odds);
  return takeable < risk - HALF_A_CENT ? notAvailable(takeable) : undefined;
}

const ENDED = {
  cancelled: 'Session is cancelled',
  expired: 'Session is expired',
  edited: 'Odds have been edited',
} as const satisfies Record<CancelCause, string>;

export function typeRefusal(account: VenueAccount, ticket: Ticket): Refusal | undefined {
  if (ticket.target !== undefined) return undefined;
  const facing = oppositeOf(ticket.book, ticket.side);
  if (ticket.orderType === 'post') {
    const crossing = crossingOf(facing, ticket.rung);
    return crossing === undefined
      ? undefined
      : refuse(409, 'A post order would match a resting offer', 'rejected_order_type_rules');
  }
  // fast path: most limit orders match nothing
  if (ticket.orderType === 'limit' && crossingOf(facing, ticket.rung) === undefined) return undefined;
  const { takeable, own } = previewTake(facing, ticket.rung, ticket.risk, account);
  if (own !== undefined && account.mode === 'cash') return ownOrder(own.id);
  const short =
    ticket.orderType === 'fillOrKill'
      ? takeable < ticket.risk - HALF_A_CENT
      : ticket.orderType === 'fillAndKill' && takeable <= 0;
  return short ? notAvailable(takeable) : undefined;
}
