// The census of the account (DESIGN rule 3): what the exchange lists as open and as matched, held against the ledger. At the
// start it adopts what former runs left, after a drop of the user feed it finds what the feed did not tell, and once a
// minute it looks whether all is well. A list is never believed against an order that changed after it was read: what
// differs is looked up by id.
import type {
  GameId,
  Micros,
  OpenOrder,
  OpenPlay,
  OrderId,
  OrderRef,
  PositionEvent,
  UnansweredOrder,
} from '../domain/index.ts';
import { cents, EXIT, isActive, market, rungOf } from '../domain/index.ts';
import type { ExitCode } from '../domain/index.ts';
import type { Mirror } from '../mirror/index.ts';
import type { ForeignOrder, FormerOwner, OrderManager } from '../orders/index.ts';
import { modeOf, ownerOf, runOf } from '../orders/index.ts';
import { PlayCensus } from './census-plays.ts';
import type { Desk } from './desk.ts';
import type { CoreSettings } from './settings.ts';

/** Where time leaps, each census that found all as it was waits twice as long for the next: between two tapes may lie years. */
const EVERY_MS = { steady: 60_000, 'when-due': 6 * 3_600_000 };
/** While requests of a former life may still land. */
const AT_FIRST_EVERY_MS = 5000;
const RETRY_MS = 1000;
/** While somebody else trades on the account. */
const STRANGERS_EVERY_MS = 5000;
/** Books that cannot be read keep nobody from knowing what the account has. */
const WAIT_FOR_BOOKS_MS = 10_000;
/** An event may be this much later than a list that shows its effect. */
const SETTLE_MS = 2000;

export type CensusSettings = Pick<
  CoreSettings,
  'lateArrivalMs' | 'foreign' | 'housekeeping' | 'playerMode'
> & {
  readonly instance: string;
};

export type Refusal = { readonly code: ExitCode; readonly error: string; readonly reason: string };

export class Census {
  /** False until the account was read once: nothing is quoted before. */
  complete = false;
  /** How many open orders the newest census found, foreign ones included, and when it was read. */
  listed: { readonly open: number; readonly readAt: number } | undefined;
  /** Set when the run must not go on with what is on the account. */
  refusal: Refusal | undefined;
  readonly plays: PlayCensus;
  readonly #desk: Desk;
  readonly #mirror: Mirror;
  readonly #manager: OrderManager;
  readonly #settings: CensusSettings;
  #nextAt: number | undefined;
  /** When the newest census was asked for, how long the next may wait, and what the run had done by then. */
  #askedAt = 0;
  #quietMs = 0;
  #deeds = -1;
  /** When something was told that only a list of later shows whole. */
  #newsAt = Number.NEGATIVE_INFINITY;
  /** The same of somebody else's orders. */
  #strangersAt = Number.NEGATIVE_INFINITY;
  #bootedAt = Number.NEGATIVE_INFINITY;
  #run = '';
  #reading: 'open-orders' | 'plays' | undefined;
  #orders: { readonly list: readonly OpenOrder[]; readonly readAt: number } | undefined;
  /** Own orders in games that are not known yet; they are placed when the game is. */
  readonly #waitingOrders = new Map<OrderId, OpenOrder>();
  /** Their games. */
  readonly #waitsFor = new Set<GameId>();
  /** Foreign orders of the census before. */
  #seenForeign: ReadonlySet<OrderId> = new Set();

  constructor(desk: Desk, mirror: Mirror, manager: OrderManager, settings: CensusSettings) {
    this.#desk = desk;
    this.#mirror = mirror;
    this.#manager = manager;
    this.#settings = settings;
    this.plays = new PlayCensus(desk, mirror, manager, settings);
  }

  /** Orders of the run before that were never answered: they may land, and count until it is known. */
  applyBoot(run: string, unanswered: readonly UnansweredOrder[], t: number): void {
    const { now } = this.#desk;
    this.#run = run;
    this.#bootedAt = now;
    for (const { order, sentT } of unanswered) {
      const owner = this.#ownerOf(order.ref);
      const { gameId, type, line } = order.market;
      if (owner !== undefined)
        this.#manager.ledger.applyUnanswered(
          { ...order, market: market(gameId, type, line) },
          owner,
          now - Math.max(0, t - sentT),
          sentT,
        );
    }
  }

  /** Undefined for an order that no run of this instance sent. */
  #ownerOf(ref: OrderRef): FormerOwner | undefined {
    const { instance, playerMode } = this.#settings;
    const owner = ownerOf(ref, instance);
    return owner === undefined ? undefined : { ...owner, isOfMode: modeOf(ref) === playerMode };
  }

  /**
   * The user feed told of an order that the ledger does not have: ours, if a former life placed it and it landed late, or
   * somebody else's. What it filled counts at once. Without a reference it may also be one whose id is awaited.
   */
  applyStranger({ fill, ref, orderId, gameId, place }: PositionEvent): void {
    if (ref === undefined && this.#awaitsIds) return;
    const isOurs = ref !== undefined && this.#ownerOf(ref) !== undefined;
    if (isOurs) this.#want(this.#askedAt + RETRY_MS);
    else {
      this.#strangersAt = this.#desk.now;
      this.#plan(this.#askedAt + STRANGERS_EVERY_MS);
    }
    // what is told without its place is told whole by the list
    if (fill !== undefined && this.#mirror.placeOf(gameId, place) !== undefined)
      this.plays.apply({ ...fill, ref, orderId, gameId, place }, !this.complete);
  }

  get #awaitsIds(): boolean {
    for (const { orderId } of this.#manager.ledger.active) if (orderId === undefined) return true;
    return false;
  }

  /** As soon as possible: the feed may have missed something. */
  ask(): void {
    this.#want(this.#desk.now);
  }

  /** A list that is asked for from now on. One that is under way is older: then the next one comes right behind it. */
  #want(from: number): void {
    this.#newsAt = this.#desk.now;
    this.#plan(from);
  }

  #plan(from: number): void {
    if (this.#reading !== undefined) return;
    const at = Math.max(this.#desk.now, from);
    this.#nextAt = Math.min(this.#nextAt ?? at, at);
  }

  /** When the account is read next. */
  get nextDue(): number {
    if (this.#nextAt === undefined) return Number.POSITIVE_INFINITY;
    if (this.#doneSoFar === this.#deeds) return this.#nextAt;
    return Math.min(this.#nextAt, this.#askedAt + EVERY_MS[this.#settings.housekeeping]);
  }

  /** Grows with everything that changes what the account has. */
  get #doneSoFar(): number {
    const { placed, edited, cancelled, refused, fills } = this.#manager.ledger.stats;
    return this.#manager.sender.spent + placed + edited + cancelled + refused + fills;
  }

  sweep(booksAreRead: boolean): void {
    // sides are told by participant: the games should be known first
    const waitsForBooks = !booksAreRead && this.#desk.now < this.#bootedAt + WAIT_FOR_BOOKS_MS;
    if (waitsForBooks || this.#desk.now < this.nextDue) return;
    this.#nextAt = this.#desk.now + RETRY_MS;
    this.#askedAt = this.#desk.now;
    this.#reading = this.#orders === undefined ? 'open-orders' : 'plays';
    this.#desk.read({ what: this.#reading });
  }

  /** Orders that were never answered may be in any list: by their reference or, where it tells none, by their looks. */
  applySightings(list: readonly OpenOrder[]): void {
    const { ledger, answers } = this.#manager;
    if (ledger.unknown.size === 0) return;
    for (const { orderId, gameId, ref, odds, risk, createdAt, place: told } of list) {
      const known = ref === undefined ? undefined : ledger.find(undefined, ref);
      if (known !== undefined) {
        answers.tellsReferences = true;
        if (known.status === 'unknown' && known.orderId === undefined)
          answers.applyFound(known, orderId, this.#desk.now);
      }
      const place =
        ref === undefined && !ledger.owns(orderId) ? this.#mirror.placeOf(gameId, told) : undefined;
      if (place === undefined || odds === undefined) continue;
      answers.applySighting({ orderId, ...place, rung: rungOf(odds), risk, createdAt }, this.#desk.now);
    }
  }

  /** Undefined: the read failed, and is made again. */
  applyOrders(list: readonly OpenOrder[] | undefined, readAt: number): void {
    // the end of a run reads lists of its own
    if (this.#reading !== 'open-orders' || list === undefined) return;
    this.#orders = { list, readAt };
    this.#reading = 'plays';
    this.#desk.read({ what: 'plays' });
  }

  applyPlays(plays: readonly OpenPlay[] | undefined): void {
    const orders = this.#orders;
    if (plays === undefined) return;
    // the end of a run asks for plays alone
    if (orders === undefined) {
      for (const play of plays) this.plays.apply(play, !this.complete);
      return;
    }
    this.#orders = undefined;
    this.#reading = undefined;
    // as these lists show them
    this.#mirror.wanted.clear();
    const young = this.#isYoung;
    const everyMs = EVERY_MS[this.#settings.housekeeping];
    const leaps = this.#settings.housekeeping === 'when-due';
    const isAsItWas = leaps && !young && this.#doneSoFar === this.#deeds;
    this.#quietMs = isAsItWas ? 2 * this.#quietMs : everyMs;
    this.#deeds = this.#doneSoFar;
    const { list, readAt } = orders;
    const againMs =
      readAt < this.#newsAt ? RETRY_MS : readAt < this.#strangersAt ? STRANGERS_EVERY_MS : undefined;
    this.#nextAt =
      againMs === undefined
        ? this.#desk.now + (young ? AT_FIRST_EVERY_MS : this.#quietMs)
        : Math.max(this.#desk.now, this.#askedAt + againMs);
    const foreign: OpenOrder[] = [];
    this.#waitingOrders.clear();
    for (const row of list) if (!this.#compareRow(row, readAt)) foreign.push(row);
    this.#compareLedger(list, readAt);
    this.#applyForeign(foreign);
    for (const play of plays) this.plays.apply(play, !this.complete);
    this.placeWaiting();
    this.plays.settleEnded(plays);
    this.#manager.answers.applyFillsRead(undefined, readAt);
    this.complete = true;
    this.listed = { open: list.length, readAt };
  }

  /** What former runs sent may still arrive. */
  get #isYoung(): boolean {
    return this.#desk.now - this.#bootedAt < this.#settings.lateArrivalMs + AT_FIRST_EVERY_MS;
  }

  // ——— open orders

  /** False when it is not ours. */
  #compareRow(row: OpenOrder, readAt: number): boolean {
    const { ledger } = this.#manager;
    const known = ledger.find(row.orderId, row.ref);
    if (known !== undefined) {
      const { answers } = this.#manager;
      const isNamed = row.ref === known.ref;
      if (isNamed) answers.tellsReferences = true;
      const isNewer = isActive(known.status)
        ? readAt > known.askedAt
        : readAt - known.endedAt > SETTLE_MS || known.status === 'never-landed';
      // an id that was learned by looks is another order's, and so is what was told of it
      const isMistaken = isNamed && known.byLooks && known.orderId !== row.orderId;
      if (isNewer && known.status !== 'sending') {
        if (isMistaken || known.orderId === undefined || known.status === 'unknown')
          answers.applyListed(known, row.orderId, this.#desk.now);
        // it ended, and a list that is newer than its end shows it: one of the two is wrong
        else if (!isActive(known.status)) this.#quarantine(known);
      }
      if (row.filled !== undefined) this.#manager.answers.noteFilled(known, row.filled);
      return true;
    }
    const owner = row.ref === undefined ? undefined : this.#ownerOf(row.ref);
    if (owner === undefined || row.ref === undefined) return false;
    if (row.odds === undefined || row.risk === undefined) return false;
    const place = this.#mirror.placeOf(row.gameId, row.place);
    if (place === undefined) {
      this.#waitingOrders.set(row.orderId, row);
      if (row.gameId !== undefined) {
        this.#waitsFor.add(row.gameId);
        this.#mirror.wanted.add(row.gameId);
      }
      this.#watchRuns(row.orderId, row.ref);
      return true;
    }
    const order = {
      ref: row.ref,
      ...place,
      rung: rungOf(row.odds),
      // whole cents, and rather more than less
      risk: cents(Math.ceil(row.risk / 10_000)),
    };
    const adopted = ledger.applyAdopted(order, owner, row.orderId, this.#desk.now);
    // as old as the list that shows it: a newer one may tell that it is gone
    adopted.openSince = Math.min(adopted.openSince, readAt);
    if (row.filled !== undefined && row.filled > 0) this.#manager.answers.noteFilled(adopted, row.filled);
    this.#desk.alert('info', 'ORDER_ADOPTED', 'an open order of a former run is taken over', {
      orderId: row.orderId,
      ref: row.ref,
      strategy: owner.strategy,
      marketId: place.market.id,
    });
    this.#watchRuns(row.orderId, row.ref);
    return true;
  }

  /** Another run's order that no list showed, when nothing of former runs can still arrive: that one runs now. */
  #watchRuns(orderId: OrderId, ref: OrderRef): void {
    const run = runOf(ref);
    if (!this.complete || this.#isYoung || run === this.#run || this.#seenForeign.has(orderId)) return;
    const text = 'another bot of this instance places orders on the account: stop one of them';
    this.#desk.alertOnce(`run ${run}`, 'error', 'SECOND_BOT', text, { run, orderId, ref });
  }

  /** Orders that the ledger takes for open and the list does not show. */
  #compareLedger(list: readonly OpenOrder[], readAt: number): void {
    const listed = new Set(list.map(({ orderId }) => orderId));
    for (const order of this.#manager.ledger.active) {
      if (order.status !== 'open' || order.orderId === undefined || listed.has(order.orderId)) continue;
      if (readAt - order.openSince > SETTLE_MS) this.#quarantine(order);
    }
  }

  #quarantine(order: Parameters<OrderManager['answers']['lookUp']>[0]): void {
    this.#desk.alert(
      'warn',
      'VIEWS_DIFFER',
      'an order is open in one view and not in another: it is looked up',
      {
        orderId: order.orderId,
        ref: order.ref,
        status: order.status,
      },
    );
    this.#manager.answers.lookUp(order);
  }

  #applyForeign(rows: readonly OpenOrder[]): void {
    const { foreign } = this.#settings;
    const placed: ForeignOrder[] = [];
    const elsewhere = new Map<OrderId, Micros>();
    for (const row of [...rows, ...this.#waitingOrders.values()]) {
      const { orderId, gameId, odds, remaining = row.risk } = row;
      const place = this.#mirror.placeOf(gameId, row.place);
      if (remaining === undefined) continue;
      if (place === undefined || odds === undefined) elsewhere.set(orderId, remaining);
      else placed.push({ orderId, ...place, rung: rungOf(odds), remaining });
    }
    this.#manager.ledger.applyForeign(placed, elsewhere);
    const own = [...this.#waitingOrders.values()];
    const isNews = ({ orderId }: OpenOrder): boolean => !this.#seenForeign.has(orderId);
    const news = rows.filter(isNews);
    const unplaced = own.filter(isNews);
    this.#seenForeign = new Set([...rows, ...own].map(({ orderId }) => orderId));
    for (const { orderId, ref, gameId } of unplaced) {
      const fields = { orderId, ref, gameId };
      const text =
        'an open order of another run is in a game that no book shows: it counts, and is left until one does';
      this.#desk.alert('warn', 'ORDER_ELSEWHERE', text, fields);
    }
    for (const { orderId, ref } of news) {
      this.#desk.alert(
        'warn',
        'FOREIGN_ORDER',
        'the account has an open order that no run of this instance placed',
        {
          orderId,
          ref,
          policy: foreign,
        },
      );
    }
    if (foreign === 'refuse' && rows.length > 0 && !this.complete)
      this.refusal ??= {
        code: EXIT.refused,
        error: 'FOREIGN_ORDER',
        reason: `the account has ${rows.length} open orders that are not ours (orders.foreign: refuse)`,
      };
    if (foreign === 'cancel' && rows.length > 0)
      this.#manager.cancelForeign(
        rows.map(({ orderId }) => orderId),
        this.#desk.now,
      );
  }

  // ——— games that are not known yet

  /** What waits for a game has its place as soon as the game is known, before anything is quoted there. */
  placeWaiting(): void {
    // before their orders, which take what they were filled
    this.plays.placeWaiting();
    if (!this.#mirror.takeKnown(this.#waitsFor)) return;
    for (const row of this.#waitingOrders.values()) {
      if (this.#mirror.placeOf(row.gameId, row.place) === undefined) continue;
      this.#waitingOrders.delete(row.orderId);
      this.#manager.ledger.foreign.leaveElsewhere(row.orderId);
      this.#compareRow(row, this.listed?.readAt ?? this.#desk.now);
      // the list may be old
      this.ask();
    }
  }
}
