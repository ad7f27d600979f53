// Reads what an answer of the exchange says about one order (rules.md, 5). The readings are pure and
// independent of the bot, so that they can check what a run believed.
import type { BatchErrors, Command, Arrival, PlaceResult, Read, Result } from '../domain/index.ts';
import { namesBatch } from '../domain/index.ts';
import {
  parseCancelReply,
  parseEditReply,
  parseEnvelope,
  parseOrderLookup,
  parsePlaceReply,
  parseReferenceTrail,
} from '../wire/index.ts';

export type Reply = Extract<Arrival, { type: 'reply' }>;

/** The part of a request that concerns one order. */
export type Sent = {
  readonly command: Extract<Command, { type: RequestType }>;
  /** `new`: the request brings the order. `old`: the request moves or cancels it. */
  readonly role: 'new' | 'old';
  /** The order's place in the batch, from 0, and the size of the batch. */
  readonly index: number;
  readonly of: number;
};

type RequestType = 'place' | 'edit' | 'cancel' | 'cancel-all';

/** The meaning of an answer for one order. */
export type Answer = {
  /** `unclear`: nothing is certain. `taken`: a bulk cancel began. */
  readonly says: 'accepted' | 'refused' | 'cancelled' | 'not-cancelled' | 'taken' | 'unclear';
  /** The exchange's code for a refusal. */
  readonly errorType?: string | undefined;
};

const answer = (says: Answer['says'], errorType?: string): Answer => ({ says, errorType });

/** Reads the answer to a request for one of its orders. */
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
      // the bot must look up an order that the exchange did not cancel
      return answer(placed.status === 'accepted' || cancelled === true ? 'cancelled' : 'not-cancelled');
    }
    case 'cancel': {
      const results = parseCancelReply(body, sent.of);
      const result = results.ok ? results.value[sent.index] : undefined;
      return answer(result === undefined ? 'unclear' : result.success ? 'cancelled' : 'not-cancelled');
    }
    case 'cancel-all':
      return answer('taken');
  }
}

function placedOf(result: PlaceResult | string | undefined): Answer {
  if (typeof result !== 'object' || result.status === 'unreadable') return answer('unclear');
  return result.status === 'accepted' ? answer('accepted') : answer('refused', result.errorType);
}

function refusalOf(sent: Sent, status: number, body: unknown, batchErrors: BatchErrors): Answer {
  const says = isUnclear(sent, status, batchErrors) ? 'unclear' : sent.role === 'new' ? 'refused' : 'not-cancelled';
  return answer(says, parseEnvelope(body)?.code);
}

/** True when an error leaves the order's fate open, judged by its status alone. */
function isUnclear({ command, role, of: size }: Sent, status: number, batchErrors: BatchErrors): boolean {
  if (command.type === 'cancel-all' || status === 401 || status === 423 || status === 429) return false;
  if (command.type === 'cancel') return status >= 500;
  if (role === 'old') return !isDecided(status);
  return !(isDecided(status) && (command.type === 'edit' || size === 1 || namesBatch(batchErrors, status)));
}

/** True for statuses that decide a request: the exchange will not act on it later. */
export const isDecided = (status: number): boolean =>
  status === 400 || status === 403 || status === 404 || status === 409;

/** Reads what a look-up of one order found. */
export function lookUpOf(
  read: Read,
  { status, body }: Pick<Reply, 'status' | 'body'>,
): 'open' | 'closed' | 'filled' | 'nothing' | 'unreadable' {
  if (read.what === 'order') {
    if (status === 404) return 'closed';
    const order = ifGood(status, () => parseOrderLookup(body));
    return order === undefined ? 'unreadable' : order.remaining > 0 ? 'open' : 'closed';
  }
  const trail = read.what === 'reference' ? ifGood(status, () => parseReferenceTrail(body, read.ref)) : undefined;
  if (trail === undefined) return 'unreadable';
  return trail.open.length > 0 ? 'open' : trail.fills.length > 0 ? 'filled' : 'nothing';
}

const isGood = (status: number): boolean => status >= 200 && status < 300;

/** Returns the parsed value of an answer with status 2xx, or undefined. */
export function ifGood<T>(status: number, parse: () => Result<T>): T | undefined {
  const result = isGood(status) ? parse() : undefined;
  return result?.ok === true ? result.value : undefined;
}
