// Applies the answers to look-ups of single orders. inquiries.ts decides when look-ups are sent.
import type { Micros, OrderId, OrderRef } from '../domain/index.ts';
import type { Beliefs } from './beliefs.ts';
import type { Inquiries } from './inquiries.ts';
import type { Name, OwnOrder } from './records.ts';
import { NEVER } from './records.ts';

/** The wait before the third cancel of an order that is still shown as open, doubled each time, ms. */
const CANCEL_RETRY_MS = { first: 1000, most: 10_000 };
const ALERTED_AT = 4;

export class LookUps {
  readonly #beliefs: Beliefs;
  readonly #inquiries: Inquiries;

  constructor(beliefs: Beliefs) {
    this.#beliefs = beliefs;
    this.#inquiries = beliefs.inquiries;
  }

  get isIdle(): boolean {
    return this.#inquiries.isIdle;
  }

  /** Repeats look-ups that were not answered. */
  housekeep(): void {
    const { now, reportsReferences } = this.#beliefs;
    for (const { ref, id, market } of this.#inquiries.housekeep(now, !reportsReferences))
      this.#beliefs.alert('warn', 'FATE_UNKNOWN', 'an order has no readable answer: its fate is looked up', {
        ref,
        orderId: id?.orderId,
        marketId: market.id,
      });
  }

  /** The run ends: look-ups and cancels are due at once. */
  hurry(): void {
    this.#inquiries.hurry();
    for (const { id } of this.#beliefs.orders.active) {
      if (id === undefined) continue;
      id.cancelsFailed = 0;
      id.cancelFrom = NEVER;
    }
  }

  /** Looks up an order about which a list and the belief differ. */
  inquire(order: OwnOrder): void {
    if (order.id !== undefined) this.#inquiries.lookUp(order.id);
  }

  /**
   * Applies the answer to a look-up by id. `remaining` and `filled`: undefined when not reported; both
   * undefined: the order is gone and its fills are not known.
   */
  applyLookedUp(
    orderId: OrderId,
    found: { readonly remaining: Micros | undefined; readonly filled: Micros | undefined },
    askedAt: number,
  ): void {
    const { remaining, filled } = found;
    const name = this.#beliefs.names.knownId(orderId);
    if (name !== undefined && this.#beliefs.isOfSome(name, askedAt)) {
      this.#inquiries.applyLookUpFailed(orderId, this.#beliefs.now);
      return;
    }
    this.#inquiries.applyLookedUp(orderId);
    if (name?.holder === undefined) return;
    const base = { orderId, from: 'look-up', askedAt, seenAt: this.#beliefs.now } as const;
    if (filled !== undefined) this.#beliefs.record({ ...base, kind: { type: 'total', filled } }, undefined, name);
    if (remaining !== undefined && remaining > 0) {
      const { ending, goneAt } = name;
      const isBack = goneAt > NEVER && askedAt > goneAt && name.restingAsked <= goneAt;
      if (ending?.state === 'unclear' && askedAt < ending.at) this.#inquiries.lookUp(name);
      const failed = ending?.state === 'unclear' && askedAt >= ending.at;
      if (failed) name.ending = undefined;
      if (name.cancelAsked && (isBack || (failed && ending.kind !== 'edit'))) this.#applyCancelFailed(name);
      this.#beliefs.record({ ...base, kind: { type: 'resting' } }, undefined, name);
    } else if (remaining === undefined && filled === undefined)
      this.#beliefs.record({ ...base, kind: { type: 'gone-unexplained' } }, undefined, name);
    else this.#beliefs.record({ ...base, kind: { type: 'gone', total: filled } }, undefined, name);
  }

  /**
   * A look-up by id failed; it is repeated later. An order whose edit was refused counts as unknown until
   * then.
   */
  applyLookUpFailed(orderId: OrderId): void {
    this.#inquiries.applyLookUpFailed(orderId, this.#beliefs.now);
    const name = this.#beliefs.names.knownId(orderId);
    if (name?.holder === undefined) return;
    if (name.ending?.kind === 'edit' && name.ending.state === 'unclear') {
      name.doubtAt = Math.max(name.doubtAt, name.ending.at);
      name.ending = undefined;
      this.#beliefs.orders.counts.unknownEver += 1;
      this.#beliefs.fold(name.holder);
    }
    // a cancel of the order is as safe as before
    this.#beliefs.news.touch(name.holder.market);
  }

  /** The order is shown as open after a cancel: cancels again, less and less often. */
  #applyCancelFailed(name: Name): void {
    name.cancelsFailed += 1;
    const waits = name.cancelsFailed - 2;
    if (waits < 0) return;
    const waitMs = Math.min(CANCEL_RETRY_MS.most, CANCEL_RETRY_MS.first * 2 ** Math.min(waits, 10));
    name.cancelFrom = this.#beliefs.now + waitMs;
    if (name.cancelsFailed === ALERTED_AT)
      this.#beliefs.alert('error', 'CANCEL_WITHOUT_EFFECT', 'an order is shown as open after several cancels', {
        ref: name.holder?.ref,
        orderId: name.orderId,
        marketId: name.holder?.market.id,
        cancels: ALERTED_AT,
      });
  }

  /** Applies the answer to a look-up by reference. Undefined `trail`: the look-up failed. */
  applyTrail(
    ref: OrderRef,
    trail: { readonly isOpen: boolean; readonly hasFilled: boolean } | undefined,
    askedAt: number,
    feedsUpSince: number | undefined,
  ): void {
    const order = this.#beliefs.names.find(undefined, ref);
    if (order === undefined) return;
    this.#inquiries.applyTrail(order);
    if (trail === undefined) return;
    const base = { ref, from: 'trail', askedAt, seenAt: this.#beliefs.now } as const;
    if (this.#beliefs.reportsReferences) this.#beliefs.record({ ...base, kind: { type: 'fills-read' } });
    if (trail.isOpen || order.status !== 'unknown') return;
    if (trail.hasFilled) this.#beliefs.record({ ...base, kind: { type: 'gone', total: undefined } });
    else if (this.#beliefs.reportsReferences && feedsUpSince !== undefined)
      this.#recordAbsent(order, askedAt, feedsUpSince);
  }

  /**
   * A list of all open orders was read at an exchange that reports no references: an order that is not
   * recognised in it is absent.
   */
  applyAbsences(askedAt: number, feedsUpSince: number | undefined): void {
    if (this.#beliefs.reportsReferences || feedsUpSince === undefined) return;
    for (const order of [...this.#beliefs.orders.unknown])
      if (order.id === undefined) this.#recordAbsent(order, askedAt, feedsUpSince);
  }

  #recordAbsent(order: OwnOrder, askedAt: number, feedsUpSince: number): void {
    const { ref, market } = order;
    const kind = { type: 'absent', feedsUpSince } as const;
    this.#beliefs.record({ ref, from: 'trail', askedAt, seenAt: this.#beliefs.now, kind });
    if (order.status === 'never-landed')
      this.#beliefs.alert('info', 'NEVER_LANDED', 'an unanswered order never landed', { ref, marketId: market.id });
  }
}
