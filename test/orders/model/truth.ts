// The model of the exchange: the true orders and fills, the requests in flight and what the exchange did with
// each. It is simple on purpose and takes nothing from the order manager, because it judges the order
// manager.
import type {
  Command,
  FailureKind,
  GameId,
  Micros,
  NewOrder,
  OrderId,
  RequestCommand,
  TxId,
} from '../../../src/domain/index.ts';
import { isRequest } from '../../../src/domain/index.ts';
import type { Answer, TrueFill, TrueOrder } from './bodies.ts';
import { errorOf, fillOf, placed, placeOf, positionOf, referenceOf, remaining, rowOf, tookOf } from './bodies.ts';
import type { Setup } from './scene.ts';
import { LATE_ARRIVAL_MS, leagueOf, REQUEST_TIMEOUT_MS, STEP_MS } from './scene.ts';

/** A request in flight. It is removed when its answer arrived, or when it can have no effect any more. */
export type Flight = {
  readonly command: RequestCommand;
  readonly sentAt: number;
  /** The exchange acted on it, or never will. */
  acted: boolean;
  /** The answer of the exchange. Undefined until it acted. */
  answer: Answer | undefined;
  /** The orders that the exchange refused, with its reason if it gives one. */
  readonly refused: Map<NewOrder, string | undefined>;
  /** The fills whose orders a read names. */
  named: readonly TrueFill[];
  timedOut: boolean;
  /** No answer will arrive, or the one that arrived said nothing. */
  isSilent: boolean;
};

/** How the exchange treats a request. */
export type Treatment = {
  readonly status: number;
  /** The exchange acts in spite of an error status, as far as the status leaves that open. */
  readonly acts: boolean;
  /** Bit i: order i is refused, id i is not cancelled, reference i is left out. */
  readonly mask: number;
  /** The part of an edit that works: all, only the cancel, or not even the cancel. */
  readonly half: 'both' | 'cancelled' | 'neither';
};
export const GOOD: Treatment = { status: 200, acts: true, mask: 0, half: 'both' };

/** An event on its way to the user feed. */
export type Waiting = {
  readonly fill: TrueFill | undefined;
  /** When it was sent, in ms. */
  readonly at: number;
  /** The payload, with or without the optional fields. */
  readonly text: (bare: boolean) => string;
};

const ERROR_TYPES = ['rejected_liability', 'validation_error', 'system_error'] as const;
const DRAIN_MS = 1000 / 15;

export const ordersOf = (command: RequestCommand): readonly NewOrder[] =>
  command.type === 'place' ? command.orders : command.type === 'edit' ? [command.order] : [];

export class Truth {
  readonly setup: Setup;
  now = 1000;
  readonly orders: TrueOrder[] = [];
  /** All orders that were ever sent, and those among them whose answer was late, lost or said nothing. */
  readonly sent: NewOrder[] = [];
  readonly unanswered = new Set<NewOrder>();
  readonly fills: TrueFill[] = [];
  flights: Flight[] = [];
  /** Permits in the manager's hands. */
  readonly permits = { place: new Set<number>(), cancel: new Set<number>() };
  readonly feed: Waiting[] = [];
  /** Events that were delivered: an event may arrive twice. */
  readonly delivered: Waiting[] = [];
  feedIsUp = true;
  /** Something was not reported, or not completely. */
  isLossy = false;
  /** Nothing may be placed any more. */
  stopped = false;
  #granted = 0;
  #ids = 0;
  #draining: TrueOrder[] = [];
  #lockedUntil = 0;

  constructor(setup: Setup) {
    this.setup = setup;
  }

  get open(): readonly TrueOrder[] {
    return this.orders.filter(({ end }) => end === undefined);
  }

  get own(): readonly TrueOrder[] {
    return this.open.filter(({ own }) => own !== undefined);
  }

  /** Orders of other clients. */
  get external(): readonly TrueOrder[] {
    return this.open.filter(({ own }) => own === undefined);
  }

  /** The newest order with this id: an edit may keep the id. */
  byId(id: string): TrueOrder | undefined {
    return this.orders.findLast((order) => order.id === id);
  }

  setFeed(isUp: boolean): void {
    this.feedIsUp = isUp;
    // events in flight are lost
    if (!isUp) this.loseEvents(this.feed.length);
  }

  loseEvents(count: number): void {
    this.feed.splice(0, count);
    this.isLossy = true;
  }

  /**
   * Without references an event older than anything that can still land no longer identifies its order: a
   * client may have forgotten that order and sent one with the same odds and size.
   */
  isTooOld({ at: sentAt }: Waiting): boolean {
    return !this.setup.reportsReferences && this.now - sentAt >= LATE_ARRIVAL_MS;
  }

  nextEvent(): Waiting | undefined {
    const fresh = this.feed.findIndex((event) => !this.isTooOld(event));
    if (fresh !== 0 && this.feed.length > 0) this.loseEvents(fresh < 0 ? this.feed.length : fresh);
    const event = this.feed.shift();
    if (event !== undefined) this.delivered.push(event);
    return event;
  }

  /**
   * Notes what an event reported by itself. `bare`: without its market and reference. `isKnown`: the id of
   * its order was reported before.
   */
  noteDelivered({ fill }: Waiting, bare: boolean, isKnown: boolean): void {
    if (fill === undefined) return;
    const { own } = fill.order;
    if (!bare || isKnown) fill.isNamed = true;
    // only a list shows the market of a fill that names nothing
    if (own === undefined && bare) this.isLossy = true;
  }

  /** Notes what a list of plays or a look-up by reference reported. */
  noteAnswered({ command, answer, named, timedOut }: Flight): void {
    // the bot no longer waits for a read that timed out
    if (command.type !== 'read' || answer?.status !== 200 || timedOut) return;
    for (const fill of named) fill.isNamed = true;
  }

  grant(bucket: 'place' | 'cancel'): number {
    this.#granted += 1;
    this.permits[bucket].add(this.#granted);
    return this.#granted;
  }

  /** Removes a request that can have no further effect. */
  forget(flight: Flight): void {
    this.flights = this.flights.filter((other) => other !== flight);
  }

  /** A command leaves the bot. */
  send(command: Command): void {
    if (!isRequest(command)) return;
    this.sent.push(...ordersOf(command));
    this.flights.push({
      command,
      sentAt: this.now,
      acted: false,
      answer: undefined,
      refused: new Map(),
      named: [],
      timedOut: false,
      isSilent: false,
    });
  }

  /** The run before ended while this order was in flight: no run waits for the answer. */
  sendFormer(order: NewOrder): void {
    this.send({ type: 'place', req: -1, permit: 0, orders: [order], why: [] });
    for (const flight of this.flights) flight.isSilent = true;
    this.unanswered.add(order);
    this.isLossy = true;
  }

  // ——— events at the exchange

  /** Posts an order. `options`: the reference of an external order, and the id that an edit keeps. */
  post(
    order: NewOrder | undefined,
    terms: Pick<TrueOrder, 'market' | 'side' | 'rung' | 'risk'>,
    options: { readonly reference?: string | undefined; readonly id?: OrderId | undefined } = {},
  ): TrueOrder {
    const posted = this.#added(order, terms, options);
    this.#report(posted);
    return posted;
  }

  #added(
    own: NewOrder | undefined,
    { market, side, rung, risk }: Pick<TrueOrder, 'market' | 'side' | 'rung' | 'risk'>,
    options: { readonly reference?: string | undefined; readonly id?: OrderId | undefined },
  ): TrueOrder {
    this.#ids += 1;
    const added: TrueOrder = {
      id: options.id ?? (`o${this.#ids}` as OrderId),
      own,
      reference: this.setup.reportsReferences ? (own?.ref ?? options.reference) : undefined,
      market,
      side,
      rung,
      risk,
      createdAt: this.now,
      filled: 0,
      end: undefined,
    };
    this.orders.push(added);
    return added;
  }

  postOwn(order: NewOrder, id?: OrderId): TrueOrder {
    return this.post(order, { ...order, risk: (order.risk * 10_000) as Micros }, { id });
  }

  /** An external order takes an offer at once: nothing of it ever rests. */
  takeExternal(terms: Pick<TrueOrder, 'market' | 'side' | 'rung' | 'risk'>, reference?: string): void {
    const order = this.#added(undefined, terms, { reference });
    order.filled = order.risk;
    order.end = 'filled';
    const fill = this.#filled(order, order.risk);
    if (this.feedIsUp) this.feed.push({ fill, at: this.now, text: tookOf(fill) });
  }

  cancel(order: TrueOrder): void {
    if (order.end !== undefined) return;
    order.end = 'cancelled';
    this.#report(order);
  }

  /** `quiet`: the event names no play, only the total filled amount. */
  fill(order: TrueOrder, risk: number, quiet: boolean): void {
    order.filled += risk;
    if (order.filled >= order.risk) order.end = 'filled';
    const fill = this.#filled(order, risk);
    const isQuiet = quiet && order.end === undefined;
    if (isQuiet) this.isLossy = true;
    this.#report(order, isQuiet ? undefined : fill);
  }

  #filled(order: TrueOrder, risk: number): TrueFill {
    const fill = { txId: `t${this.fills.length}` as TxId, order, risk: risk as Micros, isNamed: false };
    this.fills.push(fill);
    return fill;
  }

  #report(order: TrueOrder, fill?: TrueFill): void {
    // external orders are reported to the same account; only lists show that they are external
    if (!this.feedIsUp) return;
    const text = positionOf(order, fill);
    this.feed.push({ fill, at: this.now, text });
  }

  /** Time passes at the exchange, up to a step of the bot. */
  advance(ms: number): void {
    for (let left = Math.floor(ms / DRAIN_MS); left > 0 && this.#draining.length > 0; left--) {
      const next = this.#draining.shift();
      if (next !== undefined) this.cancel(next);
    }
    this.now += ms;
    for (const flight of this.flights) if (this.now - flight.sentAt >= LATE_ARRIVAL_MS) flight.acted = true;
  }

  /** The failures that the bot's shell would report by now; each is an input of its own. */
  overdue(): readonly { readonly req: number; readonly failure: FailureKind }[] {
    const late: { req: number; failure: FailureKind }[] = [];
    for (const flight of this.flights) {
      const { req } = flight.command;
      const age = this.now - flight.sentAt;
      if (!flight.isSilent && !flight.timedOut && age >= REQUEST_TIMEOUT_MS) {
        flight.timedOut = true;
        this.noteUnanswered(flight);
        late.push({ req, failure: 'timeout' });
      }
      if (flight.isSilent || age < LATE_ARRIVAL_MS) continue;
      late.push({ req, failure: 'no-answer' });
      this.noteUnanswered(flight);
      if (ordersOf(flight.command).length > 0) this.isLossy = true;
    }
    this.flights = this.flights.filter(({ sentAt }) => this.now - sentAt < LATE_ARRIVAL_MS);
    return late;
  }

  noteUnanswered({ command }: Flight): void {
    for (const order of ordersOf(command)) this.unanswered.add(order);
  }

  // ——— the exchange's treatment of a request

  act(flight: Flight, how: Treatment): void {
    if (flight.acted) return;
    flight.acted = true;
    const { command } = flight;
    // a 404 to a look-up would be untrue: the model answers it where it is true
    const status = command.type === 'read' && how.status === 404 ? 500 : how.status;
    const locked = command.type === 'cancel' && this.now < this.#lockedUntil;
    if (locked || (status !== 200 && !(how.acts && this.#leavesOpen(command, status)))) {
      for (const order of ordersOf(command)) flight.refused.set(order, undefined);
      flight.answer = errorOf(locked ? 423 : status);
      return;
    }
    const body = this.#carryOut(flight, { ...how, status });
    if (status !== 200) flight.answer = errorOf(status);
    else flight.answer = body === undefined ? errorOf(404) : { status, body };
  }

  /** The exchange may have acted in spite of this status. */
  #leavesOpen({ type, ...command }: RequestCommand, status: number): boolean {
    if (status === 500) return true;
    if (status !== 400 && status !== 403 && status !== 404 && status !== 409) return false;
    if (type === 'edit') return true;
    const { batchIsAtomic, batch400IsAtomic } = this.setup;
    const isAtomic = batchIsAtomic || (status === 400 && batch400IsAtomic);
    return type === 'place' && !isAtomic && 'orders' in command && command.orders.length > 1;
  }

  #carryOut(flight: Flight, how: Treatment): unknown {
    const { command } = flight;
    switch (command.type) {
      case 'place': {
        const createdSessions = command.orders.map((order, i) => {
          if (hasBit(how.mask, i)) {
            return refuse(flight, order, i);
          }
          return placed(this.postOwn(order), hasBit(how.mask, i + 8));
        });
        return { data: { createdSessions } };
      }
      case 'edit':
        return { data: this.#edit(flight, command.orderId, command.order, how) };
      case 'cancel':
        return {
          data: command.orderIds.map((id, i) => {
            const order = this.byId(id);
            if (order === undefined || order.end !== undefined || hasBit(how.mask, i))
              return { success: false, sessionID: id, reason: 'Order not found' };
            return this.#cancelled(order);
          }),
        };
      case 'cancel-all': {
        const { scope } = command;
        const open = this.open.filter(({ market }) => isIn(scope, market.gameId));
        this.#draining.push(...open);
        if (scope === undefined) this.#lockedUntil = this.now + open.length * DRAIN_MS + STEP_MS;
        return { data: { ordersReceived: true } };
      }
      case 'read':
        return this.#read(flight, command.read, how);
      case 'switch-mode':
        return {};
    }
  }

  #edit(flight: Flight, oldId: OrderId, order: NewOrder, how: Treatment): unknown {
    const old = this.byId(oldId);
    // an error of status 4xx places nothing, whatever happened to the old order
    const half = how.status >= 400 && how.status < 500 && how.half === 'both' ? 'cancelled' : how.half;
    if (old === undefined || old.end !== undefined || half === 'neither') {
      return { cancelled: { success: false, sessionID: oldId }, ...refuse(flight, order, 0) };
    }
    // when the id stays, most exchanges report no end
    const isKept = half === 'both' && this.setup.editKeepsId;
    const cancelled = this.#cancelled(old, isKept && !hasBit(how.mask, 9));
    if (half === 'both')
      return { cancelled, ...placed(this.postOwn(order, isKept ? oldId : undefined), hasBit(how.mask, 8)) };
    return { cancelled, ...refuse(flight, order, how.mask) };
  }

  #cancelled(order: TrueOrder, isQuiet = false): unknown {
    const released = remaining(order);
    if (isQuiet) order.end = 'cancelled';
    else this.cancel(order);
    return {
      success: true,
      sessionID: order.id,
      filled: order.filled / 1e6,
      offered: 0,
      remaining: released / 1e6,
    };
  }

  /** The body of the answer. Undefined when the thing does not exist (404). */
  #read(flight: Flight, read: Extract<RequestCommand, { type: 'read' }>['read'], how: Treatment): unknown {
    switch (read.what) {
      case 'order': {
        const order = this.byId(read.orderId);
        if (order === undefined) return undefined;
        // some exchanges forget ended orders
        if (order.end !== undefined && hasBit(how.mask, 0)) return undefined;
        return { data: { order: rowOf(order, false) } };
      }
      case 'open-orders':
        return {
          data: {
            unmatched: this.open.map((order, i) => rowOf(order, hasBit(how.mask, i))),
          },
        };
      case 'plays':
        flight.named = this.fills.filter(({ order }, i) => hasBit(how.mask, i) || order.reference !== undefined);
        return {
          data: {
            matchedBets: this.fills.map((fill, i) => ({
              ...fillOf(fill),
              gameID: fill.order.market.gameId,
              ...placeOf(fill.order),
              ...(hasBit(how.mask, i) ? { orderID: fill.order.id } : referenceOf(fill.order)),
            })),
          },
        };
      case 'play': {
        const fill = this.fills.find(({ txId }) => txId === read.txId);
        return fill === undefined ? undefined : { bet: fillOf(fill) };
      }
      case 'reference':
        flight.named = this.fills.filter(({ order }) => order.reference === read.ref);
        return {
          data: {
            unmatched: this.own.filter(({ reference }) => reference === read.ref).map((order) => rowOf(order, false)),
            matched: this.fills.filter(({ order }) => order.reference === read.ref).map(fillOf),
            graded: [],
          },
        };
      case 'league':
      case 'game':
      case 'user':
        return undefined;
    }
  }
}

const hasBit = (mask: number, bit: number): boolean => ((mask >> (bit % 16)) & 1) === 1;

/** True when the game is in the scope; no scope is everything. */
export const isIn = (scope: Extract<RequestCommand, { type: 'cancel-all' }>['scope'], gameId: GameId): boolean =>
  scope === undefined || ('game' in scope ? scope.game === gameId : scope.league === leagueOf(gameId));

function refuse({ refused }: Flight, order: NewOrder, index: number): object {
  const errorType = ERROR_TYPES[index % ERROR_TYPES.length];
  refused.set(order, errorType);
  return { error: 'no', errorType };
}
