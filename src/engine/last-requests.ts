// What is still tried once the exchange serves the account no longer (rules.md, 5): one cancelAllOrders and then one list. A
// cancel that was taken drains for a while, so the list waits for that; one that was refused needs no waiting.
import type { OpenOrder, OrderId, RequestId } from '../domain/index.ts';
import type { CommandBuffer } from './command-buffer.ts';

/** cancelAllOrders drains about 15 orders a second. */
const DRAIN_MS = { least: 1000, each: 1000 / 15, most: 10_000 };

export class LastRequests {
  readonly #buffer: CommandBuffer;
  readonly #cancelAll: RequestId;
  #list: RequestId | undefined;
  #listAt = Number.POSITIVE_INFINITY;
  #listed: readonly OrderId[] | undefined;
  #isAnswered = false;
  /** Whether the exchange took the cancel; undefined: it did not answer yet. */
  #isTaken: boolean | undefined;

  constructor(buffer: CommandBuffer) {
    this.#buffer = buffer;
    buffer.shut();
    this.#cancelAll = buffer.nextRequest();
    buffer.sendLast({ type: 'cancel-all', req: this.#cancelAll });
  }

  /** `isTaken`: the exchange took the request. */
  applyAnswer(req: RequestId, isTaken: boolean): void {
    if (req === this.#cancelAll) this.#isTaken ??= isTaken;
    if (req === this.#list) this.#isAnswered = true;
  }

  /** Own orders that a list shows. One that was asked for earlier tells of before the cancel. */
  applyList(orders: readonly OpenOrder[]): void {
    if (this.#isAnswered) this.#listed = orders.map(({ orderId }) => orderId);
  }

  /** `held`: how many orders may rest. Once all was tried: what the list showed, where it could be read. */
  advance(held: number): { readonly listed: readonly OrderId[] | undefined } | undefined {
    if (this.#isTaken !== undefined && this.#listAt === Number.POSITIVE_INFINITY)
      this.#listAt =
        this.#buffer.now + (this.#isTaken ? Math.min(DRAIN_MS.most, DRAIN_MS.least + DRAIN_MS.each * held) : 0);
    if (this.#list === undefined && this.#buffer.now >= this.#listAt) {
      this.#list = this.#buffer.nextRequest();
      this.#buffer.sendLast({ type: 'read', req: this.#list, read: { what: 'open-orders' } });
    }
    return this.#isAnswered ? { listed: this.#listed } : undefined;
  }
}
