// What an answer to one of our requests means (DESIGN rule 5): by status and `details.code`, never by message.
import type { Bucket, Input, OrderId } from '../domain/index.ts';
import type { Fates, OrderManager, PendingOrders } from '../orders/index.ts';
import {
  parseCancelReply,
  parseEditReply,
  parseEnvelope,
  parseOpenOrders,
  parseOrderLookup,
  parsePlaceReply,
  parsePlayLookup,
  parsePlays,
  parseReferenceTrail,
} from '../wire/index.ts';
import type { Account } from './account.ts';
import type { Census } from './census.ts';
import type { Closing } from './closing.ts';
import type { Desk, PendingRead } from './desk.ts';
import type { MarketData } from './market-data.ts';

type Reply = Extract<Input, { type: 'reply' }>;
type Failure = Extract<Input, { type: 'failure' }>;

const DEFAULT_RETRY_AFTER_S = 1;
/** A cancel without answer may be repeated, since a second one harms nothing; but not in a storm. */
const CANCEL_AGAIN_MS = 500;

export type ReplyParts = {
  readonly manager: OrderManager;
  readonly fates: Fates;
  readonly market: MarketData;
  readonly account: Account;
  readonly closing: Closing;
  readonly census: Census;
  readonly batchIsAtomic: boolean;
  /** Monotonic ms since when both feeds are up. */
  readonly bothFeedsUpSince: () => number | undefined;
};

export function applyReply(reply: Reply, desk: Desk, parts: ReplyParts): void {
  const read = desk.reads.get(reply.req);
  if (read !== undefined) {
    desk.reads.delete(reply.req);
    applyReadReply(read, reply, desk, parts);
    return;
  }
  const pending = parts.manager.sender.requests.get(reply.req);
  if (pending === undefined) return;
  parts.manager.sender.requests.delete(reply.req);
  if (reply.status >= 200 && reply.status < 300) applySuccess(pending, reply, desk, parts.manager);
  else applyError(pending, reply, desk, parts);
}

/** After a timeout the answer may still come, so the request stays known; any other failure is final. */
export function applyFailure(failure: Failure, desk: Desk, parts: ReplyParts): void {
  const read = desk.reads.get(failure.req);
  if (read !== undefined) {
    desk.reads.delete(failure.req);
    readFailed(read, parts, desk);
    return;
  }
  const pending = parts.manager.sender.requests.get(failure.req);
  if (pending === undefined) return;
  if (failure.failure !== 'timeout') parts.manager.sender.requests.delete(failure.req);
  // the end of a request that timed out says nothing new
  if (pending.timedOut === true) return;
  if (failure.failure === 'timeout') pending.timedOut = true;
  if (pending.type === 'cancel') parts.manager.hold('cancel', desk.now + CANCEL_AGAIN_MS);
  if (failure.failure === 'not-sent') {
    desk.alertOnce(`not-sent ${failure.detail}`, 'warn', 'NOT_SENT', 'requests are held back', {
      reason: failure.detail,
    });
    parts.manager.answers.applyNotSent(pending, desk.now);
  } else parts.manager.answers.applyUnanswered(pending, desk.now);
}

function applySuccess(pending: PendingOrders, reply: Reply, desk: Desk, manager: OrderManager): void {
  const { now } = desk;
  let problem: string | undefined;
  switch (pending.type) {
    case 'place': {
      const results = parsePlaceReply(reply.body, pending.orders.length);
      if (results.ok) manager.answers.applyPlaced(pending.orders, results.value, now);
      else problem = results.problem;
      break;
    }
    case 'edit': {
      const result = parseEditReply(reply.body);
      if (result.ok) manager.answers.applyEdited(pending, result.value, now);
      else problem = result.problem;
      break;
    }
    case 'cancel': {
      const results = parseCancelReply(reply.body, pending.orderIds.length);
      if (results.ok) manager.answers.applyCancelled(pending, results.value, now);
      else problem = results.problem;
      break;
    }
  }
  if (problem === undefined) return;
  desk.alert('warn', 'REPLY_MALFORMED', 'a reply cannot be read: the fate of its orders is unknown', {
    request: pending.type,
    problem,
  });
  if (pending.type === 'cancel') manager.hold('cancel', now + CANCEL_AGAIN_MS);
  manager.answers.applyUnanswered(pending, now);
}

function applyError(pending: PendingOrders, reply: Reply, desk: Desk, parts: ReplyParts): void {
  const { manager } = parts;
  const { now } = desk;
  const problem = { status: reply.status, message: parseEnvelope(reply.body)?.message ?? '' };
  const bucket: Bucket = pending.type === 'cancel' ? 'cancel' : 'place';
  switch (reply.status) {
    case 423:
    case 429: {
      const forMs = (reply.retryAfterSeconds ?? DEFAULT_RETRY_AFTER_S) * 1000;
      if (reply.status === 429)
        desk.alert('warn', 'RATE_LIMITED', 'the exchange answered 429', { bucket, waitMs: forMs });
      desk.send({ type: 'hold', bucket, forMs });
      manager.hold(bucket, now + forMs);
      if (reply.status === 423)
        manager.applyLocked(pending.type === 'cancel' ? pending.orders : [], now + forMs);
      if (reply.status !== 423 || pending.type !== 'cancel')
        manager.answers.applyRefused(pending, problem, now);
      return;
    }
    case 401: // the session logs in again; decided anew with the new token, if there is one
      manager.applyUnauthorized(bucket, pending.sentAt, now);
      manager.answers.applyRefused(pending, problem, now);
      return;
    case 400:
    case 403:
    case 404:
    case 409:
      // of the order, or of the account (banned, or without the credit for it): the current user tells
      if (reply.status === 403 || (reply.status === 409 && pending.type !== 'cancel'))
        parts.account.askUser();
      if (pending.type === 'cancel') for (const order of pending.orders) manager.answers.lookUp(order);
      else if (pending.type === 'edit')
        manager.answers.applyEditRefusedOldUnclear(pending.old, pending.order, problem, now);
      else if (pending.orders.length === 1 || parts.batchIsAtomic)
        manager.answers.applyRefused(pending, problem, now);
      else {
        manager.answers.applyUnanswered(pending, now);
        if (reply.status === 400 || reply.status === 403) manager.answers.applyWrong(pending.orders, now);
      }
      if (reply.status === 409 && pending.type !== 'cancel') rereadGames(pending, parts.market);
      return;
    default: // 500 and everything else
      if (pending.type === 'cancel') manager.hold('cancel', now + DEFAULT_RETRY_AFTER_S * 1000);
      manager.answers.applyUnanswered(pending, now);
  }
}

function rereadGames(pending: Exclude<PendingOrders, { type: 'cancel' }>, market: MarketData): void {
  const orders = pending.type === 'place' ? pending.orders : [pending.order];
  for (const id of new Set(orders.map((order) => order.market.gameId))) market.reread(id);
}

function applyReadReply(pending: PendingRead, reply: Reply, desk: Desk, parts: ReplyParts): void {
  const { read } = pending;
  const good = reply.status >= 200 && reply.status < 300;
  if (read.what === 'order' && reply.status === 404) {
    lookedUp(pending, read.orderId, {}, desk, parts.manager);
    return;
  }
  if (!good) {
    if (reply.status === 403 && read.what === 'user')
      parts.account.applyForbidden(parseEnvelope(reply.body)?.message ?? 'the account is refused');
    readFailed(pending, parts, desk);
    return;
  }
  switch (read.what) {
    case 'league':
    case 'game':
      parts.market.applyRead(pending, reply.body);
      return;
    case 'user':
      parts.account.applyUser(reply.body, pending.sentAt);
      return;
    case 'open-orders': {
      const orders = parseOpenOrders(reply.body);
      if (!orders.ok)
        desk.alert('warn', 'REPLY_MALFORMED', 'the list of open orders cannot be read', {
          problem: orders.problem,
        });
      if (orders.ok) parts.census.applySightings(orders.value);
      parts.closing.applyList(orders.ok ? orders.value : undefined);
      parts.census.applyOrders(orders.ok ? orders.value : undefined, pending.sentAt);
      if (orders.ok) parts.fates.applyList(pending.sentAt, parts.bothFeedsUpSince(), desk.now);
      return;
    }
    case 'plays': {
      const plays = parsePlays(reply.body);
      if (!plays.ok)
        desk.alert('warn', 'REPLY_MALFORMED', 'the list of matched plays cannot be read', {
          problem: plays.problem,
        });
      parts.census.applyPlays(plays.ok ? plays.value : undefined);
      parts.closing.applyPlays(plays.ok);
      return;
    }
    case 'play': {
      const play = parsePlayLookup(reply.body, read.txId);
      parts.census.plays.applyTold(play.ok);
      if (!play.ok)
        desk.alertOnce('play', 'warn', 'REPLY_MALFORMED', 'the look-up of a play cannot be read', {
          txId: read.txId,
          problem: play.problem,
        });
      else if (play.value.graded) parts.manager.ledger.plays.applySettled(read.txId, play.value.profit);
      return;
    }
    case 'reference': {
      const trail = parseReferenceTrail(reply.body, read.ref);
      if (!trail.ok)
        desk.alert('warn', 'REPLY_MALFORMED', 'a look-up by reference cannot be read', {
          ref: read.ref,
          problem: trail.problem,
        });
      if (trail.ok)
        for (const { txId, profit } of trail.value.graded)
          parts.manager.ledger.plays.applySettled(txId, profit);
      if (trail.ok && parts.manager.answers.tellsReferences)
        parts.manager.answers.applyFillsRead(read.ref, pending.sentAt);
      parts.fates.applyTrail(
        read.ref,
        trail.ok ? trail.value : undefined,
        pending.sentAt,
        parts.bothFeedsUpSince(),
        desk.now,
      );
      return;
    }
    case 'order': {
      const order = parseOrderLookup(reply.body);
      if (!order.ok) {
        desk.alert('warn', 'REPLY_MALFORMED', 'the look-up of an order cannot be read', {
          orderId: read.orderId,
          problem: order.problem,
        });
        readFailed(pending, parts, desk);
        return;
      }
      lookedUp(pending, read.orderId, order.value, desk, parts.manager);
      return;
    }
  }
}

function lookedUp(
  { sentAt }: PendingRead,
  orderId: OrderId,
  { remaining, filled }: { readonly remaining?: number | undefined; readonly filled?: number | undefined },
  desk: Desk,
  manager: OrderManager,
): void {
  manager.answers.applyLookup(orderId, remaining, filled, desk.now, sentAt);
}

/** A read that failed is asked again by whoever needs it, at its next sweep. */
function readFailed(pending: PendingRead, parts: ReplyParts, desk: Desk): void {
  const { read } = pending;
  switch (read.what) {
    case 'league':
    case 'game':
      parts.market.applyReadFailed(pending);
      return;
    case 'open-orders':
      parts.closing.applyList(undefined);
      parts.census.applyOrders(undefined, pending.sentAt);
      return;
    case 'plays':
      parts.census.applyPlays(undefined);
      parts.closing.applyPlays(false);
      return;
    case 'reference':
      parts.fates.applyTrail(read.ref, undefined, pending.sentAt, undefined, desk.now);
      return;
    case 'order':
      parts.manager.answers.applyLookUpFailed(read.orderId, desk.now, pending.sentAt);
      return;
    case 'play':
      parts.census.plays.applyTold(false);
      desk.alertOnce('play-failed', 'warn', 'PLAY_NOT_TOLD', 'the exchange does not tell of a play', {
        txId: read.txId,
      });
      return;
    case 'user':
      return;
  }
}
