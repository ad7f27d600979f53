// Routes answers and failures of own requests to the parts concerned. The order manager interprets places,
// edits and cancels; the account interprets reads.
import type { Account, FormerFills, PlayerModeWatch, Reconciliation, UserReport } from '../account/index.ts';
import { recordFills } from '../account/index.ts';
import type {
  Answer,
  ErrorAnswer,
  Input,
  Micros,
  OrderRef,
  PlayerMode,
  ReferenceTrail,
  UserLookup,
} from '../domain/index.ts';
import { microsOfDollars } from '../domain/index.ts';
import type { Attempt, OrderManager, Outcome } from '../orders/index.ts';
import type { Closing } from './closing.ts';
import type { CommandBuffer, PendingRead } from './command-buffer.ts';
import type { MarketData } from './market-data.ts';

type Answered = Extract<Input, { type: 'answer' }>;
type Failure = Extract<Input, { type: 'failure' }>;

export type ReplyParts = {
  readonly account: Account;
  readonly manager: OrderManager;
  readonly market: MarketData;
  readonly mode: PlayerModeWatch;
  readonly playerMode: PlayerMode;
  readonly closing: Closing;
  readonly reconciliation: Reconciliation;
  readonly former: Pick<FormerFills, 'applyAnswer'>;
  /** Monotonic ms since when both feeds are up. */
  readonly bothFeedsUpSince: () => number | undefined;
};

export function applyAnswer({ req, answer }: Answered, buffer: CommandBuffer, parts: ReplyParts): void {
  const read = buffer.reads.get(req);
  if (read !== undefined) {
    buffer.reads.delete(req);
    if (read.isFormer === true) parts.former.applyAnswer(read.read, answer);
    else applyReadAnswer(read, answer, buffer, parts);
    return;
  }
  const attempt = parts.manager.attempt(req);
  if (attempt !== undefined) applyOutcome(attempt, answer, buffer, parts);
}

export function applyFailure(failure: Failure, buffer: CommandBuffer, parts: ReplyParts): void {
  const read = buffer.reads.get(failure.req);
  if (read !== undefined) {
    buffer.reads.delete(failure.req);
    if (read.isFormer !== true) applyReadFailed(read, buffer, parts);
    return;
  }
  const attempt = parts.manager.attempt(failure.req);
  if (attempt === undefined) return;
  if (failure.failure === 'not-sent' && attempt.timedOut !== true)
    buffer.alertOnce(`not-sent ${failure.detail}`, 'warn', 'NOT_SENT', 'requests are held back', {
      reason: failure.detail,
    });
  const { failure: kind, detail } = failure;
  applyOutcome(attempt, { type: 'failed', failure: kind, detail }, buffer, parts);
}

function applyOutcome(attempt: Attempt, outcome: Outcome, buffer: CommandBuffer, parts: ReplyParts): void {
  const { askUser, reread = [] } = parts.manager.applyOutcome(attempt, outcome, buffer.now);
  if (askUser === true) parts.mode.ask(buffer.now);
  for (const gameId of reread) parts.market.reread(gameId);
}

function applyReadAnswer(pending: PendingRead, answer: Answer, buffer: CommandBuffer, parts: ReplyParts): void {
  const { read, sentAt } = pending;
  const { account, reconciliation } = parts;
  const isUnreadable = answer.type === 'unreadable';
  const malformed = (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
    if (isUnreadable) buffer.alert('warn', 'REPLY_MALFORMED', message, { ...fields, problem: answer.problem });
  };
  if (answer.type === 'error') {
    applyReadRefused(pending, answer, buffer, parts);
    return;
  }
  switch (read.what) {
    case 'league':
    case 'game':
      parts.market.applyRead(pending, answer);
      return;
    case 'user':
      malformed('the current user cannot be read');
      if (answer.type === 'user') applyUser(answer.user, sentAt, buffer, parts);
      return;
    case 'open-orders': {
      malformed('the list of open orders cannot be read');
      const orders = answer.type === 'open-orders' ? answer.orders : undefined;
      if (orders !== undefined) reconciliation.applyOpenOrders(orders, sentAt);
      parts.closing.applyList(orders, sentAt);
      reconciliation.applyOrders(orders, sentAt);
      if (orders !== undefined) account.lookUps.applyAbsences(sentAt, parts.bothFeedsUpSince());
      return;
    }
    case 'plays':
      malformed('the list of matched bets cannot be read');
      reconciliation.applyFills(answer.type === 'plays' ? answer.plays : undefined);
      parts.closing.applyPlays(answer.type === 'plays');
      return;
    case 'play':
      reconciliation.grades.applyAnswered(answer.type === 'play');
      if (isUnreadable)
        buffer.alertOnce('play', 'warn', 'REPLY_MALFORMED', 'the look-up of a matched bet cannot be read', {
          txId: read.txId,
          problem: answer.problem,
        });
      else if (answer.type === 'play' && answer.play.graded) account.fills.applyGraded(read.txId, answer.play.profit);
      return;
    case 'reference':
      malformed('a look-up by reference cannot be read', { ref: read.ref });
      applyTrail(read.ref, answer.type === 'reference' ? answer.trail : undefined, sentAt, buffer, parts);
      return;
    case 'order':
      malformed('the look-up of an order cannot be read', { orderId: read.orderId });
      if (answer.type === 'order') account.lookUps.applyLookedUp(read.orderId, answer.order, sentAt);
      else applyReadFailed(pending, buffer, parts);
      return;
  }
}

function applyReadRefused(pending: PendingRead, error: ErrorAnswer, buffer: CommandBuffer, parts: ReplyParts): void {
  const { read, sentAt } = pending;
  if (read.what === 'order' && error.status === 404) {
    parts.account.lookUps.applyLookedUp(read.orderId, { remaining: undefined, filled: undefined }, sentAt);
    return;
  }
  if (read.what === 'user' && error.status === 403)
    parts.mode.applyForbidden(error.message === '' ? 'the account is refused' : error.message);
  applyReadFailed(pending, buffer, parts);
}

function applyTrail(
  ref: OrderRef,
  trail: ReferenceTrail | undefined,
  sentAt: number,
  buffer: CommandBuffer,
  { account, bothFeedsUpSince }: ReplyParts,
): void {
  if (trail === undefined) {
    account.lookUps.applyTrail(ref, undefined, sentAt, undefined);
    return;
  }
  const { open, fills, graded } = trail;
  for (const { txId, profit } of graded) account.fills.applyGraded(txId, profit);
  const source = { ref, from: 'trail', askedAt: sentAt, seenAt: buffer.now } as const;
  for (const { orderId } of open.slice(0, 1)) account.record({ ...source, orderId, kind: { type: 'resting' } });
  recordFills(account, { ref, from: 'trail' }, fills, buffer.now);
  const found = { isOpen: open.length > 0, hasFilled: fills.length > 0 };
  account.lookUps.applyTrail(ref, found, sentAt, bothFeedsUpSince());
}

function applyUser({ mode, cash, coins }: UserLookup, askedAt: number, buffer: CommandBuffer, parts: ReplyParts): void {
  const dollars = parts.playerMode === 'cash' ? cash : coins;
  applyUserReport({ mode, balance: microsOf(dollars) }, askedAt, buffer.now, parts);
}

const microsOf = (dollars: number | undefined): Micros | undefined =>
  dollars === undefined ? undefined : microsOfDollars(dollars);

/** Applies a login. Its time of request is taken as now. */
export function applySession(
  { mode, balance }: Extract<Input, { type: 'session' }>,
  { now }: CommandBuffer,
  parts: Pick<ReplyParts, 'account' | 'mode'>,
): void {
  applyUserReport({ mode, balance: microsOf(balance) }, now, now, parts);
}

function applyUserReport(
  report: UserReport,
  askedAt: number,
  now: number,
  { account, mode }: Pick<ReplyParts, 'account' | 'mode'>,
): void {
  if (report.balance !== undefined) account.fills.unread.applyBalance(askedAt);
  if (mode.applyUser(report, askedAt, now)) account.fills.applyModeSure(askedAt);
}

/** Reports a failed read to the part that needs it, which repeats the read at its next housekeeping. */
function applyReadFailed(pending: PendingRead, buffer: CommandBuffer, parts: ReplyParts): void {
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
      parts.account.lookUps.applyTrail(read.ref, undefined, sentAt, undefined);
      return;
    case 'order':
      parts.account.lookUps.applyLookUpFailed(read.orderId);
      return;
    case 'play':
      parts.reconciliation.grades.applyAnswered(false);
      buffer.alertOnce('play-failed', 'warn', 'FILL_NOT_REPORTED', 'the exchange does not answer for a matched bet', {
        txId: read.txId,
      });
      return;
    case 'user':
      return;
  }
}
