// Files each fact under the name that it concerns, and folds the orders that it concerns again, so that every
// belief follows from all facts.
import type { AlertLevel, NewOrder, OrderId, PlayerMode, RequestId } from '../domain/index.ts';
import { dollarsOfMicros, isActive } from '../domain/index.ts';
import type { AccountAlert, AccountSettings } from './account-settings.ts';
import { SETTLE_MS } from './account-settings.ts';
import { beliefOf } from './belief.ts';
import { AccountOutput } from './account-output.ts';
import type { Fact } from './facts.ts';
import { Inquiries } from './inquiries.ts';
import { awaitedOf, candidatesOf } from './id-reuse.ts';
import { Names, isOver } from './names.ts';
import { namedMode, ownOrder, remainingOf } from './order.ts';
import type { Placed } from './own-fills.ts';
import { OwnFills } from './own-fills.ts';
import { OwnOrders } from './own-orders.ts';
import type { Ending, Name, OwnOrder, Owner } from './records.ts';
import { NEVER } from './records.ts';

/** The most ended orders kept. An ended order is normally dropped after `lateArrival` and one list. */
const MOST_ENDED = 4000;

export class Beliefs {
  /**
   * True once the exchange reported a reference of this instance: then a look-up by reference that finds
   * nothing is evidence of absence.
   */
  reportsReferences = false;
  /** Receives every fact as it is recorded (for `oddsmaker why`). */
  observer: ((fact: Fact, order: OwnOrder | undefined) => void) | undefined;
  /** The other player mode, once the exchange reported it for an order of this run; else undefined. */
  wrongMode: PlayerMode | undefined;
  /** Monotonic ms of the current step. */
  now = 0;
  newestSentAt = NEVER;
  readonly settings: AccountSettings;
  readonly news = new AccountOutput();
  readonly names = new Names();
  readonly orders: OwnOrders;
  readonly fills: OwnFills;
  readonly inquiries: Inquiries;
  allFillsReadAsked = NEVER;

  constructor(settings: AccountSettings) {
    this.settings = settings;
    this.orders = new OwnOrders(this.news);
    this.fills = new OwnFills(settings, this.orders, this.news);
    this.inquiries = new Inquiries(settings.lateArrivalMs, this.news);
  }

  alert(
    level: AlertLevel,
    code: string,
    message: string,
    fields: AccountAlert['fields'],
    /** The alert is raised once for this key. */
    once?: string,
  ): void {
    this.news.alert({ level, code, message, fields, once });
  }

  // ——— orders and the requests that end them

  addOrder(order: NewOrder, owner: Owner, sent: Parameters<typeof ownOrder>[3]): OwnOrder {
    const own = ownOrder(order, owner, this.names.ofRef(order.ref), sent);
    this.names.adopt(own);
    this.newestSentAt = Math.max(this.newestSentAt, own.sentAt);
    this.orders.addOrder(own);
    this.fold(own);
    this.fills.attributeAll(own.said);
    return own;
  }

  noteEnding(
    name: Name,
    kind: Ending['kind'],
    req: RequestId | undefined,
    options: { readonly by?: OwnOrder; readonly until?: number },
  ): void {
    const { by, until = Number.POSITIVE_INFINITY } = options;
    name.ending = { kind, req, at: this.now, by, until, state: 'flying' };
    name.askedBy = kind;
    name.touchedAt = this.now;
    this.foldHolder(name);
  }

  // ——— facts

  /**
   * Records a fact under the name that it concerns. `placed`: market and side of a fill. `under`: the exact
   * name record, where an edit kept the id. Returns true when the fact concerns a known order.
   */
  record(fact: Fact, placed?: Placed, under?: Name): boolean {
    const { ref, orderId } = fact;
    if (ref === undefined && orderId !== undefined && under === undefined && this.settings.editKeepsId === true) {
      const byOrder = this.#nameFor(fact, orderId);
      if (byOrder === undefined) return this.#recordAmbiguous(fact, orderId, placed);
      return this.#record(fact, placed, byOrder);
    }
    return this.#record(fact, placed, under);
  }

  /** The name record that a fact by id concerns. Undefined when more than one order of the id fits. */
  #nameFor({ terms, seenAt }: Fact, orderId: OrderId): Name | undefined {
    const name = this.names.ofId(orderId);
    const [first, ...others] = candidatesOf(name, terms, this.orders.unknown);
    if (first === undefined) return name;
    if (others.length > 0) return undefined;
    // the order rests in the place of the one it was to replace
    if (first.id === undefined) this.#link(first, orderId, 'signature', seenAt);
    return first.id?.orderId === orderId ? first.id : name;
  }

  /** True when an answer by id may show a former order of the id, or the order of an unanswered edit. */
  isOfSome(name: Name, askedAt: number): boolean {
    if (this.settings.editKeepsId !== true) return false;
    if (name.former !== undefined && askedAt < name.bornAt) return true;
    const [awaited] = awaitedOf(name, this.orders.unknown);
    return awaited !== undefined;
  }

  /** A fact that may concern several orders: a fill counts in its market, everything else is looked up. */
  #recordAmbiguous(fact: Fact, orderId: OrderId, placed: Placed | undefined): boolean {
    const name = this.names.ofId(orderId);
    const { kind, seenAt } = fact;
    this.observer?.(fact, undefined);
    if (kind.type === 'fill') this.#recordFill(fact, undefined, placed ?? name.holder);
    else if (kind.type !== 'resting' && kind.type !== 'named') this.inquiries.lookUp(name);
    if (kind.type === 'fill' || kind.type === 'total' || kind.type === 'taken')
      for (const order of candidatesOf(name, fact.terms, this.orders.unknown)) {
        order.said.applyFact({ kind: { type: 'fills-unread' }, from: fact.from, seenAt });
        this.fold(order);
      }
    return true;
  }

  #record(fact: Fact, placed: Placed | undefined, under: Name | undefined): boolean {
    const { ref, orderId, kind } = fact;
    // only references of this instance have a name record
    const known = ref === undefined ? undefined : this.names.knownRef(ref);
    const isOwn = known !== undefined || (ref !== undefined && this.fills.isOwnReference(ref));
    const byRef = known ?? (isOwn && ref !== undefined ? this.names.ofRef(ref) : undefined);
    const byId = under ?? (orderId === undefined ? undefined : this.names.ofId(orderId));
    const order = byRef?.holder;
    // in answers by reference, the exchange only repeats the reference of the request
    if (isOwn && fact.isRefRecalled !== true && (fact.from === 'event' || fact.from === 'list'))
      this.reportsReferences = true;
    if (ref !== undefined && !isOwn && byId !== undefined) byId.isExternal = true;
    if (order !== undefined && orderId !== undefined && under === undefined)
      this.#link(order, orderId, 'name', fact.seenAt, true);
    const filed = byRef ?? byId;
    if (filed === undefined || kind.type === 'fill') {
      if (kind.type === 'fill') this.#recordFill(fact, filed, placed);
      filed?.noteSource(fact);
    } else if (this.#isOfEitherHalf(fact, filed)) this.inquiries.lookUp(filed);
    else filed.applyFact(fact);
    const owner = filed?.holder ?? byId?.holder;
    this.observer?.(fact, owner);
    if (filed === undefined) return false;
    if (filed.holder === undefined && filed.signature !== undefined) {
      this.names.noteSigned(filed);
      this.#matchId(filed);
    }
    if (filed.holder !== undefined) this.fold(filed.holder);
    if (byId?.holder !== undefined && byId.holder !== filed.holder) this.fold(byId.holder);
    return filed.holder !== undefined;
  }

  /** Where an edit kept the id, an end without a reference may be the end of the former order. */
  #isOfEitherHalf({ kind, from, ref }: Fact, { holder }: Name): boolean {
    if (kind.type !== 'gone' || from !== 'event' || ref !== undefined) return false;
    return holder?.keptId === true && isActive(holder.status);
  }

  /** Links an order to an id. `isFolded`: the caller folds the order itself right after. */
  #link(order: OwnOrder, orderId: OrderId, by: 'name' | 'signature', seenAt: number, isFolded = false): void {
    const affected = this.names.link(order, orderId, by, seenAt);
    if (affected.length === 0) return;
    for (const affectedOrder of affected) {
      if (affectedOrder.id !== undefined) this.fills.attributeAll(affectedOrder.id);
      if (affectedOrder !== order || !isFolded) this.fold(affectedOrder);
    }
  }

  /** Links an id without an own order to the order that its signature fits, when there is one. */
  #matchId(name: Name): void {
    const order = this.names.nearest(name, this.#activeInMarketOf(name));
    if (order === undefined || name.orderId === undefined) return;
    this.alert('info', 'ORDER_RECOGNISED', 'an unanswered order was recognised by its signature', {
      ref: order.ref,
      orderId: name.orderId,
      marketId: order.market.id,
    });
    this.#link(order, name.orderId, 'signature', this.now);
  }

  #activeInMarketOf({ signature }: Name): Iterable<OwnOrder> {
    return signature === undefined ? [] : this.orders.activeIn(signature.market.id);
  }

  /** Computes what is believed of an order from its facts, and applies it. */
  fold(order: OwnOrder): void {
    const orders = this.orders;
    const isAmbiguous = this.names.isAmbiguous(order, orders.activeIn(order.market.id));
    const hadLanded = order.landed;
    // the id has ended, and it is not known which of the similar orders had it
    if (isAmbiguous && order.id !== undefined && isOver(order.id, order)) this.names.unlink(order);
    const belief = beliefOf(order, {
      lateArrivalMs: this.settings.lateArrivalMs,
      allFillsReadAsked: this.allFillsReadAsked,
      isAmbiguous: isAmbiguous && order.id !== undefined,
    });
    // an edit that worked passed the id on to this order
    const keptId =
      this.settings.editKeepsId === true && order.id === undefined ? order.replaces?.id?.orderId : undefined;
    if (belief.landed && keptId !== undefined) {
      this.#link(order, keptId, 'signature', this.now);
      return;
    }
    const isNew = orders.applyBelief(order, belief, this.now);
    const isCancelledByOthers = orders.recount(order, this.settings.expiresAfterMs);
    if (!order.isOfFormerRun && !this.fills.isOfMode(namedMode(order))) this.wrongMode ??= namedMode(order);
    if (isCancelledByOthers)
      this.alert('warn', 'ORDER_CANCELLED', 'an own order was cancelled, but not by this bot', {
        ref: order.ref,
        orderId: order.id?.orderId,
        marketId: order.market.id,
        side: order.side,
        remaining: dollarsOfMicros(remainingOf(order)),
      });
    const isConfirmed = order.said.inFeed || order.id?.inFeed === true;
    // the feed must report an ended order as well; orders of a former run were reported to that run
    if (!order.landed || isConfirmed || order.isOfFormerRun) {
      if (orders.unconfirmed.size > 0) orders.unconfirmed.delete(order);
    } else if (!hadLanded) orders.unconfirmed.set(order, this.now);
    this.inquiries.applyBelief(order);
    if (!isNew) return;
    const { signed, bySignature } = this.names;
    if (orders.unknown.size > 0 && signed.size > 0) for (const name of [...signed]) this.#matchId(name);
    // it may now be clear, or unclear, which order has which id
    if (bySignature.size > 0) for (const other of [...bySignature]) if (other !== order) this.fold(other);
    if (orders.ended.size > MOST_ENDED) this.#dropEnded(MOST_ENDED / 2, Number.POSITIVE_INFINITY);
  }

  foldHolder({ holder }: Name): void {
    if (holder !== undefined) this.fold(holder);
  }

  #recordFill(fact: Fact, filed: Name | undefined, placed: Placed | undefined): void {
    const formerOrder = this.fills.record(fact, filed, placed);
    if (formerOrder !== undefined) this.fold(formerOrder);
  }

  // ——— memory

  /** Enters that both lists of the account were read. `askedAt`: when they were requested, monotonic ms. */
  applyRead(askedAt: number): void {
    this.fills.applyRead();
    this.allFillsReadAsked = Math.max(this.allFillsReadAsked, askedAt);
    for (const order of [...this.orders.owing()]) this.fold(order);
    this.#dropEnded(this.orders.ended.size, askedAt - this.settings.lateArrivalMs - SETTLE_MS);
  }

  /**
   * Drops, of the `most` oldest ended orders, those that ended before `before` and have no unreported fills.
   */
  #dropEnded(most: number, before: number): void {
    let left = most;
    for (const order of this.orders.ended) {
      if (left-- <= 0 || order.endedAt >= before) return;
      if (order.bound > 0) continue;
      this.orders.ended.delete(order);
      this.orders.unconfirmed.delete(order);
      this.inquiries.forget(order);
      for (const name of [order.said, order.id]) this.fills.release(name);
      this.names.forget(order);
    }
  }
}
