// Follows the requests of a journal from sending to answer, and reports each event to the rules.
import type { Arrival, Bucket, Command, NewOrder, OrderId, RequestCommand, RequestId } from '../domain/index.ts';
import type { JournalStep } from '../journal/index.ts';
import type { Moment } from './rules.ts';

export type Reply = Extract<Arrival, { type: 'reply' }>;
export type Failure = Extract<Arrival, { type: 'failure' }>;

/** A request of the journal. */
export type Request = {
  readonly req: RequestId;
  readonly command: RequestCommand;
  readonly sent: Moment;
  /** The bot gave up waiting, but the answer may still come. */
  timedOut: boolean;
};

/** Receives the events of a journal in their order: each input before the commands of its step. */
export type Watcher = {
  readonly received?: (input: Arrival, now: Moment) => void;
  readonly answered?: (request: Request, reply: Reply, now: Moment) => void;
  readonly failed?: (request: Request, failure: Failure, now: Moment) => void;
  readonly sent?: (request: Request, now: Moment) => void;
  readonly commanded?: (command: Exclude<Command, RequestCommand>, now: Moment) => void;
};

/** Pairs the requests of a journal with their answers, and passes everything on to the watchers. */
export class JournalRequests {
  readonly #watchers: readonly Watcher[];
  readonly #flying = new Map<RequestId, Request>();

  constructor(watchers: readonly Watcher[]) {
    this.#watchers = watchers;
  }

  applyStep({ input: { seq, t, mono, in: input }, commands }: JournalStep): void {
    const now = { seq, t, mono };
    for (const watcher of this.#watchers) watcher.received?.(input, now);
    if (input.type === 'reply') this.#applyReply(input, now);
    if (input.type === 'failure') this.#applyFailure(input, now);
    for (const command of commands) {
      if (!('req' in command)) {
        for (const watcher of this.#watchers) watcher.commanded?.(command, now);
        continue;
      }
      const request = { req: command.req, command, sent: now, timedOut: false };
      this.#flying.set(command.req, request);
      for (const watcher of this.#watchers) watcher.sent?.(request, now);
    }
  }

  #applyReply(reply: Reply, now: Moment): void {
    const request = this.#flying.get(reply.req);
    if (request === undefined) return;
    this.#flying.delete(reply.req);
    for (const watcher of this.#watchers) watcher.answered?.(request, reply, now);
  }

  #applyFailure(failure: Failure, now: Moment): void {
    const request = this.#flying.get(failure.req);
    if (request === undefined) return;
    if (failure.failure === 'timeout') request.timedOut = true;
    else this.#flying.delete(failure.req);
    for (const watcher of this.#watchers) watcher.failed?.(request, failure, now);
  }
}

/** Returns the window that a request counts in, or undefined for none. */
export function bucketOf({ command: { type } }: Request): Bucket | undefined {
  if (type === 'place' || type === 'edit') return 'place';
  return type === 'cancel' ? 'cancel' : undefined;
}

/** Returns the orders that a command brings. */
export const ordersOf = (command: Command): readonly NewOrder[] =>
  command.type === 'place' ? command.orders : command.type === 'edit' ? [command.order] : [];

/** Returns the orders that a command moves or cancels by id. */
export const idsOf = (command: Command): readonly OrderId[] =>
  command.type === 'edit' ? [command.orderId] : command.type === 'cancel' ? command.orderIds : [];

/**
 * Names the slot of an order: the reference `instance.strategy.key.run-n` without its last part, the market
 * and the side.
 */
export const slotOf = ({ ref, market, side }: NewOrder): string =>
  `${ref.slice(0, ref.lastIndexOf('.'))} on ${market.id} ${side}`;

/** Returns how long an answer asks the client to wait, ms. */
export const retryAfterMs = ({ retryAfterSeconds }: Reply): number => (retryAfterSeconds ?? 1) * 1000;
