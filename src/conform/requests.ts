// The requests of a journal from their sending to their answer, as the rules are told of them.
import type { Arrival, Bucket, Command, NewOrder, OrderId, RequestCommand, RequestId } from '../domain/index.ts';
import type { JournalStep } from '../journal/index.ts';
import type { Moment } from './rules.ts';

export type Reply = Extract<Arrival, { type: 'reply' }>;
export type Failure = Extract<Arrival, { type: 'failure' }>;

export type Request = {
  readonly req: RequestId;
  readonly command: RequestCommand;
  readonly sent: Moment;
  /** Its answer may still come. */
  timedOut: boolean;
};

/** Whoever watches a journal is told of everything in its order; an input before the commands of its step. */
export type Watcher = {
  readonly heard?: (input: Arrival, now: Moment) => void;
  readonly answered?: (request: Request, reply: Reply, now: Moment) => void;
  readonly failed?: (request: Request, failure: Failure, now: Moment) => void;
  readonly sent?: (request: Request, now: Moment) => void;
  readonly told?: (command: Exclude<Command, RequestCommand>, now: Moment) => void;
};

export class JournalRequests {
  readonly #watchers: readonly Watcher[];
  readonly #flying = new Map<RequestId, Request>();

  constructor(watchers: readonly Watcher[]) {
    this.#watchers = watchers;
  }

  applyStep({ input: { seq, t, mono, in: input }, commands }: JournalStep): void {
    const now = { seq, t, mono };
    for (const watcher of this.#watchers) watcher.heard?.(input, now);
    if (input.type === 'reply') this.#applyReply(input, now);
    if (input.type === 'failure') this.#applyFailure(input, now);
    for (const command of commands) {
      if (!('req' in command)) {
        for (const watcher of this.#watchers) watcher.told?.(command, now);
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

/** The window that a request counts in; undefined: none. */
export function bucketOf({ command: { type } }: Request): Bucket | undefined {
  if (type === 'place' || type === 'edit') return 'place';
  return type === 'cancel' ? 'cancel' : undefined;
}

/** The orders that a command asks to rest. */
export const ordersOf = (command: Command): readonly NewOrder[] =>
  command.type === 'place' ? command.orders : command.type === 'edit' ? [command.order] : [];

/** The orders that a command moves away or cancels one by one. */
export const idsOf = (command: Command): readonly OrderId[] =>
  command.type === 'edit' ? [command.orderId] : command.type === 'cancel' ? command.orderIds : [];

/** A reference is `instance.strategy.key.run-n`: all but the last part is the same for every order of a slot. */
export const slotOf = ({ ref, market, side }: NewOrder): string =>
  `${ref.slice(0, ref.lastIndexOf('.'))} on ${market.id} ${side}`;

export const retryAfterMs = ({ retryAfterSeconds }: Reply): number => (retryAfterSeconds ?? 1) * 1000;
