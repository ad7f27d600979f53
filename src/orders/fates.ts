// Orders without a readable answer (DESIGN rule 2): looked for until evidence settles them, never resent meanwhile.
// *Never landed* is evidence too, but only after send + lateArrival, with both feeds up since the send, and after two
// reads sent at least 2 s apart that show nothing.
import type { OrderRef, Read, ReferenceTrail } from '../domain/index.ts';
import type { OwnOrder } from './own-order.ts';
import type { OrderManager, OrderPorts } from './manager.ts';

const LOOK_EVERY_MS = 2000;
const FIRST_LOOK_MS = 500;
const ABSENCES_NEEDED = 2;
const APART_MS = 2000;
/** docs/adr/0003: when a feed was down since the send. */
const ABSENCES_AFTER_A_DROP = 5;
/** Looks become rarer, so that many unknown orders do not use up the reads. */
const LOOK_RARELY_MS = 10_000;
const OFTEN_MS = 10_000;

type Search = {
  nextLookAt: number;
  absences: number;
  /** Monotonic ms at which the newest read that counted as an absence was sent. */
  absentAt: number;
  looking: boolean;
};

export type FatePorts = Pick<OrderPorts, 'nextRequest' | 'send' | 'alert'> & {
  /** Sends a read unless the same one is in flight. */
  readonly read: (read: Read) => void;
};

export class Fates {
  readonly #manager: OrderManager;
  readonly #ports: FatePorts;
  readonly #lateArrivalMs: number;
  readonly #searches = new Map<OrderRef, Search>();

  constructor(manager: OrderManager, lateArrivalMs: number, ports: FatePorts) {
    this.#manager = manager;
    this.#lateArrivalMs = lateArrivalMs;
    this.#ports = ports;
  }

  get unknown(): OwnOrder[] {
    return [...this.#manager.ledger.unknown];
  }

  /** Called at every sweep: sends the look-ups that are due. */
  sweep(now: number): void {
    const unknown = this.unknown;
    let byList = false;
    for (const order of unknown) {
      let search = this.#searches.get(order.ref);
      if (search === undefined) {
        search = {
          nextLookAt: now + FIRST_LOOK_MS,
          absences: 0,
          absentAt: Number.NEGATIVE_INFINITY,
          looking: false,
        };
        this.#searches.set(order.ref, search);
        this.#ports.alert('warn', 'FATE_UNKNOWN', 'an order has no readable answer and is looked for', {
          ref: order.ref,
          orderId: order.orderId,
          marketId: order.market.id,
        });
      }
      if (search.looking || now < search.nextLookAt) continue;
      const waiting = now - order.sentAt;
      const rarely = waiting > OFTEN_MS && waiting < this.#lateArrivalMs;
      search.nextLookAt = now + (rarely ? LOOK_RARELY_MS : LOOK_EVERY_MS);
      if (order.orderId === undefined || this.#isSucceeded(order)) {
        this.#lookByReference(order, search);
        // the exchange may tell no references: then a list of all open orders must show it
        if (!this.#manager.answers.tellsReferences) byList = true;
      } else if (!this.#replacementIsOpen(order, unknown)) this.#manager.answers.lookUp(order);
    }
    if (byList) this.#ports.read({ what: 'open-orders' });
    for (const [ref, search] of this.#searches) {
      if (!search.looking && !unknown.some((order) => order.ref === ref)) this.#searches.delete(ref);
    }
  }

  /** Where an edit keeps the id, another order has it by now: then this one is gone, but for what it filled. */
  #isSucceeded({ orderId, ref }: OwnOrder): boolean {
    const holder = orderId === undefined ? undefined : this.#manager.ledger.find(orderId, undefined);
    return holder !== undefined && holder.ref !== ref;
  }

  /** The old half of an unanswered edit is settled after the new half. */
  #replacementIsOpen(old: OwnOrder, unknown: readonly OwnOrder[]): boolean {
    return unknown.some((order) => order.replaces === old);
  }

  #lookByReference(order: OwnOrder, search: Search): void {
    search.looking = true;
    this.#ports.send({
      type: 'read',
      req: this.#ports.nextRequest(),
      read: { what: 'reference', ref: order.ref, gameId: order.market.gameId },
    });
  }

  /** The answer to a look-up by reference; undefined: it failed and says nothing. */
  applyTrail(
    ref: OrderRef,
    trail: ReferenceTrail | undefined,
    sentAt: number,
    bothFeedsUpSince: number | undefined,
    now: number,
  ): void {
    const search = this.#searches.get(ref);
    if (search !== undefined) search.looking = false;
    const order = this.#manager.ledger.find(undefined, ref);
    if (order === undefined || trail === undefined) return;
    for (const fill of trail.fills)
      this.#manager.ledger.applyFill(order, fill.txId, fill.risk, fill.odds, now);
    if (order.status === 'unknown' && this.#isSucceeded(order)) {
      this.#manager.ledger.applyEvent(order, 'cancelled', now);
      return;
    }
    const open = trail.open[0];
    if (open !== undefined) {
      this.#manager.answers.applyFound(order, open.orderId, now);
      return;
    }
    if (order.status !== 'unknown' || search === undefined) return;
    if (trail.fills.length > 0) {
      // it rested and is gone: what it filled is known
      this.#manager.ledger.applyEvent(order, 'cancelled', now);
      return;
    }
    if (this.#manager.answers.tellsReferences) this.#absent(order, search, sentAt, bothFeedsUpSince, now);
  }

  /**
   * A list of all open orders, read where no reference is told: whoever is in it was recognised by its looks before
   * (likeness.ts), so the others are absent.
   */
  applyList(sentAt: number, bothFeedsUpSince: number | undefined, now: number): void {
    if (this.#manager.answers.tellsReferences) return;
    for (const order of this.unknown) {
      const search = this.#searches.get(order.ref);
      if (order.orderId === undefined && search !== undefined)
        this.#absent(order, search, sentAt, bothFeedsUpSince, now);
    }
  }

  /** A read that was sent at `sentAt` shows nothing of the order. */
  #absent(
    order: OwnOrder,
    search: Search,
    sentAt: number,
    bothFeedsUpSince: number | undefined,
    now: number,
  ): void {
    // nothing can land after lateArrival, so a read sent later tells; a feed that dropped meanwhile asks for more of them
    const settled = sentAt >= order.sentAt + this.#lateArrivalMs;
    if (!settled || bothFeedsUpSince === undefined || bothFeedsUpSince > sentAt) return;
    if (sentAt < search.absentAt + APART_MS) return;
    search.absentAt = sentAt;
    search.absences += 1;
    if (search.absences < (bothFeedsUpSince <= order.sentAt ? ABSENCES_NEEDED : ABSENCES_AFTER_A_DROP))
      return;
    this.#manager.ledger.applyEvent(order, 'never-landed', now);
    this.#ports.alert('info', 'NEVER_LANDED', 'an unanswered order never landed', {
      ref: order.ref,
      marketId: order.market.id,
    });
  }
}
