// What is still tried once the exchange serves the account no longer (DESIGN rule 5): one cancelAllOrders and then one list. A
// cancel that was taken drains for a while, so the list waits for that; one that was refused needs no waiting.
import type { OpenOrder, OrderId, RequestId } from '../domain/index.ts';
import type { Desk } from './desk.ts';

/** cancelAllOrders drains about 15 orders a second. */
const DRAIN_MS = { least: 1000, each: 1000 / 15, most: 10_000 };

export class LastRequests {
  readonly #desk: Desk;
  readonly #held: () => readonly string[];
  readonly #finish: (open: number | undefined, ids: readonly string[]) => void;
  readonly #cancelAll: RequestId;
  #list: RequestId | undefined;
  #listAt = Number.POSITIVE_INFINITY;
  #listed: readonly OrderId[] | undefined;
  #isAnswered = false;

  /**
   * `held`: orders that rest or may rest, as far as is known; `finish`: told how many orders are open, where the list said
   * so, and which are taken to be.
   */
  constructor(
    desk: Desk,
    held: () => readonly string[],
    finish: (open: number | undefined, ids: readonly string[]) => void,
  ) {
    this.#desk = desk;
    this.#held = held;
    this.#finish = finish;
    desk.shut();
    this.#cancelAll = desk.nextRequest();
    desk.sendLast({ type: 'cancel-all', req: this.#cancelAll });
  }

  /** `isTaken`: the exchange took the request. */
  applyAnswer(req: RequestId, isTaken: boolean): void {
    const { now } = this.#desk;
    if (req === this.#cancelAll && this.#listAt === Number.POSITIVE_INFINITY)
      this.#listAt =
        now + (isTaken ? Math.min(DRAIN_MS.most, DRAIN_MS.least + DRAIN_MS.each * this.#held().length) : 0);
    if (req === this.#list) this.#isAnswered = true;
  }

  /** Own orders that a list shows. One that was asked for earlier tells of before the cancel. */
  applyList(orders: readonly OpenOrder[]): void {
    if (this.#isAnswered) this.#listed = orders.map(({ orderId }) => orderId);
  }

  advance(): void {
    if (this.#list === undefined && this.#desk.now >= this.#listAt) {
      this.#list = this.#desk.nextRequest();
      this.#desk.sendLast({ type: 'read', req: this.#list, read: { what: 'open-orders' } });
    }
    if (!this.#isAnswered) return;
    if (this.#listed === undefined) this.#finish(undefined, this.#held());
    else this.#finish(this.#listed.length, this.#listed);
  }
}
