// Open orders that bear our instance and that neither this run nor any run with a journal here sent: a bot of the same instance
// lives elsewhere, or left them. They are not taken over, and no cancel of ours touches them. Of two that both trade, the one whose
// first order is younger by the exchange's time stands down; who does not know counts as the younger one.
import type { OpenOrder, OrderId, OrderRef } from '../domain/index.ts';
import { isFirstOf, ownerOf, runOf } from './references.ts';

export class InstanceWatch {
  /** Of the newest list. */
  rows: readonly (OpenOrder & { readonly ref: OrderRef })[] = [];
  readonly #instance: string;
  /** Runs that journals here tell of, and this one; undefined: all orders of the instance are taken for those of former runs. */
  #runs: Set<string> | undefined;
  #run = '';
  /** What an operator's `resume` gave us. */
  readonly #taken = new Set<OrderId>();
  /** No later than the first order of this run, Unix ms by the exchange's clock. */
  #beganAt = Number.POSITIVE_INFINITY;
  /** When the first order of each of the others was placed, as far as that order was seen. */
  readonly #othersBegan = new Map<string, number>();
  /** Since when an order that was reported waits for a list that tells whose it is, monotonic ms. */
  #suspectAt: number | undefined;

  constructor(instance: string) {
    this.#instance = instance;
  }

  /** `run`: as its references show it; `runs`: those of which there are journals. */
  applyBoot(run: string, runs: readonly string[] | undefined): void {
    this.#run = run.replace(/-cash$/, '');
    this.#runs = runs === undefined ? undefined : new Set([...runs, this.#run]);
  }

  /** A reference of our instance that no run known here made. */
  isUnexplained(ref: OrderRef | undefined, orderId: OrderId | undefined): boolean {
    if (this.#runs === undefined || ref === undefined || ownerOf(ref, this.#instance) === undefined) return false;
    return !this.#runs.has(runOf(ref)) && (orderId === undefined || !this.#taken.has(orderId));
  }

  /** The user feed reported such an order. True: a list is wanted at once, and nothing is placed before. */
  suspect(ref: OrderRef, orderId: OrderId | undefined, now: number): boolean {
    if (!this.isUnexplained(ref, orderId) || this.#isYounger(runOf(ref))) return false;
    this.#suspectAt ??= now;
    return true;
  }

  get isSuspicious(): boolean {
    return this.#suspectAt !== undefined;
  }

  /** All open orders of the account, as a list that was asked for at `readAt` (monotonic ms) shows them. */
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
      else if (isFirstOf(ref)) this.#othersBegan.set(run, createdAt);
    }
    this.rows = rows;
    if (readAt >= (this.#suspectAt ?? 0)) this.#suspectAt = undefined;
  }

  /** Every other bot is known to have begun later than this one. */
  get isOldest(): boolean {
    return this.rows.every(({ ref }) => this.#isYounger(runOf(ref)));
  }

  #isYounger(run: string): boolean {
    const began = this.#othersBegan.get(run);
    return began !== undefined && this.#beganAt < began;
  }

  /** An operator says that what rests is ours. What such a run places from now on is not. */
  take(): void {
    for (const { orderId } of this.rows) this.#taken.add(orderId);
    this.rows = [];
  }
}
