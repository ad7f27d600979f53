// Checks a journal against the rules of the exchange: windows, waits, retries, locks, references. It relies
// on the requests and answers in the journal alone, never on what the bot concluded from them.
import { centsOfDollars } from '../domain/index.ts';
import type { Bucket } from '../domain/index.ts';
import type { WireProfile } from '../wire/index.ts';
import type { JournalStep } from '../journal/index.ts';
import { FateRule } from './fate-rules.ts';
import { LockRule } from './lock-rules.ts';
import { DoneRule, RefusalRule } from './refusal-rules.ts';
import type { Request, Watcher } from './requests.ts';
import { JournalRequests } from './requests.ts';
import type { RuleReport } from './rules.ts';
import { Findings } from './rules.ts';
import { ShapeRule, StopRule } from './shape-rules.ts';
import type { WindowLimit } from './window-rules.ts';
import { PermitRule, ThrottleRule, WindowRule } from './window-rules.ts';

/** What the run's configuration says about its exchange. */
export type ConformSettings = {
  readonly windows: Readonly<Record<Bucket, WindowLimit>>;
  readonly instance: string;
  readonly lateArrivalMs: number;
  readonly halted: boolean;
  readonly profile: WireProfile;
};

/** How many requests a journal has, by kind. */
export type RequestTotals = Readonly<Record<'place' | 'edit' | 'cancel' | 'cancelAll' | 'unanswered', number>> & {
  /** Answers with status 429, by kind. */
  readonly throttled: Readonly<Record<Bucket, number>>;
};

/** Collects the findings of a journal, step by step. */
export class Conformance {
  readonly #findings = new Findings();
  readonly #requests: JournalRequests;
  readonly #throttle: ThrottleRule;
  readonly #totals = { place: 0, edit: 0, cancel: 0, cancelAll: 0, unanswered: 0 };

  constructor({ windows, instance, lateArrivalMs, halted, profile }: ConformSettings) {
    const findings = this.#findings;
    const { maxOrdersPerPlace, maxIdsPerCancel, minOrderSize, maxOrderSize } = profile;
    this.#throttle = new ThrottleRule(findings, windows.place.windowMs);
    this.#requests = new JournalRequests([
      new WindowRule(findings, 'place', windows.place),
      new WindowRule(findings, 'cancel', windows.cancel),
      new PermitRule(findings),
      this.#throttle,
      new RefusalRule(findings, profile),
      new DoneRule(findings, profile),
      new FateRule(findings, { instance, lateArrivalMs, batchErrors: profile }),
      new LockRule(findings),
      new ShapeRule(findings, {
        instance,
        maxOrdersPerPlace,
        maxIdsPerCancel,
        minOrderRisk: centsOfDollars(minOrderSize),
        maxOrderRisk: centsOfDollars(maxOrderSize),
      }),
      new StopRule(findings, halted),
      this.#counter,
    ]);
  }

  readonly #counter: Watcher = {
    sent: ({ command: { type } }) => {
      if (type === 'place' || type === 'edit' || type === 'cancel') this.#totals[type] += 1;
      if (type === 'cancel-all') this.#totals.cancelAll += 1;
    },
    failed: (request, { failure }) => {
      if (failure !== 'timeout' && failure !== 'not-sent' && isAboutOrders(request)) this.#totals.unanswered += 1;
    },
  };

  applyStep(step: JournalStep): void {
    this.#requests.applyStep(step);
  }

  get rules(): readonly RuleReport[] {
    return this.#findings.reports;
  }

  get requests(): RequestTotals {
    return { ...this.#totals, throttled: this.#throttle.throttled };
  }
}

const isAboutOrders = ({ command: { type } }: Request): boolean => type !== 'read' && type !== 'switch-mode';
