// Which reference and which exchange id belong to one order. Links rank reference > id > signature: a better
// link replaces a worse one, facts stay where they are. Invariant: an id has one order at a time. Where an
// edit keeps the id (wire profile, `editKeepsId`), the order that was sent last has it, and earlier facts
// belong to a former record.
import type { GameId, OrderId, OrderRef } from '../domain/index.ts';
import { isActive, microsOfCents, swappedPlace } from '../domain/index.ts';
import type { Signature } from './facts.ts';
import { Name } from './records.ts';
import type { OwnOrder } from './records.ts';

/** The most references, and the most ids, kept without an own order. The oldest are dropped. */
const MOST_UNOWNED = 4000;
/** The most that the exchange's clock and the latency of a request may differ from the local clock. */
export const CLOCKS_MS = 120_000;

export class Names {
  readonly #byRef = new Map<OrderRef, Name>();
  readonly #byId = new Map<OrderId, Name>();
  /** References and ids that no own order has, oldest first. */
  readonly #unownedRefs = new Set<OrderRef>();
  readonly #unownedIds = new Set<OrderId>();
  /** Ids with a signature and without an own order. */
  readonly #signed = new Set<Name>();
  /** Orders whose id was learned by their signature. */
  readonly #bySignature = new Set<OwnOrder>();
  /** The number of links made so far, and its value at the newest link of each game. */
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

  /** The name record of a reference; undefined for one that was never reported. */
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

  /** The order that has one of these names, by reference first. */
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

  /** Home and away of a game changed places: each signature stays on its team. */
  swapTeams(gameId: GameId): void {
    for (const names of [this.#byRef, this.#byId])
      for (const name of names.values())
        if (name.signature?.market.gameId === gameId) name.signature = swappedPlace(name.signature);
  }

  /** Gives a new order its reference. */
  adopt(order: OwnOrder): void {
    order.said.holder = order;
    this.#unownedRefs.delete(order.ref);
  }

  /**
   * Links an order to an id. Returns the orders whose belief may change. `seenAt`: monotonic ms, noted for an
   * order that loses the id to one that was sent later.
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
    // the order ended under this id and continues under the other
    if (before !== undefined && order.linkedBy === 'name' && order.said.goneIds.includes(orderId)) return NONE;
    const affected: OwnOrder[] = [order];
    if (before !== undefined && order.linkedBy === 'signature') this.#release(before, order);
    const { holder } = name;
    let taken = name;
    if (holder !== undefined && holder !== order) {
      affected.push(holder);
      // the order that an edit of this run replaced had the id, however that was learned
      if (holder.linkedBy === 'signature' && holder !== order.replaces) this.unlink(holder);
      else taken = this.#splitId(name, order, holder, seenAt);
    }
    // the former order of the id is not known, and the answer to its edit shows that the id continues
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

  /**
   * Splits an id between two orders: the later one has it now, the earlier one has ended. Returns the record
   * of `order`.
   */
  #splitId(name: Name, order: OwnOrder, holder: OwnOrder, seenAt: number): Name {
    const other = new Name(undefined, name.orderId);
    const isLater = order.sentAt >= holder.sentAt;
    const former = isLater ? name : other;
    // the answer to the edit, or a list, reports what the former order filled
    const kind = {
      type: former.goneAt > Number.NEGATIVE_INFINITY ? 'gone' : 'gone-unexplained',
      total: undefined,
    } as const;
    former.applyFact({ kind, from: 'reply', seenAt });
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

  /** Takes the id from an order that got it by signature, when the id is another order's or may be. */
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

  /** Notes whether the id is without an own order and has a signature to match. */
  noteSigned(name: Name): void {
    if (name.holder === undefined && name.signature !== undefined && !name.isExternal) this.#signed.add(name);
    else this.#signed.delete(name);
  }

  /** Ids with a signature and without an own order. */
  get signed(): ReadonlySet<Name> {
    return this.#signed;
  }

  /**
   * The order of unknown fate nearest in time to what was seen under the id. Undefined while the answer to a
   * similar order may come, and for an id that ended while more than one order fits. `active`: the active
   * orders of the market.
   */
  nearest(name: Name, active: Iterable<OwnOrder>): OwnOrder | undefined {
    if (!this.#signed.has(name) || name.signature === undefined) return undefined;
    let nearest: OwnOrder | undefined;
    let least = CLOCKS_MS;
    let candidates = 0;
    let isAwaited = false;
    for (const order of active) {
      if (order.id !== undefined || !fitsSignature(name, order)) continue;
      const apart = Math.abs((name.signature.createdAt ?? order.sentT) - order.sentT);
      if (apart >= CLOCKS_MS) continue;
      if (order.status !== 'unknown') {
        isAwaited = true;
        continue;
      }
      candidates += 1;
      if (apart >= least) continue;
      nearest = order;
      least = apart;
    }
    // the awaited answer will decide; an order of a former run is only cancelled meanwhile
    if (nearest === undefined || (isAwaited && !nearest.isOfFormerRun)) return undefined;
    return candidates > 1 && isOver(name, nearest) ? undefined : nearest;
  }

  /** True when the id may belong to another order: one with the same terms and without an id. */
  isAmbiguous(order: OwnOrder, active: Iterable<OwnOrder>): boolean {
    if (order.linkedBy === 'name' || order.id === undefined) return false;
    for (const other of active)
      if (other !== order && other.id === undefined && fitsSignature(order.id, other)) return true;
    return false;
  }

  // ——— memory

  /** Forgets an ended order for which no more reports are expected. */
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

/** True when nothing rests under this id any more. */
export const isOver = (name: Name, { risk, said: byRef }: OwnOrder): boolean =>
  name.taken || name.goneAt > Number.NEGATIVE_INFINITY || byRef.filled + name.filled >= microsOfCents(risk);

/** True when the signature fits the order and was seen after the order was sent. */
function fitsSignature({ signature, seenAt }: Name, order: OwnOrder): boolean {
  if (signature === undefined || seenAt < order.sentAt) return false;
  const { market, side, rung, size }: Signature = signature;
  return (
    market.id === order.market.id &&
    side === order.side &&
    rung === order.rung &&
    (size === undefined || size === microsOfCents(order.risk))
  );
}
