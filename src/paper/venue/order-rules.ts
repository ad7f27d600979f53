// Why an order is refused, by the state of its game, the account's credit and its order type (spec, Errors 409). Each rule
// only looks; nothing changes.
import type { Account } from './account.ts';
import { crossingOf, oppositeOf } from './market-book.ts';
import { DUST, previewTake } from './matching.ts';
import type { Ticket, VenueOrder } from './order.ts';
import type { Refusal } from './refusal.ts';
import { refuse } from './refusal.ts';

export function gameRefusal(ticket: Ticket, nowMs: number): Refusal | undefined {
  const { header } = ticket.book.game;
  if (header.ended || !header.open) return refuse(409, 'Game has been taken OTB or is graded');
  if (!header.live && header.start <= nowMs) return refuse(409, 'Game is past start time');
  return undefined;
}

export function creditRefusal(account: Account, ticket: Ticket, replaced?: VenueOrder): Refusal | undefined {
  if (account.internal) return undefined;
  const { market, game } = ticket.book;
  const credit = account.credit[account.mode];
  const release = replaced !== undefined && replaced.mode === account.mode ? replaced : undefined;
  if (release !== undefined)
    credit.removeOpen(release.book.market, release.book.game.tie, release.side, release.remaining);
  const allowed = credit.allows(account.balances[account.mode], market, game.tie, ticket.side, ticket.risk);
  if (release !== undefined)
    credit.addOpen(release.book.market, release.book.game.tie, release.side, release.remaining);
  return allowed ? undefined : refuse(409, 'Order size exceeds available credit', 'rejected_liability');
}

/** True when the order would take something now. */
export const wouldMatch = ({ book, side, rung }: Ticket): boolean =>
  crossingOf(oppositeOf(book, side), rung) !== undefined;

export function typeRefusal(account: Account, ticket: Ticket): Refusal | undefined {
  const facing = oppositeOf(ticket.book, ticket.side);
  if (ticket.orderType === 'post') {
    const crossing = crossingOf(facing, ticket.rung);
    return crossing === undefined
      ? undefined
      : refuse(409, 'A post order would match a resting offer', 'rejected_order_type_rules');
  }
  const { takeable, own } = previewTake(facing, ticket.rung, ticket.risk, account);
  if (own !== undefined && account.mode === 'cash')
    return refuse(409, `You cannot fill your own order: ${own.id}`, 'rejected_order_type_rules');
  const short =
    ticket.orderType === 'fillOrKill'
      ? takeable < ticket.risk - DUST
      : ticket.orderType === 'fillAndKill' && takeable <= 0;
  return short
    ? refuse(
        409,
        `Order size exceeds quantity available, which is $${(takeable / 1_000_000).toFixed(2)}`,
        'rejected_order_type_rules',
      )
    : undefined;
}
