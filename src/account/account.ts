// The bot's beliefs about its account, and the only entry point of this folder. The caller records facts and
// enters each request before it leaves; the class answers for orders, positions and exposure. Invariant:
// whatever is not known counts in full.
import type {
  GameId,
  Market,
  MarketId,
  Micros,
  NewOrder,
  OpenOrder,
  OrderId,
  OrderRef,
  PlayerMode,
  Position,
  RequestId,
} from '../domain/index.ts';
import { plus, sideIndex } from '../domain/index.ts';
import type { AccountSettings } from './account-settings.ts';
import { Beliefs } from './beliefs.ts';
import type { AccountOutput } from './account-output.ts';
import type { ExternalOrder } from './external-orders.ts';
import { ExternalOrders } from './external-orders.ts';
import type { Fact } from './facts.ts';
import { FormerOrders } from './former-orders.ts';
import type { Holdings } from './holdings.ts';
import { InstanceWatch } from './instance-watch.ts';
import { LookUps } from './look-ups.ts';
import type { Names } from './names.ts';
import { namedMode } from './order.ts';
import type { OwnFills, Placed } from './own-fills.ts';
import type { OwnOrders } from './own-orders.ts';
import type { HeldFill, Name, OwnOrder, Owner } from './records.ts';
import { modeOf } from './references.ts';
import { NEVER } from './records.ts';

export class Account {
  readonly external: ExternalOrders;
  readonly former = new FormerOrders();
  /** Detects open orders of another bot that uses the same instance name. */
  readonly instance: InstanceWatch;
  readonly fills: OwnFills;
  readonly holdings: Holdings;
  readonly lookUps: LookUps;
  /** The requests and reports that the account has for the core. */
  readonly news: AccountOutput;
  readonly #beliefs: Beliefs;
  readonly #names: Names;
  readonly #orders: OwnOrders;
  /** Ids that a bulk cancel is cancelling. */
  readonly #draining = new Set<Name>();

  constructor(settings: AccountSettings) {
    const beliefs = new Beliefs(settings);
    this.#beliefs = beliefs;
    this.news = beliefs.news;
    this.#names = beliefs.names;
    this.#orders = beliefs.orders;
    this.fills = beliefs.fills;
    this.holdings = this.fills.holdings;
    this.external = new ExternalOrders(this.news);
    this.instance = new InstanceWatch(settings.instance);
    this.lookUps = new LookUps(beliefs);
  }

  /** Starts a step. `now`: monotonic ms of the current step. */
  beginStep(now: number): void {
    this.#beliefs.now = now;
    this.news.beginStep();
  }

  /** Passes every fact to `observer` as it is recorded (for `oddsmaker why`). */
  observe(observer: (fact: Fact, order: OwnOrder | undefined) => void): void {
    this.#beliefs.observer = observer;
  }

  alert(...alert: Parameters<Beliefs['alert']>): void {
    this.#beliefs.alert(...alert);
  }

  // ——— beliefs

  /** The other player mode, once the exchange reported it for an order of this run; else undefined. */
  get wrongMode(): PlayerMode | undefined {
    return this.#beliefs.wrongMode;
  }

  /**
   * True once the exchange reported a reference of this instance: then a look-up by reference that finds
   * nothing is evidence of absence.
   */
  get reportsReferences(): boolean {
    return this.#beliefs.reportsReferences;
  }

  noteReferencesReported(): void {
    this.#beliefs.reportsReferences = true;
  }

  get counts(): Readonly<OwnOrders['counts']> {
    return this.#orders.counts;
  }

  get active(): ReadonlySet<OwnOrder> {
    return this.#orders.active;
  }

  get unknown(): ReadonlySet<OwnOrder> {
    return this.#orders.unknown;
  }

  /**
   * Orders that landed and that the user feed has not reported yet, with the time (monotonic ms) since when.
   * The caller that decides on an order removes it.
   */
  get unconfirmed(): Map<OwnOrder, number> {
    return this.#orders.unconfirmed;
  }

  /** A snapshot of the active orders of the market, oldest first. */
  activeIn(market: MarketId): readonly OwnOrder[] {
    return this.#orders.activeIn(market);
  }

  /** Finds an own order, by reference first: where an edit keeps the id, two orders share it. */
  find(orderId: OrderId | undefined, ref: OrderRef | undefined): OwnOrder | undefined {
    return this.#names.find(orderId, ref);
  }

  owns(orderId: OrderId): boolean {
    return this.#names.owns(orderId);
  }

  /** Changes whenever an id of an order of this game becomes known. */
  idsIn(gameId: GameId): number {
    return this.#names.idsIn(gameId);
  }

  positionIn(market: MarketId): Position {
    return this.holdings.positionIn(market);
  }

  /** True while an active order has no exchange id yet. */
  get awaitsIds(): boolean {
    for (const { id } of this.#orders.active) if (id === undefined) return true;
    return false;
  }

  /** Stake that resting, in-flight, unknown and external orders may still lose. */
  get locked(): Micros {
    return (this.#orders.locked + this.external.locked) as Micros;
  }

  /** The locked stake, and the fills that the last read balance does not contain yet (rules.md, 13). */
  get creditInUse(): Micros {
    return plus(this.locked, this.fills.unread.risk);
  }

  /** Markets whose own orders or position changed. The reader clears the set. */
  get touched(): Set<Market> {
    return this.news.markets;
  }

  /** Games whose own orders or position changed, or that joined or left `games`. The reader clears it. */
  get moved(): Set<GameId> {
    return this.news.games;
  }

  /** Games with a position or an own order, now or earlier, and their markets with one. */
  get games(): ReadonlyMap<GameId, ReadonlyMap<MarketId, Market>> {
    return this.#orders.games;
  }

  /** Stake that may be lost in unknown games: each open order and each fill in full. */
  get stakedElsewhere(): Micros {
    return (this.holdings.stakedElsewhere + this.external.stakedElsewhere) as Micros;
  }

  /** Own orders that may still fill in the market, or may have filled. */
  *mayFillIn(market: MarketId): Iterable<OwnOrder> {
    yield* this.#orders.activeIn(market);
    if (this.#orders.owes) yield* this.#orders.owingIn(market);
  }

  /** Adds to `stakes` what may still fill or may have filled in the market, and fills of unknown mode. */
  addOpenIn(market: MarketId, stakes: [number, number]): void {
    const active = this.#orders.activeIn(market);
    for (let index = 0; index < active.length; index++) {
      const order = active[index];
      if (order === undefined) break;
      const { side, bound } = order;
      stakes[sideIndex(side)] += bound;
    }
    if (this.#orders.owes) for (const { side, bound } of this.#orders.owingIn(market)) stakes[sideIndex(side)] += bound;
    if (this.external.orders.size > 0)
      for (const order of this.external.orders.values())
        if (order.market.id === market) stakes[sideIndex(order.side)] += order.remaining;
    for (const { side, risk } of this.holdings.unsureIn(market))
      if (side !== undefined) stakes[sideIndex(side)] += risk;
  }

  // ——— requests that leave

  /** Enters an order that leaves for the exchange. `replaces`: the order that this request edits. */
  applySent(
    order: NewOrder,
    owner: Owner,
    sent: { readonly req: RequestId; readonly t: number; readonly replaces?: OwnOrder },
  ): OwnOrder {
    const { req, t, replaces } = sent;
    const own = this.#beliefs.addOrder(order, owner, {
      at: this.#beliefs.now,
      t,
      replaces,
      placing: 'flying',
      isOfFormerRun: false,
      mode: undefined,
    });
    if (replaces?.id !== undefined) this.#beliefs.noteEnding(replaces.id, 'edit', req, { by: own });
    return own;
  }

  /** Enters an unanswered order of a former run. `sentAt`: monotonic ms, before this run started. */
  applyUnanswered(order: NewOrder, owner: Owner, sentAt: number, sentT: number): void {
    const own = this.#beliefs.addOrder(order, this.#formerOwner(order.ref, owner), {
      at: sentAt,
      t: sentT,
      placing: 'silent',
      isOfFormerRun: true,
      mode: modeOf(order.ref),
    });
    if (own.status === 'unknown') this.#orders.counts.unknownEver += 1;
  }

  /** Enters an open order of a former run, as a list shows it. `sentT`: Unix ms, 0 when it is not known. */
  applyAdopted(order: NewOrder, owner: Owner, listed: Fact, sentT = 0): OwnOrder {
    const own = this.#beliefs.addOrder(order, this.#formerOwner(order.ref, owner), {
      at: this.#beliefs.now,
      t: sentT,
      placing: 'answered',
      isOfFormerRun: true,
      mode: modeOf(order.ref),
    });
    own.said.inFeed = true;
    this.record(listed);
    // the order is as old as the list that shows it: a newer answer may show that it is gone
    own.openSince = Math.min(own.openSince, listed.askedAt ?? this.#beliefs.now);
    return own;
  }

  /** An order that trades in another player mode gets a key that no quote has, so it is cancelled. */
  #formerOwner(ref: OrderRef, { strategy, key }: Owner): Owner {
    return { strategy, key: this.fills.isOfMode(modeOf(ref)) ? key : `other mode ${key}` };
  }

  /** Enters a cancel that leaves. Returns the name record of each id, undefined for no own order. */
  applyCancelSent(ids: readonly OrderId[], req: RequestId): readonly (Name | undefined)[] {
    return ids.map((id) => this.#cancel(id, 'cancel', req, Number.POSITIVE_INFINITY));
  }

  /**
   * Enters a bulk cancel of these ids that leaves, or one that runs (423). The exchange answers for no single
   * order; the cancel ends by `until`, monotonic ms.
   */
  applyBulkSent(ids: readonly OrderId[], until: number): void {
    for (const id of ids) this.#cancel(id, 'bulk', undefined, until);
  }

  #cancel(id: OrderId, kind: 'cancel' | 'bulk', req: RequestId | undefined, until: number): Name | undefined {
    const name = this.#names.knownId(id);
    if (name?.holder === undefined) return undefined;
    name.cancelAsked = true;
    if (kind === 'bulk') this.#draining.add(name);
    this.#beliefs.noteEnding(name, kind, req, { until });
    return name;
  }

  // ——— answers to requests (their facts are recorded separately)

  /** Enters the outcome of the request that brings an order: answered, never answered, or not sent. */
  applyPlacing(order: OwnOrder, placing: OwnOrder['placing']): void {
    if (order.placing === 'not-sent' || (order.placing === 'answered' && placing === 'silent')) return;
    order.placing = placing;
    // the belief about an order that landed and has an id no longer depends on its request
    if (order.landed && order.id !== undefined) return;
    const before = order.status;
    this.#beliefs.fold(order);
    if (placing === 'silent' && before !== 'unknown' && order.status === 'unknown')
      this.#orders.counts.unknownEver += 1;
  }

  /**
   * Enters the outcome of a request that was to end an order. `rests`: the order still rests. `unclear`: a
   * look-up must show whether it rests. `silent`: no answer came. After a silent edit, only an answer
   * requested later than the edit shows whether the old order rests; after a silent cancel, the order is
   * decided again.
   */
  applyEnding(name: Name | undefined, req: RequestId, outcome: 'rests' | 'unclear' | 'silent'): void {
    if (name === undefined) return;
    // a cancel that was given up as unanswered may be answered late, and leave the state of its order open
    if (outcome === 'unclear' && name.ending === undefined && name.cancelSilent)
      this.#beliefs.noteEnding(name, 'cancel', req, {});
    const { ending } = name;
    if (ending === undefined || ending.req !== req) return;
    if (outcome === 'unclear') {
      ending.state = 'unclear';
      this.#beliefs.inquiries.lookUp(name);
      this.#beliefs.foldHolder(name);
      return;
    }
    name.ending = undefined;
    if (outcome === 'rests') name.askedBy = undefined;
    const before = name.holder?.status;
    if (outcome === 'silent') {
      if (ending.kind === 'edit') name.doubtAt = Math.max(name.doubtAt, ending.at);
      else name.cancelSilent = true;
    }
    this.#beliefs.foldHolder(name);
    if (outcome === 'silent' && before !== 'unknown' && name.holder?.status === 'unknown')
      this.#orders.counts.unknownEver += Number(before !== 'cancelling-unknown');
  }

  /** Records the answer to an edit: `replacement` rests in the place of the former order of the id. */
  recordReplaced(name: Name | undefined, fact: Fact, replacement: OwnOrder): void {
    if (name !== undefined) {
      if (name.ending?.by === replacement) name.ending = undefined;
      name.replaced = true;
      // now it is known what the old order filled
      if (fact.kind.type === 'gone' && fact.kind.total !== undefined) name.unexplainedAt = NEVER;
    }
    this.record(fact, undefined, name);
  }

  /** The current name record of the id, when an edit may have passed the id on since the request named it. */
  currentName(name: Name | undefined): Name | undefined {
    if (this.#beliefs.settings.editKeepsId !== true || name?.orderId === undefined) return name;
    return this.#names.knownId(name.orderId) ?? name;
  }

  /** Records that a cancel of this run succeeded. */
  recordCancelled(name: Name, req: RequestId, fact: Fact): void {
    if (name.ending?.req === req) name.ending = undefined;
    name.cancelAsked = true;
    name.cancelledByUs = true;
    this.record(fact, undefined, name);
  }

  /** Enters that a cancel-all runs on the account: it cancels the orders of this request, too. */
  applyLockedOut(names: readonly (Name | undefined)[], req: RequestId, until: number): void {
    for (const name of names) {
      if (name?.holder === undefined || name.ending?.req !== req) continue;
      name.holder.lockedOut += 1;
      name.ending = { ...name.ending, kind: 'bulk', req: undefined, until };
      this.#draining.add(name);
    }
  }

  // ——— facts

  /** True for an order of this run or of a former run here, not of a bot with the same instance name. */
  isOurs({ ref, orderId }: Pick<OpenOrder, 'ref' | 'orderId'>): boolean {
    if (this.find(orderId, ref) !== undefined) return true;
    return ref !== undefined && this.isOwnReference(ref) && !this.instance.isUnexplained(ref, orderId);
  }

  /** True for a reference that a run of this instance made. */
  isOwnReference(ref: OrderRef): boolean {
    return this.fills.isOwnReference(ref);
  }

  /**
   * Records a fact under the name that it concerns. `placed`: market and side of a fill. `under`: the exact
   * name record, where an edit kept the id. Returns true when the fact concerns a known order.
   */
  record(fact: Fact, placed?: Placed, under?: Name): boolean {
    return this.#beliefs.record(fact, placed, under);
  }

  /** Enters that both lists of the account were read. `askedAt`: when they were requested, monotonic ms. */
  applyRead(askedAt: number): void {
    this.#beliefs.applyRead(askedAt);
  }

  /** Replaces all external orders by those of a list. `elsewhere`: stake by id, in unknown games. */
  applyExternal(orders: readonly ExternalOrder[], elsewhere: ReadonlyMap<OrderId, Micros>): void {
    this.external.replace(orders, elsewhere);
    for (const { market } of orders) this.#orders.remember(market);
  }

  // ——— housekeeping

  /** True when no look-up and no bulk cancel is pending. */
  get isIdle(): boolean {
    return this.lookUps.isIdle && this.#draining.size === 0;
  }

  /** Repeats unanswered look-ups, and folds the orders that a bulk cancel must have ended by now. */
  housekeep(): void {
    if (this.isIdle) return;
    for (const name of [...this.#draining]) {
      if (name.ending?.kind !== 'bulk') this.#draining.delete(name);
      else if (this.#beliefs.now >= name.ending.until) {
        this.#draining.delete(name);
        name.ending = undefined;
        this.#beliefs.foldHolder(name);
      }
    }
    this.lookUps.housekeep();
  }

  // ——— fills

  /**
   * Orders and fills of this run that are of the other player mode, or may be: sent since the last
   * confirmation of the mode.
   */
  ofOtherMode(): { readonly orders: readonly OwnOrder[]; readonly fills: readonly HeldFill[] } {
    const isOther = (order: OwnOrder): boolean => {
      const named = namedMode(order);
      return named === undefined ? !this.fills.isModeSureAt(order.sentAt) : !this.fills.isOfMode(named);
    };
    const { active, ended } = this.#orders;
    const orders = [...active, ...ended].filter((order) => !order.isOfFormerRun && isOther(order));
    return { orders, fills: this.fills.ofOtherMode() };
  }

  /** True while a sent order or a fill cannot hedge, because its player mode is not confirmed yet. */
  get awaitsMode(): boolean {
    if (this.holdings.awaitsMode) return true;
    if (this.fills.isModeSureAt(this.#beliefs.newestSentAt)) return false;
    for (const { sentAt, isOfFormerRun } of this.#orders.active)
      if (!isOfFormerRun && !this.fills.isModeSureAt(sentAt)) return true;
    return false;
  }

  // ——— teams

  /** Home and away of a game changed places: orders and fills stay on their teams. `markets`: of the game. */
  swapTeams(gameId: GameId, markets: readonly Market[]): void {
    this.#orders.swapTeams(gameId);
    this.#names.swapTeams(gameId);
    this.external.swapTeams(gameId);
    this.fills.swapTeams(gameId, markets);
  }

  /** True when an own order rests in the game, or may rest. */
  hasActiveIn(gameId: GameId): boolean {
    for (const market of this.games.get(gameId)?.keys() ?? [])
      if (this.#orders.activeIn(market).length > 0) return true;
    return false;
  }

  /** The game has ended: forgets it, when nothing is open or held in it. */
  forgetGame(gameId: GameId): void {
    const markets = this.#orders.forgetGame(gameId, (id) => this.holdings.positions.has(id));
    if (markets === undefined) return;
    for (const id of markets) this.fills.forget(id);
    this.#names.forgetGame(gameId);
  }
}
