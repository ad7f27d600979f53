// Which orders a journal tells of, under which references and ids, and which inputs brought them: what has to be known
// before the story of one of them can be read (order-story.ts). It grows with the orders, not with the journal.
import type {
  Bucket,
  Command,
  FillReport,
  Arrival,
  NewOrder,
  OrderId,
  OrderRef,
  PlaceResult,
  Read,
  RequestId,
  StampedArrival,
  TxId,
  Why,
} from '../../domain/index.ts';
import {
  parseEditReply,
  parseOpenOrders,
  parsePlaceReply,
  parsePlays,
  parsePositionUpdate,
  parseReferenceTrail,
} from '../../wire/index.ts';
import type { JournalStep } from '../../journal/index.ts';
import type { OrderName } from './story.ts';

export type KnownOrder = {
  /** Undefined: only the exchange's id is known, as of an order of somebody else. */
  readonly ref: OrderRef | undefined;
  readonly orderIds: Set<OrderId>;
  /** What was asked for, when this run asked for it, or a former one that read no answer. */
  readonly asked: NewOrder | undefined;
  /** A former run asked for it. */
  readonly inherited: boolean;
  /** The inputs that brought the intents behind its requests, and the permits that they spent. */
  readonly intents: Set<number>;
  readonly permits: Set<number>;
  /** The order that its edit replaced, and the one that replaced it by an edit. */
  replaces: KnownOrder | undefined;
  replacedBy: KnownOrder | undefined;
  /** The next order that was placed in its slot. */
  next: KnownOrder | undefined;
};

type Sent =
  | { readonly type: 'place'; readonly orders: readonly KnownOrder[] }
  | { readonly type: 'edit'; readonly order: KnownOrder }
  | { readonly type: 'read'; readonly read: Read };

/** `t`: when it was told of first, Unix ms. */
export type ToldFill = FillReport & { readonly t: number };

export class OrderIndex {
  readonly #byRef = new Map<OrderRef, KnownOrder>();
  /** Where an edit keeps the id (wire profile, `editKeepsId`), several orders have it, one after the other. */
  readonly #byId = new Map<OrderId, { readonly order: KnownOrder; readonly since: number }[]>();
  readonly #byFill = new Map<TxId, { readonly order: KnownOrder; readonly fill: ToldFill }>();
  /** Of the newest input, Unix ms. */
  #t = 0;
  readonly #inSlot = new Map<string, KnownOrder>();
  readonly #sent = new Map<RequestId, Sent>();
  /** Permits in hand, with the record that granted each. */
  readonly #granted: Readonly<Record<Bucket, Map<number, number>>> = { place: new Map(), cancel: new Map() };

  /** Every order once, oldest first. */
  get orders(): readonly KnownOrder[] {
    const all = new Set(this.#byRef.values());
    for (const owners of this.#byId.values()) for (const { order } of owners) all.add(order);
    return [...all];
  }

  /** The order that a record names; by reference first, as the ledger does. */
  find(orderId: OrderId | undefined, ref: OrderRef | undefined, seq: number): KnownOrder | undefined {
    const named = ref === undefined ? undefined : this.#byRef.get(ref);
    if (named !== undefined || orderId === undefined) return named;
    const owners = this.#byId.get(orderId) ?? [];
    return (owners.findLast(({ since }) => since <= seq) ?? owners[0])?.order;
  }

  /** The order that a fill counts for: the first that it was told of. */
  orderOf(txId: TxId): KnownOrder | undefined {
    return this.#byFill.get(txId)?.order;
  }

  /** Fills of orders that this run asked for, each once. */
  get ownFills(): readonly ToldFill[] {
    const own = [...this.#byFill.values()].filter(({ order }) => order.asked !== undefined && !order.inherited);
    return own.map(({ fill }) => fill);
  }

  applyStep({ input, commands }: JournalStep): void {
    this.#applyInput(input);
    for (const command of commands) this.#applyCommand(command, input.seq);
  }

  #applyInput({ seq, t, in: input }: StampedArrival): void {
    this.#t = t;
    switch (input.type) {
      case 'boot':
        for (const { order } of input.unanswered ?? []) this.#add(order, true);
        for (const { order, orderId } of input.resting ?? []) {
          this.#add(order, true);
          this.#learn(orderId, order.ref, seq);
        }
        break;
      case 'permit':
        this.#granted[input.bucket].set(input.permit, seq);
        break;
      case 'reply':
        this.#applyReply(input, seq);
        break;
      case 'failure':
        // after a timeout the answer may still come
        if (input.failure !== 'timeout') this.#sent.delete(input.req);
        break;
      case 'frame': {
        if (input.event !== 'positionUpdate') break;
        const event = parsePositionUpdate(input.data);
        if (!event.ok) break;
        const order = this.#learn(event.value.orderId, event.value.ref, seq);
        this.#noteFills(order, event.value.fill === undefined ? [] : [event.value.fill]);
        break;
      }
      default:
    }
  }

  #applyReply({ req, status, body }: Extract<Arrival, { type: 'reply' }>, seq: number): void {
    const sent = this.#sent.get(req);
    this.#sent.delete(req);
    if (sent === undefined || status < 200 || status >= 300) return;
    switch (sent.type) {
      case 'place': {
        const results = parsePlaceReply(body, sent.orders.length);
        if (!results.ok) return;
        for (const [index, order] of sent.orders.entries()) {
          const result = results.value[index];
          if (result !== undefined) this.#applyPlaced(order, result, seq);
        }
        return;
      }
      case 'edit': {
        const result = parseEditReply(body);
        if (result.ok) this.#applyPlaced(sent.order, result.value.placed, seq);
        return;
      }
      case 'read':
        this.#applyRead(sent.read, body, seq);
    }
  }

  #applyPlaced(order: KnownOrder, result: PlaceResult, seq: number): void {
    if (result.status !== 'accepted') return;
    if (result.orderId !== undefined) this.#learnId(order, result.orderId, seq);
    this.#noteFills(order, result.fills);
  }

  #applyRead(read: Read, body: unknown, seq: number): void {
    switch (read.what) {
      case 'open-orders': {
        const list = parseOpenOrders(body);
        if (list.ok) for (const { orderId, ref } of list.value) this.#learn(orderId, ref, seq);
        return;
      }
      case 'plays': {
        const plays = parsePlays(body);
        if (!plays.ok) return;
        for (const play of plays.value) this.#noteFills(this.#learn(play.orderId, play.ref, seq), [play]);
        return;
      }
      case 'reference': {
        const trail = parseReferenceTrail(body, read.ref);
        if (!trail.ok) return;
        // whatever is found there answers to the reference that was asked for, told or not
        for (const { orderId } of trail.value.open) this.#learn(orderId, read.ref, seq);
        this.#noteFills(this.find(undefined, read.ref, seq), trail.value.fills);
        return;
      }
      default:
    }
  }

  #noteFills(order: KnownOrder | undefined, fills: readonly FillReport[]): void {
    if (order === undefined) return;
    for (const fill of fills)
      if (!this.#byFill.has(fill.txId)) this.#byFill.set(fill.txId, { order, fill: { ...fill, t: this.#t } });
  }

  #applyCommand(command: Command, seq: number): void {
    switch (command.type) {
      case 'place': {
        const orders = command.orders.map((order) => this.#add(order));
        this.#sent.set(command.req, { type: 'place', orders });
        const granted = this.#spend('place', command.permit);
        for (const [index, order] of orders.entries()) noteCauses(order, whyIn(command, index), granted);
        break;
      }
      case 'edit': {
        const old = this.#learn(command.orderId, undefined, seq);
        const order = this.#add(command.order);
        this.#sent.set(command.req, { type: 'edit', order });
        const granted = this.#spend('place', command.permit);
        noteCauses(order, whyIn(command), granted);
        if (old === undefined) break;
        noteCauses(old, whyIn(command), granted);
        order.replaces = old;
        old.replacedBy = order;
        break;
      }
      case 'cancel': {
        const granted = this.#spend('cancel', command.permit);
        for (const [index, orderId] of command.orderIds.entries()) {
          const order = this.#learn(orderId, undefined, seq);
          if (order !== undefined) noteCauses(order, whyIn(command, index), granted);
        }
        break;
      }
      case 'read':
        this.#sent.set(command.req, { type: 'read', read: command.read });
        break;
      case 'return':
        for (const permit of command.permits) this.#granted[command.bucket].delete(permit);
        break;
      case 'alert': {
        const { ref, orderId } = command.fields;
        this.#learn(
          typeof orderId === 'string' ? (orderId as OrderId) : undefined,
          typeof ref === 'string' ? (ref as OrderRef) : undefined,
          seq,
        );
        break;
      }
      default:
    }
  }

  #spend(bucket: Bucket, permit: number): number | undefined {
    const granted = this.#granted[bucket].get(permit);
    this.#granted[bucket].delete(permit);
    return granted;
  }

  #add(asked: NewOrder, inherited = false): KnownOrder {
    const order = { ...knownAs(asked.ref, asked), inherited };
    this.#byRef.set(asked.ref, order);
    // `instance.strategy.key.run-n`: all but the last part is the same for every order of a slot
    const slot = `${asked.ref.slice(0, asked.ref.lastIndexOf('.'))}|${asked.market.id}|${asked.side}`;
    const former = this.#inSlot.get(slot);
    if (former !== undefined) former.next = order;
    this.#inSlot.set(slot, order);
    return order;
  }

  #learn(orderId: OrderId | undefined, ref: OrderRef | undefined, seq: number): KnownOrder | undefined {
    if (orderId === undefined && ref === undefined) return undefined;
    const order = this.find(orderId, ref, seq) ?? knownAs(ref, undefined);
    if (ref !== undefined && order.ref === undefined) return this.#name(order, ref);
    if (ref !== undefined && order.ref === ref) this.#byRef.set(ref, order);
    if (orderId !== undefined) this.#learnId(order, orderId, seq);
    return order;
  }

  /** An order that was known by its id alone has a reference. */
  #name(nameless: KnownOrder, ref: OrderRef): KnownOrder {
    const order = { ...nameless, ref };
    this.#byRef.set(ref, order);
    this.#replace(nameless, order);
    return order;
  }

  #learnId(order: KnownOrder, orderId: OrderId, seq: number): void {
    // a word about an order that had the id before does not give it back
    if (order.orderIds.has(orderId)) return;
    order.orderIds.add(orderId);
    const owners = this.#byId.get(orderId);
    const last = owners?.at(-1)?.order;
    if (owners === undefined || last === undefined) this.#byId.set(orderId, [{ order, since: seq }]);
    // an event may come before the reply that tells whose it is
    else if (last.ref === undefined) this.#replace(last, order);
    else owners.push({ order, since: seq });
  }

  #replace(nameless: KnownOrder, order: KnownOrder): void {
    for (const seq of nameless.intents) order.intents.add(seq);
    for (const seq of nameless.permits) order.permits.add(seq);
    for (const orderId of nameless.orderIds) {
      order.orderIds.add(orderId);
      const owners = this.#byId.get(orderId) ?? [];
      this.#byId.set(
        orderId,
        owners.map((one) => (one.order === nameless ? { ...one, order } : one)),
      );
    }
    for (const [txId, { order: one, fill }] of this.#byFill)
      if (one === nameless) this.#byFill.set(txId, { order, fill });
    const { replacedBy } = nameless;
    if (replacedBy === undefined) return;
    order.replacedBy = replacedBy;
    replacedBy.replaces = order;
  }
}

/** Why a command was chosen, for one of its orders; journals of older versions do not tell. */
export const nameOf = ({ ref, orderIds }: KnownOrder): OrderName => ({ ref, orderId: [...orderIds].at(-1) });

export function whyIn(command: Command, index = 0): Why | undefined {
  const { why } = command as { readonly why?: Why | readonly Why[] };
  return Array.isArray(why) ? (why as readonly Why[])[index] : (why as Why | undefined);
}

const knownAs = (ref: OrderRef | undefined, asked: NewOrder | undefined): KnownOrder => ({
  ref,
  orderIds: new Set(),
  asked,
  inherited: false,
  intents: new Set(),
  permits: new Set(),
  replaces: undefined,
  replacedBy: undefined,
  next: undefined,
});

function noteCauses(order: KnownOrder, why: Why | undefined, granted: number | undefined): void {
  if (typeof why?.intent === 'number') order.intents.add(why.intent);
  if (granted !== undefined) order.permits.add(granted);
}
