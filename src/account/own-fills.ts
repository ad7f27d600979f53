// Own fills: files each under the best name reported for it, counts it in its market (holdings), and credits
// it to the strategy whose order it filled. A fill whose player mode is not known hedges nothing (rules.md,
// 9).
import type {
  CommissionRule,
  Fill,
  GameId,
  Market,
  MarketId,
  Micros,
  OrderPlace,
  OrderRef,
  PlayerMode,
  Side,
  StrategyId,
  Teams,
  TxId,
} from '../domain/index.ts';
import { isOnTeams, lineFor, placeIn, swappedPlace, winOf } from '../domain/index.ts';
import type { AccountOutput } from './account-output.ts';
import type { Fact } from './facts.ts';
import type { HeldFill, ModeOfFill, Name, OwnOrder } from './records.ts';
import { shownFill } from './fill.ts';
import { Holdings } from './holdings.ts';
import { namedMode } from './order.ts';
import type { OwnOrders } from './own-orders.ts';
import { modeOf, ownerOf, runOf } from './references.ts';
import { StrategyFills } from './strategy-fills.ts';
import { UnreadFills } from './unread-fills.ts';
import { NEVER } from './records.ts';

/** The market and side of an order or fill, as reported. */
export type Placed = { readonly market: Market; readonly side: Side };

export class OwnFills {
  readonly holdings: Holdings;
  /** Fills that the last read balance does not contain yet. */
  readonly unread = new UnreadFills();
  readonly #orders: OwnOrders;
  readonly #news: AccountOutput;
  readonly #settings: { readonly instance: string; readonly playerMode: PlayerMode };
  readonly #byStrategy = new StrategyFills();
  /** Games in which a team was replaced, and their teams before. */
  readonly #teams = new Map<GameId, Teams>();
  #run = '';
  /** True once the account was read: a fill that a list shows from then on was made in this run. */
  #isRead = false;
  /** Monotonic ms. Orders sent before this time went to the configured player mode. */
  #modeSureUntil = NEVER;

  constructor(
    settings: {
      readonly instance: string;
      readonly playerMode: PlayerMode;
      readonly commission?: CommissionRule;
    },
    orders: OwnOrders,
    news: AccountOutput,
  ) {
    this.#settings = settings;
    this.#orders = orders;
    this.holdings = new Holdings(news, settings.commission);
    this.#news = news;
  }

  /** `run`: the part of a reference that is unique to this run. */
  applyBoot(run: string): void {
    this.#run = run;
  }

  /** Enters that all fills of the account were listed. */
  applyRead(): void {
    this.#isRead = true;
  }

  /** The fills of the strategy in the market, oldest first, frozen. */
  fillsOf(strategy: StrategyId, market: MarketId): readonly Fill[] {
    return this.#byStrategy.fillsOf(strategy, market);
  }

  /** Records a fill. Returns the order that had the fill before and loses it by this; else undefined. */
  record(fact: Fact, filed: Name | undefined, placed: Placed | undefined): OwnOrder | undefined {
    if (fact.kind.type !== 'fill') return undefined;
    const { txId, risk, odds } = fact.kind.fill;
    if (this.holdings.isSettled(txId)) return undefined;
    let fill = this.holdings.get(txId);
    const reported = filed?.holder ?? placed;
    const location = this.#knownLocation(reported);
    if (fill === undefined) {
      const gameId = reported?.market.gameId ?? fact.kind.gameId;
      if (gameId === undefined) return undefined;
      const place = location === undefined ? (this.#placeOf(reported) ?? fact.kind.place) : undefined;
      // one flat literal with every field it will ever have: there may be very many fills
      fill = {
        txId,
        gameId,
        risk,
        win: winOf(risk, odds),
        odds,
        market: location?.market,
        side: location?.side,
        ref: fact.ref,
        orderId: fact.orderId,
        place,
        name: undefined,
        mode: 'unsure',
        isOfBefore: !this.#isRead && fact.from === 'list',
        seenAt: fact.seenAt,
        owner: undefined,
        countedFor: undefined,
        isOfRun: false,
        wasNew: false,
        isFinal: false,
      };
      if (location !== undefined) this.#orders.remember(location.market);
      fill.mode = this.#modeOf(fill, filed);
      this.holdings.addFill(fill);
      if (!fill.isOfBefore && fill.mode !== 'other') this.unread.addFill(risk, fact.seenAt);
    } else if (fill.market === undefined && location !== undefined) this.#place(fill, location);
    fill.ref ??= fact.ref;
    fill.orderId ??= fact.orderId;
    const before = this.#file(fill, filed);
    this.#attribute(fill);
    return before;
  }

  #place(fill: HeldFill, { market, side }: Placed): void {
    this.#orders.remember(market);
    this.holdings.place(fill, market, side);
  }

  /**
   * Files the fill under the best name reported for it: a reference is better than an id. Returns the order
   * that loses it.
   */
  #file(fill: HeldFill, filed: Name | undefined): OwnOrder | undefined {
    const { name } = fill;
    if (filed === undefined || name === filed || fill.isFinal) return undefined;
    if (name !== undefined && (name.ref !== undefined || filed.ref === undefined)) return undefined;
    if (name !== undefined) {
      name.unfile(fill);
      name.filled -= fill.risk;
    }
    fill.name = filed;
    filed.file(fill);
    filed.filled += fill.risk;
    return name?.holder === filed.holder ? undefined : name?.holder;
  }

  /** The order behind this name became known, or changed: credits its fills again. */
  attributeAll(name: Name): void {
    if (name.fills.size > 0) for (const fill of name.fills.values()) this.#attribute(fill);
  }

  /** Credits a fill to the strategy whose order it filled, in the player mode of that order. */
  #attribute(fill: HeldFill): void {
    if (fill.isFinal) return;
    const holder = fill.name?.holder;
    const location = this.#knownLocation(holder);
    if (location !== undefined && fill.market === undefined) this.#place(fill, location);
    this.holdings.setMode(fill, this.#modeOf(fill, fill.name));
    this.holdings.setOwner(fill, holder?.strategy ?? this.#anyOwnerOf(fill.ref));
    const { market, side, mode } = fill;
    // its team is not known for the moment, which does not change the owner
    if (market === undefined && fill.countedFor !== undefined) return;
    const isCounted = market !== undefined && side !== undefined && mode !== 'other';
    const strategy = isCounted ? (holder?.strategy ?? this.#strategyOf(fill.ref)) : undefined;
    if (strategy === fill.countedFor) return;
    const { counts } = this.#orders;
    if (fill.countedFor !== undefined && market !== undefined) {
      this.#byStrategy.remove(fill.countedFor, market.id, fill.txId);
      if (fill.isOfRun) {
        counts.fills -= 1;
        counts.riskFilled -= fill.risk;
      }
    }
    fill.countedFor = strategy;
    if (strategy === undefined || market === undefined || side === undefined) return;
    const shown = shownFill(fill, market, side);
    this.#byStrategy.addFill(strategy, shown);
    // an order of this run filled in this run, whichever list showed the fill first
    fill.isOfRun = !fill.isOfBefore || holder?.isOfFormerRun === false;
    if (!fill.isOfRun) return;
    counts.fills += 1;
    counts.riskFilled += fill.risk;
    if (!fill.wasNew) this.#news.addOwnFill(shown);
    fill.wasNew = true;
  }

  /** The strategy of a reference that this run made, when its order is already dropped. */
  #strategyOf(ref: OrderRef | undefined): StrategyId | undefined {
    return ref !== undefined && runOf(ref) === this.#run ? this.#anyOwnerOf(ref) : undefined;
  }

  /** The strategy of a reference that any run of this instance made. */
  #anyOwnerOf(ref: OrderRef | undefined): StrategyId | undefined {
    return ref === undefined ? undefined : ownerOf(ref, this.#settings.instance)?.strategy;
  }

  /** The games of waiting fills became known. `placeOf`: market and side of each. */
  placeWaiting(placeOf: (fill: HeldFill) => Placed | undefined): void {
    for (const fill of [...this.holdings.elsewhere.values()]) {
      const place = placeOf(fill);
      if (place === undefined) continue;
      this.#place(fill, place);
      this.#attribute(fill);
    }
  }

  // ——— teams

  /** The location itself; undefined while it is not known which team is home and which is away. */
  #knownLocation<Location extends Placed>(location: Location | undefined): Location | undefined {
    if (location === undefined || this.#teams.size === 0) return location;
    return this.#teams.has(location.market.gameId) && isOnTeams(location.market.type) ? undefined : location;
  }

  /** The place as the exchange would report it, by the teams before the replacement. */
  #placeOf(location: Placed | undefined): OrderPlace | undefined {
    const teams = location === undefined ? undefined : this.#teams.get(location.market.gameId);
    if (location === undefined || teams === undefined) return undefined;
    const { market, side } = location;
    const team = side === 'home' || side === 'away' ? teams[side].id : side;
    return { type: market.type, side: team, line: lineFor(market, side) };
  }

  /** Home and away of a game changed places: its fills stay on their teams. `markets`: of the game. */
  swapTeams(gameId: GameId, markets: readonly Market[]): void {
    this.#byStrategy.swapTeams(markets);
    this.holdings.commission.swapTeams(markets);
    for (const fill of [...this.holdings.openIn(gameId)]) {
      const { market, side } = fill;
      if (market === undefined || side === undefined || !isOnTeams(market.type)) continue;
      const swapped = swappedPlace({ market, side });
      this.holdings.move(fill, swapped.market, swapped.side);
    }
  }

  /** A team of a game was replaced: until both are known again, each fill on a team may be lost in full. */
  loseTeams(gameId: GameId, before: Teams): void {
    this.#teams.set(gameId, before);
    for (const fill of [...this.holdings.openIn(gameId)]) {
      const { market, side } = fill;
      if (market === undefined || side === undefined || !isOnTeams(market.type)) continue;
      const place = this.#placeOf({ market, side });
      if (place !== undefined) this.holdings.displace(fill, place);
    }
  }

  /** Both teams are known again: each fill gets back the place it had before. */
  findTeams(gameId: GameId): void {
    const teams = this.#teams.get(gameId);
    this.#teams.delete(gameId);
    if (teams === undefined) return;
    for (const fill of [...this.holdings.openIn(gameId)]) {
      const { place, market } = fill;
      const known = place === undefined || market !== undefined ? undefined : placeIn({ id: gameId, ...teams }, place);
      if (known !== undefined) this.#place(fill, known);
      this.#attribute(fill);
    }
  }

  /** The game has ended and nothing is held in it: forgets its former teams. */
  forgetTeams(gameId: GameId): void {
    this.#teams.delete(gameId);
  }

  // ——— player mode

  isOfMode(mode: PlayerMode | undefined): boolean {
    return mode === undefined || mode === this.#settings.playerMode;
  }

  #modeOf({ ref }: Pick<HeldFill, 'ref'>, name: Name | undefined): ModeOfFill {
    const holder = name?.holder;
    const named = holder === undefined ? name?.mode : namedMode(holder);
    if (named !== undefined) return this.isOfMode(named) ? 'sure' : 'other';
    const own = name?.ref ?? (holder?.linkedBy === 'name' ? holder.ref : undefined);
    const known = own ?? (ref !== undefined && this.isOwnReference(ref) ? ref : undefined);
    if (known !== undefined && !this.isOfMode(modeOf(known))) return 'other';
    if (known !== undefined && runOf(known) !== this.#run) return 'sure';
    if (holder === undefined || !this.isOfMode(holder.mode)) return 'unsure';
    return this.isModeSureAt(holder.sentAt) ? 'sure' : 'unsure';
  }

  /** True for a reference that a run of this instance made. */
  isOwnReference(ref: OrderRef): boolean {
    return ownerOf(ref, this.#settings.instance) !== undefined;
  }

  /** True when an order sent at `sentAt` (monotonic ms) went to the configured player mode. */
  isModeSureAt(sentAt: number): boolean {
    return sentAt < this.#modeSureUntil;
  }

  /**
   * The account was in the configured player mode at this monotonic time. An order keeps the mode in which it
   * was placed.
   */
  applyModeSure(confirmedAt: number): void {
    this.#modeSureUntil = Math.max(this.#modeSureUntil, confirmedAt);
    for (const fill of [...this.holdings.unsure()]) this.holdings.setMode(fill, this.#modeOf(fill, fill.name));
  }

  /** Open fills of this run's orders that are of the other player mode, or may be. */
  ofOtherMode(): readonly HeldFill[] {
    return [...this.holdings.open].filter(({ name, mode }) => mode !== 'sure' && name?.holder?.isOfFormerRun === false);
  }

  // ——— ends

  /** Enters that a fill was graded. `profit`: undefined when the exchange does not report it. */
  applyGraded(txId: TxId, profit: Micros | undefined): void {
    const fill = this.holdings.settle(txId, profit);
    if (fill !== undefined) this.#drop(fill);
  }

  /** Settles a game by an operator's result (`Holdings.settleGame`). Returns the fills that this settled. */
  settleGame(...result: Parameters<Holdings['settleGame']>): ReturnType<Holdings['settleGame']> {
    const settled = this.holdings.settleGame(...result);
    for (const { fill } of settled) this.#drop(fill);
    return settled;
  }

  /** Takes back an operator's settlement of a fill: it waits for its game again. */
  unsettle(fill: HeldFill, brought: Micros): void {
    if (fill.market !== undefined) this.#orders.remember(fill.market);
    this.holdings.unsettle(fill, brought);
  }

  /** No more reports are expected for this fill. Its order keeps the amount, without the entry. */
  #drop(fill: HeldFill): void {
    fill.name?.unfile(fill);
  }

  /** The order of this name is dropped: its fills change no more. */
  release(name: Name | undefined): void {
    if (name === undefined || name.fills.size === 0) return;
    for (const fill of name.fills.values()) {
      fill.name = undefined;
      fill.isFinal = true;
    }
  }

  forget(market: MarketId): void {
    this.#byStrategy.forget(market);
  }
}
