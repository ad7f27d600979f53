// Applies a fault plan: decides for every request and frame what goes wrong, but does nothing itself. Each
// rule draws from its own random stream, so the same plan and requests give the same faults, and one rule
// never shifts another.
import type { Random } from '../../domain/index.ts';
import { createRandom } from '../../domain/index.ts';
import type { Refusal } from '../../venue/index.ts';
import { refuse } from '../../venue/index.ts';
import type { FaultPlan, FaultRule, FaultyRequest, FeedName, TimedRule } from './plan.ts';
import { isTimed } from './plan.ts';

export type RequestFault = {
  /** Delay until the request reaches the venue. */
  readonly delayMs: number;
  /** Whether the venue carries it out. */
  readonly acts: boolean;
  /** Delay until its answer is sent. */
  readonly answerDelayMs: number;
  readonly answer: 'given' | 'never' | 'reset' | 'nonsense' | Refusal;
  readonly rotatesToken: boolean;
};

/** The copies of a frame that arrive, each with its delay. Later frames may pass it when `overtaken`. */
export type FrameFault = { readonly delaysMs: readonly number[]; readonly overtaken: boolean };

type Watch = {
  readonly rule: FaultRule;
  readonly random: Random;
  seen: number;
  hits: number;
  /** When a timed rule is next due, ms since the start. Infinity for other rules. */
  nextMs: number;
  planned: number;
};

const NOTHING: FrameFault = { delaysMs: [0], overtaken: false };

export class Faults {
  readonly plan: FaultPlan;
  readonly #startMs: number;
  readonly #watches: readonly Watch[];
  readonly touchesFrames: boolean;
  #nextDueMs = Number.POSITIVE_INFINITY;

  constructor(plan: FaultPlan, nowMs: number) {
    this.plan = plan;
    this.#startMs = nowMs;
    this.#watches = plan.rules.map((rule, index) => {
      const random = createRandom(plan.seed, `fault ${index}`);
      const watch: Watch = { rule, random, seen: 0, hits: 0, nextMs: Number.POSITIVE_INFINITY, planned: 0 };
      if (isTimed(rule)) planNext(watch, rule, 0);
      return watch;
    });
    this.touchesFrames = plan.rules.some(({ fault }) => FRAME_FAULTS.has(fault));
    this.#planDue();
  }

  /** Number of hits of each rule. */
  hits(): readonly number[] {
    return this.#watches.map(({ hits }) => hits);
  }

  request(kind: FaultyRequest, username: string | undefined, nowMs: number): RequestFault | undefined {
    let fault: RequestFault | undefined;
    for (const watch of this.#watches) {
      const { rule } = watch;
      if (!isRequestFault(rule)) continue;
      if (rule.on !== undefined && !rule.on.includes(kind)) continue;
      if (!this.#strikes(watch, rule, username, nowMs)) continue;
      fault = withRule(fault ?? PLAIN, rule, watch.random);
    }
    return fault;
  }

  frame(feed: FeedName, username: string, nowMs: number): FrameFault {
    let fault = NOTHING;
    for (const watch of this.#watches) {
      const { rule } = watch;
      if (!isFrameFault(rule)) continue;
      if (rule.feeds !== undefined && !rule.feeds.includes(feed)) continue;
      if (!this.#strikes(watch, rule, username, nowMs)) continue;
      if (rule.fault === 'drop') return { delaysMs: [], overtaken: false };
      if (rule.fault === 'duplicate') fault = { ...fault, delaysMs: [...fault.delaysMs, ...fault.delaysMs] };
      else {
        const by = drawn(rule.by, watch.random);
        fault = {
          delaysMs: fault.delaysMs.map((ms) => ms + by),
          overtaken: fault.overtaken || rule.fault === 'reorder',
        };
      }
    }
    return fault;
  }

  /** The timed rules that are due, each as many times as it is due. */
  due(nowMs: number): readonly { readonly rule: TimedRule; readonly random: Random }[] {
    const sinceMs = nowMs - this.#startMs;
    if (sinceMs < this.#nextDueMs) return [];
    const due: { rule: TimedRule; random: Random }[] = [];
    for (const watch of this.#watches) {
      const { rule, random } = watch;
      if (!isTimed(rule)) continue;
      while (watch.nextMs <= sinceMs) {
        watch.hits++;
        due.push({ rule, random });
        planNext(watch, rule, watch.nextMs);
      }
    }
    this.#planDue();
    return due;
  }

  #planDue(): void {
    this.#nextDueMs = Math.min(Number.POSITIVE_INFINITY, ...this.#watches.map(({ nextMs }) => nextMs));
  }

  #strikes(watch: Watch, rule: Conditional, username: string | undefined, nowMs: number): boolean {
    const sinceMs = nowMs - this.#startMs;
    if (rule.account !== undefined && rule.account !== username) return false;
    if (sinceMs < (rule.from ?? 0) || sinceMs >= (rule.until ?? Number.POSITIVE_INFINITY)) return false;
    watch.seen++;
    // always draws, whatever the rule's other conditions, so that they do not shift later draws
    const chance = watch.random.next() < (rule.rate ?? 1);
    if (!chance || (rule.nth !== undefined && !rule.nth.includes(watch.seen))) return false;
    if (watch.hits >= (rule.times ?? Number.POSITIVE_INFINITY)) return false;
    watch.hits++;
    return true;
  }
}

type RequestRule = Extract<FaultRule, { on?: unknown }>;
type FrameRule = Extract<FaultRule, { fault: 'drop' | 'duplicate' | 'late-frame' | 'reorder' }>;
type Conditional = RequestRule | FrameRule;

const REQUEST_FAULTS: ReadonlySet<string> = new Set(['delay', 'status', 'no-answer', 'nonsense', 'rotate-token']);
const FRAME_FAULTS: ReadonlySet<string> = new Set(['drop', 'duplicate', 'late-frame', 'reorder']);
const isRequestFault = (rule: FaultRule): rule is RequestRule => REQUEST_FAULTS.has(rule.fault);
const isFrameFault = (rule: FaultRule): rule is FrameRule => FRAME_FAULTS.has(rule.fault);

const PLAIN: RequestFault = {
  delayMs: 0,
  acts: true,
  answerDelayMs: 0,
  answer: 'given',
  rotatesToken: false,
};

function withRule(fault: RequestFault, rule: RequestRule, random: Random): RequestFault {
  switch (rule.fault) {
    case 'delay': {
      const by = drawn(rule.by, random);
      return rule.side === 'before'
        ? { ...fault, delayMs: fault.delayMs + by }
        : { ...fault, answerDelayMs: fault.answerDelayMs + by };
    }
    case 'status':
      return { ...fault, acts: fault.acts && rule.acted, answer: refusalOf(rule) };
    case 'no-answer':
      return { ...fault, acts: fault.acts && rule.acted, answer: rule.close };
    case 'nonsense':
      return { ...fault, acts: fault.acts && rule.acted, answer: 'nonsense' };
    case 'rotate-token':
      return { ...fault, rotatesToken: true };
  }
}

const MESSAGES: Readonly<Record<number, string>> = {
  401: 'InvalidCredentials',
  403: 'USER IS BANNED',
  409: 'Odds have been edited',
  423: 'A cancel-all is in progress',
  429: 'Too many requests',
  500: 'Something went wrong',
};
const CODES: Readonly<Record<number, 'RATE_LIMITED' | 'CANCEL_ALL_IN_PROGRESS'>> = {
  423: 'CANCEL_ALL_IN_PROGRESS',
  429: 'RATE_LIMITED',
};

function refusalOf(rule: Extract<FaultRule, { fault: 'status' }>): Refusal {
  const refusal = refuse(rule.status, MESSAGES[rule.status] ?? 'Bad gateway');
  const code = rule.code ?? CODES[rule.status];
  if (code === undefined) return refusal;
  const retryAfterSeconds = (rule.retryAfter ?? 1000) / 1000;
  const kind = code === 'RATE_LIMITED' ? { kind: 'fault' } : {};
  return { ...refusal, details: { code, ...kind, retryable: true, retryAfterSeconds } };
}

type Span = { readonly min: number; readonly max: number };
const drawn = ({ min, max }: Span, random: Random): number => (min === max ? min : random.between(min, max));

function planNext(watch: Watch, rule: TimedRule, afterMs: number): void {
  const { at: dueTimes = [], every, times = Number.POSITIVE_INFINITY } = rule;
  const listed = [...dueTimes].sort((a, b) => a - b)[watch.planned];
  watch.nextMs =
    watch.planned >= times
      ? Number.POSITIVE_INFINITY
      : (listed ??
        (every === undefined ? Number.POSITIVE_INFINITY : afterMs + Math.max(1, drawn(every, watch.random))));
  watch.planned++;
}
