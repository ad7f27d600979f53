// Facts, filed under the name that each one is about, and what is believed of each order because of them: a new fact folds the
// orders that it concerns again.
import type { AlertLevel, NewOrder, OrderId, PlayerMode, RequestId } from '../domain/index.ts';
import { dollarsOfMicros, isActive } from '../domain/index.ts';
import type { AccountAlert, AccountSettings } from './account-settings.ts';
import { SETTLE_MS } from './account-settings.ts';
import { beliefOf } from './belief.ts';
import { AccountNews } from './news.ts';
import type { Fact } from './facts.ts';
import { Inquiries } from './inquiries.ts';
import { awaitedOf, candidatesOf } from './lives.ts';
import { Names, isOver } from './names.ts';
import { namedMode, ownOrder, remainingOf } from './order.ts';
import type { Placed } from './own-fills.ts';
import { OwnFills } from './own-fills.ts';
import { OwnOrders } from './own-orders.ts';
import type { Ending, Name, OwnOrder, Owner } from './records.ts';
import { NEVER } from './records.ts';

/** Ended orders are dropped after `lateArrival` and one list; of more than these also without. */
const MOST_ENDED = 4000;

export class Beliefs {
  /** The exchange was seen to report our references: a look-up by reference that shows nothing means something. */
  reportsReferences = false;
  /** For `oddsmaker why`: every fact, as it is taken in. */
  observer: ((fact: Fact, order: OwnOrder | undefined) => void) | undefined;
  /** An order of this run is named to be of a player mode that is not this bot's. */
  wrongMode: PlayerMode | undefined;
  /** Monotonic ms of the input in work. */
  now = 0;
  newestSentAt = NEVER;
  readonly settings: AccountSettings;
  readonly news = new AccountNews();
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
    /** Raised once for this key. */
    once?: string,
  ): void {
    this.news.alert({ level, code, message, fields, once });
  }

  // ——— orders and what ends them

  add(order: NewOrder, owner: Owner, sent: Parameters<typeof ownOrder>[3]): OwnOrder {
    const own = ownOrder(order, owner, this.names.ofRef(order.ref), sent);
    this.names.adopt(own);
    this.newestSentAt = Math.max(this.newestSentAt, own.sentAt);
    this.orders.add(own);
    this.fold(own);
    this.fills.attributeAll(own.said);
    return own;
  }

  end(
    name: Name,
    kind: Ending['kind'],
    req: RequestId | undefined,
    more: { readonly by?: OwnOrder; readonly until?: number },
  ): void {
    const { by, until = Number.POSITIVE_INFINITY } = more;
    name.ending = { kind, req, at: this.now, by, until, state: 'flying' };
    name.askedBy = kind;
    name.touchedAt = this.now;
    this.foldHolder(name);
  }

  // ——— facts

  /**
   * Takes a fact in, under the name that it was said of. `placed`: where it is, of a fill. `under`: the life of an id that is
   * meant, where an edit kept it. True when it concerns an order that is known.
   */
  record(fact: Fact, placed?: Placed, under?: Name): boolean {
    const { ref, orderId } = fact;
    if (ref === undefined && orderId !== undefined && under === undefined && this.settings.editKeepsId === true) {
      const life = this.#lifeOf(fact, orderId);
      if (life === undefined) return this.#recordOfSome(fact, orderId, placed);
      return this.#record(fact, placed, life);
    }
    return this.#record(fact, placed, under);
  }

  /** Undefined: several orders had the id, and it may be of more than one of them. */
  #lifeOf({ looks, seenAt }: Fact, orderId: OrderId): Name | undefined {
    const name = this.names.ofId(orderId);
    const [one, ...others] = candidatesOf(name, looks, this.orders.unknown);
    if (one === undefined) return name;
    if (others.length > 0) return undefined;
    // it rests in the place of what it was to replace
    if (one.id === undefined) this.#link(one, orderId, 'signature', seenAt);
    return one.id?.orderId === orderId ? one.id : name;
  }

  /** An answer by id may show what had it before, or what has it by now. */
  isOfSome(name: Name, asked: number): boolean {
    if (this.settings.editKeepsId !== true) return false;
    if (name.former !== undefined && asked < name.bornAt) return true;
    const [awaited] = awaitedOf(name, this.orders.unknown);
    return awaited !== undefined;
  }

  /** A fill is one in that market, and whatever else is said must be looked up. */
  #recordOfSome(fact: Fact, orderId: OrderId, placed: Placed | undefined): boolean {
    const name = this.names.ofId(orderId);
    const { says, seenAt } = fact;
    this.observer?.(fact, undefined);
    if (says.type === 'fill') this.#recordFill(fact, undefined, placed ?? name.holder);
    else if (says.type !== 'resting' && says.type !== 'named') this.inquiries.lookUp(name);
    if (says.type === 'fill' || says.type === 'total' || says.type === 'taken')
      for (const order of candidatesOf(name, fact.looks, this.orders.unknown)) {
        order.said.apply({ says: { type: 'fills-unread' }, from: fact.from, seenAt });
        this.fold(order);
      }
    return true;
  }

  #record(fact: Fact, placed: Placed | undefined, under: Name | undefined): boolean {
    const { ref, orderId, says } = fact;
    // only references of ours have a name
    const known = ref === undefined ? undefined : this.names.knownRef(ref);
    const isOurs = known !== undefined || (ref !== undefined && this.fills.isOwnReference(ref));
    const byRef = known ?? (isOurs && ref !== undefined ? this.names.ofRef(ref) : undefined);
    const byId = under ?? (orderId === undefined ? undefined : this.names.ofId(orderId));
    const order = byRef?.holder;
    // in answers by reference it is only our own word
    if (isOurs && fact.isRefRecalled !== true && (fact.from === 'event' || fact.from === 'list'))
      this.reportsReferences = true;
    if (ref !== undefined && !isOurs && byId !== undefined) byId.isExternal = true;
    if (order !== undefined && orderId !== undefined && under === undefined)
      this.#link(order, orderId, 'name', fact.seenAt, true);
    const filed = byRef ?? byId;
    if (filed === undefined || says.type === 'fill') {
      if (says.type === 'fill') this.#recordFill(fact, filed, placed);
      filed?.noteSource(fact);
    } else if (this.#isOfAnyHalf(fact, filed)) this.inquiries.lookUp(filed);
    else filed.apply(fact);
    const of = filed?.holder ?? byId?.holder;
    this.observer?.(fact, of);
    if (filed === undefined) return false;
    if (filed.holder === undefined && filed.signature !== undefined) {
      this.names.noteSigned(filed);
      this.#matchId(filed);
    }
    if (filed.holder !== undefined) this.fold(filed.holder);
    if (byId?.holder !== undefined && byId.holder !== filed.holder) this.fold(byId.holder);
    return filed.holder !== undefined;
  }

  /** Where an edit kept the id, an end that names no reference may be that of the order before. */
  #isOfAnyHalf({ says, from, ref }: Fact, { holder }: Name): boolean {
    if (says.type !== 'gone' || from !== 'event' || ref !== undefined) return false;
    return holder?.keptId === true && isActive(holder.status);
  }

  /** `isFolded`: what is believed of the order itself is folded right after. */
  #link(order: OwnOrder, orderId: OrderId, by: 'name' | 'signature', seenAt: number, isFolded = false): void {
    const affected = this.names.link(order, orderId, by, seenAt);
    if (affected.length === 0) return;
    for (const one of affected) {
      if (one.id !== undefined) this.fills.attributeAll(one.id);
      if (one !== order || !isFolded) this.fold(one);
    }
  }

  /** What was seen under an id looks like one of the orders without an id. */
  #matchId(name: Name): void {
    const order = this.names.nearest(name, this.#activeLike(name));
    if (order === undefined || name.orderId === undefined) return;
    this.alert('info', 'ORDER_RECOGNISED', 'an unanswered order was recognised by its signature', {
      ref: order.ref,
      orderId: name.orderId,
      marketId: order.market.id,
    });
    this.#link(order, name.orderId, 'signature', this.now);
  }

  #activeLike({ signature }: Name): Iterable<OwnOrder> {
    return signature === undefined ? [] : this.orders.activeIn(signature.market.id);
  }

  /** Believes of an order what its facts say now. */
  fold(order: OwnOrder): void {
    const orders = this.orders;
    const isAmbiguous = this.names.isAmbiguous(order, orders.activeIn(order.market.id));
    const hadLanded = order.landed;
    // it is over, and which of those that look alike it was nobody knows
    if (isAmbiguous && order.id !== undefined && isOver(order.id, order)) this.names.unlink(order);
    const belief = beliefOf(order, {
      lateArrivalMs: this.settings.lateArrivalMs,
      allFillsReadAsked: this.allFillsReadAsked,
      isAmbiguous: isAmbiguous && order.id !== undefined,
    });
    // an edit that worked left the id to it
    const kept = this.settings.editKeepsId === true && order.id === undefined ? order.replaces?.id?.orderId : undefined;
    if (belief.landed && kept !== undefined) {
      this.#link(order, kept, 'signature', this.now);
      return;
    }
    const isNew = orders.apply(order, belief, this.now);
    const isPulled = orders.recount(order, this.settings.expiresAfterMs);
    if (!order.isOfFormerRun && !this.fills.isOfMode(namedMode(order))) this.wrongMode ??= namedMode(order);
    if (isPulled)
      this.alert('warn', 'ORDER_CANCELLED', 'an order of ours was cancelled, not by us', {
        ref: order.ref,
        orderId: order.id?.orderId,
        marketId: order.market.id,
        side: order.side,
        remaining: dollarsOfMicros(remainingOf(order)),
      });
    const isConfirmed = order.said.inFeed || order.id?.inFeed === true;
    // one that ended is reported all the same; of a former run's the former feed told
    if (!order.landed || isConfirmed || order.isOfFormerRun) {
      if (orders.unconfirmed.size > 0) orders.unconfirmed.delete(order);
    } else if (!hadLanded) orders.unconfirmed.set(order, this.now);
    this.inquiries.applyBelief(order);
    if (!isNew) return;
    const { signed, bySignature } = this.names;
    if (orders.unknown.size > 0 && signed.size > 0) for (const name of [...signed]) this.#matchId(name);
    // whose id it is may have become clear, or unclear
    if (bySignature.size > 0) for (const other of [...bySignature]) if (other !== order) this.fold(other);
    if (orders.ended.size > MOST_ENDED) this.#dropEnded(MOST_ENDED / 2, Number.POSITIVE_INFINITY);
  }

  foldHolder({ holder }: Name): void {
    if (holder !== undefined) this.fold(holder);
  }

  #recordFill(fact: Fact, filed: Name | undefined, placed: Placed | undefined): void {
    const before = this.fills.record(fact, filed, placed);
    if (before !== undefined) this.fold(before);
  }

  // ——— memory

  /** Both lists of the account were read, asked for then. */
  applyRead(asked: number): void {
    this.fills.applyRead();
    this.allFillsReadAsked = Math.max(this.allFillsReadAsked, asked);
    for (const order of [...this.orders.owing()]) this.fold(order);
    this.#dropEnded(this.orders.ended.size, asked - this.settings.lateArrivalMs - SETTLE_MS);
  }

  /** Drops as many of the oldest as ended before then, of which nothing is owed. */
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
