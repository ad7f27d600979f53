// What an answer of the exchange says of one order, by itself (rules.md, 5): pure readings, for the story and for the rules of
// `conform`. What is believed of the order is the account's.
import type {
  BatchErrors,
  Command,
  FillReport,
  Arrival,
  Micros,
  PlaceResult,
  Read,
  Result,
} from '../../domain/index.ts';
import { dollarsOfMicros, namesBatch } from '../../domain/index.ts';
import {
  parseCancelReply,
  parseEditReply,
  parseEnvelope,
  parseOrderLookup,
  parsePlaceReply,
  parseReferenceTrail,
} from '../../wire/index.ts';
import type { StoryFact, RequestType } from './story.ts';

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

type AnswerFact = Extract<StoryFact, { type: 'answer' }>;
export type Answer = Pick<AnswerFact, 'says' | 'orderId' | 'errorType' | 'message' | 'filled'> & {
  readonly fills: readonly FillReport[];
};

const answer = (says: AnswerFact['says'], more: Partial<Omit<Answer, 'says'>> = {}): Answer => ({
  orderId: undefined,
  errorType: undefined,
  message: undefined,
  filled: undefined,
  fills: [],
  ...more,
  says,
});

export function answerOf(sent: Sent, { status, body }: Reply, batchErrors: BatchErrors): Answer {
  if (!isGood(status)) return refusalOf(sent, status, body, batchErrors);
  switch (sent.command.type) {
    case 'place': {
      const results = parsePlaceReply(body, sent.of);
      return placedOf(results.ok ? results.value[sent.index] : results.problem);
    }
    case 'edit': {
      const result = parseEditReply(body);
      if (sent.role === 'new') return placedOf(result.ok ? result.value.placed : result.problem);
      if (!result.ok || result.value.placed.status === 'unreadable') return answer('unclear');
      const { placed, cancelled } = result.value;
      const filled = dollars(result.value.filled);
      // what the exchange did not cancel is looked up
      return placed.status === 'accepted' || cancelled === true
        ? answer('cancelled', { filled })
        : answer('not-cancelled', { filled });
    }
    case 'cancel': {
      const results = parseCancelReply(body, sent.of);
      const result = results.ok ? results.value[sent.index] : undefined;
      if (result === undefined) return answer('unclear');
      const more = { message: result.reason, filled: dollars(result.filled) };
      return result.success ? answer('cancelled', more) : answer('not-cancelled', more);
    }
    case 'cancel-all':
      return answer('taken');
  }
}

function placedOf(result: PlaceResult | string | undefined): Answer {
  if (typeof result !== 'object') return answer('unclear', { message: result });
  switch (result.status) {
    case 'accepted': {
      const { orderId, fills } = result;
      return answer('accepted', { orderId, fills });
    }
    case 'refused':
      return answer('refused', { errorType: result.errorType, message: result.message });
    case 'unreadable':
      return answer('unclear', { message: result.problem });
  }
}

function refusalOf(sent: Sent, status: number, body: unknown, batchErrors: BatchErrors): Answer {
  const { message, code } = parseEnvelope(body) ?? {};
  const says = isUnclear(sent, status, batchErrors) ? 'unclear' : sent.role === 'new' ? 'refused' : 'not-cancelled';
  return answer(says, { errorType: code, message });
}

/** An error that leaves open what became of the order, by its status alone. */
function isUnclear({ command, role, of }: Sent, status: number, batchErrors: BatchErrors): boolean {
  if (command.type === 'cancel-all' || status === 401 || status === 423 || status === 429) return false;
  if (command.type === 'cancel') return status >= 500;
  if (role === 'old') return !isDecided(status);
  return !(isDecided(status) && (command.type === 'edit' || of === 1 || namesBatch(batchErrors, status)));
}

/** Statuses by which a request is decided: nothing of it is done later. */
export const isDecided = (status: number): boolean =>
  status === 400 || status === 403 || status === 404 || status === 409;

export type LookUp = {
  readonly says: Extract<StoryFact, { type: 'looked-up' }>['says'];
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
  const trail = read.what === 'reference' ? ifGood(status, () => parseReferenceTrail(body, read.ref)) : undefined;
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
