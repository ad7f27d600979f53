// The rules of the exchange that can be checked in a journal, and what was found for each.

/** What each rule demands, by its id. */
export const RULES = {
  'window-place': 'a window never holds more places and edits than the exchange allows, whatever their delay',
  'window-cancel': 'a window never holds more cancels than the exchange allows, whatever their delay',
  permit: 'every place, edit and cancel spends an available permit',
  'throttled-wait': 'after a 429, no request of its kind is sent until retryAfterSeconds have passed',
  'throttled-tries': 'after five answers of 429 in a row, a slot waits a whole window',
  'refused-resent': 'a request refused as wrong (400, 403) is not sent again unchanged',
  'stale-resent': 'a request refused as stale (409) is not sent again before its game was read again',
  'done-repeated': 'an order that could not be cancelled or edited is looked up before the request is repeated',
  'fate-open': 'nothing is placed or moved in a slot that has an order of unknown fate',
  'never-landed': 'an unanswered order is given up only after lateArrival and two reads that do not show it',
  'lock-cancel': 'no individual cancel is sent while a cancel-all is known to run',
  'lock-retry': 'after an answer of 423, the order is requested at most once more until the lock ends',
  'lock-place': 'nothing is placed or moved while a cancel-all is known to run',
  'empty-cancel': 'a cancel names at least one order',
  reference: 'every order has its own reference, which begins with the instance',
  'batch-size': 'a request contains no more orders or ids than the exchange accepts',
  'order-size': 'every order has a size that the exchange accepts',
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
