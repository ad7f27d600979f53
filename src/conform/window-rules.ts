// Checks the request windows and the permits. The time at which the exchange counted a request is unknown,
// but lies between its sending and its answer. k windows hold at most kN requests, so if more than kN were
// sent and answered within less than k windows, no order of arrival keeps the rule. Requests without an
// answer may never have arrived and do not count.
import type { Bucket, Arrival } from '../domain/index.ts';
import type { Reply, Request, Watcher } from './requests.ts';
import { bucketOf, ordersOf, retryAfterMs, slotOf } from './requests.ts';
import type { Findings, Moment } from './rules.ts';

export type WindowLimit = { readonly requests: number; readonly windowMs: number };

/** The most consecutive windows that are checked together. */
const WINDOWS = 12;
const TRIES = 5;
const KINDS: Readonly<Record<Bucket, string>> = { place: 'places and edits', cancel: 'cancels' };

/** Checks one request window. */
export class WindowRule implements Watcher {
  readonly #findings: Findings;
  readonly #bucket: Bucket;
  readonly #limit: WindowLimit;
  /** Answered requests, in the order in which they were sent. */
  #counted: Request[] = [];

  constructor(findings: Findings, bucket: Bucket, limit: WindowLimit) {
    this.#findings = findings;
    this.#bucket = bucket;
    this.#limit = limit;
  }

  answered(request: Request, _reply: Reply, now: Moment): void {
    if (bucketOf(request) !== this.#bucket) return;
    const rule = `window-${this.#bucket}` as const;
    const { requests, windowMs } = this.#limit;
    this.#findings.checked(rule);
    const counted = this.#counted.filter(({ sent }) => sent.mono > now.mono - WINDOWS * windowMs);
    const index = counted.findLastIndex(({ sent }) => sent.mono <= request.sent.mono) + 1;
    this.#counted = counted.toSpliced(index, 0, request);
    for (let windows = 1; windows <= WINDOWS; windows++) {
      const within = this.#counted.filter(({ sent }) => sent.mono > now.mono - windows * windowMs);
      if (within.length <= windows * requests) continue;
      const ms = now.mono - (within[0]?.sent.mono ?? 0);
      const text =
        `${within.length} ${KINDS[this.#bucket]} were sent and answered within ${Math.round(ms)} ms, ` +
        `at most ${requests} may be in any ${windowMs} ms`;
      this.#findings.found(
        rule,
        now,
        text,
        within.map(({ req }) => req),
      );
      // the same requests must not cause another finding
      this.#counted = [];
      return;
    }
  }
}

/** Checks that a 429 is obeyed: the bot waits, and stops repeating. */
export class ThrottleRule implements Watcher {
  /** Answers with status 429, by kind. */
  readonly throttled: Record<Bucket, number> = { place: 0, cancel: 0 };
  readonly #findings: Findings;
  readonly #windowMs: number;
  readonly #wait: Partial<Record<Bucket, { readonly until: number; readonly by: number }>> = {};
  readonly #slots = new Map<string, { readonly times: number; readonly lastAt: number }>();

  /** @param windowMs length of the place window, ms */
  constructor(findings: Findings, windowMs: number) {
    this.#findings = findings;
    this.#windowMs = windowMs;
  }

  answered(request: Request, reply: Reply, now: Moment): void {
    const bucket = bucketOf(request);
    if (bucket === undefined) return;
    const throttled = reply.status === 429;
    for (const slot of ordersOf(request.command).map(slotOf))
      if (throttled) this.#slots.set(slot, { times: (this.#slots.get(slot)?.times ?? 0) + 1, lastAt: now.mono });
      else this.#slots.delete(slot);
    if (!throttled) return;
    this.throttled[bucket] += 1;
    const until = now.mono + retryAfterMs(reply);
    if (until > (this.#wait[bucket]?.until ?? 0)) this.#wait[bucket] = { until, by: request.req };
  }

  sent(request: Request, now: Moment): void {
    const bucket = bucketOf(request);
    if (bucket === undefined) return;
    this.#findings.checked('throttled-wait');
    const wait = this.#wait[bucket];
    if (wait !== undefined && now.mono < wait.until) {
      const text = `a ${request.command.type} was sent ${Math.round(wait.until - now.mono)} ms before the end of the wait that the answer to request ${wait.by} asked for`;
      this.#findings.found('throttled-wait', now, text, [request.req, wait.by]);
    }
    for (const slot of ordersOf(request.command).map(slotOf)) {
      this.#findings.checked('throttled-tries');
      const { times, lastAt } = this.#slots.get(slot) ?? { times: 0, lastAt: 0 };
      if (times < TRIES || now.mono - lastAt >= this.#windowMs) continue;
      const text = `attempt ${times + 1} for ${slot}, ${Math.round(now.mono - lastAt)} ms after ${times} answers of 429`;
      this.#findings.found('throttled-tries', now, text, [request.req]);
    }
  }
}

/** Checks that each request spends a permit that is in hand. */
export class PermitRule implements Watcher {
  readonly #findings: Findings;
  readonly #inHand: Readonly<Record<Bucket, Set<number>>> = { place: new Set(), cancel: new Set() };

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  received(input: Arrival): void {
    if (input.type === 'permit') this.#inHand[input.bucket].add(input.permit);
  }

  commanded(command: Parameters<NonNullable<Watcher['commanded']>>[0]): void {
    if (command.type === 'return') for (const permit of command.permits) this.#inHand[command.bucket].delete(permit);
  }

  sent(request: Request, now: Moment): void {
    const bucket = bucketOf(request);
    if (bucket === undefined || !('permit' in request.command)) return;
    this.#findings.checked('permit');
    const { permit, type } = request.command;
    if (this.#inHand[bucket].delete(permit)) return;
    const text = `a ${type} spends ${bucket} permit ${permit}, which is not in hand`;
    this.#findings.found('permit', now, text, [request.req]);
  }
}
