// Indexes the orders of a journal by reference and id, with the intents and permits behind their requests.
// Memory grows with the orders, not with the journal.
import type { Bucket, Command, EventOf, OrderId, OrderRef, RunEvent, StampedArrival, Why } from '../domain/index.ts';

/** Names by which a reader can look an order up. */
export type OrderName = { readonly ref: string | undefined; readonly orderId: string | undefined };

export type KnownOrder = {
  /** Undefined for another party's order. */
  readonly ref: OrderRef | undefined;
  readonly orderIds: Set<OrderId>;
  /** The order as this run or a former one placed it, or as the account listed another party's. */
  readonly origin: EventOf<'OrderSubmitted' | 'OrderInherited' | 'ExternalOrder'> | undefined;
  /**
   * Journal records: the inputs that brought the intents behind its requests, and the grants of the permits
   * spent.
   */
  readonly intents: Set<number>;
  readonly permits: Set<number>;
  /** The order that this one replaced by an edit, and the order that replaced this one by an edit. */
  replaces: KnownOrder | undefined;
  replacedBy: KnownOrder | undefined;
  /** The next order that was placed in its slot. */
  next: KnownOrder | undefined;
};

export class OrderNames {
  readonly #byRef = new Map<OrderRef, KnownOrder>();
  /**
   * Orders by id. If an edit keeps the id (wire profile, `editKeepsId`), several orders have it one after the
   * other.
   */
  readonly #byId = new Map<OrderId, { readonly order: KnownOrder; readonly since: number }[]>();
  readonly #inSlot = new Map<string, KnownOrder>();
  /** Unused permits, each with the record that granted it. */
  readonly #granted: Readonly<Record<Bucket, Map<number, number>>> = { place: new Map(), cancel: new Map() };

  /** Every order once, oldest first. */
  get orders(): readonly KnownOrder[] {
    const all = new Set(this.#byRef.values());
    for (const owners of this.#byId.values()) for (const { order } of owners) all.add(order);
    return [...all];
  }

  /** Finds the order that a journal record names, by its reference first. */
  find(orderId: OrderId | undefined, ref: OrderRef | undefined, seq: number): KnownOrder | undefined {
    const named = ref === undefined ? undefined : this.#byRef.get(ref);
    if (named !== undefined || orderId === undefined) return named;
    const owners = this.#byId.get(orderId) ?? [];
    return (owners.findLast(({ since }) => since <= seq) ?? owners[0])?.order;
  }

  applyStep({ seq, in: input }: StampedArrival, events: readonly RunEvent[], commands: readonly Command[]): void {
    if (input.type === 'permit') this.#granted[input.bucket].set(input.permit, seq);
    for (const event of events) this.#applyEvent(event, seq);
    for (const command of commands) this.#applyCommand(command, seq);
  }

  #applyEvent(event: RunEvent, seq: number): void {
    switch (event.type) {
      case 'OrderSubmitted': {
        const old = event.replaces === undefined ? undefined : this.find(event.replaces, undefined, seq);
        const order = this.#add(event.ref, event);
        this.#noteWhy(order, event.why);
        const slot = `${event.strategy ?? ''} ${event.key ?? ''} ${event.market} ${event.side}`;
        const former = this.#inSlot.get(slot);
        if (former !== undefined) former.next = order;
        this.#inSlot.set(slot, order);
        if (old === undefined) return;
        this.#noteWhy(old, event.why);
        order.replaces = old;
        old.replacedBy = order;
        return;
      }
      case 'OrderInherited':
        this.#learn(this.#add(event.ref, event), event.orderId, seq);
        return;
      case 'OrderAccepted':
      case 'OrderRested':
      case 'Evidence':
        this.#learn(this.#byRef.get(event.ref) ?? this.#add(event.ref, undefined), event.orderId, seq);
        return;
      case 'ExternalOrder':
        if (this.find(event.orderId, undefined, seq) === undefined)
          this.#learn(knownAs(undefined, event), event.orderId, seq);
        return;
      case 'CancelSubmitted':
        for (const { orderId, why } of event.orders) {
          const order = this.find(orderId, undefined, seq);
          if (order !== undefined) this.#noteWhy(order, why);
        }
        return;
      case 'Alert': {
        const { ref, orderId } = event.fields;
        const order = typeof ref === 'string' ? this.#byRef.get(ref as OrderRef) : undefined;
        if (order !== undefined && typeof orderId === 'string') this.#learn(order, orderId as OrderId, seq);
        return;
      }
      default:
    }
  }

  /** Notes the records that granted the permits which a request spends. */
  #applyCommand(command: Command, seq: number): void {
    if (command.type === 'return') for (const permit of command.permits) this.#granted[command.bucket].delete(permit);
    if (command.type !== 'place' && command.type !== 'edit' && command.type !== 'cancel') return;
    const bucket = command.type === 'cancel' ? 'cancel' : 'place';
    const granted = this.#granted[bucket].get(command.permit);
    this.#granted[bucket].delete(command.permit);
    if (granted === undefined) return;
    const orders =
      command.type === 'place'
        ? command.orders.map(({ ref }) => this.#byRef.get(ref))
        : command.type === 'edit'
          ? [this.#byRef.get(command.order.ref), this.find(command.orderId, undefined, seq - 1)]
          : command.orderIds.map((id) => this.find(id, undefined, seq));
    for (const order of orders) order?.permits.add(granted);
  }

  #noteWhy(order: KnownOrder, why: Why | undefined): void {
    if (typeof why?.intent === 'number') order.intents.add(why.intent);
  }

  #add(ref: OrderRef, asked: KnownOrder['origin']): KnownOrder {
    const order = knownAs(ref, asked);
    this.#byRef.set(ref, order);
    return order;
  }

  #learn(order: KnownOrder, orderId: OrderId | undefined, seq: number): void {
    // a report about an order that had the id before does not give it back
    if (orderId === undefined || order.orderIds.has(orderId)) return;
    order.orderIds.add(orderId);
    const owners = this.#byId.get(orderId);
    if (owners === undefined) this.#byId.set(orderId, [{ order, since: seq }]);
    else owners.push({ order, since: seq });
  }
}

export const nameOf = ({ ref, orderIds }: KnownOrder): OrderName => ({ ref, orderId: [...orderIds].at(-1) });

const knownAs = (ref: OrderRef | undefined, origin: KnownOrder['origin']): KnownOrder => ({
  ref,
  orderIds: new Set(),
  origin,
  intents: new Set(),
  permits: new Set(),
  replaces: undefined,
  replacedBy: undefined,
  next: undefined,
});
