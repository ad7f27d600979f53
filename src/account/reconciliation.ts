// The account as the exchange lists it, held against what is believed (rules.md, 3). At the start it adopts what former
// runs left, after a drop of the user feed it finds what was not reported, and once a minute it looks whether all is well. A
// list is never believed against an order that changed after it was asked for: what differs is looked up by id.
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

/** While requests of a former run may still land. */
const AT_FIRST_EVERY_MS = 5000;
const RETRY_MS = 1000;
const LOOK_FOR_GRADES_MS = 1000;
/** While somebody else trades on the account. */
const EXTERNAL_EVERY_MS = 5000;
/** Books that cannot be read keep nobody from knowing what the account has. */
const WAIT_FOR_BOOKS_MS = 10_000;

export type ReconciliationSettings = {
  readonly instance: string;
  readonly playerMode: PlayerMode;
  readonly lateArrivalMs: number;
  /** What happens to open orders that no run of this instance placed. */
  readonly foreign: 'leave' | 'cancel' | 'refuse';
  readonly reconcileEveryMs: number;
  /** Each reconciliation that found all as it was waits twice as long for the next: between two tapes may lie years. */
  readonly reconcileBacksOff: boolean;
  /** While something is held in a game that is over, its grade is asked for this often; undefined: as often as the account is read. */
  readonly gradesEveryMs?: number | undefined;
};

export type FromFormerRuns = {
  readonly unanswered: readonly UnansweredOrder[];
  readonly resting: readonly RestingOrder[];
};

export type Refusal = { readonly code: ExitCode; readonly error: string; readonly reason: string };

export class Reconciliation {
  /** False until the account was read once: nothing is quoted before. */
  complete = false;
  /** How many open orders the newest list had, external ones included, and when it was asked for. */
  listed: { readonly open: number; readonly readAt: number } | undefined;
  /** Set when the run must not go on with what is on the account. */
  refusal: Refusal | undefined;
  readonly grades: GradeInquiries;
  readonly #account: Account;
  readonly #mirror: Mirror;
  readonly #settings: ReconciliationSettings;
  #now = 0;
  #nextAt: number | undefined;
  /** When the newest one was asked for, how long the next may wait, and what the run had done by then. */
  #askedAt = 0;
  #quietMs = 0;
  #deeds = -1;
  /** When something was reported that only a later list shows whole; the same of external orders. */
  #newsAt = Number.NEGATIVE_INFINITY;
  #externalAt = Number.NEGATIVE_INFINITY;
  #bootedAt = Number.NEGATIVE_INFINITY;
  #gradesLookedAt = Number.NEGATIVE_INFINITY;
  #run = '';
  #reading: 'open-orders' | 'plays' | undefined;
  #orders: { readonly list: readonly OpenOrder[]; readonly readAt: number } | undefined;
  /** Own orders in games that are not known yet; they are adopted when the game is. */
  readonly #waitingOrders = new Map<OrderId, OpenOrder>();
  /** Their games, and those of fills. */
  readonly #waitsFor = new Set<GameId>();
  /** External orders of the list before. */
  #seenExternal: ReadonlySet<OrderId> = new Set();

  constructor(account: Account, mirror: Mirror, settings: ReconciliationSettings) {
    this.#account = account;
    this.#mirror = mirror;
    this.#settings = settings;
    this.grades = new GradeInquiries(account, mirror, settings.gradesEveryMs);
  }

  begin(now: number): void {
    this.#now = now;
  }

  /**
   * Orders of the run before that were never answered: they may land, and count until it is known. Those that rested are
   * adopted once a list shows them.
   */
  applyBoot(run: string, { unanswered, resting }: FromFormerRuns, t: number, runs?: readonly string[]): void {
    this.#run = run;
    this.#account.instance.applyBoot(run, runs);
    this.#bootedAt = this.#now;
    this.#account.former.hand(resting, this.#settings.instance);
    const landed = new Set(resting.map(({ order }) => order.ref));
    for (const { order, sentT } of unanswered) {
      // the list that knows its id has it already
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
   * The user feed reported an order that is not known: ours, if a former run placed it and it landed late, or somebody
   * else's. Without a reference it may also be one whose id is awaited.
   */
  applyUnknownOrder({ ref, orderId, gameId }: PositionEvent): void {
    this.#waitsFor.add(gameId);
    if (ref !== undefined && this.#account.instance.suspect(ref, orderId, this.#now)) {
      this.ask();
      return;
    }
    if (ref === undefined && this.#account.awaitsIds) return;
    if (ref !== undefined && this.#account.isOwnReference(ref)) this.#wantList(this.#askedAt + RETRY_MS);
    else {
      this.#externalAt = this.#now;
      this.#plan(this.#askedAt + EXTERNAL_EVERY_MS);
    }
  }

  /** Grades of what is held in games that are over are asked for until they are there. */
  #askForGrades(): void {
    const { gradesEveryMs } = this.#settings;
    if (gradesEveryMs === undefined || this.#now < this.#gradesLookedAt + LOOK_FOR_GRADES_MS) return;
    this.#gradesLookedAt = this.#now;
    if (this.#awaitsGrades) this.#plan(this.#askedAt + gradesEveryMs);
  }

  #isHeldIn(gameId: GameId): boolean {
    for (const fill of this.#account.holdings.openIn(gameId)) if (fill.market !== undefined) return true;
    return false;
  }

  /** Something is held in a game that is over, and is not graded. */
  get #awaitsGrades(): boolean {
    for (const gameId of this.#account.games.keys())
      if (this.#mirror.games.get(gameId)?.game.ended === true && this.#isHeldIn(gameId)) return true;
    return false;
  }

  /** Orders that former runs left resting and that a list may still show. */
  *notAdopted(): Iterable<RestingOrder> {
    const mayShow = !this.complete || this.#isYoung;
    for (const { orderId, order, sentT } of this.#account.former.all)
      if (!this.#account.owns(orderId) && (mayShow || this.#waitingOrders.has(orderId)))
        yield { orderId, order, sentT };
  }

  /** As soon as possible: the feed may have missed something. */
  ask(): void {
    this.#wantList(this.#now);
  }

  /** A list that is asked for from now on. One that is under way is older: then the next one comes right behind it. */
  #wantList(from: number): void {
    this.#newsAt = this.#now;
    this.#plan(from);
  }

  #plan(from: number): void {
    if (this.#reading !== undefined) return;
    const at = Math.max(this.#now, from);
    this.#nextAt = Math.min(this.#nextAt ?? at, at);
  }

  /** When the account is read next. */
  nextDue(deeds: number): number {
    if (this.#nextAt === undefined) return Number.POSITIVE_INFINITY;
    if (this.#doneSoFar(deeds) === this.#deeds) return this.#nextAt;
    return Math.min(this.#nextAt, this.#askedAt + this.#settings.reconcileEveryMs);
  }

  /** Grows with everything that changes what the account has; `deeds`: requests sent. */
  #doneSoFar(deeds: number): number {
    const { placed, edited, cancelled, refused, fills } = this.#account.counts;
    return deeds + placed + edited + cancelled + refused + fills;
  }

  #deedsNow = 0;

  sweep(booksAreRead: boolean, deeds: number): void {
    this.#deedsNow = deeds;
    this.#askForGrades();
    // sides are reported by participant: the games should be known first
    const waitsForBooks = !booksAreRead && this.#now < this.#bootedAt + WAIT_FOR_BOOKS_MS;
    if (waitsForBooks || this.#now < this.nextDue(deeds)) return;
    this.#nextAt = this.#now + RETRY_MS;
    this.#askedAt = this.#now;
    this.#reading = this.#orders === undefined ? 'open-orders' : 'plays';
    this.#account.news.ask('account', { what: this.#reading });
  }

  /** A list of open orders, whoever asked for it: orders without an answer may be in it, by reference or by signature. */
  applyOpenOrders(list: readonly OpenOrder[], asked: number): void {
    for (const row of list) {
      const known = this.#account.find(row.orderId, row.ref);
      if (known !== undefined && (known.ref === row.ref || known.id?.orderId === row.orderId)) {
        if (known.status === 'unknown' && known.id === undefined) this.#recordRow(row, asked);
        continue;
      }
      if (row.ref === undefined && this.#account.unknown.size > 0) this.#recordRow(row, asked);
    }
  }

  #recordRow(row: OpenOrder, asked: number): void {
    this.#account.record(factOfRow(row, this.#mirror.placeOf(row.gameId, row.place), asked, this.#now));
  }

  /** Undefined: the read failed, and is made again. */
  applyOrders(list: readonly OpenOrder[] | undefined, asked: number): void {
    // the end of a run reads lists of its own
    if (this.#reading !== 'open-orders' || list === undefined) return;
    this.#orders = { list, readAt: asked };
    this.#reading = 'plays';
    this.#account.news.ask('account', { what: 'plays' });
  }

  applyFills(fills: readonly OpenPlay[] | undefined): void {
    if (fills === undefined) return;
    const orders = this.#orders;
    // the end of a run asks for fills alone
    if (orders === undefined) {
      for (const fill of fills) this.#recordFill(fill);
      return;
    }
    this.#orders = undefined;
    this.#reading = undefined;
    // as these lists show them
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
    const done = this.#doneSoFar(this.#deedsNow);
    const isAsItWas = reconcileBacksOff && !this.#isYoung && done === this.#deeds;
    this.#quietMs = isAsItWas ? 2 * this.#quietMs : reconcileEveryMs;
    this.#deeds = done;
    const againMs = readAt < this.#newsAt ? RETRY_MS : readAt < this.#externalAt ? EXTERNAL_EVERY_MS : undefined;
    this.#nextAt =
      againMs === undefined
        ? this.#now + (this.#isYoung ? AT_FIRST_EVERY_MS : this.#quietMs)
        : Math.max(this.#now, this.#askedAt + againMs);
  }

  #recordFill(fill: OpenPlay): void {
    const { txId, orderId, ref, gameId, graded, profit } = fill;
    const place = this.#mirror.placeOf(gameId, fill.place);
    // what is graded and was never held costs nothing any more
    if (graded !== true || this.#account.find(orderId, ref) !== undefined)
      recordListedFill(this.#account, fill, place, this.#now);
    if (graded === true) this.#account.fills.applyGraded(txId, profit);
    else if (place === undefined) this.#want(gameId);
  }

  /** What waits has its place once this game is known. Books of a league leave out games that are over, or closed. */
  #want(gameId: GameId): void {
    this.#waitsFor.add(gameId);
    this.#mirror.wanted.add(gameId);
  }

  /** What former runs sent may still arrive. */
  get #isYoung(): boolean {
    return this.#now - this.#bootedAt < this.#settings.lateArrivalMs + AT_FIRST_EVERY_MS;
  }

  // ——— open orders

  /** False when it is not ours. */
  #compareRow(row: OpenOrder, asked: number): boolean {
    const account = this.#account;
    const known = account.find(row.orderId, row.ref);
    if (known !== undefined) {
      const { status, endedAt } = known;
      const isOver = !isActive(status) && status !== 'never-landed' && status !== 'refused';
      if (status !== 'sending') this.#recordRow(row, asked);
      const now = account.find(row.orderId, row.ref);
      if (now !== undefined && row.filled !== undefined && row.filled > 0)
        account.record({
          ...factOfRow(row, undefined, asked, this.#now),
          says: { type: 'total', filled: row.filled },
        });
      // it ended, and a list that is newer than its end shows it: one of the two is wrong
      if (isOver && !isActive(known.status) && asked - endedAt > SETTLE_MS) this.#inquire(known);
      return true;
    }
    const former = account.former.of(row, this.#mirror.placeOf(row.gameId, row.place));
    if (former !== undefined) {
      this.#adoptFormer(row, former, asked);
      return true;
    }
    if (row.ref === undefined) {
      // what was there before an order was sent is not that order, however alike they look
      this.#recordRow(row, asked);
      return account.find(row.orderId, undefined) !== undefined;
    }
    const owner = ownerOf(row.ref, this.#settings.instance);
    if (owner === undefined) return false;
    if (row.odds === undefined || row.risk === undefined) return false;
    this.#adopt(row, row.ref, owner, asked);
    this.#watchRuns(row.orderId, row.ref);
    return true;
  }

  #adopt(row: OpenOrder, ref: OrderRef, owner: Owner, asked: number): void {
    const place = this.#mirror.placeOf(row.gameId, row.place);
    if (place === undefined) {
      this.#waitForGame(row);
      return;
    }
    const { odds, risk } = row;
    if (odds === undefined || risk === undefined) return;
    // whole cents, and rather more than less
    const order = { ref, ...place, rung: rungOf(odds), risk: cents(Math.ceil(risk / 10_000)) };
    this.#takeOver(order, owner, row, factOfRow(row, place, asked, this.#now));
  }

  /** The list names no reference: the order is the one that a former run wrote down under this id. */
  #adoptFormer(row: OpenOrder, { order, owner, sentT }: FormerOrder, asked: number): void {
    if (this.#mirror.placeOf(row.gameId, row.place) === undefined) this.#waitForGame(row);
    else
      this.#takeOver(
        order,
        owner,
        row,
        { ...factOfRow(row, undefined, asked, this.#now), ref: order.ref, isRefRecalled: true },
        sentT,
      );
  }

  #waitForGame(row: OpenOrder): void {
    this.#waitingOrders.set(row.orderId, row);
    if (row.gameId !== undefined) this.#want(row.gameId);
  }

  #takeOver(order: NewOrder, owner: Owner, { orderId, filled }: OpenOrder, listed: Fact, sentT?: number): void {
    this.#account.applyAdopted(order, owner, listed, sentT);
    if (filled !== undefined && filled > 0)
      this.#account.record({ ...listed, signature: undefined, says: { type: 'total', filled } });
    this.#account.alert('info', 'ORDER_ADOPTED', 'an open order of a former run is taken over', {
      orderId,
      ref: order.ref,
      strategy: owner.strategy,
      marketId: order.market.id,
    });
  }

  /** Another run's order that no list showed, when nothing of former runs can still arrive: that one runs now. */
  #watchRuns(orderId: OrderId, ref: OrderRef): void {
    const run = runOf(ref);
    if (!this.complete || this.#isYoung || run === this.#run || this.#seenExternal.has(orderId)) return;
    const message = 'another bot of this instance places orders on the account: stop one of them';
    this.#account.alert('error', 'SECOND_BOT', message, { run, orderId, ref }, `run ${run}`);
  }

  /** Orders that are believed to be open and that the list does not show. */
  #compareBelief(list: readonly OpenOrder[], asked: number): void {
    const listed = new Set(list.map(({ orderId }) => orderId));
    for (const order of this.#account.active) {
      const id = order.id?.orderId;
      if (order.status !== 'open' || id === undefined || listed.has(id)) continue;
      if (asked - order.openSince > SETTLE_MS) this.#inquire(order);
    }
  }

  #inquire(order: OwnOrder): void {
    const message = 'an order is open in one view and not in another: it is looked up';
    const { ref, status, id } = order;
    this.#account.alert('warn', 'VIEWS_DIFFER', message, { orderId: id?.orderId, ref, status });
    this.#account.lookUps.inquire(order);
  }

  /** `ofInstance`: those of another bot of our instance: they count, and no policy is theirs. */
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
    const unplaced = own.filter(isNew);
    const news = rows.filter(isNew);
    this.#seenExternal = new Set([...rows, ...own].map(({ orderId }) => orderId));
    for (const { orderId, ref, gameId } of unplaced) {
      const message =
        'an open order of another run is in a game that no book shows: it counts, and is left until one does';
      this.#account.alert('warn', 'ORDER_ELSEWHERE', message, { orderId, ref, gameId });
    }
    for (const { orderId, ref } of news) {
      const message = 'the account has an open order that no run of this instance placed';
      this.#account.alert('warn', 'FOREIGN_ORDER', message, { orderId, ref, policy: foreign });
    }
    if (foreign === 'refuse' && rows.length > 0 && !this.complete)
      this.refusal ??= {
        code: EXIT.refused,
        error: 'FOREIGN_ORDER',
        reason: `the account has ${rows.length} open orders that are not ours (orders.foreign: refuse)`,
      };
    if (foreign === 'cancel') this.#account.news.cancel(rows.map(({ orderId }) => orderId));
  }

  // ——— games that are not known yet

  /** What waits for a game has its place as soon as the game is known, before anything is quoted there. */
  placeWaiting(): void {
    if (!this.#mirror.takeKnown(this.#waitsFor)) return;
    // before their orders, which were filled by them
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
