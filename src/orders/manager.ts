// The order manager: keeps what rests at the exchange equal to the targets, within the permits in hand. It owns the
// ledger and the requests in flight; what the exchange says of them comes in through `apply…`, what to send goes out as
// commands. Invariants: one order per slot; nothing is sent while a slot's fate is open; no order is sent that a control
// denies; an unanswered order stays in exposure until evidence settles it (fates.ts).
import type {
  Bucket,
  CancelResult,
  Command,
  EditResult,
  Game,
  GameId,
  MarketId,
  Micros,
  NewOrder,
  OrderId,
  OrderRef,
  PlaceResult,
  PositionEvent,
  RequestId,
  Side,
} from '../domain/index.ts';
import { microsOfCents, oppositeSide } from '../domain/index.ts';
import type { AccountState, Denial, RiskLimits } from '../risk/index.ts';
import { checkOrder, crossesOwn, Exposure, ruledBy } from '../risk/index.ts';
import { EarlyEvents } from './early-events.ts';
import type { OwnOrder } from './ledger.ts';
import { Ledger, remainingOf } from './ledger.ts';
import { MissingFills } from './missing-fills.ts';
import type { Need } from './needs.ts';
import { needsOf } from './needs.ts';
import type { PlanLimits } from './planner.ts';
import { planRequests } from './planner.ts';
import { SlotBlocks } from './slot-blocks.ts';
import type { Target } from './targets.ts';

export type OrderSettings = PlanLimits & {
  /** Probability a resting price may differ from the wanted one. */
  readonly tolerance: number;
  /** Marks this bot's references on an account it shares. */
  readonly instance: string;
  readonly risk: RiskLimits;
};

export type OrderPorts = {
  readonly nextRequest: () => RequestId;
  readonly send: (command: Command) => void;
  readonly alert: (
    level: 'info' | 'warn' | 'error',
    code: string,
    message: string,
    fields: Readonly<Record<string, unknown>>,
  ) => void;
  readonly gameOf: (id: GameId) => Game | undefined;
  readonly balance: () => AccountState['balance'];
};

/** Orders of a request in flight; `timedOut`: their fate was called unknown already. */
export type PendingOrders = { timedOut?: true } & (
  | { readonly type: 'place'; readonly orders: readonly OwnOrder[] }
  | { readonly type: 'edit'; readonly old: OwnOrder; readonly order: OwnOrder }
  | { readonly type: 'cancel'; readonly orderIds: readonly OrderId[]; readonly orders: readonly OwnOrder[] }
);

export class OrderManager {
  readonly ledger = new Ledger();
  readonly exposure: Exposure;
  readonly requests = new Map<RequestId, PendingOrders>();
  /** Permits in hand, oldest first. */
  readonly permits: Readonly<Record<Bucket, number[]>> = { place: [], cancel: [] };
  readonly targets = new Map<MarketId, readonly Target[]>();
  readonly #settings: OrderSettings;
  readonly #ports: OrderPorts;
  readonly #needs = new Map<MarketId, readonly Need[]>();
  readonly #blocks = new SlotBlocks();
  readonly #early = new EarlyEvents();
  readonly #missing = new MissingFills();
  #run = '';
  #references = 0;
  #onlyCancels = false;
  readonly #heldUntil = { place: 0, cancel: 0 };
  /** Look-ups that failed and are asked again at the next sweep. */
  readonly #lookUps = new Set<OrderId>();

  constructor(settings: OrderSettings, ports: OrderPorts) {
    this.#settings = settings;
    this.#ports = ports;
    this.exposure = new Exposure({
      marketsOf: (gameId) => [...(this.ledger.games.get(gameId)?.values() ?? [])],
      positionIn: (market) => this.ledger.positionIn(market),
      openIn: (market) => this.#openIn(market),
      games: () => this.ledger.games.keys(),
      elsewhere: () => this.ledger.stakedElsewhere,
    });
  }

  /** Everything that may still fill in a market: own orders, foreign ones, and fills that were told of but not seen. */
  *#openIn(market: MarketId): Iterable<{ readonly side: Side; readonly remaining: Micros }> {
    for (const order of this.ledger.activeIn(market))
      yield { side: order.side, remaining: remainingOf(order) };
    for (const order of this.ledger.foreign.values()) if (order.market.id === market) yield order;
    yield* this.#missing.in(market);
  }

  /** The exchange says that the order filled this much in all: what is not known of it is looked for. */
  noteFilled(order: OwnOrder, filled: Micros): void {
    this.#missing.note(order, filled);
    this.exposure.forget(order.market.gameId);
  }

  /** `run` makes references unique across restarts. */
  applyBoot(run: string): void {
    this.#run = run;
  }

  /** From now on nothing is placed or edited. */
  stopPlacing(): void {
    this.#onlyCancels = true;
  }

  /** True for a reference that some run of this instance made. */
  isOwnReference(ref: OrderRef): boolean {
    return ref.startsWith(`${this.#settings.instance}.`);
  }

  setTargets(market: MarketId, targets: readonly Target[]): void {
    if (targets.length === 0) this.targets.delete(market);
    else this.targets.set(market, targets);
  }

  /** Recomputes what a market needs, after its targets or its orders changed. */
  refresh(market: MarketId, gameId: GameId): void {
    this.exposure.forget(gameId);
    const needs = needsOf(
      this.targets.get(market) ?? [],
      this.ledger.activeIn(market),
      this.#settings.tolerance,
    );
    if (needs.length === 0) this.#needs.delete(market);
    else this.#needs.set(market, needs);
  }

  /** Sends what is worth sending with the permits in hand. */
  plan(now: number): void {
    if (this.#needs.size === 0 || (this.permits.place.length === 0 && this.permits.cancel.length === 0))
      return;
    const needs: Need[] = [];
    for (const list of this.#needs.values()) {
      for (const need of list) {
        if (need.type === 'cancel') needs.push(need);
        else if (this.#onlyCancels) continue;
        else if (!this.#blocks.isBlocked(need.target, now)) needs.push(need);
        // the price that was wanted is refused for now: the one that gives too much must not wait for it
        else if (need.type === 'move' && need.generous)
          needs.push({ type: 'cancel', order: need.order, value: need.value });
      }
    }
    if (needs.length === 0) return;
    const purse = {
      place: this.#onlyCancels || now < this.#heldUntil.place ? 0 : this.permits.place.length,
      cancel: now < this.#heldUntil.cancel ? 0 : this.permits.cancel.length,
      resting: this.ledger.active.size,
    };
    const plan = planRequests(needs, purse, this.#settings);
    for (const orders of plan.cancels) this.#sendCancel(orders);
    for (const { order, target } of plan.edits) this.#sendEdit(order, target, now);
    for (const batch of plan.places) this.#sendPlace(batch, now);
    for (const market of new Set(
      needs.map((need) => (need.type === 'cancel' ? need.order : need.target).market),
    ))
      this.refresh(market.id, market.gameId);
  }

  /** Hands permits back that were not spent yet. */
  giveBack(bucket: Bucket, count: number): void {
    const permits = this.permits[bucket].splice(-count, count);
    if (permits.length > 0) this.#ports.send({ type: 'return', bucket, permits });
  }

  /** Spends no permit of this bucket until then. */
  hold(bucket: Bucket, until: number): void {
    this.#heldUntil[bucket] = Math.max(this.#heldUntil[bucket], until);
  }

  /** Asks again for the look-ups that failed, and for the fills that are missing. */
  sweep(now: number): void {
    for (const { ref, market } of this.#missing.due(now)) {
      const read = { what: 'reference', ref, gameId: market.gameId } as const;
      this.#ports.send({ type: 'read', req: this.#ports.nextRequest(), read });
    }
    for (const orderId of this.#lookUps) {
      const order = this.ledger.find(orderId, undefined);
      if (
        order !== undefined &&
        (order.status === 'cancelling' || order.status === 'moving' || order.status === 'unknown')
      )
        this.lookUp(order);
    }
    this.#lookUps.clear();
  }

  lookUpLater(orderId: OrderId): void {
    this.#lookUps.add(orderId);
  }

  // ── sending ────────────────────────────────────────────────────────────────────────────────────────────────────────

  #sendCancel(orders: readonly OwnOrder[]): void {
    const ids = orders.flatMap((order) => (order.orderId === undefined ? [] : [order.orderId]));
    const permit = ids.length === 0 ? undefined : this.permits.cancel.shift();
    if (permit === undefined) return;
    this.#cancelWith(permit, ids, orders);
  }

  /** Cancels open orders that a list showed, whether or not the ledger knows them; false when no permit is in hand. */
  cancelListed(ids: readonly OrderId[]): boolean {
    const permit = ids.length === 0 ? undefined : this.permits.cancel.shift();
    if (permit === undefined) return false;
    this.#cancelWith(permit, ids.slice(0, this.#settings.maxIdsPerCancel), []);
    return true;
  }

  #cancelWith(permit: number, orderIds: readonly OrderId[], orders: readonly OwnOrder[]): void {
    const req = this.#ports.nextRequest();
    for (const order of orders) {
      order.cancelAsked = true;
      order.req = req;
      this.ledger.applyEvent(order, 'cancel-sent', 0);
    }
    this.requests.set(req, { type: 'cancel', orderIds, orders });
    this.#ports.send({ type: 'cancel', req, permit, orderIds });
  }

  #sendEdit(old: OwnOrder, target: Target, now: number): void {
    if (old.orderId === undefined) return;
    const denial = this.#denialOf(target);
    if (denial === 'wait') return;
    if (denial !== undefined) {
      // the old and the new size together are too much: free the old one first
      this.#sendCancel([old]);
      return;
    }
    const permit = this.permits.place.shift();
    if (permit === undefined) return;
    const req = this.#ports.nextRequest();
    const order = this.#newOrder(target);
    const sent = this.ledger.applySent(order, target, req, now, old);
    old.req = req;
    this.ledger.applyEvent(old, 'edit-sent', now);
    this.exposure.forget(old.market.gameId);
    this.requests.set(req, { type: 'edit', old, order: sent });
    this.#ports.send({ type: 'edit', req, permit, orderId: old.orderId, order });
  }

  #sendPlace(batch: readonly Target[], now: number): void {
    const orders: NewOrder[] = [];
    const sent: OwnOrder[] = [];
    let req: RequestId | undefined;
    for (const target of batch) {
      const denial = this.#denialOf(target);
      if (denial === 'wait') continue;
      if (denial !== undefined) {
        this.#blocks.applyDenied(target.slot, now);
        continue;
      }
      req ??= this.#ports.nextRequest();
      const order = this.#newOrder(target);
      orders.push(order);
      sent.push(this.ledger.applySent(order, target, req, now));
      this.exposure.forget(target.market.gameId);
    }
    if (req === undefined) return;
    const permit = this.permits.place.shift();
    if (permit === undefined) throw new Error('a batch was planned without a permit');
    this.requests.set(req, { type: 'place', orders: sent });
    this.#ports.send({ type: 'place', req, permit, orders });
  }

  #newOrder(target: Target): NewOrder {
    this.#references += 1;
    const ref = `${this.#settings.instance}.${target.strategy}.${target.key}.${this.#run}-${this.#references.toString(36)}`;
    return {
      ref: ref as OrderRef,
      market: target.market,
      side: target.side,
      rung: target.rung,
      risk: target.risk,
    };
  }

  /** `wait`: an own order on the other side must move away first. */
  #denialOf(target: Target): Denial | 'wait' | undefined {
    const across = oppositeSide(target.side);
    const others = [...this.ledger.activeIn(target.market.id)].filter((order) => order.side === across);
    if (crossesOwn(target.rung, others)) return 'wait';
    const game = this.#ports.gameOf(target.market.gameId);
    if (game === undefined) return { control: 'gate', reason: 'the game is not known' };
    const account: AccountState = {
      exposure: this.exposure,
      openOrders: this.ledger.active.size,
      locked: this.ledger.locked,
      balance: this.#ports.balance(),
      sportOf: (id) => ruledBy(this.#ports.gameOf(id)),
      leagueOf: (id) => this.#ports.gameOf(id)?.league ?? '',
    };
    return checkOrder(target, game, account, this.#settings.risk);
  }

  // ── what the exchange says ─────────────────────────────────────────────────────────────────────────────────────────

  /** A positionUpdate. False when no order of ours is known by its id (yet). */
  applyPosition(event: PositionEvent, now: number): boolean {
    const order = this.ledger.find(event.orderId, event.ref);
    if (order === undefined) {
      if (event.orderId !== undefined) this.#early.keep(event.orderId, event);
      return false;
    }
    if (event.orderId !== undefined && event.kind !== 'took') this.#learnId(order, event.orderId, now);
    order.seenInFeed = true;
    order.awaitsFeedSince = undefined;
    if (event.fill !== undefined) this.#applyFill(order, event.fill, now);
    // an earlier event was lost when this one counts more than is known
    if (event.filled !== undefined) this.noteFilled(order, event.filled);
    switch (event.kind) {
      case 'posted':
      case 'changed':
      case 'partly-taken':
        this.ledger.applyEvent(order, 'accepted', now);
        break;
      case 'fully-taken':
        this.#missing.note(order, microsOfCents(order.risk));
        this.ledger.applyEvent(order, 'filled', now);
        break;
      case 'cancelled':
        this.ledger.applyEvent(order, 'cancelled', now);
        break;
      case 'took':
        break;
    }
    return true;
  }

  applyPlaced(orders: readonly OwnOrder[], results: readonly PlaceResult[], now: number): void {
    orders.forEach((order, index) => {
      const result = results[index];
      this.#applyResult(order, result ?? { status: 'unreadable', problem: 'no result' }, now);
    });
  }

  applyEdited(old: OwnOrder, order: OwnOrder, result: EditResult, now: number): void {
    this.#applyResult(order, result.placed, now);
    if (result.filled !== undefined) this.noteFilled(old, result.filled);
    if (result.placed.status === 'accepted' || result.cancelled === true)
      this.ledger.applyEvent(old, 'cancelled', now);
    else if (result.placed.status === 'unreadable') this.ledger.applyEvent(old, 'unanswered', now);
    else this.lookUp(old);
  }

  applyCancelled(orders: readonly OwnOrder[], results: readonly CancelResult[], now: number): void {
    orders.forEach((order, index) => {
      order.req = undefined;
      const filled = results[index]?.filled;
      if (filled !== undefined) this.noteFilled(order, filled);
      if (results[index]?.success === true) this.ledger.applyEvent(order, 'cancelled', now);
      else if (order.status === 'cancelling') this.lookUp(order);
    });
  }

  /** The exchange refused the whole request at its door: nothing was acted on. */
  applyRefused(
    pending: PendingOrders,
    problem: { readonly status: number; readonly message: string },
    now: number,
  ): void {
    switch (pending.type) {
      case 'place':
        for (const order of pending.orders) this.#refused(order, { ...problem, errorType: undefined }, now);
        break;
      case 'edit':
        this.#refused(pending.order, { ...problem, errorType: undefined }, now);
        this.ledger.applyEvent(pending.old, 'edit-refused', now);
        break;
      case 'cancel':
        for (const order of pending.orders) this.ledger.applyEvent(order, 'cancel-failed', now);
        break;
    }
  }

  /** Something of ours held the request back: it never left, and is decided anew in a moment. */
  applyNotSent(pending: PendingOrders, now: number): void {
    const sent = pending.type === 'place' ? pending.orders : pending.type === 'edit' ? [pending.order] : [];
    for (const order of sent) {
      order.req = undefined;
      this.ledger.applyEvent(order, 'never-landed', now);
      this.#blocks.applyDenied(order.slot, now);
    }
    if (pending.type === 'edit') this.ledger.applyEvent(pending.old, 'edit-refused', now);
    if (pending.type === 'cancel')
      for (const order of pending.orders) this.ledger.applyEvent(order, 'cancel-failed', now);
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
    const orders = pending.type === 'edit' ? [pending.order, pending.old] : pending.orders;
    for (const order of orders) {
      order.req = undefined;
      this.ledger.applyEvent(order, pending.type === 'cancel' ? 'cancel-failed' : 'unanswered', now);
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
  applyLookup(order: OwnOrder, remaining: number | undefined, filled: number | undefined, now: number): void {
    order.req = undefined;
    if (filled !== undefined) this.noteFilled(order, filled as Micros);
    if (remaining !== undefined && remaining > 0) {
      this.ledger.applyEvent(order, order.status === 'cancelling' ? 'cancel-failed' : 'edit-refused', now);
      return;
    }
    const full = filled !== undefined && filled >= microsOfCents(order.risk);
    this.ledger.applyEvent(order, full ? 'filled' : 'cancelled', now);
  }

  /** Evidence from a list: the order rests under this id. */
  applyFound(order: OwnOrder, orderId: OrderId, now: number): void {
    this.#learnId(order, orderId, now);
    this.ledger.applyEvent(order, 'accepted', now);
  }

  #applyResult(order: OwnOrder, result: PlaceResult, now: number): void {
    order.req = undefined;
    switch (result.status) {
      case 'accepted':
        if (result.orderId !== undefined) this.#learnId(order, result.orderId, now);
        this.ledger.applyEvent(order, 'accepted', now);
        this.#blocks.applyAccepted(order.slot);
        for (const fill of result.fills) this.#applyFill(order, fill, now);
        // a post that did not rest has nothing left
        if (result.orderId === undefined) this.ledger.applyEvent(order, 'filled', now);
        break;
      case 'refused':
        this.#refused(order, { status: 200, errorType: result.errorType, message: result.message }, now);
        break;
      case 'unreadable':
        this.ledger.applyEvent(order, 'unanswered', now);
        break;
    }
  }

  #refused(
    order: OwnOrder,
    why: { readonly status: number; readonly errorType: string | undefined; readonly message: string },
    now: number,
  ): void {
    order.req = undefined;
    this.ledger.applyEvent(order, 'refused', now);
    // 400 and 403 say that the very request is wrong: never again unchanged; the others may pass a moment later
    const wrong = why.status === 400 || why.status === 403 || why.errorType === 'validation_error';
    this.#blocks.applyRefused(order, wrong, now);
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
    this.ledger.applyFill(order, fill.txId, fill.risk, fill.odds, now);
  }

  /** Events that came before the id was known are applied now. */
  #learnId(order: OwnOrder, orderId: OrderId, now: number): void {
    if (!this.ledger.learnId(order, orderId)) return;
    for (const event of this.#early.take(orderId)) this.applyPosition(event, now);
  }
}
