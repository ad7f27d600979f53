// What the exchange says of own orders, as it changes the ledger: events of the user feed, replies, look-ups, lists. An
// unanswered order stays in exposure until evidence settles it (fates.ts).
import type {
  CancelResult,
  EditResult,
  GameId,
  Micros,
  OrderId,
  OrderRef,
  PlaceResult,
  PositionEvent,
} from '../domain/index.ts';
import { dollarsOfMicros, isActive, isCancelling, microsOfCents, placeIn, rungOf } from '../domain/index.ts';
import type { Exposure } from '../risk/index.ts';
import { EarlyEvents } from './early-events.ts';
import { FailedLookUps } from './failed-look-ups.ts';
import type { LearnedBy, Ledger } from './ledger.ts';
import type { OwnOrder } from './own-order.ts';
import { remainingOf } from './own-order.ts';
import type { Sighting } from './likeness.ts';
import { alike } from './likeness.ts';
import type { MissingFills } from './missing-fills.ts';
import type { OrderPorts, OrderSettings } from './manager.ts';
import type { PendingOrders } from './sender.ts';
import type { Refusal, SlotBlocks } from './slot-blocks.ts';

type AnswerPorts = Pick<OrderPorts, 'nextRequest' | 'send' | 'alert' | 'gameOf' | 'askBalance'>;

/** Between the second and the third cancel of an order that is shown as open all the same, and so on. */
const CANCEL_AGAIN_MS = { first: 1000, most: 10_000 };
const TOLD_AT = 4;

export class Answers {
  readonly #ledger: Ledger;
  readonly #exposure: Exposure;
  readonly #missing: MissingFills;
  readonly #blocks: SlotBlocks;
  readonly #ports: AnswerPorts;
  readonly #editKeepsId: boolean;
  readonly #expiresAfterMs: number;
  readonly #early = new EarlyEvents();
  /** The exchange was seen to tell our references: a look-up by reference that shows nothing means something. */
  tellsReferences = false;
  readonly #lookUps = new FailedLookUps();

  constructor(
    state: {
      readonly ledger: Ledger;
      readonly exposure: Exposure;
      readonly missing: MissingFills;
      readonly blocks: SlotBlocks;
    },
    ports: AnswerPorts,
    { editKeepsId, expiresAfterMs }: Pick<OrderSettings, 'editKeepsId' | 'expiresAfterMs'>,
  ) {
    this.#ledger = state.ledger;
    this.#exposure = state.exposure;
    this.#missing = state.missing;
    this.#blocks = state.blocks;
    this.#ports = ports;
    this.#editKeepsId = editKeepsId;
    this.#expiresAfterMs = expiresAfterMs ?? Number.POSITIVE_INFINITY;
  }

  /** The exchange says that the order filled this much in all: what is not known of it is looked for. */
  noteFilled(order: OwnOrder, filled: Micros): void {
    this.#missing.note(order, filled);
    this.#exposure.forget(order.market.gameId);
  }

  /** A trail was read, or (without a reference) every play of the account: what they do not show did not fill. */
  applyFillsRead(ref: OrderRef | undefined, sentAt: number): void {
    this.#missing.applyRead(ref, sentAt);
    const order = this.#ledger.find(undefined, ref);
    if (order !== undefined) this.#exposure.forget(order.market.gameId);
    else if (ref === undefined) for (const game of this.#ledger.games.keys()) this.#exposure.forget(game);
  }

  forgetGame(gameId: GameId): void {
    this.#missing.forgetGame(gameId);
  }

  /** Asks again for the look-ups that failed, and for the fills that are missing. */
  sweep(now: number): void {
    for (const { ref, market } of this.#missing.due(now)) {
      const read = { what: 'reference', ref, gameId: market.gameId } as const;
      this.#ports.send({ type: 'read', req: this.#ports.nextRequest(), read });
    }
    for (const orderId of this.#lookUps.due(now)) {
      const order = this.#ledger.find(orderId, undefined);
      const isOpen = order !== undefined && isActive(order.status);
      // it may have another id by now, which it is looked up by
      if (!isOpen || order.orderId !== orderId) this.#lookUps.forget(orderId);
      if (isOpen) this.lookUp(order);
    }
  }

  /** No look-up waits to be asked again. */
  get isIdle(): boolean {
    return this.#lookUps.isEmpty;
  }

  /** A look-up was not answered: it is made again later. */
  applyLookUpFailed(orderId: OrderId, now: number, sentAt: number): void {
    this.#lookUps.note(orderId, now);
    const order = this.#ledger.find(orderId, undefined);
    // an edit of it was refused before: whether it still rests nobody says
    if (order?.status === 'moving' && order.askedAt <= sentAt)
      this.#ledger.applyEvent(order, 'unanswered', now);
    if (order?.status !== 'unknown') return;
    // cancelling it is as safe as before
    order.req = undefined;
    this.#ledger.touched.add(order.market);
  }

  /** The run ends: what waits to be asked again is asked at once. */
  hurry(): void {
    this.#lookUps.hurry();
  }

  /** A positionUpdate. False when no order of ours is known by its id (yet). */
  applyPosition(event: PositionEvent, now: number): boolean {
    const order = this.#ledger.find(event.orderId, event.ref) ?? this.#sightedIn(event, now);
    if (order === undefined) {
      if (event.orderId !== undefined) this.#early.keep(event.orderId, event);
      return false;
    }
    if (event.ref === order.ref) this.tellsReferences = true;
    // of an unanswered edit or cancel an event of the old order may be from before it: only a look-up tells
    const saysNothing = order.status === 'unknown' && order.orderId !== undefined;
    if (event.orderId !== undefined && event.kind !== 'took')
      this.#learnId(order, event.orderId, now, event.ref === undefined ? 'id' : 'name');
    order.seenInFeed = true;
    this.#ledger.unconfirmed.delete(order);
    if (event.fill !== undefined) this.#applyFill(order, event.fill, now);
    // an earlier event was lost when this one counts more than is known
    if (event.filled !== undefined) this.noteFilled(order, event.filled);
    switch (event.kind) {
      case 'posted':
      case 'changed':
      case 'partly-taken':
        if (!saysNothing) this.#ledger.applyEvent(order, 'accepted', now);
        break;
      case 'fully-taken':
        this.#missing.note(order, microsOfCents(order.risk));
        this.#ledger.applyEvent(order, 'filled', now);
        break;
      case 'cancelled':
        // it may be the end of the one that was edited
        if (event.ref === undefined && order.keptId && isActive(order.status)) this.lookUp(order);
        else this.#applyGone(order, now);
        break;
      case 'took':
        break;
    }
    return true;
  }

  #sightedIn(event: PositionEvent, now: number): OwnOrder | undefined {
    const { orderId, odds, kind, offered } = event;
    if (this.#ledger.unknown.size === 0 || orderId === undefined || odds === undefined) return undefined;
    if (event.ref !== undefined || kind === 'cancelled' || kind === 'took') return undefined;
    const game = this.#ports.gameOf(event.gameId);
    const place = game === undefined ? undefined : placeIn(game, event.place);
    if (place === undefined) return undefined;
    return this.applySighting(
      { orderId, ...place, rung: rungOf(odds), risk: offered, createdAt: undefined },
      now,
    );
  }

  applyPlaced(orders: readonly OwnOrder[], results: readonly PlaceResult[], now: number): void {
    orders.forEach((order, index) => {
      const result = results[index];
      this.#applyResult(order, result ?? { status: 'unreadable', problem: 'no result' }, now);
    });
  }

  /** The answer tells of an id: it may have turned out to be another order's since. */
  applyEdited(
    { old: asked, order, orderId }: Extract<PendingOrders, { type: 'edit' }>,
    result: EditResult,
    now: number,
  ): void {
    asked.req = undefined;
    // an edit may keep the id: whose it was is asked before it is learned
    const named = this.#holderOf(asked, orderId);
    this.#applyResult(order, result.placed, now);
    if (named === undefined || named === order) return;
    if (result.filled !== undefined) this.noteFilled(named, result.filled);
    const isPlaced = result.placed.status === 'accepted';
    // under the same id there is one order
    if (result.cancelled === true || (isPlaced && (result.cancelled !== false || order.keptId)))
      this.#ledger.applyEvent(named, 'cancelled', now);
    else if (result.placed.status === 'unreadable') this.#ledger.applyEvent(named, 'unanswered', now);
    else this.lookUp(named);
  }

  /** The answer tells of ids: one may have turned out to be another order's since. */
  applyCancelled(
    { orders, orderIds }: Extract<PendingOrders, { type: 'cancel' }>,
    results: readonly CancelResult[],
    now: number,
  ): void {
    orders.forEach((asked, index) => {
      asked.req = undefined;
      const order = this.#holderOf(asked, orderIds[index]);
      if (order === undefined) return;
      const filled = results[index]?.filled;
      const isUnsure = order.status === 'cancelling-unknown';
      if (isUnsure) this.#missing.noteSilent(order, now);
      // of an unanswered edit that kept the id, either half may be meant
      if (filled !== undefined && !(isUnsure && (this.#editKeepsId || order.byLooks)))
        this.noteFilled(order, filled);
      if (results[index]?.success === true) this.#ledger.applyEvent(order, 'cancelled', now);
      else if (isCancelling(order.status)) this.lookUp(order);
    });
  }

  /** The exchange refused the whole request at its door: nothing was acted on. */
  applyRefused(
    pending: PendingOrders,
    problem: { readonly status: number; readonly message: string },
    now: number,
  ): void {
    for (const order of newIn(pending)) this.#refused(order, { ...problem, errorType: undefined }, now);
    this.#letRest(pending, now);
  }

  /** What the request was about to end goes on resting; whose id it was not, it did not concern. */
  #letRest(pending: PendingOrders, now: number): void {
    if (pending.type === 'edit' && this.#holderOf(pending.old, pending.orderId) === pending.old)
      this.#ledger.applyEvent(pending.old, 'edit-refused', now);
    if (pending.type === 'cancel')
      for (const [index, order] of pending.orders.entries())
        if (this.#holderOf(order, pending.orderIds[index]) === order)
          this.#ledger.applyEvent(order, 'cancel-failed', now);
  }

  /** Whose id it is: it may have turned out to be another order's since the request left. */
  #holderOf(asked: OwnOrder, orderId: OrderId | undefined): OwnOrder | undefined {
    return asked.orderId === orderId ? asked : this.#ledger.find(orderId, undefined);
  }

  /** One of these was wrong, and nobody knows which: none of them is sent again unchanged. */
  applyWrong(orders: readonly OwnOrder[], now: number): void {
    for (const order of orders) this.#blocks.applyRefused(order, 'wrong', now);
  }

  /** Something of ours held the request back: it never left, and is decided anew in a moment. */
  applyNotSent(pending: PendingOrders, now: number): void {
    for (const order of newIn(pending)) {
      order.req = undefined;
      this.#ledger.applyEvent(order, 'never-landed', now);
      this.#blocks.applyDenied(order, now);
    }
    this.#letRest(pending, now);
  }

  /** An edit was refused in a way that leaves open what became of the old order. */
  applyEditRefusedOldUnclear(
    old: OwnOrder,
    order: OwnOrder,
    problem: { readonly status: number; readonly message: string },
    now: number,
  ): void {
    this.#refused(order, { ...problem, errorType: undefined }, now);
    this.lookUp(old);
  }

  /** No readable answer: orders keep their full size in exposure, cancels are decided anew. */
  applyUnanswered(pending: PendingOrders, now: number): void {
    for (const order of newIn(pending)) {
      order.req = undefined;
      this.#ledger.applyEvent(order, 'unanswered', now);
    }
    if (pending.type === 'cancel') {
      for (const order of pending.orders) order.req = undefined;
      this.#letRest(pending, now);
    }
    if (pending.type === 'edit') {
      pending.old.req = undefined;
      const old = this.#holderOf(pending.old, pending.orderId);
      if (old !== undefined && old !== pending.order) this.#ledger.applyEvent(old, 'unanswered', now);
    }
  }

  /** Asks the exchange where one order stands; the slot stays taken meanwhile. */
  lookUp(order: OwnOrder): void {
    if (order.orderId === undefined) return;
    const req = this.#ports.nextRequest();
    order.req = req;
    this.#ports.send({ type: 'read', req, read: { what: 'order', orderId: order.orderId } });
  }

  /** The answer to a look-up: what remains, or undefined when the order is closed. */
  applyLookup(
    orderId: OrderId,
    remaining: number | undefined,
    filled: number | undefined,
    now: number,
    sentAt: number,
  ): void {
    this.#lookUps.forget(orderId);
    const order = this.#ledger.find(orderId, undefined);
    if (order === undefined) return;
    if (filled !== undefined) this.noteFilled(order, filled as Micros);
    // a request for it left since: what comes of that is not told here
    if (remaining !== undefined && remaining > 0 && order.askedAt > sentAt) return;
    order.req = undefined;
    if (remaining !== undefined && remaining > 0) {
      // its end was told, and it goes on
      const isBack = !isActive(order.status) && sentAt > order.endedAt;
      const wasCancelled = isBack && order.cancelAsked;
      if (isBack) {
        this.#ledger.applyEvent(order, 'mistaken', now);
        this.#ledger.applyEvent(order, 'accepted', now);
      }
      if (wasCancelled || isCancelling(order.status)) this.#applyCancelFailed(order, now);
      this.#ledger.applyEvent(order, 'found', now);
      return;
    }
    if (remaining === undefined && filled === undefined) {
      this.#missing.noteSilent(order, now);
      this.#exposure.forget(order.market.gameId);
    }
    // what is gone, and nobody tells what it filled, may have been taken
    if (filled === undefined) this.#ledger.applyEvent(order, 'cancelled', now);
    else if (filled >= microsOfCents(order.risk)) this.#ledger.applyEvent(order, 'filled', now);
    else this.#applyGone(order, now);
  }

  /** It was cancelled. Where no request of ours for it can have done that, somebody else did: an operator, or the exchange. */
  #applyGone(order: OwnOrder, now: number): void {
    const wasLeftAlone = order.status === 'open' || order.status === 'sending';
    this.#ledger.applyEvent(order, 'cancelled', now);
    const isOurs = order.cancelAsked || order.askedAt > Number.NEGATIVE_INFINITY;
    const isExpired = now - order.sentAt >= this.#expiresAfterMs;
    if (!wasLeftAlone || order.status !== 'cancelled' || isOurs || isExpired) return;
    this.#ledger.stats.cancelledByOthers += 1;
    this.#ports.alert('warn', 'ORDER_CANCELLED', 'an order of ours was cancelled, not by us', {
      ref: order.ref,
      orderId: order.orderId,
      marketId: order.market.id,
      side: order.side,
      remaining: dollarsOfMicros(remainingOf(order)),
    });
  }

  /** It is shown as open after it was to be cancelled: tried again, less and less often. */
  #applyCancelFailed(order: OwnOrder, now: number): void {
    order.cancelsFailed += 1;
    const waits = order.cancelsFailed - 2;
    if (waits < 0) return;
    order.cancelFrom = now + Math.min(CANCEL_AGAIN_MS.most, CANCEL_AGAIN_MS.first * 2 ** Math.min(waits, 10));
    if (order.cancelsFailed === TOLD_AT)
      this.#ports.alert('error', 'CANCEL_WITHOUT_EFFECT', 'an order is shown as open after several cancels', {
        ref: order.ref,
        orderId: order.orderId,
        marketId: order.market.id,
        cancels: TOLD_AT,
      });
  }

  /** Evidence from a view that names no reference: an unanswered order like it rests there. */
  applySighting(sighting: Sighting, now: number): OwnOrder | undefined {
    const order = alike(sighting, this.#ledger.unknown);
    if (order === undefined) return undefined;
    this.#ports.alert('info', 'ORDER_RECOGNISED', 'an unanswered order was recognised by its looks', {
      ref: order.ref,
      orderId: sighting.orderId,
      marketId: order.market.id,
    });
    this.#learnId(order, sighting.orderId, now, 'looks');
    this.#ledger.applyEvent(order, 'accepted', now);
    return order;
  }

  /** A list that is newer than whatever ended the order shows it, under this id. */
  applyListed(order: OwnOrder, orderId: OrderId, now: number): void {
    this.#learnId(order, orderId, now);
    this.#ledger.applyEvent(order, 'mistaken', now);
    this.#ledger.applyEvent(order, 'accepted', now);
  }

  /** Evidence: the order rests under this id, unless it ended since. */
  applyFound(order: OwnOrder, orderId: OrderId, now: number): void {
    this.#learnId(order, orderId, now);
    this.#ledger.applyEvent(order, 'accepted', now);
  }

  #applyResult(order: OwnOrder, result: PlaceResult, now: number): void {
    order.req = undefined;
    switch (result.status) {
      case 'accepted':
        if (result.ref === order.ref) this.tellsReferences = true;
        if (result.orderId !== undefined) this.#learnId(order, result.orderId, now);
        this.#ledger.applyEvent(order, 'accepted', now);
        this.#blocks.applyAccepted(order);
        for (const fill of result.fills) this.#applyFill(order, fill, now);
        // a post that did not rest has nothing left
        if (result.orderId === undefined) this.#ledger.applyEvent(order, 'filled', now);
        break;
      case 'refused':
        this.#refused(order, { status: 200, errorType: result.errorType, message: result.message }, now);
        break;
      case 'unreadable':
        this.#ledger.applyEvent(order, 'unanswered', now);
        break;
    }
  }

  #refused(
    order: OwnOrder,
    why: { readonly status: number; readonly errorType: string | undefined; readonly message: string },
    now: number,
  ): void {
    order.req = undefined;
    this.#ledger.applyEvent(order, 'refused', now);
    // 400 and 403 say that the very request is wrong: never again unchanged; the others may pass a moment later
    const isWrong = why.status === 400 || why.status === 403;
    const kind = isWrong ? 'wrong' : (BY_TYPE[why.errorType ?? ''] ?? BY_STATUS[why.status] ?? 'other');
    if (kind === 'liability') this.#ports.askBalance?.();
    this.#blocks.applyRefused(order, kind, now, this.#ports.gameOf(order.market.gameId));
    this.#ports.alert('info', 'ORDER_REFUSED', 'the exchange refused an order', {
      ref: order.ref,
      marketId: order.market.id,
      side: order.side,
      status: why.status,
      errorType: why.errorType,
      reason: why.message,
    });
  }

  #applyFill(order: OwnOrder, fill: NonNullable<PositionEvent['fill']>, now: number): void {
    this.#ledger.applyFill(order, fill.txId, fill.risk, fill.odds, now);
  }

  /** Events that came before the id was known are applied now. */
  #learnId(order: OwnOrder, orderId: OrderId, now: number, by: LearnedBy = 'name'): void {
    if (!this.#ledger.learnId(order, orderId, now, by)) return;
    for (const event of this.#early.take(orderId)) this.applyPosition(event, now);
  }
}

const BY_TYPE: Readonly<Record<string, Refusal>> = {
  validation_error: 'doubtful',
  rejected_liability: 'liability',
};
const BY_STATUS: Readonly<Record<number, Refusal>> = { 409: 'stale', 429: 'throttled' };

/** The orders that a request would bring to rest. */
const newIn = (pending: PendingOrders): readonly OwnOrder[] =>
  pending.type === 'place' ? pending.orders : pending.type === 'edit' ? [pending.order] : [];
