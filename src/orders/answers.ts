// What an answer to a request of ours means: facts for the account, and how long a slot waits after a no. A request names
// orders by reference (those it brings) and by id (those it ends); what is said goes under the name that was meant.
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

/** A request that left at `sentAt`, monotonic ms; `timedOut`: it was called unanswered already. */
export type Attempt = { readonly req: RequestId; readonly sentAt: number; timedOut?: true } & (
  | { readonly type: 'place'; readonly orders: readonly OwnOrder[] }
  | {
      readonly type: 'edit';
      readonly orderId: OrderId;
      /** What had the id when it left: an edit may keep it. */
      readonly life: Name | undefined;
      readonly order: OwnOrder;
    }
  | {
      readonly type: 'cancel';
      readonly orderIds: readonly OrderId[];
      /** Of own orders, one for each id. */
      readonly lives: readonly (Name | undefined)[];
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
  /** The exchange says that the account cannot afford an order: what it has is to be read. */
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
    const { req, orderId, life, order } = attempt;
    const { cancelled, filled, placed } = result;
    const isPlaced = placed.status === 'accepted';
    // under the same id there is one order
    const isKept = isPlaced && placed.orderId === orderId;
    const isGone = cancelled === true || (isPlaced && (cancelled !== false || isKept));
    const of: Omit<Fact, 'says'> = { orderId, from: 'reply', asked: attempt.sentAt, seenAt: now };
    if (isGone) this.#account.recordReplaced(life, { ...of, says: { type: 'gone', total: filled } }, order);
    else if (filled !== undefined) this.#account.record({ ...of, says: { type: 'total', filled } }, undefined, life);
    if (!isGone) this.#account.applyEnding(life, req, placed.status === 'unreadable' ? 'silent' : 'unclear');
    this.#applyResult(order, placed, attempt, now);
  }

  applyCancelled(
    { req, orderIds, lives }: Extract<Attempt, { type: 'cancel' }>,
    results: readonly CancelResult[],
    now: number,
  ): void {
    orderIds.forEach((orderId, index) => {
      const result = results[index];
      const { success = false, filled } = result ?? {};
      // a cancel that worked ended what had the id last
      const life = success ? this.#account.lifeNow(lives[index]) : lives[index];
      const order = life?.holder;
      if (order === undefined) return;
      const of: Omit<Fact, 'says'> = { orderId, from: 'reply', seenAt: now };
      const isUnsure = order.status === 'cancelling-unknown';
      // of an unanswered edit that kept the id, either half may be meant
      const isOfHalf = isUnsure && (this.#editKeepsId || order.linkedBy === 'signature');
      if (filled !== undefined && !isOfHalf)
        this.#account.record({ ...of, says: { type: 'total', filled } }, undefined, life);
      if (!success) {
        if (isUnsure) this.#account.record({ ...of, says: { type: 'fills-unread' } }, undefined, life);
        this.#account.applyEnding(life, req, 'unclear');
        return;
      }
      if (life !== undefined)
        this.#account.recordCancelled(life, req, {
          ...of,
          says: isUnsure ? { type: 'gone-unexplained' } : { type: 'gone', total: undefined },
        });
    });
  }

  /** The exchange refused the whole request at its door: nothing was acted on. */
  applyRefused(attempt: Attempt, problem: Problem, now: number): void {
    for (const order of broughtBy(attempt))
      this.#refused(order, { ...problem, errorType: codeOf(problem) }, attempt, now);
    this.#letRest(attempt);
  }

  /** What the request was about to end goes on resting. */
  #letRest(attempt: Attempt): void {
    for (const life of endedBy(attempt)) this.#account.applyEnding(life, attempt.req, 'rests');
  }

  /** One of these was wrong, and nobody knows which: none of them is sent again unchanged. */
  applyWrong(orders: readonly OwnOrder[], now: number): void {
    for (const order of orders) this.#blocks.applyRefused(order, 'wrong', now);
  }

  /** Something of ours held the request back: it never left, and is decided anew in a moment. */
  applyNotSent(attempt: Attempt, reason: string, now: number): void {
    for (const order of broughtBy(attempt)) {
      const of = answered(order, attempt, undefined, now);
      this.#ports.raise({ type: 'OrderRejected', ...of, code: undefined, reason, isSent: false });
      this.#account.applyPlacing(order, 'not-sent');
      this.#blocks.applyDenied(order, now);
    }
    this.#letRest(attempt);
  }

  /** It was refused in a way that leaves open what became of the orders that it was to end: they are looked up. */
  applyUnclear(attempt: Attempt, problem: Problem, now: number): void {
    for (const order of broughtBy(attempt))
      this.#refused(order, { ...problem, errorType: codeOf(problem) }, attempt, now);
    for (const life of endedBy(attempt)) this.#account.applyEnding(life, attempt.req, 'unclear');
  }

  /** No readable answer: orders keep their full size in exposure, cancels are decided anew. */
  applyUnanswered(
    attempt: Attempt,
    why: { readonly status: number | undefined; readonly reason: string },
    now: number,
  ): void {
    for (const order of broughtBy(attempt)) {
      this.#account.applyPlacing(order, 'silent');
      this.#ports.raise({
        type: 'OrderUnknown',
        ...answered(order, attempt, why.status, now),
        reason: why.reason,
      });
    }
    for (const life of endedBy(attempt)) this.#account.applyEnding(life, attempt.req, 'silent');
  }

  #applyResult(order: OwnOrder, result: PlaceResult, attempt: Attempt, now: number): void {
    const { sentAt } = attempt;
    switch (result.status) {
      case 'accepted': {
        const { ref } = order;
        if (result.ref === ref) this.#account.noteReferencesReported();
        const of: Omit<Fact, 'says'> = {
          ref,
          orderId: result.orderId,
          from: 'reply',
          asked: sentAt,
          seenAt: now,
          mode: result.mode,
        };
        // a post that did not rest has nothing left
        const says = { type: result.orderId === undefined ? 'taken' : 'resting' } as const;
        this.#account.record({ ...of, says });
        this.#account.applyPlacing(order, 'answered');
        this.#blocks.applyAccepted(order);
        this.#ports.raise({ type: 'OrderAccepted', ...answered(order, attempt, OK, now), orderId: result.orderId });
        recordFills(this.#account, { ref, orderId: result.orderId, from: 'reply' }, result.fills, now);
        break;
      }
      case 'refused':
        this.#refused(order, { status: OK, errorType: result.errorType, message: result.message }, attempt, now);
        break;
      case 'unreadable':
        this.#account.applyPlacing(order, 'silent');
        this.#ports.raise({
          type: 'OrderUnknown',
          ...answered(order, attempt, OK, now),
          reason: result.problem,
        });
        break;
    }
  }

  #refused(
    order: OwnOrder,
    why: { readonly status: number; readonly errorType: string | undefined; readonly message: string },
    attempt: Attempt,
    now: number,
  ): void {
    const { ref, market } = order;
    const of = answered(order, attempt, why.status, now);
    this.#ports.raise({
      type: 'OrderRejected',
      ...of,
      code: why.errorType,
      reason: why.message,
      isSent: true,
    });
    this.#account.record({ ref, from: 'reply', seenAt: now, says: { type: 'refused' } });
    this.#account.applyPlacing(order, 'answered');
    // 400 and 403 say that the very request is wrong: never again unchanged; the others may pass a moment later
    const isWrong = why.status === 400 || why.status === 403;
    const kind = isWrong ? 'wrong' : (BY_TYPE[why.errorType ?? ''] ?? BY_STATUS[why.status] ?? 'other');
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
        until: 'another price or size is wanted, or orders.giveUpFor is over',
      });
  }
}

type Problem = Pick<ErrorAnswer, 'status' | 'message' | 'code'>;

/** The codes of 423 and 429 say no more than the status. */
const codeOf = ({ status, code }: Problem): string | undefined => (status === 423 || status === 429 ? undefined : code);

/** Of a request whose answer says so, order by order. */
const OK = 200;

/** Which request brought an order, and for how long nobody knew what came of it. */
const answered = ({ ref }: OwnOrder, { req, sentAt }: Attempt, status: number | undefined, now: number) => ({
  ref,
  request: req,
  status,
  latencyMs: toMicroseconds(now - sentAt),
});

const NO_RESULT: PlaceResult = { status: 'unreadable', problem: 'no result' };

const BY_TYPE: Readonly<Record<string, Refusal>> = {
  validation_error: 'doubtful',
  rejected_liability: 'liability',
};
const BY_STATUS: Readonly<Record<number, Refusal>> = { 409: 'stale', 429: 'throttled' };

/** The orders that a request would bring to rest, and the lives of the ids that it would end. */
const broughtBy = (attempt: Attempt): readonly OwnOrder[] =>
  attempt.type === 'place' ? attempt.orders : attempt.type === 'edit' ? [attempt.order] : [];
const endedBy = (attempt: Attempt): readonly (Name | undefined)[] =>
  attempt.type === 'cancel' ? attempt.lives : attempt.type === 'edit' ? [attempt.life] : [];
