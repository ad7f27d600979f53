// The laws of rules.md that must always hold, judged from the exchange's side. A broken law throws and says
// when.
import type {
  Command,
  GameId,
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
import { GAMES, MARKETS, MAX_GAME_LOSS, MAX_LEAGUE_LOSS, MAX_SCORE, MAX_TOTAL_LOSS, STRATEGIES } from './scene.ts';
import type { TrueFill, TrueOrder } from './bodies.ts';
import { remaining, winOfFill } from './bodies.ts';
import type { Truth } from './truth.ts';
import { isIn, ordersOf } from './truth.ts';

type Sent = Extract<Command, { readonly why?: unknown }>;
/** A quote of an intent, with the rung of its odds. */
type Wanted = Pick<Quote, 'side' | 'risk' | 'key'> & { readonly rung: Rung };
/** The quotes that one strategy wants on one market, and the step since which it wants them. */
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
  /** The newest wish by strategy and market. */
  readonly #wishes = new Map<string, Wish>();
  /** The refused order that must not be sent next, by slot. */
  readonly #refused = new Map<SlotId, NewOrder>();
  /** The contents of all orders that were ever refused as wrong. */
  readonly #wrong = new Set<string>();
  /** Orders that a cancel was sent for. */
  readonly #leaving = new Set<OrderId>();
  /**
   * How often the cancel of an order was refused because a cancel-all was running, since its whole game was
   * cancelled.
   */
  readonly #lockedOut = new Map<OrderId, number>();
  readonly #truth: Truth;

  constructor(truth: Truth) {
    this.#truth = truth;
  }

  applyIntent(wish: Wish): void {
    this.#wishes.set(`${wish.strategy} ${wish.market.id}`, wish);
  }

  /** Notes an order whose request the exchange called wrong. */
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

  // ——— what the bot sends

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
        if (this.#byId(command.orderId).own === undefined) broken('an edit of a foreign order', command.orderId);
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
        if (command.scope !== undefined) this.#checkBulk(command, command.scope, bot);
        break;
      case 'return':
        for (const permit of command.permits) this.#checkPermit(command.bucket, permit);
        break;
      default:
    }
  }

  #checkCancelled(command: Extract<Sent, { readonly type: 'cancel' | 'cancel-all' }>, ids: readonly OrderId[]): void {
    for (const id of ids) this.#leaving.add(id);
    this.#checkWhy(
      command,
      ids.map((id) => this.#byId(id).own ?? broken('a cancel of a foreign order', id)),
    );
  }

  /**
   * Checks a bulk cancel: it cancels every order of its scope, so all of them must be unwanted, unless a lock
   * kept the order from being cancelled by its id.
   */
  #checkBulk(
    command: Extract<Command, { type: 'cancel-all' }>,
    scope: NonNullable<typeof command.scope>,
    bot: Bot,
  ): void {
    const ids = command.orderIds ?? [];
    if (ids.length === 0) broken('a bulk cancel for nothing', JSON.stringify(scope));
    this.#checkCancelled(command, ids);
    const isKept = ids.some((id) => (this.#lockedOut.get(id) ?? 0) >= MOST_LOCKOUTS);
    for (const id of ids) this.#lockedOut.delete(id);
    // external orders are known once a list showed them
    for (const { orderId, market } of bot.account.external.orders.values())
      if (isIn(scope, market.gameId))
        broken('a bulk cancel takes a foreign order', `${orderId} by ${JSON.stringify(scope)}`);
    if (isKept) return;
    for (const { id, market } of this.#truth.own)
      if (isIn(scope, market.gameId) && !this.#leaving.has(id))
        broken('a bulk cancel takes what is wanted', `${id} by ${JSON.stringify(scope)}`);
  }

  #byId(id: string): TrueOrder {
    return this.#truth.byId(id) ?? broken('an id that was never reported', id);
  }

  #checkPermit(bucket: 'place' | 'cancel', permit: number): void {
    if (!this.#truth.permits[bucket].delete(permit)) broken('a permit that is not in hand', `${bucket} ${permit}`);
  }

  #checkOrder(order: NewOrder, batch: readonly NewOrder[], bot: Bot, replaced?: string): void {
    const truth = this.#truth;
    if (truth.stopped) broken('placed after the stop', order.ref);
    const slot = slotOf(order);
    if (batch.some((other) => other !== order && slotOf(other) === slot)) broken('a slot twice in one batch', slot);
    for (const { id, own } of truth.own)
      if (own !== undefined && id !== replaced && slotOf(own) === slot && !this.#isMistakable(own))
        broken('the slot is taken', `${slot} by ${id}`);
    // external orders are known once a list showed them
    for (const { orderId, market, side, rung } of bot.account.external.orders.values())
      if (market.id === order.market.id && side !== order.side && cross(rung, order.rung))
        broken('a foreign order crossed', `${order.ref} at ${order.rung}, ${orderId} at ${rung}`);
    for (const flight of truth.flights)
      for (const inFlight of ordersOf(flight.command))
        // the feed may have reported the end of a resting order before the reply came
        if (slotOf(inFlight) === slot && (!flight.acted || flight.refused.has(inFlight)))
          broken('a slot whose fate is open', `${slot}: ${inFlight.ref} has no known fate`);
    const before = this.#refused.get(slot);
    this.#refused.delete(slot);
    if (before?.rung === order.rung && before.risk === order.risk)
      broken('resent unchanged', `${order.ref} after ${before.ref}`);
  }

  #checkWhy(command: Sent, orders: readonly NewOrder[]): void {
    const why = command.type === 'edit' ? [command.why] : (command.why ?? []);
    if (why.length !== orders.length) broken('a reason for each', `${why.length} for ${orders.length}`);
    orders.forEach((order, i) => {
      // also for an unwanted order: the newest intent of its strategy is the reason
      const wishes = [order, ...this.#mistakableFor(order)].map((candidate) =>
        this.#wishOf(ownerOf(candidate).strategy, order.market.id),
      );
      const intentSeq = why[i]?.intent;
      const isRight = wishes.some((wish) => intentSeq === (wish?.seq ?? null));
      if (!isRight) broken('the newest intent', `${order.ref}: ${intentSeq} and not ${wishes[0]?.seq}`);
      if (why[i]?.because === '') broken('a reason for each', `${order.ref} has an empty one`);
    });
  }

  // ——— what rests and what is known

  checkState(bot: Bot): void {
    this.#checkSlots();
    this.#checkCrosses();
    // a bot that has just started knows nothing yet, and places nothing
    if (bot.reconciliation.complete) this.#checkExposure(bot);
  }

  #checkSlots(): void {
    const slots = new Set<SlotId>();
    for (const { own } of this.#truth.own) {
      if (own === undefined) continue;
      const slot = slotOf(own);
      if (this.#isMistakable(own)) continue;
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

  #isMistakable(order: NewOrder): boolean {
    return this.#mistakableFor(order).length > 0;
  }

  /**
   * When the exchange reports no references: the orders of other slots with the same odds and size, if the
   * fate of one of them was unknown.
   */
  #mistakableFor(order: NewOrder): readonly NewOrder[] {
    const { setup, sent, unanswered } = this.#truth;
    if (setup.reportsReferences) return [];
    return sent.filter(
      (other) =>
        other.market.id === order.market.id &&
        other.side === order.side &&
        other.rung === order.rung &&
        other.risk === order.risk &&
        slotOf(other) !== slotOf(order) &&
        (unanswered.has(other) || unanswered.has(order)),
    );
  }

  #checkExposure(bot: Bot): void {
    // a fill whose market is unknown counts in the sum of all games
    const elsewhere = bot.account.stakedElsewhere;
    let total = 0;
    const inLeague = new Map<string, number>();
    for (const game of GAMES) {
      const worst = this.worstOf(game);
      total += Math.min(0, worst);
      inLeague.set(game.league, (inLeague.get(game.league) ?? 0) + Math.min(0, worst));
      const known = bot.manager.exposure.worstOf(game.id) - elsewhere;
      if (known > worst) broken('exposure under-counted', `${game.id} could lose ${-worst}, known are ${-known}`);
      if (this.#truth.setup.tight && worst < -MAX_GAME_LOSS - elsewhere)
        broken('beyond the limit', `${game.id} could lose ${-worst}`);
    }
    for (const [league, worst] of inLeague)
      if (this.#truth.setup.tight && worst < -MAX_LEAGUE_LOSS - elsewhere)
        broken('beyond the limit', `${league} could lose ${-worst}`);
    if (this.#truth.setup.tight && total < -MAX_TOTAL_LOSS) broken('beyond the limit', `all could lose ${-total}`);
  }

  /**
   * The worst final score in micro-dollars, if every order that rests or may still rest fills where it loses.
   * `others` includes the fills of external orders: their player mode may be another one, so they count as
   * lost and hedge nothing.
   */
  worstOf({ id, sport }: (typeof GAMES)[number], others = false): number {
    const fills = this.#truth.fills
      .filter(({ order }) => order.market.gameId === id && (others || order.own !== undefined))
      .map((fill) => ({
        bet: fill.order,
        risk: fill.risk,
        win: fill.order.own === undefined ? 0 : winOfFill(fill),
      }));
    const open: { readonly bet: Bet; readonly risk: number }[] = this.#truth.own
      .filter(({ market }) => market.gameId === id)
      .map((order) => ({ bet: order, risk: remaining(order) }));
    for (const { acted, command } of this.#truth.flights)
      if (!acted)
        for (const order of ordersOf(command))
          if (order.market.gameId === id) open.push({ bet: order, risk: order.risk * 10_000 });
    if (fills.length === 0 && open.length === 0) return 0;
    let worst = Number.POSITIVE_INFINITY;
    for (let home = 0; home <= MAX_SCORE; home++)
      for (let away = 0; away <= MAX_SCORE; away++) {
        if (home === away && sport === 'basketball') continue;
        let sum = 0;
        for (const { bet, risk, win } of fills) {
          const share = shareOf(bet, home, away);
          sum += share > 0 ? win : share * risk;
        }
        for (const { bet, risk } of open) sum += Math.min(0, shareOf(bet, home, away)) * risk;
        worst = Math.min(worst, sum);
      }
    return worst;
  }

  // ——— the end, after everything was reported

  /** The first market whose fills and known position differ. Undefined when all positions are right. */
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

  /** The first difference between the bot's state and the truth. Undefined when there is none. */
  unsettled(bot: Bot): string | undefined {
    const { account } = bot;
    const problem = this.unbooked(bot);
    if (problem !== undefined) return problem;
    for (const order of account.active) if (order.status !== 'open') return `${order.ref} is still ${order.status}`;
    const known = [...account.active].map(({ id }) => id?.orderId).sort();
    const own = this.#truth.own.map(({ id }) => id).sort();
    if (known.join() !== own.join()) return `open are ${own.join()}, known ${known.join()}`;
    for (const order of account.active) {
      const real = this.#truth.byId(order.id?.orderId ?? '');
      if (real?.own === undefined || !this.#isTakenFor(real.own, order))
        return `${order.ref} is believed to be ${real?.id}, which is ${real?.own?.ref}`;
      const least = this.#named(real);
      if (order.filled < least || order.filled > real.filled)
        return `${order.ref} filled ${real.filled}, ${least} by name, known ${order.filled}`;
    }
    const { open } = this.#truth;
    const foreign = open.filter(({ own }) => own === undefined).map(({ id }) => id);
    if ([...account.external.orders.keys()].sort().join() !== foreign.sort().join())
      return `foreign are ${foreign.join()}`;
    for (const game of GAMES) {
      const believed = bot.manager.exposure.worstOf(game.id);
      const worst = this.worstOf(game, true);
      const least = worst - this.#unnamedIn(game.id);
      if (foreign.length === 0 && (believed > worst || believed < least))
        return `${game.id} could lose ${-worst}, at most ${-least}, believed ${-believed}`;
    }
    return this.#unserved(bot);
  }

  #isTakenFor(order: NewOrder, { ref }: Pick<NewOrder, 'ref'>): boolean {
    return [order, ...this.#mistakableFor(order)].some((candidate) => candidate.ref === ref);
  }

  /** The filled amount of an order in micro-dollars that reports named. */
  #named(order: TrueOrder): number {
    if (this.#truth.setup.reportsReferences) return order.filled;
    const fills = this.#truth.fills.filter((fill) => fill.order === order && this.#isNamed(fill));
    return fills.reduce((sum, { risk }) => sum + risk, 0);
  }

  /**
   * False when an edit kept the id and two orders with it have the same odds and size: they cannot be
   * distinguished.
   */
  #isNamed({ order, isNamed }: TrueFill): boolean {
    const { setup, sent } = this.#truth;
    const { own, market, side, rung } = order;
    const isAlike = (other: NewOrder): boolean =>
      other.market.id === market.id && other.side === side && other.rung === rung && other.risk === own?.risk;
    return isNamed && !(setup.editKeepsId && sent.filter(isAlike).length > 1);
  }

  /**
   * Own fills without an owner in any report, in micro-dollars: they hedge nothing, and the fills of their
   * orders may count as well.
   */
  #unnamedIn(gameId: GameId): number {
    if (this.#truth.setup.reportsReferences) return 0;
    const isUnnamed = (fill: TrueFill): boolean =>
      fill.order.own !== undefined && fill.order.market.gameId === gameId && !this.#isNamed(fill);
    return this.#truth.fills.filter(isUnnamed).reduce((sum, fill) => sum + fill.risk + winOfFill(fill), 0);
  }

  /** The slot that an order is believed to be in. */
  #slotIn({ account }: Bot, { id, own }: TrueOrder): SlotId | undefined {
    return account.find(id, undefined)?.slot ?? (own === undefined ? undefined : slotOf(own));
  }

  /** The first quote that does not rest, or order that no strategy wants. Undefined when there is none. */
  #unserved(bot: Bot): string | undefined {
    const left = new Set(this.#truth.own);
    for (const market of MARKETS) {
      const accepted: Wanted[] = [];
      for (const strategy of STRATEGIES)
        for (const side of market.sides)
          for (const quote of keyedFirst(this.#wishOf(strategy, market.id)?.quotes ?? [])) {
            if (quote.side !== side || accepted.some((other) => other.side !== side && cross(other.rung, quote.rung)))
              continue;
            accepted.push(quote);
            const slot = slotId(strategy, market, side, quote.key ?? '#0');
            const rests = [...left].find((order) => this.#slotIn(bot, order) === slot);
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
    return extra === undefined ? undefined : `${extra.id} rests unwanted`;
  }

  /** Nothing needs to rest for this quote. */
  #mayWait(slot: SlotId, market: Market, quote: Wanted): boolean {
    const { setup, stopped, open } = this.#truth;
    if (setup.tight || stopped || this.#wrong.has(contentOf(slot, quote))) return true;
    return open.some(
      (other) =>
        // an own order must go away in time
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

/** The share of the stake: 1 is won, 0 is returned, −1 is lost. The lines of the scene are whole or half. */
function shareOf({ market, side }: Bet, home: number, away: number): number {
  // level scores of the other sport lose both stakes
  if (market.type === 'moneyline' && home === away) return -1;
  const line = market.line ?? 0;
  const first = market.type === 'total' ? Math.sign(home + away - line) : Math.sign(home - away + line);
  return side === market.sides[0] ? first : -first;
}

/** The implied probability, computed without src. */
const asks = (rung: Rung): number => (rung >= 0 ? 1000 / (2000 + rung) : (1000 - rung) / (2000 - rung));
/** Both together ask for the whole payout or more: one would fill the other. */
const cross = (a: Rung, b: Rung): boolean => asks(a) + asks(b) >= 1 - 1e-12;

/** Quotes with a key are served before those without. */
const keyedFirst = (quotes: readonly Wanted[]): readonly Wanted[] => [
  ...quotes.filter(({ key }) => key !== undefined),
  ...quotes.filter(({ key }) => key === undefined),
];
