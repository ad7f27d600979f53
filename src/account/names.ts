// Which reference and which id of the exchange are one order: reference > id > signature. A better link replaces a worse
// one; facts stay where they are. Under one id there is one order at a time: where an edit keeps it (wire profile,
// `editKeepsId`), the order that was sent last has it, and what was said of it before is a former generation's.
import type { GameId, OrderId, OrderRef } from '../domain/index.ts';
import { isActive, microsOfCents, swappedPlace } from '../domain/index.ts';
import type { Signature } from './facts.ts';
import { Name } from './records.ts';
import type { OwnOrder } from './records.ts';

/** Names without an order of ours, of each kind: the oldest of more are dropped. */
const MOST_UNOWNED = 4000;
/** The exchange's clock may differ from ours by this much, and a request may take its time. */
export const CLOCKS_MS = 120_000;

export class Names {
  readonly #byRef = new Map<OrderRef, Name>();
  readonly #byId = new Map<OrderId, Name>();
  /** Those of them that no order of ours has; in the order in which they came. */
  readonly #unownedRefs = new Set<OrderRef>();
  readonly #unownedIds = new Set<OrderId>();
  /** Ids without an order of ours that look like something. */
  readonly #signed = new Set<Name>();
  /** Orders whose id was learned by their signature. */
  readonly #bySignature = new Set<OwnOrder>();
  /** How many ids became known; and of which game the newest, as many having been known then. */
  #ids = 0;
  readonly #idsIn = new Map<GameId, number>();

  ofRef(ref: OrderRef): Name {
    let name = this.#byRef.get(ref);
    if (name === undefined) {
      this.#byRef.set(ref, (name = new Name(ref, undefined)));
      this.#unownedRefs.add(ref);
      this.#dropUnowned(this.#unownedRefs, this.#byRef);
    }
    return name;
  }

  /** Undefined for a reference that nobody named. */
  knownRef(ref: OrderRef): Name | undefined {
    return this.#byRef.get(ref);
  }

  ofId(orderId: OrderId): Name {
    let name = this.#byId.get(orderId);
    if (name === undefined) {
      this.#byId.set(orderId, (name = new Name(undefined, orderId)));
      this.#unownedIds.add(orderId);
      this.#dropUnowned(this.#unownedIds, this.#byId);
    }
    return name;
  }

  #dropUnowned<K>(unowned: Set<K>, names: Map<K, Name>): void {
    if (unowned.size <= MOST_UNOWNED) return;
    const [oldest] = unowned;
    if (oldest === undefined) return;
    unowned.delete(oldest);
    const name = names.get(oldest);
    if (name !== undefined) this.#signed.delete(name);
    names.delete(oldest);
  }

  /** The order that has these names: by reference first. */
  find(orderId: OrderId | undefined, ref: OrderRef | undefined): OwnOrder | undefined {
    const named = ref === undefined ? undefined : this.#byRef.get(ref)?.holder;
    return named ?? (orderId === undefined ? undefined : this.#byId.get(orderId)?.holder);
  }

  knownId(orderId: OrderId): Name | undefined {
    return this.#byId.get(orderId);
  }

  owns(orderId: OrderId): boolean {
    return this.#byId.get(orderId)?.holder !== undefined;
  }

  /** Changes whenever an id of an order of this game becomes known. */
  idsIn(gameId: GameId): number {
    return this.#idsIn.get(gameId) ?? 0;
  }

  forgetGame(gameId: GameId): void {
    this.#idsIn.delete(gameId);
  }

  /** Home and away of a game changed places: what an id looks like stays on its team. */
  swapTeams(gameId: GameId): void {
    for (const names of [this.#byRef, this.#byId])
      for (const name of names.values())
        if (name.signature?.market.gameId === gameId) name.signature = swappedPlace(name.signature);
  }

  /** A new order has its reference. */
  adopt(order: OwnOrder): void {
    order.said.holder = order;
    this.#unownedRefs.delete(order.ref);
  }

  /**
   * The order has this id. Returns the orders whose belief may change. `seenAt`: monotonic ms, for an order that loses the id
   * to one that was sent later.
   */
  link(order: OwnOrder, orderId: OrderId, by: 'name' | 'signature', seenAt: number): readonly OwnOrder[] {
    const name = this.ofId(orderId);
    const before = order.id;
    if (before?.orderId === orderId) {
      if (by === 'signature' || order.linkedBy === 'name') return NONE;
      order.linkedBy = 'name';
      this.#bySignature.delete(order);
      return [order];
    }
    // it is over under the one, and goes on under the other
    if (before !== undefined && order.linkedBy === 'name' && order.said.goneIds.includes(orderId)) return NONE;
    const affected: OwnOrder[] = [order];
    if (before !== undefined && order.linkedBy === 'signature') this.#release(before, order);
    const { holder } = name;
    let taken = name;
    if (holder !== undefined && holder !== order) {
      affected.push(holder);
      // what an edit of ours replaced had the id, however that was learned
      if (holder.linkedBy === 'signature' && holder !== order.replaces) this.unlink(holder);
      else taken = this.#generation(name, order, holder, seenAt);
    }
    // whose it was before is not known, and the answer to the edit of that says that it goes on
    else if (holder === undefined && name.replaced && order.isEdit) {
      taken = new Name(undefined, orderId);
      taken.bornAt = seenAt;
      order.keptId = true;
      this.#byId.set(orderId, taken);
    }
    order.id = taken;
    taken.holder ??= order;
    order.linkedBy = by;
    if (by === 'signature') this.#bySignature.add(order);
    else this.#bySignature.delete(order);
    this.#unownedIds.delete(orderId);
    this.#signed.delete(name);
    this.#idsIn.set(order.market.gameId, (this.#ids += 1));
    return affected;
  }

  /** One of two orders under one id has it now; the other one had it before, and is over. */
  #generation(name: Name, order: OwnOrder, holder: OwnOrder, seenAt: number): Name {
    const other = new Name(undefined, name.orderId);
    const isLater = order.sentAt >= holder.sentAt;
    const former = isLater ? name : other;
    // what it filled by then the answer to the edit tells, or a list
    const says = {
      type: former.goneAt > Number.NEGATIVE_INFINITY ? 'gone' : 'gone-unexplained',
      total: undefined,
    } as const;
    former.apply({ says, from: 'reply', seenAt });
    order.keptId = isLater;
    const later = isLater ? other : name;
    former.former = name.former === former ? undefined : name.former;
    later.former = former;
    later.bornAt = seenAt;
    if (isLater && name.orderId !== undefined) {
      other.holder = order;
      this.#byId.set(name.orderId, other);
    }
    return other;
  }

  #release(name: Name, order: OwnOrder): void {
    if (name.holder !== order) return;
    name.holder = undefined;
    if (name.orderId !== undefined) this.#unownedIds.add(name.orderId);
    this.noteSigned(name);
  }

  /** The id that an order was given by its signature is another's, or may be. */
  unlink(order: OwnOrder): void {
    if (order.id !== undefined) this.#release(order.id, order);
    order.id = undefined;
    order.linkedBy = 'name';
    this.#bySignature.delete(order);
  }

  // ——— signatures

  /** Orders whose id was learned by their signature. */
  get bySignature(): ReadonlySet<OwnOrder> {
    return this.#bySignature;
  }

  /** An id without an order of ours may look like one of ours. */
  noteSigned(name: Name): void {
    if (name.holder === undefined && name.signature !== undefined && !name.isExternal) this.#signed.add(name);
    else this.#signed.delete(name);
  }

  /** Ids that no order has and that look like something. */
  get signed(): ReadonlySet<Name> {
    return this.#signed;
  }

  /**
   * Of the orders of unknown fate, the one that is nearest in time to what was seen under this id; none while the answer to
   * one that looks the same may come. One that is over tells nothing while more than one may have been it. `active`: in its market.
   */
  nearest(name: Name, active: Iterable<OwnOrder>): OwnOrder | undefined {
    if (!this.#signed.has(name) || name.signature === undefined) return undefined;
    let best: OwnOrder | undefined;
    let least = CLOCKS_MS;
    let candidates = 0;
    let isAwaited = false;
    for (const order of active) {
      if (order.id !== undefined || !fits(name, order)) continue;
      const apart = Math.abs((name.signature.createdAt ?? order.sentT) - order.sentT);
      if (apart >= CLOCKS_MS) continue;
      if (order.status !== 'unknown') {
        isAwaited = true;
        continue;
      }
      candidates += 1;
      if (apart >= least) continue;
      best = order;
      least = apart;
    }
    // that answer will say; an order of a former run is only to be cancelled meanwhile
    if (best === undefined || (isAwaited && !best.isOfFormerRun)) return undefined;
    return candidates > 1 && isOver(name, best) ? undefined : best;
  }

  /** Its id may be another order's as well: that looks the same, and has none. */
  isAmbiguous(order: OwnOrder, active: Iterable<OwnOrder>): boolean {
    if (order.linkedBy === 'name' || order.id === undefined) return false;
    for (const other of active) if (other !== order && other.id === undefined && fits(order.id, other)) return true;
    return false;
  }

  // ——— memory

  /** Nothing more is expected of it. */
  forget(order: OwnOrder): void {
    if (isActive(order.status)) return;
    this.#byRef.delete(order.ref);
    this.#bySignature.delete(order);
    const { id } = order;
    if (id !== undefined) id.former = undefined;
    if (id?.orderId !== undefined && this.#byId.get(id.orderId) === id) this.#byId.delete(id.orderId);
  }
}

const NONE: readonly OwnOrder[] = Object.freeze([]);

/** Nothing rests under this id any more. */
export const isOver = (name: Name, { risk, said }: OwnOrder): boolean =>
  name.taken || name.goneAt > Number.NEGATIVE_INFINITY || said.filled + name.filled >= microsOfCents(risk);

/** What was seen under an id looks like the order, and was seen after that was sent. */
function fits({ signature, seenAt }: Name, order: OwnOrder): boolean {
  if (signature === undefined || seenAt < order.sentAt) return false;
  const { market, side, rung, size }: Signature = signature;
  return (
    market.id === order.market.id &&
    side === order.side &&
    rung === order.rung &&
    (size === undefined || size === microsOfCents(order.risk))
  );
}
