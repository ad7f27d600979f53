// The request windows and the permits. When the exchange counted a request nobody knows, but it was between its sending and
// its answer: k windows hold kN requests at most, so when more than kN were sent and answered within less than k windows,
// no order of arrival keeps the rule. Requests without an answer may never have arrived, and are not counted.
import type { Bucket, Arrival } from '../domain/index.ts';
import type { Reply, Request, Watcher } from './requests.ts';
import { bucketOf, ordersOf, retryAfterMs, slotOf } from './requests.ts';
import type { Findings, Moment } from './rules.ts';

export type WindowLimit = { readonly requests: number; readonly windowMs: number };

/** So many windows are looked at together. */
const WINDOWS = 12;
const TRIES = 5;
const KINDS: Readonly<Record<Bucket, string>> = { place: 'places and edits', cancel: 'cancels' };

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
    const at = counted.findLastIndex(({ sent }) => sent.mono <= request.sent.mono) + 1;
    this.#counted = counted.toSpliced(at, 0, request);
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
      // the same requests do not make the next finding
      this.#counted = [];
      return;
    }
  }
}

/** What a 429 asks for: to wait, and not to try for ever. */
export class ThrottleRule implements Watcher {
  /** Answers with 429, by kind. */
  readonly throttled: Record<Bucket, number> = { place: 0, cancel: 0 };
  readonly #findings: Findings;
  readonly #windowMs: number;
  readonly #wait: Partial<Record<Bucket, { readonly until: number; readonly by: number }>> = {};
  readonly #slots = new Map<string, { readonly times: number; readonly at: number }>();

  /** @param windowMs of places */
  constructor(findings: Findings, windowMs: number) {
    this.#findings = findings;
    this.#windowMs = windowMs;
  }

  answered(request: Request, reply: Reply, now: Moment): void {
    const bucket = bucketOf(request);
    if (bucket === undefined) return;
    const throttled = reply.status === 429;
    for (const slot of ordersOf(request.command).map(slotOf))
      if (throttled) this.#slots.set(slot, { times: (this.#slots.get(slot)?.times ?? 0) + 1, at: now.mono });
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
      const text = `a ${request.command.type} was sent ${Math.round(wait.until - now.mono)} ms before the wait was over that request ${wait.by} was answered with`;
      this.#findings.found('throttled-wait', now, text, [request.req, wait.by]);
    }
    for (const slot of ordersOf(request.command).map(slotOf)) {
      this.#findings.checked('throttled-tries');
      const { times, at } = this.#slots.get(slot) ?? { times: 0, at: 0 };
      if (times < TRIES || now.mono - at >= this.#windowMs) continue;
      const text = `try ${times + 1} for ${slot}, ${Math.round(now.mono - at)} ms after it was answered 429 ${times} times`;
      this.#findings.found('throttled-tries', now, text, [request.req]);
    }
  }
}

/** A permit is one send. */
export class PermitRule implements Watcher {
  readonly #findings: Findings;
  readonly #inHand: Readonly<Record<Bucket, Set<number>>> = { place: new Set(), cancel: new Set() };

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  heard(input: Arrival): void {
    if (input.type === 'permit') this.#inHand[input.bucket].add(input.permit);
  }

  told(command: Parameters<NonNullable<Watcher['told']>>[0]): void {
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
