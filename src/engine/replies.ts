// Answers to our requests: parsed, and handed to whom they concern. What they mean is for the order manager (places, edits,
// cancels) and the account (reads) to say.
import type { Account, PlayerModeWatch, Reconciliation } from '../account/index.ts';
import { recordFills } from '../account/index.ts';
import type { Input, PlayerMode } from '../domain/index.ts';
import { microsOfDollars } from '../domain/index.ts';
import type { Attempt, OrderManager, Outcome } from '../orders/index.ts';
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
  parseUser,
} from '../wire/index.ts';
import type { Closing } from './closing.ts';
import type { Desk, PendingRead } from './desk.ts';
import type { MarketData } from './market-data.ts';

type Reply = Extract<Input, { type: 'reply' }>;
type Failure = Extract<Input, { type: 'failure' }>;

const DEFAULT_RETRY_AFTER_S = 1;

export type ReplyParts = {
  readonly account: Account;
  readonly manager: OrderManager;
  readonly market: MarketData;
  readonly mode: PlayerModeWatch;
  readonly playerMode: PlayerMode;
  readonly closing: Closing;
  readonly reconciliation: Reconciliation;
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
  const attempt = parts.manager.attempt(reply.req);
  if (attempt === undefined) return;
  const isGood = reply.status >= 200 && reply.status < 300;
  applyOutcome(attempt, isGood ? outcomeOf(attempt, reply.body) : errorOf(reply), desk, parts);
}

export function applyFailure(failure: Failure, desk: Desk, parts: ReplyParts): void {
  const read = desk.reads.get(failure.req);
  if (read !== undefined) {
    desk.reads.delete(failure.req);
    applyReadFailed(read, desk, parts);
    return;
  }
  const attempt = parts.manager.attempt(failure.req);
  if (attempt === undefined) return;
  if (failure.failure === 'not-sent' && attempt.timedOut !== true)
    desk.alertOnce(`not-sent ${failure.detail}`, 'warn', 'NOT_SENT', 'requests are held back', {
      reason: failure.detail,
    });
  const { failure: kind, detail } = failure;
  applyOutcome(attempt, { type: 'failed', failure: kind, detail }, desk, parts);
}

function applyOutcome(attempt: Attempt, outcome: Outcome, desk: Desk, parts: ReplyParts): void {
  const { askUser, reread = [] } = parts.manager.applyOutcome(attempt, outcome, desk.now);
  if (askUser === true) parts.mode.ask(desk.now);
  for (const gameId of reread) parts.market.reread(gameId);
}

function outcomeOf(attempt: Attempt, body: unknown): Outcome {
  switch (attempt.type) {
    case 'place': {
      const results = parsePlaceReply(body, attempt.orders.length);
      return results.ok
        ? { type: 'placed', results: results.value }
        : { type: 'unreadable', problem: results.problem };
    }
    case 'edit': {
      const result = parseEditReply(body);
      return result.ok
        ? { type: 'edited', result: result.value }
        : { type: 'unreadable', problem: result.problem };
    }
    case 'cancel': {
      const results = parseCancelReply(body, attempt.orderIds.length);
      return results.ok
        ? { type: 'cancelled', results: results.value }
        : { type: 'unreadable', problem: results.problem };
    }
  }
}

const errorOf = ({ status, body, retryAfterSeconds = DEFAULT_RETRY_AFTER_S }: Reply): Outcome => ({
  type: 'error',
  status,
  message: parseEnvelope(body)?.message ?? '',
  retryAfterMs: retryAfterSeconds * 1000,
});

function applyReadReply(pending: PendingRead, reply: Reply, desk: Desk, parts: ReplyParts): void {
  const { read, sentAt } = pending;
  const { account, reconciliation } = parts;
  if (read.what === 'order' && reply.status === 404) {
    account.applyLookedUp(read.orderId, { remaining: undefined, filled: undefined }, sentAt);
    return;
  }
  if (reply.status < 200 || reply.status >= 300) {
    if (reply.status === 403 && read.what === 'user')
      parts.mode.applyForbidden(parseEnvelope(reply.body)?.message ?? 'the account is refused');
    applyReadFailed(pending, desk, parts);
    return;
  }
  const malformed = (message: string, fields: Readonly<Record<string, unknown>>): void => {
    desk.alert('warn', 'REPLY_MALFORMED', message, fields);
  };
  switch (read.what) {
    case 'league':
    case 'game':
      parts.market.applyRead(pending, reply.body);
      return;
    case 'user': {
      const user = parseUser(reply.body);
      if (!user.ok) malformed('the current user cannot be read', { problem: user.problem });
      else applyUser(user.value, sentAt, desk, parts);
      return;
    }
    case 'open-orders': {
      const list = parseOpenOrders(reply.body);
      const orders = list.ok ? list.value : undefined;
      if (!list.ok) malformed('the list of open orders cannot be read', { problem: list.problem });
      if (orders !== undefined) reconciliation.applyOpenOrders(orders, sentAt);
      parts.closing.applyList(orders, sentAt);
      reconciliation.applyOrders(orders, sentAt);
      if (orders !== undefined) account.applyAbsences(sentAt, parts.bothFeedsUpSince());
      return;
    }
    case 'plays': {
      const fills = parsePlays(reply.body);
      if (!fills.ok) malformed('the list of matched bets cannot be read', { problem: fills.problem });
      reconciliation.applyFills(fills.ok ? fills.value : undefined);
      parts.closing.applyPlays(fills.ok);
      return;
    }
    case 'play': {
      const bet = parsePlayLookup(reply.body, read.txId);
      reconciliation.grades.applyAnswered(bet.ok);
      if (!bet.ok)
        desk.alertOnce('play', 'warn', 'REPLY_MALFORMED', 'the look-up of a matched bet cannot be read', {
          txId: read.txId,
          problem: bet.problem,
        });
      else if (bet.value.graded) account.applyGraded(read.txId, bet.value.profit);
      return;
    }
    case 'reference': {
      const trail = parseReferenceTrail(reply.body, read.ref);
      if (!trail.ok)
        malformed('a look-up by reference cannot be read', { ref: read.ref, problem: trail.problem });
      if (!trail.ok) account.applyTrail(read.ref, undefined, sentAt, undefined);
      else {
        const { open, fills, graded } = trail.value;
        for (const { txId, profit } of graded) account.applyGraded(txId, profit);
        const of = { ref: read.ref, from: 'trail', asked: sentAt, seenAt: desk.now } as const;
        for (const { orderId } of open.slice(0, 1))
          account.record({ ...of, orderId, says: { type: 'resting' } });
        recordFills(account, { ref: read.ref, from: 'trail' }, fills, desk.now);
        const said = { isOpen: open.length > 0, hasFilled: fills.length > 0 };
        account.applyTrail(read.ref, said, sentAt, parts.bothFeedsUpSince());
      }
      return;
    }
    case 'order': {
      const order = parseOrderLookup(reply.body);
      if (order.ok) {
        account.applyLookedUp(read.orderId, order.value, sentAt);
        return;
      }
      malformed('the look-up of an order cannot be read', { orderId: read.orderId, problem: order.problem });
      applyReadFailed(pending, desk, parts);
      return;
    }
  }
}

type User = {
  readonly mode: PlayerMode | undefined;
  readonly cash?: number | undefined;
  readonly coins?: number | undefined;
};

function applyUser({ mode, cash, coins }: User, asked: number, desk: Desk, parts: ReplyParts): void {
  const dollars = parts.playerMode === 'cash' ? cash : coins;
  const balance = dollars === undefined ? undefined : microsOfDollars(dollars);
  if (parts.mode.applyUser({ mode, balance }, asked, desk.now)) parts.account.applyModeSure(asked);
}

/** A read that failed is asked again by whoever needs it, at its next sweep. */
function applyReadFailed(pending: PendingRead, desk: Desk, parts: ReplyParts): void {
  const { read, sentAt } = pending;
  switch (read.what) {
    case 'league':
    case 'game':
      parts.market.applyReadFailed(pending);
      return;
    case 'open-orders':
      parts.closing.applyList(undefined, sentAt);
      parts.reconciliation.applyOrders(undefined, sentAt);
      return;
    case 'plays':
      parts.reconciliation.applyFills(undefined);
      parts.closing.applyPlays(false);
      return;
    case 'reference':
      parts.account.applyTrail(read.ref, undefined, sentAt, undefined);
      return;
    case 'order':
      parts.account.applyLookUpFailed(read.orderId);
      return;
    case 'play':
      parts.reconciliation.grades.applyAnswered(false);
      desk.alertOnce(
        'play-failed',
        'warn',
        'PLAY_NOT_TOLD',
        'the exchange does not answer for a matched bet',
        {
          txId: read.txId,
        },
      );
      return;
    case 'user':
      return;
  }
}
