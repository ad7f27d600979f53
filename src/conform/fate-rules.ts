// Follows orders of unknown fate: from sending until an answer decides, or any message names them. Nothing
// else may be sent for their slot in the meantime.
import type { Arrival, BatchErrors, NewOrder, OrderRef } from '../domain/index.ts';
import { parseOpenOrders, parsePlays, parsePositionUpdate } from '../wire/index.ts';
import { answerOf, ifGood, lookUpOf } from './answers.ts';
import type { Failure, Reply, Request, Watcher } from './requests.ts';
import { ordersOf, slotOf } from './requests.ts';
import type { Findings, Moment } from './rules.ts';

type Undecided = {
  readonly slot: string;
  /** The request that sent it. Undefined for an order of an earlier run. */
  readonly req: number | undefined;
  /** Monotonic ms. */
  readonly sentAt: number;
  /**
   * When the first and the last of the look-ups were sent that were late enough and found nothing, monotonic
   * ms.
   */
  readonly looks: { first: number; last: number };
};

/** How far apart two look-ups without a result must be, ms. */
const APART_MS = 2000;

export type FateSettings = {
  readonly instance: string;
  readonly lateArrivalMs: number;
  readonly batchErrors: BatchErrors;
};

/**
 * Checks that no slot is used while an order of it has an unknown fate, and that an order is given up only
 * with evidence.
 */
export class FateRule implements Watcher {
  readonly #findings: Findings;
  readonly #settings: FateSettings;
  readonly #undecided = new Map<OrderRef, Undecided>();

  constructor(findings: Findings, settings: FateSettings) {
    this.#findings = findings;
    this.#settings = settings;
  }

  received(input: Arrival, now: Moment): void {
    if (input.type === 'boot')
      for (const { order, sentT } of input.unanswered ?? [])
        if (order.ref.startsWith(`${this.#settings.instance}.`))
          this.#add(order, undefined, now.mono - Math.max(0, now.t - sentT));
    if (this.#undecided.size === 0 || input.type !== 'frame' || input.event !== 'positionUpdate') return;
    const event = parsePositionUpdate(input.data);
    if (event.ok) this.#decide(event.value.ref);
  }

  #add(order: NewOrder, req: number | undefined, sentAt: number): void {
    const looks = { first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY };
    this.#undecided.set(order.ref, { slot: slotOf(order), req, sentAt, looks });
  }

  #decide(ref: OrderRef | undefined): void {
    if (ref !== undefined) this.#undecided.delete(ref);
  }

  answered(request: Request, reply: Reply): void {
    const { command } = request;
    if (command.type === 'read') {
      if (this.#undecided.size > 0) this.#applyRead(request, reply);
      return;
    }
    if (command.type !== 'place' && command.type !== 'edit') return;
    const orders = ordersOf(command);
    for (const [index, { ref }] of orders.entries()) {
      const { says } = answerOf({ command, role: 'new', index, of: orders.length }, reply, this.#settings.batchErrors);
      if (says !== 'unclear') this.#decide(ref);
    }
  }

  #applyRead({ command, sent }: Request, reply: Reply): void {
    if (command.type !== 'read') return;
    const { read } = command;
    const { status, body } = reply;
    switch (read.what) {
      case 'reference': {
        const says = lookUpOf(read, reply);
        if (says === 'nothing') this.#absent(read.ref, sent);
        else if (says !== 'unreadable') this.#decide(read.ref);
        return;
      }
      case 'open-orders': {
        const list = ifGood(status, () => parseOpenOrders(body));
        for (const { ref } of list ?? []) this.#decide(ref);
        if (list !== undefined) for (const ref of this.#undecided.keys()) this.#absent(ref, sent);
        return;
      }
      case 'plays':
        for (const { ref } of ifGood(status, () => parsePlays(body)) ?? []) this.#decide(ref);
        return;
      default:
    }
  }

  #absent(ref: OrderRef, sent: Moment): void {
    const order = this.#undecided.get(ref);
    if (order === undefined || sent.mono < order.sentAt + this.#settings.lateArrivalMs) return;
    order.looks.first = Math.min(order.looks.first, sent.mono);
    order.looks.last = Math.max(order.looks.last, sent.mono);
  }

  failed({ command }: Request, { failure }: Failure): void {
    if (failure === 'not-sent') for (const { ref } of ordersOf(command)) this.#decide(ref);
  }

  commanded(command: Parameters<NonNullable<Watcher['commanded']>>[0], now: Moment): void {
    if (command.type !== 'alert') return;
    const ref = command.fields['ref'] as OrderRef | undefined;
    // recognised by price and size, where the exchange reports no references
    if (command.code === 'ORDER_RECOGNISED') this.#decide(ref);
    if (command.code !== 'NEVER_LANDED' || ref === undefined) return;
    this.#findings.checked('never-landed');
    const order = this.#undecided.get(ref);
    this.#undecided.delete(ref);
    if (order === undefined || order.looks.last - order.looks.first >= APART_MS) return;
    const text = `${ref} was given up ${Math.round(now.mono - order.sentAt)} ms after it was sent, without two look-ups ${APART_MS} ms apart that found nothing`;
    this.#findings.found('never-landed', now, text, order.req === undefined ? [] : [order.req]);
  }

  sent({ command, req }: Request, now: Moment): void {
    for (const order of ordersOf(command)) {
      this.#findings.checked('fate-open');
      const slot = slotOf(order);
      for (const [ref, other] of this.#undecided) {
        if (other.slot !== slot) continue;
        const sender = other.req === undefined ? 'an earlier run' : `request ${other.req}`;
        const text = `${order.ref} was sent while the fate of ${ref} was unknown, which ${sender} had sent for the same slot`;
        this.#findings.found('fate-open', now, text, [req, ...(other.req === undefined ? [] : [other.req])]);
      }
      this.#add(order, req, now.mono);
    }
  }
}
