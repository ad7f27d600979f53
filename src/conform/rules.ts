// The rules of the exchange that can be checked in a journal, and what was found for each.

/** What each rule demands, by its id. */
export const RULES = {
  'window-place': 'no more places and edits in a window than the exchange allows, however they arrived',
  'window-cancel': 'no more cancels in a window than the exchange allows, however they arrived',
  permit: 'every place, edit and cancel spends a permit that was in hand',
  'throttled-wait': 'after a 429 no request of its kind until retryAfterSeconds are over',
  'throttled-tries': 'a slot that was answered 429 five times in a row waits a whole window',
  'refused-resent': 'what was refused as wrong (400, 403) is not sent again unchanged',
  'stale-resent': 'what was refused as stale (409) is not sent again before its game was seen anew',
  'done-repeated': 'an order that could not be cancelled or edited is looked up before it is asked for again',
  'fate-open': 'nothing is placed or moved in a slot while an order of it has no known fate',
  'never-landed': 'an unanswered order is given up only after lateArrival and two looks that show nothing',
  'lock-cancel': 'no individual cancel while a cancel-all is known to run',
  'lock-retry': 'an order that was answered 423 is asked for once more at most until the lock is over',
  'lock-place': 'nothing is placed or moved while a cancel-all is known to run',
  'empty-cancel': 'a cancel names at least one order',
  reference: 'every order has a reference of its own that begins with the instance',
  'batch-size': 'a request holds no more orders or ids than the exchange takes',
  'order-size': 'every order is as large as the exchange takes',
  'after-stop': 'nothing is placed or moved after a stop, a halt or a pause, until resume',
} as const;
export type RuleId = keyof typeof RULES;
export const RULE_IDS = Object.keys(RULES) as readonly RuleId[];

/** A point of a journal: sequence number, Unix ms and monotonic ms. */
export type Moment = { readonly seq: number; readonly t: number; readonly mono: number };

/** One violation of a rule. */
export type Finding = {
  readonly rule: RuleId;
  readonly seq: number;
  /** Unix ms. */
  readonly t: number;
  readonly text: string;
  /** The requests concerned. */
  readonly requests: readonly number[];
};

/** The result of one rule over a journal. */
export type RuleReport = {
  readonly id: RuleId;
  readonly says: string;
  /** How often the rule was checked. */
  readonly checked: number;
  /** How often the rule was broken. `findings` has the first ones. */
  readonly found: number;
  readonly findings: readonly Finding[];
};

/** How many findings of one rule are kept. */
const MOST_FINDINGS = 100;

/** Counts checks and violations by rule. */
export class Findings {
  readonly #checked = new Map<RuleId, number>();
  readonly #found = new Map<RuleId, number>();
  readonly #kept = new Map<RuleId, Finding[]>();

  checked(rule: RuleId): void {
    this.#checked.set(rule, (this.#checked.get(rule) ?? 0) + 1);
  }

  found(rule: RuleId, { seq, t }: Moment, text: string, requests: readonly number[]): void {
    this.#found.set(rule, (this.#found.get(rule) ?? 0) + 1);
    const kept = this.#kept.get(rule) ?? [];
    if (kept.length < MOST_FINDINGS) this.#kept.set(rule, [...kept, { rule, seq, t, text, requests }]);
  }

  get reports(): readonly RuleReport[] {
    return RULE_IDS.map((id) => ({
      id,
      says: RULES[id],
      checked: this.#checked.get(id) ?? 0,
      found: this.#found.get(id) ?? 0,
      findings: this.#kept.get(id) ?? [],
    }));
  }
}
