// Compares the account as the exchange lists it with the beliefs (rules.md, 3). At the start it adopts the
// orders that former runs left, after a drop of the user feed it finds what was not reported, and otherwise
// it checks once a minute. Invariant: a list never overrides an order that changed after the list was
// requested; a difference is looked up by id.
import type {
  ExitCode,
  GameId,
  Micros,
  NewOrder,
  OpenOrder,
  OpenPlay,
  OrderId,
  OrderRef,
  PlayerMode,
  PositionEvent,
  RestingOrder,
  UnansweredOrder,
} from '../domain/index.ts';
import { cents, EXIT, isActive, market, rungOf } from '../domain/index.ts';
import type { Mirror } from '../mirror/index.ts';
import type { Account } from './account.ts';
import { SETTLE_MS } from './account-settings.ts';
import type { ExternalOrder } from './external-orders.ts';
import type { Fact } from './facts.ts';
import type { FormerOrder } from './former-orders.ts';
import { GradeInquiries } from './grades.ts';
import type { Owner, OwnOrder } from './records.ts';
import { ownerOf, runOf } from './references.ts';
import { factOfRow, recordListedFill } from './reports.ts';

/** The interval while requests of a former run may still land. */
const STARTUP_EVERY_MS = 5000;
const RETRY_MS = 1000;
const CHECK_GRADES_EVERY_MS = 1000;
/** The interval while other clients trade on the account. */
const EXTERNAL_EVERY_MS = 5000;
/** The longest wait for books: unreadable books must not keep the bot from reading its account. */
const WAIT_FOR_BOOKS_MS = 10_000;

export type ReconciliationSettings = {
  readonly instance: string;
  readonly playerMode: PlayerMode;
  readonly lateArrivalMs: number;
  /** The policy for open orders that no run of this instance placed. */
  readonly foreign: 'leave' | 'cancel' | 'refuse';
  readonly reconcileEveryMs: number;
  /** Doubles the interval after each read without changes: years may lie between two tapes. */
  readonly reconcileBacksOff: boolean;
  /** The interval of reads while a fill in an ended game has no grade, ms. Undefined: as usual. */
  readonly gradesEveryMs?: number | undefined;
};

export type FromFormerRuns = {
  readonly unanswered: readonly UnansweredOrder[];
  readonly resting: readonly RestingOrder[];
};

export type Refusal = { readonly code: ExitCode; readonly error: string; readonly reason: string };

export class Reconciliation {
  /** False until the account was read once; nothing is quoted before that. */
  complete = false;
  /** The number of open orders in the newest list, own and external, and when the list was requested. */
  listed: { readonly open: number; readonly readAt: number } | undefined;
  /** Set when the account is in a state in which the run must not continue. */
  refusal: Refusal | undefined;
  readonly grades: GradeInquiries;
  readonly #account: Account;
  readonly #mirror: Mirror;
  readonly #settings: ReconciliationSettings;
  #now = 0;
  #nextAt: number | undefined;
  /** When the newest read was requested, how long the next may wait, and the activity count at that time. */
  #askedAt = 0;
  #quietIntervalMs = 0;
  #actionsAtLast = -1;
  /** When something was reported that only a later list shows in full: own orders, and external orders. */
  #newsAt = Number.NEGATIVE_INFINITY;
  #externalAt = Number.NEGATIVE_INFINITY;
  #bootedAt = Number.NEGATIVE_INFINITY;
  #gradesCheckedAt = Number.NEGATIVE_INFINITY;
  #run = '';
  #reading: 'open-orders' | 'plays' | undefined;
  #orders: { readonly list: readonly OpenOrder[]; readonly readAt: number } | undefined;
  /** Own orders in games that are not known yet. They are adopted once the game is known. */
  readonly #waitingOrders = new Map<OrderId, OpenOrder>();
  /** The games of waiting orders and fills. */
  readonly #awaitedGames = new Set<GameId>();
  /** The external orders of the list before. */
  #seenExternal: ReadonlySet<OrderId> = new Set();

  constructor(account: Account, mirror: Mirror, settings: ReconciliationSettings) {
    this.#account = account;
    this.#mirror = mirror;
    this.#settings = settings;
    this.grades = new GradeInquiries(account, mirror, settings.gradesEveryMs);
  }

  beginStep(now: number): void {
    this.#now = now;
  }

  /**
   * Enters orders that the former run sent without an answer: they may land, and count until their fate is
   * known. Orders that rested are adopted once a list shows them.
   */
  applyBoot(run: string, { unanswered, resting }: FromFormerRuns, t: number, runs?: readonly string[]): void {
    this.#run = run;
    this.#account.instance.applyBoot(run, runs);
    this.#bootedAt = this.#now;
    this.#account.former.hand(resting, this.#settings.instance);
    const landed = new Set(resting.map(({ order }) => order.ref));
    for (const { order, sentT } of unanswered) {
      // it has an id already: the list of resting orders includes it
      if (landed.has(order.ref)) continue;
      const owner = ownerOf(order.ref, this.#settings.instance);
      const { gameId, type, line } = order.market;
      if (owner !== undefined)
        this.#account.applyUnanswered(
          { ...order, market: market(gameId, type, line) },
          owner,
          this.#now - Math.max(0, t - sentT),
          sentT,
        );
    }
  }

  /**
   * The user feed reported an order that is not known: an own order that a former run placed and that landed
   * late, or an external order. Without a reference, it may also be an order whose id is awaited.
   */
  applyUnknownOrder({ ref, orderId, gameId }: PositionEvent): void {
    this.#awaitedGames.add(gameId);
    if (ref !== undefined && this.#account.instance.suspect(ref, orderId, this.#now)) {
      this.ask();
      return;
    }
    if (ref === undefined && this.#account.awaitsIds) return;
    if (ref !== undefined && this.#account.isOwnReference(ref)) this.#wantList(this.#askedAt + RETRY_MS);
    else {
      this.#externalAt = this.#now;
      this.#planRead(this.#askedAt + EXTERNAL_EVERY_MS);
    }
  }

  /** Plans the next read early while fills in ended games wait for their grades. */
  #askForGrades(): void {
    const { gradesEveryMs } = this.#settings;
    if (gradesEveryMs === undefined || this.#now < this.#gradesCheckedAt + CHECK_GRADES_EVERY_MS) return;
    this.#gradesCheckedAt = this.#now;
    if (this.#awaitsGrades) this.#planRead(this.#askedAt + gradesEveryMs);
  }

  #isHeldIn(gameId: GameId): boolean {
    for (const fill of this.#account.holdings.openIn(gameId)) if (fill.market !== undefined) return true;
    return false;
  }

  /** True when a fill without a grade is held in an ended game. */
  get #awaitsGrades(): boolean {
    for (const gameId of this.#account.games.keys())
      if (this.#mirror.games.get(gameId)?.game.ended === true && this.#isHeldIn(gameId)) return true;
    return false;
  }

  /** Orders that former runs left resting, that are not adopted, and that a list may still show. */
  *notAdopted(): Iterable<RestingOrder> {
    const mayShow = !this.complete || this.#isStarting;
    for (const { orderId, order, sentT } of this.#account.former.all)
      if (!this.#account.owns(orderId) && (mayShow || this.#waitingOrders.has(orderId)))
        yield { orderId, order, sentT };
  }

  /** Reads the account as soon as possible, because the feed may have missed something. */
  ask(): void {
    this.#wantList(this.#now);
  }

  /** Plans a list requested from now on. A list in flight is older: the next one follows right behind it. */
  #wantList(from: number): void {
    this.#newsAt = this.#now;
    this.#planRead(from);
  }

  #planRead(from: number): void {
    if (this.#reading !== undefined) return;
    const dueAt = Math.max(this.#now, from);
    this.#nextAt = Math.min(this.#nextAt ?? dueAt, dueAt);
  }

  /** When the account is read next, monotonic ms, or infinite. `actions`: requests sent so far. */
  nextDue(actions: number): number {
    if (this.#nextAt === undefined) return Number.POSITIVE_INFINITY;
    if (this.#activityCount(actions) === this.#actionsAtLast) return this.#nextAt;
    return Math.min(this.#nextAt, this.#askedAt + this.#settings.reconcileEveryMs);
  }

  /** Grows with everything that changes the account. `actions`: requests sent so far. */
  #activityCount(actions: number): number {
    const { placed, edited, cancelled, refused, fills } = this.#account.counts;
    return actions + placed + edited + cancelled + refused + fills;
  }

  #actionsNow = 0;

  housekeep(booksAreRead: boolean, actions: number): void {
    this.#actionsNow = actions;
    this.#askForGrades();
    // the exchange reports sides by participant: the games should be known first
    const waitsForBooks = !booksAreRead && this.#now < this.#bootedAt + WAIT_FOR_BOOKS_MS;
    if (waitsForBooks || this.#now < this.nextDue(actions)) return;
    this.#nextAt = this.#now + RETRY_MS;
    this.#askedAt = this.#now;
    this.#reading = this.#orders === undefined ? 'open-orders' : 'plays';
    this.#account.news.ask('account', { what: this.#reading });
  }

  /**
   * Takes a list of open orders, also one that another part requested: it may show orders without an answer,
   * by reference or by signature.
   */
  applyOpenOrders(list: readonly OpenOrder[], askedAt: number): void {
    for (const row of list) {
      const known = this.#account.find(row.orderId, row.ref);
      if (known !== undefined && (known.ref === row.ref || known.id?.orderId === row.orderId)) {
        if (known.status === 'unknown' && known.id === undefined) this.#recordRow(row, askedAt);
        continue;
      }
      if (row.ref === undefined && this.#account.unknown.size > 0) this.#recordRow(row, askedAt);
    }
  }

  #recordRow(row: OpenOrder, askedAt: number): void {
    this.#account.record(factOfRow(row, this.#mirror.placeOf(row.gameId, row.place), askedAt, this.#now));
  }

  /** Takes the open orders of a reconciliation. Undefined: the read failed and is repeated. */
  applyOrders(list: readonly OpenOrder[] | undefined, askedAt: number): void {
    // the shutdown reads lists of its own
    if (this.#reading !== 'open-orders' || list === undefined) return;
    this.#orders = { list, readAt: askedAt };
    this.#reading = 'plays';
    this.#account.news.ask('account', { what: 'plays' });
  }

  applyFills(fills: readonly OpenPlay[] | undefined): void {
    if (fills === undefined) return;
    const orders = this.#orders;
    // the shutdown reads fills alone
    if (orders === undefined) {
      for (const fill of fills) this.#recordFill(fill);
      return;
    }
    this.#orders = undefined;
    this.#reading = undefined;
    // these lists say again which games are wanted
    this.#mirror.wanted.clear();
    const { list, readAt } = orders;
    this.#planNext(readAt);
    const external: OpenOrder[] = [];
    this.#waitingOrders.clear();
    const { instance } = this.#account;
    instance.applyList(list, readAt);
    const elsewhere = new Set<OpenOrder['orderId']>(instance.rows.map(({ orderId }) => orderId));
    for (const row of list) if (!elsewhere.has(row.orderId) && !this.#compareRow(row, readAt)) external.push(row);
    this.#compareBelief(list, readAt);
    this.#applyExternal(external, instance.rows);
    for (const fill of fills) this.#recordFill(fill);
    this.placeWaiting();
    this.grades.ask(fills, this.#now);
    this.#account.applyRead(readAt);
    this.complete = true;
    this.listed = { open: list.length, readAt };
  }

  #planNext(readAt: number): void {
    const { reconcileEveryMs, reconcileBacksOff } = this.#settings;
    const done = this.#activityCount(this.#actionsNow);
    const isUnchanged = reconcileBacksOff && !this.#isStarting && done === this.#actionsAtLast;
    this.#quietIntervalMs = isUnchanged ? 2 * this.#quietIntervalMs : reconcileEveryMs;
    this.#actionsAtLast = done;
    const againMs = readAt < this.#newsAt ? RETRY_MS : readAt < this.#externalAt ? EXTERNAL_EVERY_MS : undefined;
    this.#nextAt =
      againMs === undefined
        ? this.#now + (this.#isStarting ? STARTUP_EVERY_MS : this.#quietIntervalMs)
        : Math.max(this.#now, this.#askedAt + againMs);
  }

  #recordFill(fill: OpenPlay): void {
    const { txId, orderId, ref, gameId, graded, profit } = fill;
    const place = this.#mirror.placeOf(gameId, fill.place);
    // a graded fill that was never held has no effect any more
    if (graded !== true || this.#account.find(orderId, ref) !== undefined)
      recordListedFill(this.#account, fill, place, this.#now);
    if (graded === true) this.#account.fills.applyGraded(txId, profit);
    else if (place === undefined) this.#wantGame(gameId);
  }

  /** Wants the game of a waiting order or fill. The books of a league leave out ended and closed games. */
  #wantGame(gameId: GameId): void {
    this.#awaitedGames.add(gameId);
    this.#mirror.wanted.add(gameId);
  }

  /** True while requests of former runs may still arrive. */
  get #isStarting(): boolean {
    return this.#now - this.#bootedAt < this.#settings.lateArrivalMs + STARTUP_EVERY_MS;
  }

  // ——— open orders

  /** Compares one listed order with the beliefs. False when it is not an own order. */
  #compareRow(row: OpenOrder, askedAt: number): boolean {
    const account = this.#account;
    const known = account.find(row.orderId, row.ref);
    if (known !== undefined) {
      const { status, endedAt } = known;
      const isOver = !isActive(status) && status !== 'never-landed' && status !== 'refused';
      if (status !== 'sending') this.#recordRow(row, askedAt);
      const now = account.find(row.orderId, row.ref);
      if (now !== undefined && row.filled !== undefined && row.filled > 0)
        account.record({
          ...factOfRow(row, undefined, askedAt, this.#now),
          kind: { type: 'total', filled: row.filled },
        });
      // the order ended, and a list newer than its end shows it: one of the two is wrong
      if (isOver && !isActive(known.status) && askedAt - endedAt > SETTLE_MS) this.#inquire(known);
      return true;
    }
    const former = account.former.formerOrderOf(row, this.#mirror.placeOf(row.gameId, row.place));
    if (former !== undefined) {
      this.#adoptFormer(row, former, askedAt);
      return true;
    }
    if (row.ref === undefined) {
      // an order that existed before an own order was sent is a different one, however similar
      this.#recordRow(row, askedAt);
      return account.find(row.orderId, undefined) !== undefined;
    }
    const owner = ownerOf(row.ref, this.#settings.instance);
    if (owner === undefined) return false;
    if (row.odds === undefined || row.risk === undefined) return false;
    this.#adopt(row, row.ref, owner, askedAt);
    this.#watchRuns(row.orderId, row.ref);
    return true;
  }

  #adopt(row: OpenOrder, ref: OrderRef, owner: Owner, askedAt: number): void {
    const place = this.#mirror.placeOf(row.gameId, row.place);
    if (place === undefined) {
      this.#waitForGame(row);
      return;
    }
    const { odds, risk } = row;
    if (odds === undefined || risk === undefined) return;
    // rounds up to whole cents, so that the stake is never too small
    const order = { ref, ...place, rung: rungOf(odds), risk: cents(Math.ceil(risk / 10_000)) };
    this.#applyAdopted(order, owner, row, factOfRow(row, place, askedAt, this.#now));
  }

  /** Adopts a listed order without a reference: a former run recorded it under this id. */
  #adoptFormer(row: OpenOrder, { order, owner, sentT }: FormerOrder, askedAt: number): void {
    if (this.#mirror.placeOf(row.gameId, row.place) === undefined) this.#waitForGame(row);
    else
      this.#applyAdopted(
        order,
        owner,
        row,
        { ...factOfRow(row, undefined, askedAt, this.#now), ref: order.ref, isRefRecalled: true },
        sentT,
      );
  }

  #waitForGame(row: OpenOrder): void {
    this.#waitingOrders.set(row.orderId, row);
    if (row.gameId !== undefined) this.#wantGame(row.gameId);
  }

  #applyAdopted(order: NewOrder, owner: Owner, { orderId, filled }: OpenOrder, listed: Fact, sentT?: number): void {
    this.#account.applyAdopted(order, owner, listed, sentT);
    if (filled !== undefined && filled > 0)
      this.#account.record({ ...listed, signature: undefined, kind: { type: 'total', filled } });
    this.#account.alert('info', 'ORDER_ADOPTED', 'an open order of a former run was adopted', {
      orderId,
      ref: order.ref,
      strategy: owner.strategy,
      marketId: order.market.id,
    });
  }

  /**
   * Detects a running second bot: an order of another run that no list showed before, once requests of former
   * runs can no longer arrive.
   */
  #watchRuns(orderId: OrderId, ref: OrderRef): void {
    const run = runOf(ref);
    if (!this.complete || this.#isStarting || run === this.#run || this.#seenExternal.has(orderId)) return;
    const message = 'another bot of this instance places orders on the account: stop one of them';
    this.#account.alert('error', 'SECOND_BOT', message, { run, orderId, ref }, `run ${run}`);
  }

  /** Looks up orders that are believed to be open and that the list does not show. */
  #compareBelief(list: readonly OpenOrder[], askedAt: number): void {
    const listed = new Set(list.map(({ orderId }) => orderId));
    for (const order of this.#account.active) {
      const id = order.id?.orderId;
      if (order.status !== 'open' || id === undefined || listed.has(id)) continue;
      if (askedAt - order.openSince > SETTLE_MS) this.#inquire(order);
    }
  }

  #inquire(order: OwnOrder): void {
    const message = 'an order is open in one view and not in another: it is looked up';
    const { ref, status, id } = order;
    this.#account.alert('warn', 'VIEWS_DIFFER', message, { orderId: id?.orderId, ref, status });
    this.#account.lookUps.inquire(order);
  }

  /**
   * Replaces the external orders. `ofInstance`: orders of another bot with the same instance name; they
   * count, but the policy for external orders does not apply to them.
   */
  #applyExternal(rows: readonly OpenOrder[], ofInstance: readonly OpenOrder[]): void {
    const { foreign } = this.#settings;
    const placed: ExternalOrder[] = [];
    const elsewhere = new Map<OrderId, Micros>();
    for (const row of [...rows, ...ofInstance, ...this.#waitingOrders.values()]) {
      const { orderId, gameId, odds, remaining = row.risk } = row;
      const place = this.#mirror.placeOf(gameId, row.place);
      if (remaining === undefined) continue;
      if (place === undefined || odds === undefined) elsewhere.set(orderId, remaining);
      else placed.push({ orderId, ...place, rung: rungOf(odds), remaining });
    }
    this.#account.applyExternal(placed, elsewhere);
    const own = [...this.#waitingOrders.values()];
    const isNew = ({ orderId }: OpenOrder): boolean => !this.#seenExternal.has(orderId);
    const unseenWaiting = own.filter(isNew);
    const unseen = rows.filter(isNew);
    this.#seenExternal = new Set([...rows, ...own].map(({ orderId }) => orderId));
    for (const { orderId, ref, gameId } of unseenWaiting) {
      const message =
        'an open order of another run is in a game that no book shows: it counts, and is left alone until a book shows it';
      this.#account.alert('warn', 'ORDER_ELSEWHERE', message, { orderId, ref, gameId });
    }
    for (const { orderId, ref } of unseen) {
      const message = 'the account has an open order that no run of this instance placed';
      this.#account.alert('warn', 'FOREIGN_ORDER', message, { orderId, ref, policy: foreign });
    }
    if (foreign === 'refuse' && rows.length > 0 && !this.complete)
      this.refusal ??= {
        code: EXIT.refused,
        error: 'FOREIGN_ORDER',
        reason: `the account has ${rows.length} open orders of other clients (orders.foreign: refuse)`,
      };
    if (foreign === 'cancel') this.#account.news.cancel(rows.map(({ orderId }) => orderId));
  }

  // ——— games that are not known yet

  /** Places waiting fills and orders as soon as their game is known, before anything is quoted there. */
  placeWaiting(): void {
    if (!this.#mirror.takeKnown(this.#awaitedGames)) return;
    // fills first: they filled the orders that are placed next
    this.#account.fills.placeWaiting(({ gameId, place }) =>
      place === undefined ? undefined : this.#mirror.placeOf(gameId, place),
    );
    for (const row of this.#waitingOrders.values()) {
      if (this.#mirror.placeOf(row.gameId, row.place) === undefined) continue;
      this.#waitingOrders.delete(row.orderId);
      this.#account.external.leaveElsewhere(row.orderId);
      this.#compareRow(row, this.listed?.readAt ?? this.#now);
      // the list may be old
      this.ask();
    }
  }
}
