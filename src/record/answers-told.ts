// What an answer of the exchange says of one order, and what follows from it (DESIGN rule 5): pure readings for the story.
import type {
  Command,
  FillReport,
  Arrival,
  Micros,
  OrderEvent,
  PlaceResult,
  Read,
  Result,
} from '../domain/index.ts';
import { dollarsOfMicros } from '../domain/index.ts';
import {
  parseCancelReply,
  parseEditReply,
  parseEnvelope,
  parseOrderLookup,
  parsePlaceReply,
  parseReferenceTrail,
} from '../wire/index.ts';
import type { Fact, RequestType } from './story.ts';

export type Reply = Extract<Arrival, { type: 'reply' }>;

/** A request of ours that is about the order, until nothing more can come of it. */
export type Sent = {
  readonly command: Extract<Command, { type: RequestType }>;
  /** `new`: it asks for the order; `old`: it moves it away or cancels it. */
  readonly role: 'new' | 'old';
  /** Its place in the batch, from 0. */
  readonly index: number;
  readonly of: number;
  /** Monotonic ms. */
  readonly at: number;
  timedOut: boolean;
};

type AnswerFact = Extract<Fact, { type: 'answer' }>;
export type Answer = Pick<AnswerFact, 'says' | 'orderId' | 'errorType' | 'message' | 'filled'> & {
  /** What it makes of the order; undefined: nothing, or it is looked up. */
  readonly event: OrderEvent | undefined;
  readonly fills: readonly FillReport[];
  /** Nothing of it rests: it filled at once. */
  readonly gone: boolean;
};

const answer = (
  says: AnswerFact['says'],
  event: OrderEvent | undefined,
  more: Partial<Omit<Answer, 'says' | 'event'>> = {},
): Answer => ({
  orderId: undefined,
  errorType: undefined,
  message: undefined,
  filled: undefined,
  fills: [],
  gone: false,
  ...more,
  says,
  event,
});

export function answerOf(sent: Sent, { status, body }: Reply, batchIsAtomic: boolean): Answer {
  if (!isGood(status)) return refusalOf(sent, status, body, batchIsAtomic);
  switch (sent.command.type) {
    case 'place': {
      const results = parsePlaceReply(body, sent.of);
      return placedOf(results.ok ? results.value[sent.index] : results.problem);
    }
    case 'edit': {
      const result = parseEditReply(body);
      if (sent.role === 'new') return placedOf(result.ok ? result.value.placed : result.problem);
      if (!result.ok || result.value.placed.status === 'unreadable') return answer('unclear', 'unanswered');
      const { placed, cancelled } = result.value;
      const filled = dollars(result.value.filled);
      // what the exchange did not cancel is looked up
      return placed.status === 'accepted' || cancelled === true
        ? answer('cancelled', 'cancelled', { filled })
        : answer('not-cancelled', undefined, { filled });
    }
    case 'cancel': {
      const results = parseCancelReply(body, sent.of);
      const result = results.ok ? results.value[sent.index] : undefined;
      if (result === undefined) return answer('unclear', 'cancel-failed');
      const more = { message: result.reason, filled: dollars(result.filled) };
      return result.success
        ? answer('cancelled', 'cancelled', more)
        : answer('not-cancelled', undefined, more);
    }
    case 'cancel-all':
      return answer('taken', undefined);
  }
}

function placedOf(result: PlaceResult | string | undefined): Answer {
  if (typeof result !== 'object') return answer('unclear', 'unanswered', { message: result });
  switch (result.status) {
    case 'accepted': {
      const { orderId, fills } = result;
      return answer('accepted', 'accepted', { orderId, fills, gone: orderId === undefined });
    }
    case 'refused':
      return answer('refused', 'refused', { errorType: result.errorType, message: result.message });
    case 'unreadable':
      return answer('unclear', 'unanswered', { message: result.problem });
  }
}

function refusalOf(sent: Sent, status: number, body: unknown, batchIsAtomic: boolean): Answer {
  const { message, code } = parseEnvelope(body) ?? {};
  const event = eventOfError(sent, status, batchIsAtomic);
  const unclear = event === 'unanswered' || (event === 'cancel-failed' && status >= 500);
  const says = unclear ? 'unclear' : sent.role === 'new' ? 'refused' : 'not-cancelled';
  return answer(says, event, { errorType: code, message });
}

/** By the status alone; undefined: it is looked up. */
function eventOfError({ command, role, of }: Sent, status: number, atomic: boolean): OrderEvent | undefined {
  const untouched = status === 401 || status === 423 || status === 429;
  const decided = status === 400 || status === 403 || status === 404 || status === 409;
  if (command.type === 'cancel-all') return undefined;
  // under somebody's cancel-all the order is being cancelled anyway
  if (command.type === 'cancel') return decided || status === 423 ? undefined : 'cancel-failed';
  if (role === 'old') return untouched ? 'edit-refused' : decided ? undefined : 'unanswered';
  const whole = command.type === 'edit' || of === 1 || atomic;
  return untouched || (decided && whole) ? 'refused' : 'unanswered';
}

export type LookUp = {
  readonly says: Extract<Fact, { type: 'looked-up' }>['says'];
  readonly remaining: number | undefined;
  readonly fills: readonly FillReport[];
};

/** What a look-up of one order found. */
export function lookUpOf(read: Read, { status, body }: Pick<Reply, 'status' | 'body'>): LookUp {
  const nothing = { remaining: undefined, fills: [] };
  if (read.what === 'order') {
    if (status === 404) return { ...nothing, says: 'closed' };
    const order = ifGood(status, () => parseOrderLookup(body));
    if (order === undefined) return { ...nothing, says: 'unreadable' };
    const { remaining } = order;
    return { says: remaining > 0 ? 'open' : 'closed', remaining: dollars(remaining), fills: [] };
  }
  const trail =
    read.what === 'reference' ? ifGood(status, () => parseReferenceTrail(body, read.ref)) : undefined;
  if (trail === undefined) return { ...nothing, says: 'unreadable' };
  const { open, fills } = trail;
  const [first] = open;
  if (first !== undefined) return { says: 'open', remaining: dollars(first.remaining), fills };
  return { says: fills.length > 0 ? 'filled' : 'nothing', remaining: undefined, fills };
}

const isGood = (status: number): boolean => status >= 200 && status < 300;

/** The value of a good answer that can be read. */
export function ifGood<T>(status: number, parse: () => Result<T>): T | undefined {
  const result = isGood(status) ? parse() : undefined;
  return result?.ok === true ? result.value : undefined;
}

export const dollars = (amount: Micros | undefined): number | undefined =>
  amount === undefined ? undefined : dollarsOfMicros(amount);
