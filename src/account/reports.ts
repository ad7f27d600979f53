// What the exchange reports, as facts: events of the user feed, rows of lists and of the public book, fills. This is the one
// place where a report becomes facts; answers to requests of ours are the order manager's (src/orders/answers.ts).
import type {
  AmericanOdds,
  FillReport,
  Micros,
  OpenOrder,
  OpenPlay,
  OrderId,
  OrderRef,
  PositionEvent,
} from '../domain/index.ts';
import { rungOf } from '../domain/index.ts';
import type { Account } from './account.ts';
import type { Fact, OrderTerms, Signature } from './facts.ts';
import type { Placed } from './own-fills.ts';

/** Records an event of the user feed; false when it concerns no order that is known (yet). */
export function recordEvent(account: Account, event: PositionEvent, placed: Placed | undefined, now: number): boolean {
  const { kind, ref, orderId, fill, filled, gameId, place, mode } = event;
  const isOffer = kind !== 'took';
  const looks = looksOf(event.odds, event.offered);
  const of = {
    ref,
    orderId: isOffer ? orderId : undefined,
    from: 'event',
    seenAt: now,
    mode,
    looks,
  } as const;
  const isKnown = account.find(of.orderId, ref) !== undefined;
  const rests = kind === 'posted' || kind === 'changed' || kind === 'partly-taken';
  // what says that it rests names it first, so that its fills find it
  if (rests) account.record({ ...of, signature: signatureOf(event, placed), says: { type: 'resting' } });
  if (fill !== undefined) account.record({ ...of, says: { type: 'fill', fill, gameId, place } }, placed);
  if (filled !== undefined && filled > 0 && isOffer) account.record({ ...of, says: { type: 'total', filled } });
  if (kind === 'fully-taken') account.record({ ...of, signature: signatureOf(event, placed), says: { type: 'taken' } });
  if (kind === 'cancelled') account.record({ ...of, says: { type: 'gone', total: undefined } });
  return isKnown || account.find(of.orderId, ref) !== undefined;
}

function signatureOf({ odds, offered }: PositionEvent, placed: Placed | undefined): Signature | undefined {
  if (odds === undefined || placed === undefined) return undefined;
  return { ...placed, rung: rungOf(odds), size: offered, createdAt: undefined };
}

/** An event of an end has no size. */
const looksOf = (odds: AmericanOdds | undefined, size: Micros | undefined): OrderTerms => ({
  rung: odds === undefined ? undefined : rungOf(odds),
  size: size === 0 ? undefined : size,
});

/** What a row of a list of open orders says of an order. */
export function factOfRow(
  { orderId, ref, odds, risk, createdAt, mode }: OpenOrder,
  placed: Placed | undefined,
  asked: number,
  now: number,
): Fact {
  const signature: Signature | undefined =
    ref === undefined && placed !== undefined && odds !== undefined
      ? { ...placed, rung: rungOf(odds), size: risk, createdAt }
      : undefined;
  const looks = looksOf(odds, risk);
  return {
    ref,
    orderId,
    from: 'list',
    asked,
    seenAt: now,
    signature,
    looks,
    mode,
    says: { type: 'resting' },
  };
}

/** Records a matched bet of a list. */
export function recordListedFill(
  account: Account,
  { txId, risk, odds, ref, orderId, gameId, place, mode }: OpenPlay,
  placed: Placed | undefined,
  now: number,
): void {
  const fill = { txId, risk, odds };
  const looks = looksOf(odds, undefined);
  account.record(
    { ref, orderId, from: 'list', seenAt: now, mode, looks, says: { type: 'fill', fill, gameId, place } },
    placed,
  );
}

/** Records fills of one order, as answers to requests about it say. */
export function recordFills(
  account: Account,
  of: { readonly ref: OrderRef; readonly orderId?: OrderId | undefined; readonly from: 'reply' | 'trail' },
  fills: readonly FillReport[],
  now: number,
): void {
  const { ref, orderId, from } = of;
  for (const fill of fills)
    account.record({ ref, orderId, from, seenAt: now, mode: fill.mode, says: { type: 'fill', fill } });
}
