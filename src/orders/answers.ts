// Applies the answers to requests: facts for the account, and how long a slot waits after a refusal. A
// request names orders by reference (those it brings) and by id (those it ends). Invariant: a fact is
// recorded under the name that the request meant.
import { toMicroseconds } from '../domain/index.ts';
import type { Account, Fact, Name, OwnOrder } from '../account/index.ts';
import { recordFills } from '../account/index.ts';
import type {
  CancelResult,
  Command,
  EditResult,
  ErrorAnswer,
  Game,
  GameId,
  OrderId,
  PlaceResult,
  RequestId,
  RunEvent,
} from '../domain/index.ts';
import type { Refusal, SlotBlocks } from './slot-blocks.ts';

/** A request sent at `sentAt`, monotonic ms. `timedOut`: it already counts as unanswered. */
export type Attempt = { readonly req: RequestId; readonly sentAt: number; timedOut?: true } & (
  | { readonly type: 'place'; readonly orders: readonly OwnOrder[] }
  | {
      readonly type: 'edit';
      readonly orderId: OrderId;
      /** The name record of the id when the request was sent; an edit may pass the id on. */
      readonly name: Name | undefined;
      readonly order: OwnOrder;
    }
  | {
      readonly type: 'cancel';
      readonly orderIds: readonly OrderId[];
      /** The name records of the ids, one each; undefined for an id without an own order. */
      readonly names: readonly (Name | undefined)[];
    }
);

export type AnswerPorts = {
  readonly gameOf: (id: GameId) => Game | undefined;
  readonly alert: (
    level: 'info' | 'warn' | 'error',
    code: string,
    message: string,
    fields: Extract<Command, { type: 'alert' }>['fields'],
  ) => void;
  readonly raise: (event: RunEvent) => void;
  /** The exchange refused an order because the account cannot afford it: the balance is to be read. */
  readonly askBalance: () => void;
};

export class Answers {
  readonly #account: Account;
  readonly #blocks: SlotBlocks;
  readonly #ports: AnswerPorts;
  readonly #editKeepsId: boolean;

  constructor(account: Account, blocks: SlotBlocks, ports: AnswerPorts, editKeepsId: boolean) {
    this.#account = account;
    this.#blocks = blocks;
    this.#ports = ports;
    this.#editKeepsId = editKeepsId;
  }

  applyPlaced(attempt: Extract<Attempt, { type: 'place' }>, results: readonly PlaceResult[], now: number): void {
    attempt.orders.forEach((order, index) => {
      this.#applyResult(order, results[index] ?? NO_RESULT, attempt, now);
    });
  }

  applyEdited(attempt: Extract<Attempt, { type: 'edit' }>, result: EditResult, now: number): void {
    const { req, orderId, name: replaced, order } = attempt;
    const { cancelled, filled, placed } = result;
    const isPlaced = placed.status === 'accepted';
    // an id belongs to one order at a time
    const isKept = isPlaced && placed.orderId === orderId;
    const isGone = cancelled === true || (isPlaced && (cancelled !== false || isKept));
    const base: Omit<Fact, 'kind'> = { orderId, from: 'reply', askedAt: attempt.sentAt, seenAt: now };
    if (isGone) this.#account.recordReplaced(replaced, { ...base, kind: { type: 'gone', total: filled } }, order);
    else if (filled !== undefined)
      this.#account.record({ ...base, kind: { type: 'total', filled } }, undefined, replaced);
    if (!isGone) this.#account.applyEnding(replaced, req, placed.status === 'unreadable' ? 'silent' : 'unclear');
    this.#applyResult(order, placed, attempt, now);
  }

  applyCancelled(
    { req, orderIds, names }: Extract<Attempt, { type: 'cancel' }>,
    results: readonly CancelResult[],
    now: number,
  ): void {
    orderIds.forEach((orderId, index) => {
      const result = results[index];
      const { success = false, filled } = result ?? {};
      // a cancel that succeeded ended the order that had the id last
      const name = success ? this.#account.currentName(names[index]) : names[index];
      const order = name?.holder;
      if (order === undefined) return;
      const base: Omit<Fact, 'kind'> = { orderId, from: 'reply', seenAt: now };
      const isUnsure = order.status === 'cancelling-unknown';
      // after an unanswered edit that kept the id, either order may be meant
      const isEitherOrder = isUnsure && (this.#editKeepsId || order.linkedBy === 'signature');
      if (filled !== undefined && !isEitherOrder)
        this.#account.record({ ...base, kind: { type: 'total', filled } }, undefined, name);
      if (!success) {
        if (isUnsure) this.#account.record({ ...base, kind: { type: 'fills-unread' } }, undefined, name);
        this.#account.applyEnding(name, req, 'unclear');
        return;
      }
      if (name !== undefined)
        this.#account.recordCancelled(name, req, {
          ...base,
          kind: isUnsure ? { type: 'gone-unexplained' } : { type: 'gone', total: undefined },
        });
    });
  }

  /** The exchange refused the whole request without acting on it. */
  applyRefused(attempt: Attempt, problem: Problem, now: number): void {
    for (const order of broughtBy(attempt))
      this.#applyRefusal(order, { ...problem, errorType: codeOf(problem) }, attempt, now);
    this.#applyStillResting(attempt);
  }

  /** The orders that the request was to end still rest. */
  #applyStillResting(attempt: Attempt): void {
    for (const name of endedBy(attempt)) this.#account.applyEnding(name, attempt.req, 'rests');
  }

  /** One of these orders was wrong, and it is not known which: none is sent again unchanged. */
  applyWrong(orders: readonly OwnOrder[], now: number): void {
    for (const order of orders) this.#blocks.applyRefused(order, 'wrong', now);
  }

  /** The bot held the request back: it never left, and the slots are decided again soon. */
  applyNotSent(attempt: Attempt, reason: string, now: number): void {
    for (const order of broughtBy(attempt)) {
      const answer = answerFields(order, attempt, undefined, now);
      this.#ports.raise({ type: 'OrderRejected', ...answer, code: undefined, reason, isSent: false });
      this.#account.applyPlacing(order, 'not-sent');
      this.#blocks.applyDenied(order, now);
    }
    this.#applyStillResting(attempt);
  }

  /** A refusal that leaves open what became of the orders that the request was to end: they are looked up. */
  applyUnclear(attempt: Attempt, problem: Problem, now: number): void {
    for (const order of broughtBy(attempt))
      this.#applyRefusal(order, { ...problem, errorType: codeOf(problem) }, attempt, now);
    for (const name of endedBy(attempt)) this.#account.applyEnding(name, attempt.req, 'unclear');
  }

  /** No readable answer came: orders keep their full size in exposure, and cancels are decided again. */
  applyUnanswered(
    attempt: Attempt,
    why: { readonly status: number | undefined; readonly reason: string },
    now: number,
  ): void {
    for (const order of broughtBy(attempt)) {
      this.#account.applyPlacing(order, 'silent');
      this.#ports.raise({
        type: 'OrderUnknown',
        ...answerFields(order, attempt, why.status, now),
        reason: why.reason,
      });
    }
    for (const name of endedBy(attempt)) this.#account.applyEnding(name, attempt.req, 'silent');
  }

  #applyResult(order: OwnOrder, result: PlaceResult, attempt: Attempt, now: number): void {
    const { sentAt } = attempt;
    switch (result.status) {
      case 'accepted': {
        const { ref } = order;
        if (result.ref === ref) this.#account.noteReferencesReported();
        const base: Omit<Fact, 'kind'> = {
          ref,
          orderId: result.orderId,
          from: 'reply',
          askedAt: sentAt,
          seenAt: now,
          mode: result.mode,
        };
        // an accepted order without an id does not rest: it was taken in full
        const kind = { type: result.orderId === undefined ? 'taken' : 'resting' } as const;
        this.#account.record({ ...base, kind });
        this.#account.applyPlacing(order, 'answered');
        this.#blocks.applyAccepted(order);
        this.#ports.raise({ type: 'OrderAccepted', ...answerFields(order, attempt, OK, now), orderId: result.orderId });
        recordFills(this.#account, { ref, orderId: result.orderId, from: 'reply' }, result.fills, now);
        break;
      }
      case 'refused':
        this.#applyRefusal(order, { status: OK, errorType: result.errorType, message: result.message }, attempt, now);
        break;
      case 'unreadable':
        this.#account.applyPlacing(order, 'silent');
        this.#ports.raise({
          type: 'OrderUnknown',
          ...answerFields(order, attempt, OK, now),
          reason: result.problem,
        });
        break;
    }
  }

  #applyRefusal(
    order: OwnOrder,
    why: { readonly status: number; readonly errorType: string | undefined; readonly message: string },
    attempt: Attempt,
    now: number,
  ): void {
    const { ref, market } = order;
    const answer = answerFields(order, attempt, why.status, now);
    this.#ports.raise({
      type: 'OrderRejected',
      ...answer,
      code: why.errorType,
      reason: why.message,
      isSent: true,
    });
    this.#account.record({ ref, from: 'reply', seenAt: now, kind: { type: 'refused' } });
    this.#account.applyPlacing(order, 'answered');
    // 400 and 403 mean that this request is wrong and never sent again unchanged; other refusals may pass a
    // moment later
    const isWrong = why.status === 400 || why.status === 403;
    const kind = isWrong ? 'wrong' : (REFUSAL_BY_TYPE[why.errorType ?? ''] ?? REFUSAL_BY_STATUS[why.status] ?? 'other');
    if (kind === 'liability') this.#ports.askBalance();
    const gaveUp = this.#blocks.applyRefused(order, kind, now, this.#ports.gameOf(market.gameId));
    this.#ports.alert('info', 'ORDER_REFUSED', 'the exchange refused an order', {
      ref,
      marketId: market.id,
      side: order.side,
      status: why.status,
      errorType: why.errorType,
      reason: why.message,
    });
    if (gaveUp)
      this.#ports.alert('warn', 'SLOT_GAVE_UP', 'a quote was refused by the window five times: it waits', {
        strategy: order.strategy,
        marketId: market.id,
        side: order.side,
        key: order.key,
        until: 'another price or size is wanted, or orders.giveUpFor has passed',
      });
  }
}

type Problem = Pick<ErrorAnswer, 'status' | 'message' | 'code'>;

/** The error code. Undefined for 423 and 429, whose codes add nothing to the status. */
const codeOf = ({ status, code }: Problem): string | undefined => (status === 423 || status === 429 ? undefined : code);

/** The status of an answer with one result per order. */
const OK = 200;

/** The fields of an event about an order: its request, the status, and the latency of the answer. */
const answerFields = ({ ref }: OwnOrder, { req, sentAt }: Attempt, status: number | undefined, now: number) => ({
  ref,
  request: req,
  status,
  latencyMs: toMicroseconds(now - sentAt),
});

const NO_RESULT: PlaceResult = { status: 'unreadable', problem: 'no result' };

const REFUSAL_BY_TYPE: Readonly<Record<string, Refusal>> = {
  validation_error: 'doubtful',
  rejected_liability: 'liability',
};
const REFUSAL_BY_STATUS: Readonly<Record<number, Refusal>> = { 409: 'stale', 429: 'throttled' };

/** The orders that a request brings. */
const broughtBy = (attempt: Attempt): readonly OwnOrder[] =>
  attempt.type === 'place' ? attempt.orders : attempt.type === 'edit' ? [attempt.order] : [];
const endedBy = (attempt: Attempt): readonly (Name | undefined)[] =>
  attempt.type === 'cancel' ? attempt.names : attempt.type === 'edit' ? [attempt.name] : [];
