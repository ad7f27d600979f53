// Checks what may not follow a refusal: the same order again, or the same request about an order that is done
// (spec, Errors).
import type { BatchErrors, Cents, Arrival, OrderId, Read, Rung } from '../domain/index.ts';
import { gameIdIn, parseOpenOrders, parsePositionUpdate } from '../wire/index.ts';
import { answerOf, ifGood, isDecided } from './answers.ts';
import type { Reply, Request, Watcher } from './requests.ts';
import { idsOf, ordersOf, slotOf } from './requests.ts';
import type { Findings, Moment } from './rules.ts';

type Refused = {
  readonly rung: Rung;
  readonly risk: Cents;
  readonly gameId: string;
  readonly req: number;
  readonly mono: number;
};

/** How long an order that may have been wrong must not be sent again, ms. */
const DOUBTFUL_MS = 30_000;

function keep(refusals: Map<string, readonly Refused[]>, slot: string, kept: readonly Refused[]): void {
  if (kept.length === 0) refusals.delete(slot);
  else refusals.set(slot, kept);
}

/** Checks that a refused order is not sent again unchanged. */
export class RefusalRule implements Watcher {
  readonly #findings: Findings;
  readonly #batchErrors: BatchErrors;
  /** Orders refused as wrong, by slot. */
  readonly #wrong = new Map<string, readonly Refused[]>();
  /**
   * Orders refused by `validation_error`, by slot: perhaps only the market was closed. They wait for a new
   * game header, or a while.
   */
  readonly #doubtful = new Map<string, readonly Refused[]>();
  readonly #stale = new Map<string, Refused>();

  constructor(findings: Findings, batchErrors: BatchErrors) {
    this.#findings = findings;
    this.#batchErrors = batchErrors;
  }

  received(input: Arrival): void {
    if (this.#stale.size + this.#doubtful.size === 0) return;
    if (input.type !== 'frame' || input.feed !== 'prices') return;
    const gameId = gameIdIn(input.event, input.data);
    const isOf = (refused: Refused): boolean => refused.gameId === gameId;
    this.#seeAnew(isOf);
    if (input.event === 'gameUpdate') this.#trustAnew(isOf);
  }

  #seeAnew(isOf: (refused: Refused) => boolean): void {
    for (const [slot, refused] of this.#stale) if (isOf(refused)) this.#stale.delete(slot);
  }

  #trustAnew(isOf: (refused: Refused) => boolean): void {
    for (const [slot, known] of this.#doubtful)
      keep(
        this.#doubtful,
        slot,
        known.filter((refused) => !isOf(refused)),
      );
  }

  #applyRead(read: Read, status: number): void {
    if (status >= 300 || (read.what !== 'game' && read.what !== 'league')) return;
    const isOf = ({ gameId }: Refused): boolean => read.what === 'league' || gameId === read.gameId;
    this.#seeAnew(isOf);
    this.#trustAnew(isOf);
  }

  answered(request: Request, reply: Reply, now: Moment): void {
    const { command, req, sent } = request;
    if (command.type === 'read') {
      this.#applyRead(command.read, reply.status);
      return;
    }
    if (command.type !== 'place' && command.type !== 'edit') return;
    const orders = ordersOf(command);
    for (const [index, order] of orders.entries()) {
      const slot = slotOf(order);
      const answer = answerOf({ command, role: 'new', index, of: orders.length }, reply, this.#batchErrors);
      const { rung, risk, market } = order;
      const refused = { rung, risk, gameId: market.gameId, req, mono: now.mono };
      // which order of a batch was wrong is unknown: none of them may be sent again unchanged
      if (reply.status === 400 || reply.status === 403)
        this.#wrong.set(slot, [...(this.#wrong.get(slot) ?? []), refused]);
      else if (answer.errorType === 'validation_error')
        this.#doubtful.set(slot, [...(this.#doubtful.get(slot) ?? []), refused]);
      else if (reply.status === 409) this.#stale.set(slot, refused);
      else if (answer.says === 'accepted') {
        // an acceptance does not concern refusals after the order was sent
        for (const refusals of [this.#wrong, this.#doubtful])
          keep(refusals, slot, refusals.get(slot)?.filter(({ mono }) => mono >= sent.mono) ?? []);
      }
    }
  }

  sent({ command, req }: Request, now: Moment): void {
    for (const order of ordersOf(command)) {
      const slot = slotOf(order);
      const isSame = ({ rung, risk }: Refused): boolean => rung === order.rung && risk === order.risk;
      this.#findings.checked('refused-resent');
      const wrong =
        this.#wrong.get(slot)?.find(isSame) ??
        this.#doubtful.get(slot)?.find((refused) => isSame(refused) && now.mono < refused.mono + DOUBTFUL_MS);
      if (wrong !== undefined) {
        const text = `${order.ref} repeats what request ${wrong.req} was refused for, in ${slot}`;
        this.#findings.found('refused-resent', now, text, [req, wrong.req]);
      }
      this.#findings.checked('stale-resent');
      const stale = this.#stale.get(slot);
      if (stale === undefined || !isSame(stale)) continue;
      const text = `${order.ref} repeats what request ${stale.req} was answered 409 for, ${Math.round(now.mono - stale.mono)} ms later, and nothing of its game was read in between`;
      this.#findings.found('stale-resent', now, text, [req, stale.req]);
    }
  }
}

/** What a cancel or edit found done. `mayCancel`: after a refused edit, the look-up of the order failed too. */
type Done = { readonly req: number; readonly mono: number; readonly isEdit: boolean; readonly mayCancel: boolean };

/**
 * Checks that an order is looked up after a cancel or edit of it failed with 400, 403, 404 or 409: it is
 * done, or not the bot's own. An order whose edit was refused may rest: when its look-up fails, it may be
 * cancelled.
 */
export class DoneRule implements Watcher {
  readonly #findings: Findings;
  readonly #batchErrors: BatchErrors;
  readonly #done = new Map<OrderId, Done>();

  constructor(findings: Findings, batchErrors: BatchErrors) {
    this.#findings = findings;
    this.#batchErrors = batchErrors;
  }

  received(input: Arrival): void {
    if (this.#done.size === 0 || input.type !== 'frame' || input.event !== 'positionUpdate') return;
    const event = parsePositionUpdate(input.data);
    if (event.ok && event.value.orderId !== undefined) this.#done.delete(event.value.orderId);
  }

  answered(request: Request, reply: Reply, now: Moment): void {
    const { command, sent, req } = request;
    if (command.type === 'read') {
      if (this.#done.size > 0) this.#applyRead(command.read, sent, reply);
      return;
    }
    if (command.type !== 'cancel' && command.type !== 'edit') return;
    const ids = idsOf(command);
    for (const [index, orderId] of ids.entries()) {
      const answer = answerOf({ command, role: 'old', index, of: ids.length }, reply, this.#batchErrors);
      // a request that waits for a lock, a window or a login says nothing about the order
      const done = answer.says === 'not-cancelled' && (reply.status < 300 || isDecided(reply.status));
      if (done) this.#done.set(orderId, { req, mono: now.mono, isEdit: command.type === 'edit', mayCancel: false });
    }
  }

  #applyRead(read: Read, sent: Moment, { status, body }: Reply): void {
    if (read.what === 'order') {
      if (status < 300 || status === 404) this.#done.delete(read.orderId);
      else this.#applyLookUpFailed(read.orderId, sent);
    }
    if (read.what !== 'open-orders') return;
    for (const { orderId } of ifGood(status, () => parseOpenOrders(body)) ?? []) {
      const done = this.#done.get(orderId);
      if (done !== undefined && sent.mono >= done.mono) this.#done.delete(orderId);
    }
  }

  failed({ command, sent }: Request): void {
    if (command.type === 'read' && command.read.what === 'order') this.#applyLookUpFailed(command.read.orderId, sent);
  }

  #applyLookUpFailed(orderId: OrderId, sent: Moment): void {
    const done = this.#done.get(orderId);
    if (done?.isEdit === true && sent.mono >= done.mono) this.#done.set(orderId, { ...done, mayCancel: true });
  }

  sent({ command, req }: Request, now: Moment): void {
    for (const orderId of idsOf(command)) {
      this.#findings.checked('done-repeated');
      const done = this.#done.get(orderId);
      if (done === undefined || (command.type === 'cancel' && done.mayCancel)) continue;
      const text = `a ${command.type} names ${orderId}, which request ${done.req} found done, and no look-up was sent since`;
      this.#findings.found('done-repeated', now, text, [req, done.req]);
    }
  }
}
