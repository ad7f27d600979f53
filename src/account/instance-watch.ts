// Detects open orders with this bot's instance name that no run with a journal here sent: another bot with
// the same instance name runs elsewhere, or left them. Invariant: these orders are neither adopted nor
// cancelled. Of two bots that trade, the one whose first order is younger by the exchange's time stops; a bot
// that does not know counts as the younger one.
import type { OpenOrder, OrderId, OrderRef } from '../domain/index.ts';
import { isFirstOf, ownerOf, runOf } from './references.ts';

export class InstanceWatch {
  /** The unexplained orders of the newest list. */
  rows: readonly (OpenOrder & { readonly ref: OrderRef })[] = [];
  readonly #instance: string;
  /**
   * This run and the runs with journals here. Undefined: all orders of the instance count as former runs'.
   */
  #runs: Set<string> | undefined;
  #run = '';
  /** Orders that an operator's `resume` assigned to this bot. */
  readonly #assigned = new Set<OrderId>();
  /** The creation time of the first known order of this run, Unix ms by the exchange's clock. */
  #beganAt = Number.POSITIVE_INFINITY;
  /** When the first order of each other run was placed, as far as it was seen, Unix ms. */
  readonly #othersBeganAt = new Map<string, number>();
  /** Since when a reported order waits for a list that shows its owner, monotonic ms. */
  #suspectSince: number | undefined;

  constructor(instance: string) {
    this.#instance = instance;
  }

  /** `run`: as the references show it. `runs`: the runs with journals here; undefined when not known. */
  applyBoot(run: string, runs: readonly string[] | undefined): void {
    this.#run = run.replace(/-cash$/, '');
    this.#runs = runs === undefined ? undefined : new Set([...runs, this.#run]);
  }

  /** True for a reference of this instance that no known run made. */
  isUnexplained(ref: OrderRef | undefined, orderId: OrderId | undefined): boolean {
    if (this.#runs === undefined || ref === undefined || ownerOf(ref, this.#instance) === undefined) return false;
    return !this.#runs.has(runOf(ref)) && (orderId === undefined || !this.#assigned.has(orderId));
  }

  /**
   * Notes an order that the user feed reported. True when it is unexplained: a list is needed at once, and
   * nothing is placed before it.
   */
  suspect(ref: OrderRef, orderId: OrderId | undefined, now: number): boolean {
    if (!this.isUnexplained(ref, orderId) || this.#isYounger(runOf(ref))) return false;
    this.#suspectSince ??= now;
    return true;
  }

  get isSuspicious(): boolean {
    return this.#suspectSince !== undefined;
  }

  /** Applies a list of all open orders of the account. `readAt`: when it was requested, monotonic ms. */
  applyList(list: readonly OpenOrder[], readAt: number): void {
    if (this.#runs === undefined) return;
    const rows: (OpenOrder & { readonly ref: OrderRef })[] = [];
    for (const row of list) {
      const { ref, orderId, createdAt } = row;
      if (ref === undefined || ownerOf(ref, this.#instance) === undefined) continue;
      const run = runOf(ref);
      if (this.isUnexplained(ref, orderId)) rows.push({ ...row, ref });
      if (createdAt === undefined) continue;
      if (run === this.#run) this.#beganAt = Math.min(this.#beganAt, createdAt);
      else if (isFirstOf(ref)) this.#othersBeganAt.set(run, createdAt);
    }
    this.rows = rows;
    if (readAt >= (this.#suspectSince ?? 0)) this.#suspectSince = undefined;
  }

  /** True when every other bot is known to have begun later than this one. */
  get isOldest(): boolean {
    return this.rows.every(({ ref }) => this.#isYounger(runOf(ref)));
  }

  #isYounger(run: string): boolean {
    const began = this.#othersBeganAt.get(run);
    return began !== undefined && this.#beganAt < began;
  }

  /** An operator assigned the resting orders to this bot. Later orders of these runs stay unexplained. */
  take(): void {
    for (const { orderId } of this.rows) this.#assigned.add(orderId);
    this.rows = [];
  }
}
