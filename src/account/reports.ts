// Reports of the exchange as facts: events of the user feed, rows of lists and of the public book, fills.
// This is the only place where a report becomes facts. Answers to requests belong to src/orders/answers.ts.
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

/** Records an event of the user feed. False when it concerns no known order. */
export function recordEvent(account: Account, event: PositionEvent, placed: Placed | undefined, now: number): boolean {
  const { kind, ref, orderId, fill, filled, gameId, place, mode } = event;
  const isOffer = kind !== 'took';
  const terms = termsOf(event.odds, event.offered);
  const base = {
    ref,
    orderId: isOffer ? orderId : undefined,
    from: 'event',
    seenAt: now,
    mode,
    terms,
  } as const;
  const isKnown = account.find(base.orderId, ref) !== undefined;
  const rests = kind === 'posted' || kind === 'changed' || kind === 'partly-taken';
  // the resting report comes first and links the names, so that fills find their order
  if (rests) account.record({ ...base, signature: signatureOf(event, placed), kind: { type: 'resting' } });
  if (fill !== undefined) account.record({ ...base, kind: { type: 'fill', fill, gameId, place } }, placed);
  if (filled !== undefined && filled > 0 && isOffer) account.record({ ...base, kind: { type: 'total', filled } });
  if (kind === 'fully-taken')
    account.record({ ...base, signature: signatureOf(event, placed), kind: { type: 'taken' } });
  if (kind === 'cancelled') account.record({ ...base, kind: { type: 'gone', total: undefined } });
  return isKnown || account.find(base.orderId, ref) !== undefined;
}

function signatureOf({ odds, offered }: PositionEvent, placed: Placed | undefined): Signature | undefined {
  if (odds === undefined || placed === undefined) return undefined;
  return { ...placed, rung: rungOf(odds), size: offered, createdAt: undefined };
}

/** The terms of a report. An event that reports an end has no size. */
const termsOf = (odds: AmericanOdds | undefined, size: Micros | undefined): OrderTerms => ({
  rung: odds === undefined ? undefined : rungOf(odds),
  size: size === 0 ? undefined : size,
});

/** The fact in a row of a list of open orders. */
export function factOfRow(
  { orderId, ref, odds, risk, createdAt, mode }: OpenOrder,
  placed: Placed | undefined,
  askedAt: number,
  now: number,
): Fact {
  const signature: Signature | undefined =
    ref === undefined && placed !== undefined && odds !== undefined
      ? { ...placed, rung: rungOf(odds), size: risk, createdAt }
      : undefined;
  const terms = termsOf(odds, risk);
  return {
    ref,
    orderId,
    from: 'list',
    askedAt,
    seenAt: now,
    signature,
    terms,
    mode,
    kind: { type: 'resting' },
  };
}

/** Records a fill of a list. */
export function recordListedFill(
  account: Account,
  { txId, risk, odds, ref, orderId, gameId, place, mode }: OpenPlay,
  placed: Placed | undefined,
  now: number,
): void {
  const fill = { txId, risk, odds };
  const terms = termsOf(odds, undefined);
  account.record(
    { ref, orderId, from: 'list', seenAt: now, mode, terms, kind: { type: 'fill', fill, gameId, place } },
    placed,
  );
}

/** Records fills of one order, from the answer to a request about it. */
export function recordFills(
  account: Account,
  source: { readonly ref: OrderRef; readonly orderId?: OrderId | undefined; readonly from: 'reply' | 'trail' },
  fills: readonly FillReport[],
  now: number,
): void {
  const { ref, orderId, from } = source;
  for (const fill of fills)
    account.record({ ref, orderId, from, seenAt: now, mode: fill.mode, kind: { type: 'fill', fill } });
}
