// The story of one order, folded from the events of its run: what `oddsmaker why` prints.
import type {
  Bucket,
  EventGame,
  EventOf,
  GameId,
  Market,
  MarketType,
  OrderId,
  OrderRef,
  OrderStatus,
  RequestId,
  RunEvent,
  Side,
  StampedArrival,
} from '../domain/index.ts';
import { dollarsOfCents, dollarsOfMicros, lineFor, marketOf, plus, toMicroseconds, ZERO } from '../domain/index.ts';
import type { WireProfile } from '../wire/index.ts';
import type { KnownOrder, OrderName, OrderNames } from './order-names.ts';
import { nameOf } from './order-names.ts';
import type { ShownInput } from './shown-input.ts';
import { InputReader } from './shown-input.ts';

/**
 * A row of a story: an event, the input that brought an intent behind one of its requests, or the grant of a
 * permit that a request spent.
 */
export type StoryRow =
  | RunEvent
  | ({ readonly type: 'IntentBrought' } & ShownInput)
  | { readonly type: 'PermitGranted'; readonly bucket: Bucket; readonly permit: number };

export type StoryEvent = {
  /** Sequence number of the journal record. */
  readonly seq: number;
  /** Wall clock, ISO. */
  readonly at: string;
  /** Monotonic ms since its first request. */
  readonly ms: number;
} & StoryRow;

export type Outcome = {
  /**
   * Status at the end of the journal. `not-sent`: the request never left. `external`: not a known order of
   * the bot.
   */
  readonly status: OrderStatus | 'not-sent' | 'external';
  /** What ended a cancelled order. `exchange`: no known request of the bot did. */
  readonly endedBy: 'cancel' | 'edit' | 'cancel-all' | 'exchange' | undefined;
  /** Time from when it rested to its end, ms. Undefined: it never rested. */
  readonly restedMs: number | undefined;
  /** Dollars. */
  readonly filled: number;
  readonly risk: number | undefined;
  readonly fills: number;
};

export type Story = {
  readonly order: OrderName & {
    readonly orderIds: readonly string[];
    /** True when this run placed it; false for an order of a former run or of another party. */
    readonly ofThisRun: boolean;
    readonly gameId: string | undefined;
    readonly game: string | undefined;
    readonly league: string | undefined;
    /** `line`: from the view of the order's side. */
    readonly market: { readonly type: MarketType; readonly side: Side; readonly line: number | undefined } | undefined;
    readonly odds: number | undefined;
    /** Dollars. */
    readonly risk: number | undefined;
    readonly replaces: OrderName | undefined;
    readonly replacedBy: OrderName | undefined;
    /** The next order that was placed in its slot. */
    readonly next: OrderName | undefined;
  };
  readonly events: readonly StoryEvent[];
  readonly outcome: Outcome;
};

type Row = Pick<StampedArrival, 'seq' | 't' | 'mono'> & { readonly row: StoryRow };

export class OrderStory {
  readonly #order: KnownOrder;
  readonly #names: OrderNames;
  readonly #inputs: InputReader;
  readonly #market: Market | undefined;
  readonly #rows: Row[] = [];
  /** Requests that should end it. */
  readonly #requests = new Set<RequestId>();
  #now: StampedArrival = { seq: 0, t: 0, mono: 0, in: { type: 'tick' } };
  #game: EventGame | undefined;
  #status: Outcome['status'];
  #endedBy: Outcome['endedBy'];
  #firstRequestAt: number | undefined;
  #restedAt: number | undefined;
  #endedAt: number | undefined;
  #filled = ZERO;
  #fills = 0;

  /** @param names the orders of the whole journal */
  constructor(order: KnownOrder, names: OrderNames, profile: WireProfile) {
    this.#order = order;
    this.#names = names;
    this.#inputs = new InputReader(profile);
    this.#market = order.origin && marketOf(order.origin.market);
    this.#status = order.ref === undefined ? 'external' : 'sending';
  }

  applyStep(input: StampedArrival, events: readonly RunEvent[]): void {
    this.#now = input;
    const { seq, in: arrival } = input;
    if (this.#order.intents.has(seq)) this.#addRow({ type: 'IntentBrought', ...this.#inputs.shown(arrival) });
    if (arrival.type === 'permit' && this.#order.permits.has(seq))
      this.#addRow({ type: 'PermitGranted', bucket: arrival.bucket, permit: arrival.permit });
    for (const event of events) {
      if (event.type === 'QuotingStarted' && event.market === this.#market?.id) this.#game = event.game ?? this.#game;
      if (this.#concerns(event)) this.#addRow(event.type === 'CancelSubmitted' ? this.#ownPart(event) : event);
    }
  }

  /** The cancel with this order alone. */
  #ownPart({ orders, ...cancel }: EventOf<'CancelSubmitted'>): EventOf<'CancelSubmitted'> {
    return { ...cancel, orders: orders.filter(({ orderId }) => this.#isIt(orderId, undefined)) };
  }

  #addRow(row: StoryRow): void {
    const { seq, t, mono } = this.#now;
    this.#rows.push({ seq, t, mono, row });
  }

  /** True when the event concerns the order and becomes a row. Updates the state of the order from it. */
  #concerns(event: RunEvent): boolean {
    switch (event.type) {
      case 'OrderSubmitted':
        return this.#submit(event);
      case 'CancelSubmitted':
        return this.#cancel(event);
      case 'RequestAnswered':
        return this.#requests.has(event.request);
      case 'Fill':
        if (event.ref === undefined || event.ref !== this.#order.ref) return false;
        this.#filled = plus(this.#filled, event.risk);
        this.#fills += 1;
        this.#game = event.game ?? this.#game;
        return true;
      case 'Alert': {
        const { ref, orderId } = event.fields;
        return this.#isIt(textOf<OrderId>(orderId), textOf<OrderRef>(ref));
      }
      case 'ExternalOrder':
        return this.#isIt(event.orderId, undefined);
      default:
        if (!('ref' in event) || event.ref !== this.#order.ref) return false;
        this.#follow(event);
        return true;
    }
  }

  #submit({ ref, replaces, request }: EventOf<'OrderSubmitted'>): boolean {
    if (ref === this.#order.ref) {
      this.#firstRequestAt ??= this.#now.mono;
      return true;
    }
    if (replaces === undefined || !this.#isIt(replaces, undefined)) return false;
    this.#requests.add(request);
    this.#status = 'moving';
    return true;
  }

  #cancel({ request, orders, scope }: EventOf<'CancelSubmitted'>): boolean {
    const isNamed = orders.some(({ orderId }) => this.#isIt(orderId, undefined));
    const isIn = scope !== undefined && this.#mayRest && (scope === 'account' || this.#isInScope(scope));
    if (!isNamed && !isIn) return false;
    this.#requests.add(request);
    if (this.#mayRest && this.#status !== 'unknown') this.#status = 'cancelling';
    return true;
  }

  #isInScope(scope: { readonly game: GameId } | { readonly league: string }): boolean {
    return 'game' in scope ? scope.game === this.#market?.gameId : scope.league === this.#game?.league;
  }

  get #mayRest(): boolean {
    return this.#endedAt === undefined && this.#status !== 'external';
  }

  #follow(event: Extract<RunEvent, { readonly ref: OrderRef | undefined }>): void {
    const { mono } = this.#now;
    switch (event.type) {
      case 'OrderUnknown':
        // the feed may have reported the order before
        if (this.#status === 'sending') this.#status = 'unknown';
        return;
      case 'OrderRested':
        this.#restedAt ??= mono;
        this.#status = 'open';
        return;
      case 'OrderRevived':
        this.#endedAt = undefined;
        this.#status = 'unknown';
        return;
      case 'Evidence':
        this.#status = event.status;
        return;
      case 'OrderEnded':
        this.#endedAt = mono;
        [this.#status, this.#endedBy] = endOf(event.how);
        return;
      default:
    }
  }

  #isIt(orderId: OrderId | undefined, ref: OrderRef | undefined): boolean {
    return this.#names.find(orderId, ref, this.#now.seq) === this.#order;
  }

  /** The story after the last step. */
  finish(): Story {
    const { origin, ref, orderIds, replaces, replacedBy, next } = this.#order;
    const risk =
      origin === undefined
        ? undefined
        : origin.type === 'ExternalOrder'
          ? dollarsOfMicros(origin.risk)
          : dollarsOfCents(origin.risk);
    const market = this.#market;
    const since = this.#firstRequestAt ?? this.#rows[0]?.mono ?? 0;
    return {
      order: {
        ...nameOf(this.#order),
        orderIds: [...orderIds],
        ofThisRun: origin?.type === 'OrderSubmitted' && ref !== undefined,
        gameId: market?.gameId,
        game: this.#game?.name,
        league: this.#game?.league,
        market:
          market === undefined || origin === undefined
            ? undefined
            : { type: market.type, side: origin.side, line: lineFor(market, origin.side) },
        odds: origin?.odds,
        risk,
        replaces: replaces && nameOf(replaces),
        replacedBy: replacedBy && nameOf(replacedBy),
        next: next && nameOf(next),
      },
      events: this.#rows.map(({ seq, t, mono, row }) => ({
        seq,
        at: new Date(t).toISOString(),
        ms: toMicroseconds(mono - since),
        ...row,
      })),
      outcome: {
        status: this.#status,
        endedBy: this.#endedBy,
        restedMs:
          this.#restedAt === undefined ? undefined : toMicroseconds((this.#endedAt ?? this.#now.mono) - this.#restedAt),
        filled: dollarsOfMicros(this.#filled),
        risk,
        fills: this.#fills,
      },
    };
  }
}

/** Status and cause by the `how` of `OrderEnded`. */
function endOf(how: string): readonly [Outcome['status'], Outcome['endedBy']] {
  switch (how) {
    case 'filled':
    case 'refused':
    case 'never-landed':
    case 'not-sent':
      return [how, undefined];
    case 'cancel':
    case 'edit':
    case 'cancel-all':
      return ['cancelled', how];
    default:
      return ['cancelled', 'exchange'];
  }
}

const textOf = <T extends string>(value: unknown): T | undefined =>
  typeof value === 'string' ? (value as T) : undefined;
