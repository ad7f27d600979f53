// The account as it is believed to be: the one face of this room. Facts go in (`record`), requests that leave are entered
// before they go, and what is believed of orders, positions and exposure comes out. Whatever is not known counts in full.
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
import type { AccountNews } from './news.ts';
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
  /** Orders of a bot elsewhere that has our instance. */
  readonly instance: InstanceWatch;
  readonly fills: OwnFills;
  readonly holdings: Holdings;
  readonly lookUps: LookUps;
  /** What it has to say. */
  readonly news: AccountNews;
  readonly #beliefs: Beliefs;
  readonly #names: Names;
  readonly #orders: OwnOrders;
  /** Ids that a bulk operation is cancelling. */
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

  /** Monotonic ms of the input in work. */
  begin(now: number): void {
    this.#beliefs.now = now;
    this.news.begin();
  }

  /** For `oddsmaker why`: every fact, as it is taken in. */
  observe(observer: (fact: Fact, order: OwnOrder | undefined) => void): void {
    this.#beliefs.observer = observer;
  }

  alert(...alert: Parameters<Beliefs['alert']>): void {
    this.#beliefs.alert(...alert);
  }

  // ——— what is believed

  /** An order of this run is named to be of a player mode that is not this bot's. */
  get wrongMode(): PlayerMode | undefined {
    return this.#beliefs.wrongMode;
  }

  /** The exchange was seen to report our references: a look-up by reference that shows nothing means something. */
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

  /** Orders that landed, since when, and that the user feed has not reported yet. Whoever gave a verdict clears them. */
  get unconfirmed(): Map<OwnOrder, number> {
    return this.#orders.unconfirmed;
  }

  /** As they are now, in the order in which they came. */
  activeIn(market: MarketId): readonly OwnOrder[] {
    return this.#orders.activeIn(market);
  }

  /** By reference first: where an edit keeps the id, two orders had it. */
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

  /** Some order's id is still to be learned. */
  get awaitsIds(): boolean {
    for (const { id } of this.#orders.active) if (id === undefined) return true;
    return false;
  }

  /** Stake that resting, in-flight and unknown orders may still lose, external ones included. */
  get locked(): Micros {
    return (this.#orders.locked + this.external.locked) as Micros;
  }

  /** The same with what filled since the balance was read, which does not know of it (rules.md, 13). */
  get creditInUse(): Micros {
    return plus(this.locked, this.fills.unread.risk);
  }

  /** Markets whose own orders or position changed; whoever reads them clears them. */
  get touched(): Set<Market> {
    return this.news.markets;
  }

  /** The same for games, those that came or went in `games` included. */
  get moved(): Set<GameId> {
    return this.news.games;
  }

  /** Games in which something is, or was, held or open, with those markets. */
  get games(): ReadonlyMap<GameId, ReadonlyMap<MarketId, Market>> {
    return this.#orders.games;
  }

  /** What may be lost in games that are not known: each open order and each fill whole. */
  get stakedElsewhere(): Micros {
    return (this.holdings.stakedElsewhere + this.external.stakedElsewhere) as Micros;
  }

  /** Adds everything that may still fill in a market, or may have, and all fills whose player mode is not known. */
  addOpenIn(market: MarketId, stakes: [number, number]): void {
    const active = this.#orders.activeIn(market);
    for (let at = 0; at < active.length; at++) {
      const order = active[at];
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

  /** An order leaves for the exchange; `replaces`: by an edit of that one. */
  applySent(
    order: NewOrder,
    owner: Owner,
    sent: { readonly req: RequestId; readonly t: number; readonly replaces?: OwnOrder },
  ): OwnOrder {
    const { req, t, replaces } = sent;
    const own = this.#beliefs.add(order, owner, {
      at: this.#beliefs.now,
      t,
      replaces,
      placing: 'flying',
      isOfFormerRun: false,
      mode: undefined,
    });
    if (replaces?.id !== undefined) this.#beliefs.end(replaces.id, 'edit', req, { by: own });
    return own;
  }

  /** An order of a former run that was never answered. `sentAt`: monotonic ms, before the start of this one. */
  applyUnanswered(order: NewOrder, owner: Owner, sentAt: number, sentT: number): void {
    const own = this.#beliefs.add(order, this.#formerOwner(order.ref, owner), {
      at: sentAt,
      t: sentT,
      placing: 'silent',
      isOfFormerRun: true,
      mode: modeOf(order.ref),
    });
    if (own.status === 'unknown') this.#orders.counts.unknownEver += 1;
  }

  /** An open order of a former run of this instance, as a list shows it. `sentT`: Unix ms, 0 where it is not known. */
  applyAdopted(order: NewOrder, owner: Owner, listed: Fact, sentT = 0): OwnOrder {
    const own = this.#beliefs.add(order, this.#formerOwner(order.ref, owner), {
      at: this.#beliefs.now,
      t: sentT,
      placing: 'answered',
      isOfFormerRun: true,
      mode: modeOf(order.ref),
    });
    own.said.inFeed = true;
    this.record(listed);
    // as old as the list that shows it: a newer one may say that it is gone
    own.openSince = Math.min(own.openSince, listed.asked ?? this.#beliefs.now);
    return own;
  }

  /** What trades in another player mode has a key that no quote has: it is cancelled. */
  #formerOwner(ref: OrderRef, { strategy, key }: Owner): Owner {
    return { strategy, key: this.fills.isOfMode(modeOf(ref)) ? key : `other mode ${key}` };
  }

  /** A cancel of these leaves; the orders that have the ids are being cancelled. Returns the lives of the ids that it is for. */
  applyCancelSent(ids: readonly OrderId[], req: RequestId): readonly (Name | undefined)[] {
    return ids.map((id) => this.#cancel(id, 'cancel', req, Number.POSITIVE_INFINITY));
  }

  /** A bulk cancel of these leaves, or runs (423): nothing is said of each, and until then it is to be over. */
  applyBulkSent(ids: readonly OrderId[], until: number): void {
    for (const id of ids) this.#cancel(id, 'bulk', undefined, until);
  }

  #cancel(id: OrderId, kind: 'cancel' | 'bulk', req: RequestId | undefined, until: number): Name | undefined {
    const name = this.#names.knownId(id);
    if (name?.holder === undefined) return undefined;
    name.cancelAsked = true;
    if (kind === 'bulk') this.#draining.add(name);
    this.#beliefs.end(name, kind, req, { until });
    return name;
  }

  // ——— what became of requests (the facts that their answers say are recorded apart)

  /** The request that was to bring an order was answered, was not, or never left. */
  applyPlacing(order: OwnOrder, placing: OwnOrder['placing']): void {
    if (order.placing === 'not-sent' || (order.placing === 'answered' && placing === 'silent')) return;
    order.placing = placing;
    // what is believed of one that landed, and has an id, does not hang on its request any more
    if (order.landed && order.id !== undefined) return;
    const before = order.status;
    this.#beliefs.fold(order);
    if (placing === 'silent' && before !== 'unknown' && order.status === 'unknown')
      this.#orders.counts.unknownEver += 1;
  }

  /**
   * What a request was about to end goes on resting (`rests`), or a look-up must say whether it does (`unclear`), or nobody
   * says (`silent`): of an edit only what is asked for from now on says whether the old order rests, a cancel is decided anew.
   */
  applyEnding(name: Name | undefined, req: RequestId, outcome: 'rests' | 'unclear' | 'silent'): void {
    if (name === undefined) return;
    // a cancel that was given up as unanswered leaves as open where its order stands when it is answered after all
    if (outcome === 'unclear' && name.ending === undefined && name.cancelSilent)
      this.#beliefs.end(name, 'cancel', req, {});
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

  /** An edit of ours was answered: what had the id is gone, and `by` is in its place. */
  recordReplaced(life: Name | undefined, fact: Fact, by: OwnOrder): void {
    if (life !== undefined) {
      if (life.ending?.by === by) life.ending = undefined;
      life.replaced = true;
      // what it filled is told now
      if (fact.says.type === 'gone' && fact.says.total !== undefined) life.unexplainedAt = NEVER;
    }
    this.record(fact, undefined, life);
  }

  /** What has the id by now of what a request named. */
  lifeNow(life: Name | undefined): Name | undefined {
    if (this.#beliefs.settings.editKeepsId !== true || life?.orderId === undefined) return life;
    return this.#names.knownId(life.orderId) ?? life;
  }

  /** A cancel of ours was answered with success. */
  recordCancelled(life: Name, req: RequestId, fact: Fact): void {
    if (life.ending?.req === req) life.ending = undefined;
    life.cancelAsked = true;
    life.cancelledByUs = true;
    this.record(fact, undefined, life);
  }

  /** A cancel-all runs on the account: what this request was to cancel is being cancelled by that. */
  applyLockedOut(lives: readonly (Name | undefined)[], req: RequestId, until: number): void {
    for (const name of lives) {
      if (name?.holder === undefined || name.ending?.req !== req) continue;
      name.holder.lockedOut += 1;
      name.ending = { ...name.ending, kind: 'bulk', req: undefined, until };
      this.#draining.add(name);
    }
  }

  // ——— facts

  /** An order that this run, or one before it, sent: not that of a bot elsewhere that has the same instance. */
  isOurs({ ref, orderId }: Pick<OpenOrder, 'ref' | 'orderId'>): boolean {
    if (this.find(orderId, ref) !== undefined) return true;
    return ref !== undefined && this.isOwnReference(ref) && !this.instance.isUnexplained(ref, orderId);
  }

  /** True for a reference that some run of this instance made. */
  isOwnReference(ref: OrderRef): boolean {
    return this.fills.isOwnReference(ref);
  }

  /**
   * Takes a fact in, under the name that it was said of. `placed`: where it is, of a fill. `under`: the life of an id that is
   * meant, where an edit kept it. True when it concerns an order that is known.
   */
  record(fact: Fact, placed?: Placed, under?: Name): boolean {
    return this.#beliefs.record(fact, placed, under);
  }

  /** Both lists of the account were read, asked for then. */
  applyRead(asked: number): void {
    this.#beliefs.applyRead(asked);
  }

  /** The external orders of the account, all that a list shows; `elsewhere`: what may be lost of those in games that are not known. */
  applyExternal(orders: readonly ExternalOrder[], elsewhere: ReadonlyMap<OrderId, Micros>): void {
    this.external.replace(orders, elsewhere);
    for (const { market } of orders) this.#orders.remember(market);
  }

  // ——— what time alone moves on

  /** Nothing is under way or waits. */
  get isIdle(): boolean {
    return this.lookUps.isIdle && this.#draining.size === 0;
  }

  /** Asks again for what was not answered, and decides anew what a bulk cancel must have ended by now. */
  sweep(): void {
    if (this.isIdle) return;
    for (const name of [...this.#draining]) {
      if (name.ending?.kind !== 'bulk') this.#draining.delete(name);
      else if (this.#beliefs.now >= name.ending.until) {
        this.#draining.delete(name);
        name.ending = undefined;
        this.#beliefs.foldHolder(name);
      }
    }
    this.lookUps.sweep();
  }

  // ——— fills

  /** What this run made since the mode was confirmed last, and what is named to be of the other mode. */
  ofOtherMode(): { readonly orders: readonly OwnOrder[]; readonly fills: readonly HeldFill[] } {
    const isOther = (order: OwnOrder): boolean => {
      const named = namedMode(order);
      return named === undefined ? !this.fills.isModeSureAt(order.sentAt) : !this.fills.isOfMode(named);
    };
    const { active, ended } = this.#orders;
    const orders = [...active, ...ended].filter((order) => !order.isOfFormerRun && isOther(order));
    return { orders, fills: this.fills.ofOtherMode() };
  }

  /** Something that was sent, or filled, hedges nothing until the mode is confirmed. */
  get awaitsMode(): boolean {
    if (this.holdings.awaitsMode) return true;
    if (this.fills.isModeSureAt(this.#beliefs.newestSentAt)) return false;
    for (const { sentAt, isOfFormerRun } of this.#orders.active)
      if (!isOfFormerRun && !this.fills.isModeSureAt(sentAt)) return true;
    return false;
  }

  // ——— teams

  /** Home and away of a game changed places: whatever is on a team stays on it. `markets`: all that are known of the game. */
  swapTeams(gameId: GameId, markets: readonly Market[]): void {
    this.#orders.swapTeams(gameId);
    this.#names.swapTeams(gameId);
    this.external.swapTeams(gameId);
    this.fills.swapTeams(gameId, markets);
  }

  /** Some order of ours rests in the game, or may. */
  hasActiveIn(gameId: GameId): boolean {
    for (const market of this.games.get(gameId)?.keys() ?? [])
      if (this.#orders.activeIn(market).length > 0) return true;
    return false;
  }

  /** The game is over: forgets it where nothing is open or held in it. */
  forgetGame(gameId: GameId): void {
    const markets = this.#orders.forgetGame(gameId, (id) => this.holdings.positions.has(id));
    if (markets === undefined) return;
    for (const id of markets) this.fills.forget(id);
    this.#names.forgetGame(gameId);
  }
}
