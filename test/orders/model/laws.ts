// What must hold whatever happens (DESIGN §5), judged from the exchange's side. A broken law throws, with the moment.
import type {
  Command,
  Market,
  MarketId,
  NewOrder,
  OrderId,
  Quote,
  Rung,
  SlotId,
  StrategyId,
} from '../../../src/domain/index.ts';
import { slotId } from '../../../src/domain/index.ts';
import type { Bot } from './bot.ts';
import { GAMES, MARKETS, MAX_GAME_LOSS, MAX_SCORE, MAX_TOTAL_LOSS, STRATEGIES } from './scene.ts';
import type { TrueOrder } from './bodies.ts';
import { remaining, winOfFill } from './bodies.ts';
import type { Truth } from './truth.ts';
import { ordersOf } from './truth.ts';

type Sent = Extract<Command, { readonly why?: unknown }>;
/** A quote of an intent, as the law books keep it. */
type Wanted = Pick<Quote, 'side' | 'risk' | 'key'> & { readonly rung: Rung };
/** What one strategy wants on one market, and since which step. */
export type Wish = {
  readonly strategy: StrategyId;
  readonly market: Market;
  readonly seq: number;
  readonly quotes: readonly Wanted[];
};

/** A reference is instance.strategy.key.run-number. */
const ownerOf = ({ ref }: NewOrder): { readonly strategy: StrategyId; readonly key: string } => {
  const [, strategy, key] = ref.split('.');
  return { strategy: strategy as StrategyId, key: key ?? '' };
};
export const slotOf = (order: NewOrder): SlotId => {
  const { strategy, key } = ownerOf(order);
  return slotId(strategy, order.market, order.side, key);
};

const broken = (law: string, detail: string): never => {
  throw new Error(`${law}: ${detail}`);
};

export class Laws {
  /** By strategy and market. */
  readonly #wishes = new Map<string, Wish>();
  /** By slot, what must not be sent next. */
  readonly #refused = new Map<SlotId, NewOrder>();
  /** All that was ever refused as wrong. */
  readonly #wrong = new Set<string>();
  /** Orders that a cancel was sent for. */
  readonly #leaving = new Set<OrderId>();
  /** How often a cancel of an order was told to come while a cancel-all runs, since its whole game was cancelled. */
  readonly #lockedOut = new Map<OrderId, number>();
  readonly #truth: Truth;

  constructor(truth: Truth) {
    this.#truth = truth;
  }

  applyIntent(wish: Wish): void {
    this.#wishes.set(`${wish.strategy} ${wish.market.id}`, wish);
  }

  /** The exchange said that the very request was wrong. */
  applyRefused(order: NewOrder): void {
    this.#refused.set(slotOf(order), order);
    this.#wrong.add(contentOf(slotOf(order), order));
  }

  applyLockedOut(ids: readonly OrderId[]): void {
    for (const id of ids) this.#lockedOut.set(id, (this.#lockedOut.get(id) ?? 0) + 1);
  }

  /** Strategies and markets with quotes. */
  get wanting(): readonly Wish[] {
    return [...this.#wishes.values()].filter(({ quotes }) => quotes.length > 0);
  }

  #wishOf(strategy: StrategyId, market: MarketId): Wish | undefined {
    return this.#wishes.get(`${strategy} ${market}`);
  }

  // ——— of what is sent

  checkCommand(command: Command, bot: Bot): void {
    switch (command.type) {
      case 'place':
        this.#checkPermit('place', command.permit);
        if (command.orders.length === 0) broken('an empty place', `request ${command.req}`);
        if (command.orders.length > this.#truth.setup.maxOrdersPerPlace)
          broken('a batch too large', `${command.orders.length} orders`);
        for (const order of command.orders) this.#checkOrder(order, command.orders, bot);
        this.#checkWhy(command, command.orders);
        break;
      case 'edit':
        this.#checkPermit('place', command.permit);
        this.#checkOrder(command.order, [command.order], bot, command.orderId);
        if (this.#byId(command.orderId).own === undefined)
          broken('an edit of a foreign order', command.orderId);
        this.#checkWhy(command, [command.order]);
        break;
      case 'cancel':
        this.#checkPermit('cancel', command.permit);
        if (command.orderIds.length === 0) broken('an empty cancel', `request ${command.req}`);
        if (command.orderIds.length > this.#truth.setup.maxIdsPerCancel)
          broken('a cancel too large', `${command.orderIds.length} ids`);
        if (new Set(command.orderIds).size < command.orderIds.length)
          broken('an id cancelled twice in one request', command.orderIds.join());
        this.#checkCancelled(command, command.orderIds);
        break;
      case 'cancel-all':
        if (command.scope !== undefined) this.#checkBulk(command, command.scope);
        break;
      case 'return':
        for (const permit of command.permits) this.#checkPermit(command.bucket, permit);
        break;
      default:
    }
  }

  #checkCancelled(
    command: Extract<Sent, { readonly type: 'cancel' | 'cancel-all' }>,
    ids: readonly OrderId[],
  ): void {
    for (const id of ids) this.#leaving.add(id);
    this.#checkWhy(
      command,
      ids.map((id) => this.#byId(id).own ?? broken('a cancel of a foreign order', id)),
    );
  }

  /** It cancels whatever rests there, so all of it must be unwanted; or one of it cannot be cancelled by its id. */
  #checkBulk(command: Extract<Command, { type: 'cancel-all' }>, scope: object): void {
    const ids = command.orderIds ?? [];
    if (ids.length === 0) broken('a bulk cancel for nothing', JSON.stringify(scope));
    this.#checkCancelled(command, ids);
    const isKept = ids.some((id) => (this.#lockedOut.get(id) ?? 0) >= MOST_LOCKOUTS);
    for (const id of ids) this.#lockedOut.delete(id);
    if (isKept) return;
    for (const { id, market } of this.#truth.own)
      if ((!('game' in scope) || scope.game === market.gameId) && !this.#leaving.has(id))
        broken('a bulk cancel takes what is wanted', `${id} by ${JSON.stringify(scope)}`);
  }

  #byId(id: string): TrueOrder {
    return this.#truth.orders.find((order) => order.id === id) ?? broken('an id that nobody told', id);
  }

  #checkPermit(bucket: 'place' | 'cancel', permit: number): void {
    if (!this.#truth.permits[bucket].delete(permit))
      broken('a permit that is not in hand', `${bucket} ${permit}`);
  }

  #checkOrder(order: NewOrder, batch: readonly NewOrder[], bot: Bot, replaced?: string): void {
    const truth = this.#truth;
    if (truth.stopped) broken('placed after the stop', order.ref);
    const slot = slotOf(order);
    if (batch.some((one) => one !== order && slotOf(one) === slot)) broken('a slot twice in one batch', slot);
    for (const { id, own } of truth.own)
      if (own !== undefined && id !== replaced && slotOf(own) === slot)
        broken('the slot is taken', `${slot} by ${id}`);
    // somebody else's orders are known once a list told of them
    for (const { orderId, market, side, rung } of bot.account.external.orders.values())
      if (market.id === order.market.id && side !== order.side && cross(rung, order.rung))
        broken('a foreign order crossed', `${order.ref} at ${order.rung}, ${orderId} at ${rung}`);
    for (const flight of truth.flights)
      for (const one of ordersOf(flight.command))
        // of what rested the feed may have told the end before the reply came
        if (slotOf(one) === slot && (!flight.acted || flight.refused.has(one)))
          broken('a slot whose fate is open', `${slot}: ${one.ref} is not told of`);
    const before = this.#refused.get(slot);
    this.#refused.delete(slot);
    if (before?.rung === order.rung && before.risk === order.risk)
      broken('resent unchanged', `${order.ref} after ${before.ref}`);
  }

  #checkWhy(command: Sent, orders: readonly NewOrder[]): void {
    const why = command.type === 'edit' ? [command.why] : (command.why ?? []);
    if (why.length !== orders.length) broken('a reason for each', `${why.length} for ${orders.length}`);
    orders.forEach((order, i) => {
      const { strategy } = ownerOf(order);
      const wish = this.#wishOf(strategy, order.market.id);
      const told = why[i]?.intent;
      // also of what is not wanted any more: the newest intent of its strategy says so
      const isRight = told === (wish?.seq ?? null);
      if (!isRight) broken('the newest intent', `${order.ref}: ${told} and not ${wish?.seq}`);
      if (why[i]?.because === '') broken('a reason for each', `${order.ref} has an empty one`);
    });
  }

  // ——— of what is

  checkState(bot: Bot): void {
    this.#checkSlots();
    this.#checkCrosses();
    // who has just started knows nothing yet, and places nothing
    if (bot.reconciliation.complete) this.#checkExposure(bot);
  }

  #checkSlots(): void {
    const slots = new Set<SlotId>();
    for (const { own } of this.#truth.own) {
      if (own === undefined) continue;
      const slot = slotOf(own);
      if (slots.has(slot)) broken('two live orders in one slot', slot);
      slots.add(slot);
    }
  }

  #checkCrosses(): void {
    const { own } = this.#truth;
    for (const [i, a] of own.entries())
      for (const b of own.slice(i + 1))
        if (a.market.id === b.market.id && a.side !== b.side && cross(a.rung, b.rung))
          broken('own quotes cross', `${a.id} at ${a.rung} and ${b.id} at ${b.rung} on ${a.market.id}`);
  }

  #checkExposure(bot: Bot): void {
    let total = 0;
    for (const game of GAMES) {
      const worst = this.worstOf(game);
      total += Math.min(0, worst);
      const known = bot.manager.exposure.worstOf(game.id);
      if (known > worst)
        broken('exposure under-counted', `${game.id} could lose ${-worst}, known are ${-known}`);
      if (this.#truth.setup.tight && worst < -MAX_GAME_LOSS)
        broken('beyond the limit', `${game.id} could lose ${-worst}`);
    }
    if (this.#truth.setup.tight && total < -MAX_TOTAL_LOSS)
      broken('beyond the limit', `all could lose ${-total}`);
  }

  /** The worst final score, every order that rests or may still come to rest filling where it loses. */
  worstOf({ id, sport }: (typeof GAMES)[number]): number {
    const fills = this.#truth.fills
      .filter(({ order }) => order.market.gameId === id && order.own !== undefined)
      .map((fill) => ({ of: fill.order, risk: fill.risk, win: winOfFill(fill) }));
    const open: { readonly of: Bet; readonly risk: number }[] = this.#truth.own
      .filter(({ market }) => market.gameId === id)
      .map((order) => ({ of: order, risk: remaining(order) }));
    for (const { acted, command } of this.#truth.flights)
      if (!acted)
        for (const order of ordersOf(command))
          if (order.market.gameId === id) open.push({ of: order, risk: order.risk * 10_000 });
    if (fills.length === 0 && open.length === 0) return 0;
    let worst = Number.POSITIVE_INFINITY;
    for (let home = 0; home <= MAX_SCORE; home++)
      for (let away = 0; away <= MAX_SCORE; away++) {
        if (home === away && sport === 'basketball') continue;
        let sum = 0;
        for (const { of, risk, win } of fills) {
          const share = shareOf(of, home, away);
          sum += share > 0 ? win : share * risk;
        }
        for (const { of, risk } of open) sum += Math.min(0, shareOf(of, home, away)) * risk;
        worst = Math.min(worst, sum);
      }
    return worst;
  }

  // ——— of the end, when everything was told

  /** What filled and is not in the positions, or the other way round; undefined when all is right. */
  unbooked({ account }: Bot): string | undefined {
    for (const market of MARKETS) {
      let first = 0;
      let second = 0;
      for (const fill of this.#truth.fills) {
        if (fill.order.market.id !== market.id) continue;
        const isFirst = fill.order.side === market.sides[0];
        first += isFirst ? winOfFill(fill) : -fill.risk;
        second += isFirst ? -fill.risk : winOfFill(fill);
      }
      const known = account.positionIn(market.id);
      if (known.first !== first || known.second !== second)
        return `${market.id}: filled ${first}/${second}, known ${known.first}/${known.second}`;
    }
    return undefined;
  }

  /** What is not yet as it must be; undefined when all is. */
  unsettled(bot: Bot): string | undefined {
    const { account } = bot;
    const problem = this.unbooked(bot);
    if (problem !== undefined) return problem;
    for (const order of account.active)
      if (order.status !== 'open') return `${order.ref} is still ${order.status}`;
    const known = [...account.active].map(({ id }) => id?.orderId).sort();
    const own = this.#truth.own.map(({ id }) => id).sort();
    if (known.join() !== own.join()) return `open are ${own.join()}, known ${known.join()}`;
    for (const order of account.active) {
      const real = this.#truth.orders.find(({ id }) => id === order.id?.orderId);
      if (real?.filled !== order.filled) return `${order.ref} filled ${real?.filled}, known ${order.filled}`;
    }
    const { open } = this.#truth;
    const foreign = open.filter(({ own }) => own === undefined).map(({ id }) => id);
    if ([...account.external.orders.keys()].sort().join() !== foreign.sort().join())
      return `foreign are ${foreign.join()}`;
    for (const game of GAMES) {
      const believed = bot.manager.exposure.worstOf(game.id);
      if (foreign.length === 0 && believed !== this.worstOf(game))
        return `${game.id} could lose ${-this.worstOf(game)}, believed ${-believed}`;
    }
    return this.#unserved();
  }

  /** Wanted and not resting, or resting and not wanted. */
  #unserved(): string | undefined {
    const left = new Set(this.#truth.own);
    for (const market of MARKETS) {
      const accepted: Wanted[] = [];
      for (const strategy of STRATEGIES)
        for (const side of market.sides)
          for (const quote of keyedFirst(this.#wishOf(strategy, market.id)?.quotes ?? [])) {
            if (
              quote.side !== side ||
              accepted.some((one) => one.side !== side && cross(one.rung, quote.rung))
            )
              continue;
            accepted.push(quote);
            const slot = slotId(strategy, market, side, quote.key ?? '#0');
            const rests = [...left].find(({ own }) => own !== undefined && slotOf(own) === slot);
            if (rests !== undefined) left.delete(rests);
            if (this.#mayWait(slot, market, quote)) continue;
            if (rests === undefined) return `nothing rests in ${slot}`;
            const isPriced = Math.abs(asks(rests.rung) - asks(quote.rung)) <= TOLERANCE;
            const size = quote.risk * 10_000;
            const isSized = remaining(rests) <= size && remaining(rests) >= size / 2;
            if (!isPriced || !isSized)
              return `${rests.id} rests at ${rests.rung} with ${remaining(rests)}, wanted ${quote.rung} with ${size}`;
          }
    }
    const [extra] = left;
    return extra === undefined ? undefined : `${extra.id} rests and nobody wants it`;
  }

  /** Nothing needs to rest for this quote. */
  #mayWait(slot: SlotId, market: Market, quote: Wanted): boolean {
    const { setup, stopped, open } = this.#truth;
    if (setup.tight || stopped || this.#wrong.has(contentOf(slot, quote))) return true;
    return open.some(
      (other) =>
        // an own one must go away in time
        other.own === undefined &&
        other.market.id === market.id &&
        other.side !== quote.side &&
        cross(other.rung, quote.rung),
    );
  }
}

const contentOf = (slot: SlotId, { rung, risk }: Wanted | NewOrder): string => `${slot} ${rung} ${risk}`;

const TOLERANCE = 0.005;
/** A client must not loop on one order (spec, Limits 4). */
const MOST_LOCKOUTS = 2;

type Bet = Pick<TrueOrder, 'market' | 'side'>;

/** Of the stake: 1 won, 0 returned, −1 lost. The lines of the scene are whole or half. */
function shareOf({ market, side }: Bet, home: number, away: number): number {
  // level scores of the other sport take both stakes
  if (market.type === 'moneyline' && home === away) return -1;
  const line = market.line ?? 0;
  const first = market.type === 'total' ? Math.sign(home + away - line) : Math.sign(home - away + line);
  return side === market.sides[0] ? first : -first;
}

/** Implied probability, by hand. */
const asks = (rung: Rung): number => (rung >= 0 ? 1000 / (2000 + rung) : (1000 - rung) / (2000 - rung));
/** Both together ask for no more than the payout: one would fill the other. */
const cross = (a: Rung, b: Rung): boolean => asks(a) + asks(b) >= 1 - 1e-12;

/** Quotes with a key are served before those without. */
const keyedFirst = (quotes: readonly Wanted[]): readonly Wanted[] => [
  ...quotes.filter(({ key }) => key !== undefined),
  ...quotes.filter(({ key }) => key === undefined),
];
