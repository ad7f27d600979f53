// What may not follow a no: the same order again, or the same question about an order that is done (spec, Errors).
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

/** What may only have been wrong is asked again after this long at the soonest. */
const DOUBTFUL_MS = 30_000;

function keep(refusals: Map<string, readonly Refused[]>, slot: string, kept: readonly Refused[]): void {
  if (kept.length === 0) refusals.delete(slot);
  else refusals.set(slot, kept);
}

export class RefusalRule implements Watcher {
  readonly #findings: Findings;
  readonly #batchErrors: BatchErrors;
  /** By slot. */
  readonly #wrong = new Map<string, readonly Refused[]>();
  /** Of a batch: maybe only its market was closed. Not again until the header of its game is told anew, or for a while. */
  readonly #doubtful = new Map<string, readonly Refused[]>();
  readonly #stale = new Map<string, Refused>();

  constructor(findings: Findings, batchErrors: BatchErrors) {
    this.#findings = findings;
    this.#batchErrors = batchErrors;
  }

  heard(input: Arrival): void {
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
        known.filter((one) => !isOf(one)),
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
      const told = answerOf({ command, role: 'new', index, of: orders.length }, reply, this.#batchErrors);
      const { rung, risk, market } = order;
      const refused = { rung, risk, gameId: market.gameId, req, mono: now.mono };
      // of a batch nobody knows which order was wrong: none of them is sent again unchanged
      if (reply.status === 400 || reply.status === 403)
        this.#wrong.set(slot, [...(this.#wrong.get(slot) ?? []), refused]);
      else if (told.errorType === 'validation_error')
        this.#doubtful.set(slot, [...(this.#doubtful.get(slot) ?? []), refused]);
      else if (reply.status === 409) this.#stale.set(slot, refused);
      else if (told.says === 'accepted') {
        // it says nothing of what was refused after it left
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
        this.#doubtful.get(slot)?.find((one) => isSame(one) && now.mono < one.mono + DOUBTFUL_MS);
      if (wrong !== undefined) {
        const text = `${order.ref} asks again for what request ${wrong.req} was refused, for ${slot}`;
        this.#findings.found('refused-resent', now, text, [req, wrong.req]);
      }
      this.#findings.checked('stale-resent');
      const stale = this.#stale.get(slot);
      if (stale === undefined || !isSame(stale)) continue;
      const text = `${order.ref} asks again for what request ${stale.req} was answered 409, ${Math.round(now.mono - stale.mono)} ms later, and nothing of its game was read between`;
      this.#findings.found('stale-resent', now, text, [req, stale.req]);
    }
  }
}

/** 400, 403, 404, 409 to a cancel or an edit: the order is done, or not ours. */
export class DoneRule implements Watcher {
  readonly #findings: Findings;
  readonly #batchErrors: BatchErrors;
  readonly #done = new Map<OrderId, { readonly req: number; readonly mono: number }>();

  constructor(findings: Findings, batchErrors: BatchErrors) {
    this.#findings = findings;
    this.#batchErrors = batchErrors;
  }

  heard(input: Arrival): void {
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
      const told = answerOf({ command, role: 'old', index, of: ids.length }, reply, this.#batchErrors);
      // what only waits for a lock, a window or a login goes on as it was
      const done = told.says === 'not-cancelled' && (reply.status < 300 || isDecided(reply.status));
      if (done) this.#done.set(orderId, { req, mono: now.mono });
    }
  }

  #applyRead(read: Read, sent: Moment, { status, body }: Reply): void {
    if (read.what === 'order' && (status < 300 || status === 404)) this.#done.delete(read.orderId);
    if (read.what !== 'open-orders') return;
    for (const { orderId } of ifGood(status, () => parseOpenOrders(body)) ?? []) {
      const done = this.#done.get(orderId);
      if (done !== undefined && sent.mono >= done.mono) this.#done.delete(orderId);
    }
  }

  sent({ command, req }: Request, now: Moment): void {
    for (const orderId of idsOf(command)) {
      this.#findings.checked('done-repeated');
      const done = this.#done.get(orderId);
      if (done === undefined) continue;
      const text = `a ${command.type} asks for ${orderId}, which request ${done.req} found done, and nobody has looked it up since`;
      this.#findings.found('done-repeated', now, text, [req, done.req]);
    }
  }
}
