// The account as it is believed to be: the one face of this room. Facts go in (`record`), requests that leave are entered
// before they go, and what is believed of orders, positions and exposure comes out. Whatever is not known counts in full.
import type {
  AlertLevel,
  CommissionRule,
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
  Read,
  RequestId,
} from '../domain/index.ts';
import { dollarsOfMicros, elementAt, isActive, plus, sideIndex } from '../domain/index.ts';
import { beliefOf } from './belief.ts';
import { Changes } from './changes.ts';
import type { ExternalOrder } from './external-orders.ts';
import { ExternalOrders } from './external-orders.ts';
import type { Fact } from './facts.ts';
import type { HeldFill } from './records.ts';
import { FormerOrders } from './former-orders.ts';
import type { Holdings } from './holdings.ts';
import { Inquiries } from './inquiries.ts';
import { InstanceWatch } from './instance-watch.ts';
import { awaitedOf, candidatesOf } from './lives.ts';
import type { Ending, Name } from './records.ts';
import { isOver, Names } from './names.ts';
import type { Owner, OwnOrder } from './records.ts';
import { namedMode, ownOrder, remainingOf } from './order.ts';
import type { Placed } from './own-fills.ts';
import { OwnFills } from './own-fills.ts';
import { OwnOrders } from './own-orders.ts';
import { modeOf } from './references.ts';

const NEVER = Number.NEGATIVE_INFINITY;
/** A report may be this much later than an answer that shows its effect. */
export const SETTLE_MS = 2000;
/** Ended orders are dropped after `lateArrival` and one list; of more than these also without. */
const MOST_ENDED = 4000;
/** Between the second and the third cancel of an order that is shown as open all the same, and so on. */
const CANCEL_AGAIN_MS = { first: 1000, most: 10_000 };
const ALERTED_AT = 4;

export type AccountSettings = {
  /** Marks this bot's references on an account that it shares. */
  readonly instance: string;
  readonly playerMode: PlayerMode;
  readonly lateArrivalMs: number;
  /** An edited order goes on under its id (wire profile). */
  readonly editKeepsId?: boolean | undefined;
  /** Orders end by themselves after this; undefined: never. */
  readonly expiresAfterMs?: number | undefined;
  /** What the exchange keeps of winnings; nothing unless told. */
  readonly commission?: CommissionRule;
};

export type AccountAlert = {
  readonly level: AlertLevel;
  readonly code: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Said once for this key. */
  readonly once?: string | undefined;
};

export class Account {
  /** The exchange was seen to report our references: a look-up by reference that shows nothing means something. */
  reportsReferences = false;
  readonly external: ExternalOrders;
  readonly former = new FormerOrders();
  /** Orders of a bot elsewhere that has our instance. */
  readonly instance: InstanceWatch;
  readonly fills: OwnFills;
  readonly holdings: Holdings;
  /** Whoever reads them clears them. */
  alerts: AccountAlert[] = [];
  /** For `oddsmaker why`: every fact, as it is taken in. */
  observer: ((fact: Fact, order: OwnOrder | undefined) => void) | undefined;
  /** An order of this run is named to be of a player mode that is not this bot's. */
  wrongMode: PlayerMode | undefined;
  readonly #settings: AccountSettings;
  readonly #changes = new Changes();
  readonly #names = new Names();
  readonly #orders: OwnOrders;
  readonly #inquiries: Inquiries;
  /** Ids that a bulk operation is cancelling. */
  readonly #draining = new Set<Name>();
  #now = 0;
  #newestSentAt = NEVER;
  #allFillsReadAsked = NEVER;

  constructor(settings: AccountSettings) {
    this.#settings = settings;
    this.#orders = new OwnOrders(this.#changes);
    this.fills = new OwnFills(settings, this.#orders, this.#changes);
    this.holdings = this.fills.holdings;
    this.external = new ExternalOrders(this.#changes);
    this.instance = new InstanceWatch(settings.instance);
    this.#inquiries = new Inquiries(settings.lateArrivalMs);
  }

  /** Monotonic ms of the input in work. */
  begin(now: number): void {
    this.#now = now;
    this.holdings.news.length = 0;
    this.#changes.turns.clear();
    this.#changes.resolved.clear();
  }

  // ——— what is believed

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
    return this.#changes.markets;
  }

  /** Orders that came to rest with the input in work, that ended, or that rest again. */
  get turns(): ReadonlySet<OwnOrder> {
    return this.#changes.turns;
  }

  /** Orders whose fate was not known before the input in work, and is. */
  get resolved(): ReadonlySet<OwnOrder> {
    return this.#changes.resolved;
  }

  /** The same for games, those that came or went in `games` included. */
  get moved(): Set<GameId> {
    return this.#changes.games;
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
      const { side, bound } = elementAt(active, at);
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
    const own = this.#add(order, owner, {
      at: this.#now,
      t,
      replaces,
      placing: 'flying',
      isOfFormerRun: false,
      mode: undefined,
    });
    if (replaces?.id !== undefined) this.#end(replaces.id, 'edit', req, { by: own });
    return own;
  }

  /** An order of a former run that was never answered. `sentAt`: monotonic ms, before the start of this one. */
  applyUnanswered(order: NewOrder, owner: Owner, sentAt: number, sentT: number): void {
    const own = this.#add(order, this.#formerOwner(order.ref, owner), {
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
    const own = this.#add(order, this.#formerOwner(order.ref, owner), {
      at: this.#now,
      t: sentT,
      placing: 'answered',
      isOfFormerRun: true,
      mode: modeOf(order.ref),
    });
    own.said.inFeed = true;
    this.record(listed);
    // as old as the list that shows it: a newer one may say that it is gone
    own.openSince = Math.min(own.openSince, listed.asked ?? this.#now);
    return own;
  }

  /** What trades in another player mode has a key that no quote has: it is cancelled. */
  #formerOwner(ref: OrderRef, { strategy, key }: Owner): Owner {
    return { strategy, key: this.fills.isOfMode(modeOf(ref)) ? key : `other mode ${key}` };
  }

  #add(order: NewOrder, owner: Owner, sent: Parameters<typeof ownOrder>[3]): OwnOrder {
    const own = ownOrder(order, owner, this.#names.ofRef(order.ref), sent);
    this.#names.adopt(own);
    this.#newestSentAt = Math.max(this.#newestSentAt, own.sentAt);
    this.#orders.add(own);
    this.#fold(own);
    this.fills.attributeAll(own.said);
    return own;
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
    this.#end(name, kind, req, { until });
    return name;
  }

  #end(
    name: Name,
    kind: Ending['kind'],
    req: RequestId | undefined,
    more: { readonly by?: OwnOrder; readonly until?: number },
  ): void {
    const { by, until = Number.POSITIVE_INFINITY } = more;
    name.ending = { kind, req, at: this.#now, by, until, state: 'flying' };
    name.askedBy = kind;
    name.touchedAt = this.#now;
    this.#foldHolder(name);
  }

  // ——— what became of requests (the facts that their answers say are recorded apart)

  /** The request that was to bring an order was answered, was not, or never left. */
  applyPlacing(order: OwnOrder, placing: OwnOrder['placing']): void {
    if (order.placing === 'not-sent' || (order.placing === 'answered' && placing === 'silent')) return;
    order.placing = placing;
    // what is believed of one that landed, and has an id, does not hang on its request any more
    if (order.landed && order.id !== undefined) return;
    const before = order.status;
    this.#fold(order);
    if (placing === 'silent' && before !== 'unknown' && order.status === 'unknown')
      this.#orders.counts.unknownEver += 1;
  }

  /**
   * What a request was about to end goes on resting (`rests`), or a look-up must say whether it does (`unclear`), or nobody
   * says (`silent`): of an edit only what is asked for from now on says whether the old order rests, a cancel is decided anew.
   */
  applyEnding(name: Name | undefined, req: RequestId, outcome: 'rests' | 'unclear' | 'silent'): void {
    const ending = name?.ending;
    if (name === undefined || ending === undefined || ending.req !== req) return;
    if (outcome === 'unclear') {
      ending.state = 'unclear';
      this.#inquiries.lookUp(name);
      this.#foldHolder(name);
      return;
    }
    name.ending = undefined;
    if (outcome === 'rests') name.askedBy = undefined;
    const before = name.holder?.status;
    if (outcome === 'silent') {
      if (ending.kind === 'edit') name.doubtAt = Math.max(name.doubtAt, ending.at);
      else name.cancelSilent = true;
    }
    this.#foldHolder(name);
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
    if (this.#settings.editKeepsId !== true || life?.orderId === undefined) return life;
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
    const { ref, orderId } = fact;
    if (ref === undefined && orderId !== undefined && under === undefined && this.#settings.editKeepsId === true) {
      const life = this.#lifeOf(fact, orderId);
      if (life === undefined) return this.#recordOfSome(fact, orderId, placed);
      return this.#record(fact, placed, life);
    }
    return this.#record(fact, placed, under);
  }

  /** Undefined: several orders had the id, and it may be of more than one of them. */
  #lifeOf({ looks, seenAt }: Fact, orderId: OrderId): Name | undefined {
    const name = this.#names.ofId(orderId);
    const [one, ...others] = candidatesOf(name, looks, this.#orders.unknown);
    if (one === undefined) return name;
    if (others.length > 0) return undefined;
    // it rests in the place of what it was to replace
    if (one.id === undefined) this.#link(one, orderId, 'signature', seenAt);
    return one.id?.orderId === orderId ? one.id : name;
  }

  /** An answer by id may show what had it before, or what has it by now. */
  #isOfSome(name: Name, asked: number): boolean {
    if (this.#settings.editKeepsId !== true) return false;
    if (name.former !== undefined && asked < name.bornAt) return true;
    const [awaited] = awaitedOf(name, this.#orders.unknown);
    return awaited !== undefined;
  }

  /** A fill is one in that market, and whatever else is said must be looked up. */
  #recordOfSome(fact: Fact, orderId: OrderId, placed: Placed | undefined): boolean {
    const name = this.#names.ofId(orderId);
    const { says, seenAt } = fact;
    this.observer?.(fact, undefined);
    if (says.type === 'fill') this.#recordFill(fact, undefined, placed ?? name.holder);
    else if (says.type !== 'resting' && says.type !== 'named') this.#inquiries.lookUp(name);
    if (says.type === 'fill' || says.type === 'total' || says.type === 'taken')
      for (const order of candidatesOf(name, fact.looks, this.#orders.unknown)) {
        order.said.apply({ says: { type: 'fills-unread' }, from: fact.from, seenAt });
        this.#fold(order);
      }
    return true;
  }

  #record(fact: Fact, placed: Placed | undefined, under: Name | undefined): boolean {
    const { ref, orderId, says } = fact;
    // only references of ours have a name
    const known = ref === undefined ? undefined : this.#names.knownRef(ref);
    const isOurs = known !== undefined || (ref !== undefined && this.isOwnReference(ref));
    const byRef = known ?? (isOurs && ref !== undefined ? this.#names.ofRef(ref) : undefined);
    const byId = under ?? (orderId === undefined ? undefined : this.#names.ofId(orderId));
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
    } else if (this.#isOfAnyHalf(fact, filed)) this.#inquiries.lookUp(filed);
    else filed.apply(fact);
    const of = filed?.holder ?? byId?.holder;
    this.observer?.(fact, of);
    if (filed === undefined) return false;
    if (filed.holder === undefined && filed.signature !== undefined) {
      this.#names.noteSigned(filed);
      this.#matchId(filed);
    }
    if (filed.holder !== undefined) this.#fold(filed.holder);
    if (byId?.holder !== undefined && byId.holder !== filed.holder) this.#fold(byId.holder);
    return filed.holder !== undefined;
  }

  /** Where an edit kept the id, an end that names no reference may be that of the order before. */
  #isOfAnyHalf({ says, from, ref }: Fact, { holder }: Name): boolean {
    if (says.type !== 'gone' || from !== 'event' || ref !== undefined) return false;
    return holder?.keptId === true && isActive(holder.status);
  }

  /** `isFolded`: what is believed of the order itself is folded right after. */
  #link(order: OwnOrder, orderId: OrderId, by: 'name' | 'signature', seenAt: number, isFolded = false): void {
    const affected = this.#names.link(order, orderId, by, seenAt);
    if (affected.length === 0) return;
    for (const one of affected) {
      if (one.id !== undefined) this.fills.attributeAll(one.id);
      if (one !== order || !isFolded) this.#fold(one);
    }
  }

  /** What was seen under an id looks like one of the orders without an id. */
  #matchId(name: Name): void {
    const order = this.#names.nearest(name, this.#activeLike(name));
    if (order === undefined || name.orderId === undefined) return;
    this.#alert('info', 'ORDER_RECOGNISED', 'an unanswered order was recognised by its signature', {
      ref: order.ref,
      orderId: name.orderId,
      marketId: order.market.id,
    });
    this.#link(order, name.orderId, 'signature', this.#now);
  }

  #activeLike({ signature }: Name): Iterable<OwnOrder> {
    return signature === undefined ? [] : this.#orders.activeIn(signature.market.id);
  }

  /** Believes of an order what its facts say now. */
  #fold(order: OwnOrder): void {
    const orders = this.#orders;
    const isAmbiguous = this.#names.isAmbiguous(order, orders.activeIn(order.market.id));
    const hadLanded = order.landed;
    // it is over, and which of those that look alike it was nobody knows
    if (isAmbiguous && order.id !== undefined && isOver(order.id, order)) this.#names.unlink(order);
    const belief = beliefOf(order, {
      lateArrivalMs: this.#settings.lateArrivalMs,
      allFillsReadAsked: this.#allFillsReadAsked,
      isAmbiguous: isAmbiguous && order.id !== undefined,
    });
    // an edit that worked left the id to it
    const kept =
      this.#settings.editKeepsId === true && order.id === undefined ? order.replaces?.id?.orderId : undefined;
    if (belief.landed && kept !== undefined) {
      this.#link(order, kept, 'signature', this.#now);
      return;
    }
    const isNew = orders.apply(order, belief, this.#now);
    const isPulled = orders.recount(order, this.#settings.expiresAfterMs);
    if (!order.isOfFormerRun && !this.fills.isOfMode(namedMode(order))) this.wrongMode ??= namedMode(order);
    if (isPulled)
      this.#alert('warn', 'ORDER_CANCELLED', 'an order of ours was cancelled, not by us', {
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
    } else if (!hadLanded) orders.unconfirmed.set(order, this.#now);
    this.#inquiries.applyBelief(order);
    if (!isNew) return;
    const { signed, bySignature } = this.#names;
    if (orders.unknown.size > 0 && signed.size > 0) for (const name of [...signed]) this.#matchId(name);
    // whose id it is may have become clear, or unclear
    if (bySignature.size > 0) for (const other of [...bySignature]) if (other !== order) this.#fold(other);
    if (orders.ended.size > MOST_ENDED) this.#dropEnded(MOST_ENDED / 2, Number.POSITIVE_INFINITY);
  }

  #foldHolder({ holder }: Name): void {
    if (holder !== undefined) this.#fold(holder);
  }

  /** The external orders of the account, all that a list shows; `elsewhere`: what may be lost of those in games that are not known. */
  applyExternal(orders: readonly ExternalOrder[], elsewhere: ReadonlyMap<OrderId, Micros>): void {
    this.external.replace(orders, elsewhere);
    for (const { market } of orders) this.#orders.remember(market);
  }

  // ——— fills

  #recordFill(fact: Fact, filed: Name | undefined, placed: Placed | undefined): void {
    const before = this.fills.record(fact, filed, placed);
    if (before !== undefined) this.#fold(before);
  }

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
    if (this.fills.isModeSureAt(this.#newestSentAt)) return false;
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

  // ——— inquiries

  /** What the exchange is to be asked now. */
  takeQuestions(): readonly Read[] {
    return this.#inquiries.take();
  }

  /** Nothing is under way or waits that time alone moves on. */
  get isIdle(): boolean {
    return this.#inquiries.isIdle && this.#draining.size === 0;
  }

  /** Asks again for what was not answered, and decides anew what a bulk cancel must have ended by now. */
  sweep(): void {
    if (this.isIdle) return;
    for (const name of [...this.#draining]) {
      if (name.ending?.kind !== 'bulk') this.#draining.delete(name);
      else if (this.#now >= name.ending.until) {
        this.#draining.delete(name);
        name.ending = undefined;
        this.#foldHolder(name);
      }
    }
    this.#inquiries.sweep(this.#now, !this.reportsReferences);
    for (const { ref, id, market } of this.#inquiries.begun)
      this.#alert('warn', 'FATE_UNKNOWN', 'an order has no readable answer and is looked for', {
        ref,
        orderId: id?.orderId,
        marketId: market.id,
      });
    this.#inquiries.begun = [];
  }

  /** The run ends: there is no later any more. */
  hurry(): void {
    this.#inquiries.hurry();
    for (const { id } of this.#orders.active) {
      if (id === undefined) continue;
      id.cancelsFailed = 0;
      id.cancelFrom = NEVER;
    }
  }

  /** A list and our belief differ about an order: it is looked up. */
  inquire(order: OwnOrder): void {
    if (order.id !== undefined) this.#inquiries.lookUp(order.id);
  }

  /** A look-up by id was answered: `rests`, or what ended it is `closed`. */
  applyLookedUp(
    orderId: OrderId,
    found: { readonly remaining: Micros | undefined; readonly filled: Micros | undefined },
    asked: number,
  ): void {
    const { remaining, filled } = found;
    const name = this.#names.knownId(orderId);
    if (name !== undefined && this.#isOfSome(name, asked)) {
      this.#inquiries.applyLookUpFailed(orderId, this.#now);
      return;
    }
    this.#inquiries.applyLookedUp(orderId);
    if (name?.holder === undefined) return;
    const of = { orderId, from: 'look-up', asked, seenAt: this.#now } as const;
    if (filled !== undefined) this.record({ ...of, says: { type: 'total', filled } }, undefined, name);
    if (remaining !== undefined && remaining > 0) {
      const { ending, goneAt } = name;
      const isBack = goneAt > NEVER && asked > goneAt && name.restingAsked <= goneAt;
      if (ending?.state === 'unclear' && asked < ending.at) this.#inquiries.lookUp(name);
      const failed = ending?.state === 'unclear' && asked >= ending.at;
      if (failed) name.ending = undefined;
      if (name.cancelAsked && (isBack || (failed && ending.kind !== 'edit'))) this.#applyCancelFailed(name);
      this.record({ ...of, says: { type: 'resting' } }, undefined, name);
    } else if (remaining === undefined && filled === undefined)
      this.record({ ...of, says: { type: 'gone-unexplained' } }, undefined, name);
    else this.record({ ...of, says: { type: 'gone', total: filled } }, undefined, name);
  }

  /** It was not answered: of an order whose edit was refused nobody says whether it rests; it is asked again later. */
  applyLookUpFailed(orderId: OrderId): void {
    this.#inquiries.applyLookUpFailed(orderId, this.#now);
    const name = this.#names.knownId(orderId);
    if (name?.holder === undefined) return;
    if (name.ending?.kind === 'edit' && name.ending.state === 'unclear') {
      name.doubtAt = Math.max(name.doubtAt, name.ending.at);
      name.ending = undefined;
      this.#orders.counts.unknownEver += 1;
      this.#fold(name.holder);
    }
    // cancelling it is as safe as before
    this.#changes.touch(name.holder.market);
  }

  /** It is shown as open after it was to be cancelled: tried again, less and less often. */
  #applyCancelFailed(name: Name): void {
    name.cancelsFailed += 1;
    const waits = name.cancelsFailed - 2;
    if (waits < 0) return;
    const waitMs = Math.min(CANCEL_AGAIN_MS.most, CANCEL_AGAIN_MS.first * 2 ** Math.min(waits, 10));
    name.cancelFrom = this.#now + waitMs;
    if (name.cancelsFailed === ALERTED_AT)
      this.#alert('error', 'CANCEL_WITHOUT_EFFECT', 'an order is shown as open after several cancels', {
        ref: name.holder?.ref,
        orderId: name.orderId,
        marketId: name.holder?.market.id,
        cancels: ALERTED_AT,
      });
  }

  /** Where a reference went was answered; undefined: it could not be. */
  applyTrail(
    ref: OrderRef,
    trail: { readonly isOpen: boolean; readonly hasFilled: boolean } | undefined,
    asked: number,
    feedsUpSince: number | undefined,
  ): void {
    const order = this.#names.find(undefined, ref);
    if (order === undefined) return;
    this.#inquiries.applyTrail(order);
    if (trail === undefined) return;
    const of = { ref, from: 'trail', asked, seenAt: this.#now } as const;
    if (this.reportsReferences) this.record({ ...of, says: { type: 'fills-read' } });
    if (trail.isOpen || order.status !== 'unknown') return;
    if (trail.hasFilled) this.record({ ...of, says: { type: 'gone', total: undefined } });
    else if (this.reportsReferences && feedsUpSince !== undefined) this.#recordAbsent(order, asked, feedsUpSince);
  }

  /** A list of all open orders was read where no reference is ever reported: whoever is not recognised in it is absent. */
  applyAbsences(asked: number, feedsUpSince: number | undefined): void {
    if (this.reportsReferences || feedsUpSince === undefined) return;
    for (const order of [...this.#orders.unknown])
      if (order.id === undefined) this.#recordAbsent(order, asked, feedsUpSince);
  }

  #recordAbsent(order: OwnOrder, asked: number, feedsUpSince: number): void {
    const { ref, market } = order;
    const says = { type: 'absent', feedsUpSince } as const;
    this.record({ ref, from: 'trail', asked, seenAt: this.#now, says });
    if (order.status === 'never-landed')
      this.#alert('info', 'NEVER_LANDED', 'an unanswered order never landed', { ref, marketId: market.id });
  }

  // ——— memory

  /** Both lists of the account were read, asked for then. */
  applyRead(asked: number): void {
    this.fills.applyRead();
    this.#allFillsReadAsked = Math.max(this.#allFillsReadAsked, asked);
    for (const order of [...this.#orders.owing()]) this.#fold(order);
    this.#dropEnded(this.#orders.ended.size, asked - this.#settings.lateArrivalMs - SETTLE_MS);
  }

  /** Drops as many of the oldest as ended before then, of which nothing is owed. */
  #dropEnded(most: number, before: number): void {
    let left = most;
    for (const order of this.#orders.ended) {
      if (left-- <= 0 || order.endedAt >= before) return;
      if (order.bound > 0) continue;
      this.#orders.ended.delete(order);
      this.#orders.unconfirmed.delete(order);
      this.#inquiries.forget(order);
      for (const name of [order.said, order.id]) this.fills.release(name);
      this.#names.forget(order);
    }
  }

  /** The game is over: forgets it where nothing is open or held in it. */
  forgetGame(gameId: GameId): void {
    const markets = this.#orders.forgetGame(gameId, (id) => this.holdings.positions.has(id));
    if (markets === undefined) return;
    for (const id of markets) this.fills.forget(id);
    this.#names.forgetGame(gameId);
  }

  #alert(level: AlertLevel, code: string, message: string, fields: AccountAlert['fields']): void {
    this.alerts.push({ level, code, message, fields });
  }
}
