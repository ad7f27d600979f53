// The last requests when the exchange no longer serves the account (rules.md, 5): one cancelAllOrders, then
// one list. An accepted cancel drains for a while, so the list waits for it; after a refused one the list
// follows at once.
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
  /** Whether the exchange accepted the cancel. Undefined before its answer. */
  #isTaken: boolean | undefined;

  constructor(buffer: CommandBuffer) {
    this.#buffer = buffer;
    buffer.shut();
    this.#cancelAll = buffer.nextRequest();
    buffer.sendLast({ type: 'cancel-all', req: this.#cancelAll });
  }

  /** `isTaken`: the exchange accepted the request. */
  applyAnswer(req: RequestId, isTaken: boolean): void {
    if (req === this.#cancelAll) this.#isTaken ??= isTaken;
    if (req === this.#list) this.#isAnswered = true;
  }

  /**
   * Applies a list of own open orders. A list requested earlier is ignored: it shows the state before the
   * cancel.
   */
  applyList(orders: readonly OpenOrder[]): void {
    if (this.#isAnswered) this.#listed = orders.map(({ orderId }) => orderId);
  }

  /**
   * `held`: how many orders may rest. Returns the list once both requests are answered; `listed` undefined if
   * unread.
   */
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
