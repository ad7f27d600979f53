// What filled, whose it is and in which player mode: each fill is filed under the best name that was said of it, counts in its
// market (holdings), and for the strategy whose order it filled. A fill whose mode is not known hedges nothing (rules.md, 9).
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
import type { AccountNews } from './news.ts';
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

/** Where something is, as its report says. */
export type Placed = { readonly market: Market; readonly side: Side };

export class OwnFills {
  readonly holdings: Holdings;
  /** Those that the balance which was read last does not know of. */
  readonly unread = new UnreadFills();
  readonly #orders: OwnOrders;
  readonly #news: AccountNews;
  readonly #settings: { readonly instance: string; readonly playerMode: PlayerMode };
  readonly #byStrategy = new StrategyFills();
  /** Games of which a team was replaced, and their teams before. */
  readonly #teams = new Map<GameId, Teams>();
  #run = '';
  /** The account was read once: what is listed from then on filled in this run. */
  #isRead = false;
  /** Orders that were sent before then went to the mode of this bot, monotonic ms. */
  #modeSureUntil = NEVER;

  constructor(
    settings: {
      readonly instance: string;
      readonly playerMode: PlayerMode;
      readonly commission?: CommissionRule;
    },
    orders: OwnOrders,
    news: AccountNews,
  ) {
    this.#settings = settings;
    this.#orders = orders;
    this.holdings = new Holdings(news, settings.commission);
    this.#news = news;
  }

  /** `run`: what makes the references of this run its own. */
  applyBoot(run: string): void {
    this.#run = run;
  }

  /** All fills of the account were listed. */
  applyRead(): void {
    this.#isRead = true;
  }

  /** Oldest first, frozen. */
  of(strategy: StrategyId, market: MarketId): readonly Fill[] {
    return this.#byStrategy.of(strategy, market);
  }

  /** Takes a fill in; undefined, or the order that had it before and does not any more. */
  record(fact: Fact, filed: Name | undefined, placed: Placed | undefined): OwnOrder | undefined {
    if (fact.says.type !== 'fill') return undefined;
    const { txId, risk, odds } = fact.says.fill;
    if (this.holdings.isSettled(txId)) return undefined;
    let fill = this.holdings.get(txId);
    const reported = filed?.holder ?? placed;
    const at = this.#sure(reported);
    if (fill === undefined) {
      const gameId = reported?.market.gameId ?? fact.says.gameId;
      if (gameId === undefined) return undefined;
      const place = at === undefined ? (this.#placeOf(reported) ?? fact.says.place) : undefined;
      // one flat literal with all that it will ever have: there may be very many
      fill = {
        txId,
        gameId,
        risk,
        win: winOf(risk, odds),
        odds,
        market: at?.market,
        side: at?.side,
        ref: fact.ref,
        orderId: fact.orderId,
        place,
        name: undefined,
        mode: 'unsure',
        isOfBefore: !this.#isRead && fact.from === 'list',
        seenAt: fact.seenAt,
        countedFor: undefined,
        isOfRun: false,
        wasNew: false,
        isFinal: false,
      };
      if (at !== undefined) this.#orders.remember(at.market);
      fill.mode = this.#modeOf(fill, filed);
      this.holdings.add(fill);
      if (!fill.isOfBefore && fill.mode !== 'other') this.unread.add(risk, fact.seenAt);
    } else if (fill.market === undefined && at !== undefined) this.#place(fill, at);
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

  /** Under the best name that it was said of: a reference is better than an id. Returns the order that loses it. */
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

  /** Whose order has this name became known, or changed. */
  attributeAll(name: Name): void {
    if (name.fills.size > 0) for (const fill of name.fills.values()) this.#attribute(fill);
  }

  /** Counts a fill for the strategy whose order it filled, in the mode of that. */
  #attribute(fill: HeldFill): void {
    if (fill.isFinal) return;
    const holder = fill.name?.holder;
    const at = this.#sure(holder);
    if (at !== undefined && fill.market === undefined) this.#place(fill, at);
    this.holdings.setMode(fill, this.#modeOf(fill, fill.name));
    const { market, side, mode } = fill;
    // which team it backs is not known for the moment: whose it is does not change by that
    if (market === undefined && fill.countedFor !== undefined) return;
    const isOurs = market !== undefined && side !== undefined && mode !== 'other';
    const strategy = isOurs ? (holder?.strategy ?? this.#strategyOf(fill.ref)) : undefined;
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
    this.#byStrategy.add(strategy, shown);
    // an order of this run filled in this run, whatever list had it first
    fill.isOfRun = !fill.isOfBefore || holder?.isOfFormerRun === false;
    if (!fill.isOfRun) return;
    counts.fills += 1;
    counts.riskFilled += fill.risk;
    if (!fill.wasNew) this.#news.addOwnFill(shown);
    fill.wasNew = true;
  }

  /** Of a reference that this run made, and whose order is dropped by now. */
  #strategyOf(ref: OrderRef | undefined): StrategyId | undefined {
    if (ref === undefined || runOf(ref) !== this.#run) return undefined;
    return ownerOf(ref, this.#settings.instance)?.strategy;
  }

  /** The game of what waits became known: `placeOf` says where each is. */
  placeWaiting(placeOf: (fill: HeldFill) => Placed | undefined): void {
    for (const fill of [...this.holdings.elsewhere.values()]) {
      const place = placeOf(fill);
      if (place === undefined) continue;
      this.#place(fill, place);
      this.#attribute(fill);
    }
  }

  // ——— teams

  /** Where something is; undefined while nobody knows which team is which in its game. */
  #sure<At extends Placed>(at: At | undefined): At | undefined {
    if (at === undefined || this.#teams.size === 0) return at;
    return this.#teams.has(at.market.gameId) && isOnTeams(at.market.type) ? undefined : at;
  }

  /** As the exchange would report it, by the teams of before. */
  #placeOf(at: Placed | undefined): OrderPlace | undefined {
    const teams = at === undefined ? undefined : this.#teams.get(at.market.gameId);
    if (at === undefined || teams === undefined) return undefined;
    const { market, side } = at;
    const team = side === 'home' || side === 'away' ? teams[side].id : side;
    return { type: market.type, side: team, line: lineFor(market, side) };
  }

  /** Home and away of a game changed places: its fills stay on their teams. `markets`: those of the game. */
  swapTeams(gameId: GameId, markets: readonly Market[]): void {
    this.#byStrategy.swapTeams(markets);
    this.holdings.commission.swapTeams(markets);
    for (const fill of [...this.holdings.openIn(gameId)]) {
      const { market, side } = fill;
      if (market === undefined || side === undefined || !isOnTeams(market.type)) continue;
      const to = swappedPlace({ market, side });
      this.holdings.move(fill, to.market, to.side);
    }
  }

  /** A team of a game was replaced: until both are known again, whatever is on a team may be lost whole. */
  loseTeams(gameId: GameId, before: Teams): void {
    this.#teams.set(gameId, before);
    for (const fill of [...this.holdings.openIn(gameId)]) {
      const { market, side } = fill;
      if (market === undefined || side === undefined || !isOnTeams(market.type)) continue;
      const place = this.#placeOf({ market, side });
      if (place !== undefined) this.holdings.displace(fill, place);
    }
  }

  /** Both teams are known again: all stands where it stood before they were lost. */
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

  /** The game is over, and nothing is held there. */
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

  /** True for a reference that some run of this instance made. */
  isOwnReference(ref: OrderRef): boolean {
    return ownerOf(ref, this.#settings.instance) !== undefined;
  }

  /** What was sent at this monotonic time went to the mode of this bot. */
  isModeSureAt(sentAt: number): boolean {
    return sentAt < this.#modeSureUntil;
  }

  /** The account was in the mode of this bot at this monotonic time; an order keeps the mode that it was placed in. */
  applyModeSure(at: number): void {
    this.#modeSureUntil = Math.max(this.#modeSureUntil, at);
    for (const fill of [...this.holdings.unsure()]) this.holdings.setMode(fill, this.#modeOf(fill, fill.name));
  }

  /** Of orders of this run that may be, or are, of the other mode. */
  ofOtherMode(): readonly HeldFill[] {
    return [...this.holdings.open].filter(({ name, mode }) => mode !== 'sure' && name?.holder?.isOfFormerRun === false);
  }

  // ——— ends

  /** A fill was graded; `profit`: undefined where that is not reported. */
  applyGraded(txId: TxId, profit: Micros | undefined): void {
    const fill = this.holdings.settle(txId, profit);
    if (fill !== undefined) this.#drop(fill);
  }

  /** An operator knows how a game ended (`Holdings.settleGame`). Returns the fills that this settled. */
  settleGame(...result: Parameters<Holdings['settleGame']>): ReturnType<Holdings['settleGame']> {
    const settled = this.holdings.settleGame(...result);
    for (const { fill } of settled) this.#drop(fill);
    return settled;
  }

  /** An operator takes back what a score settled: it waits for its game again. */
  unsettle(fill: HeldFill, brought: Micros): void {
    if (fill.market !== undefined) this.#orders.remember(fill.market);
    this.holdings.unsettle(fill, brought);
  }

  /** Nothing more is to be said of it: what it filled stays counted in its order, without it. */
  #drop(fill: HeldFill): void {
    fill.name?.unfile(fill);
  }

  /** The order that has this name is dropped: nothing more is learned of its fills. */
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
