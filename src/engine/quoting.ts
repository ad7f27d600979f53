// From a changed market to targets: view → strategies → intents → controls → targets. Also keeps the time-weighted
// share of wanted slots that really rested.
import type {
  GameId,
  Ladder,
  Market,
  MarketId,
  Offer,
  QuoteIntent,
  Side,
  StrategyId,
} from '../domain/index.ts';
import { consensusOf } from '../domain/index.ts';
import type { MarketBook, Mirror, SideBook } from '../mirror/index.ts';
import type { OrderManager } from '../orders/index.ts';
import { remainingOf, targetsOf } from '../orders/index.ts';
import type { Denial, RiskLimits } from '../risk/index.ts';
import type { StrategyHost } from '../strategy/host.ts';
import type { MarketView, OwnOffer, SideView, Signals } from '../strategy/view.ts';
import type { Desk } from './desk.ts';
import { isQuotable } from './selection.ts';
import type { MarketSelection } from './settings.ts';

/** The consensus that the price band is measured against takes any two-sided book. */
const ANY_BOOK = { maxSpread: 1, minDepth: 0 };

/** The newest intent, and the sequence number of the input that brought it. */
type HeldIntent = { readonly intent: QuoteIntent; readonly seq: number };
type Share = { wanted: number; resting: number };

export class Quoting {
  intents = 0;
  /** Markets that are quoted now. */
  readonly open = new Map<MarketId, MarketBook>();
  readonly lastConsensus = new Map<MarketId, number>();
  readonly #byMarket = new Map<MarketId, Map<StrategyId, HeldIntent>>();
  readonly #changed = new Map<MarketId, Market>();
  readonly #othersOf = new WeakMap<
    SideBook,
    { readonly of: Ladder; readonly ids: number; readonly others: Ladder }
  >();
  readonly #shownFreshness = new Map<MarketId, string>();
  readonly #shares = new Map<MarketId, Share>();
  #total: Share = { wanted: 0, resting: 0 };
  #wantedMs = 0;
  #restedMs = 0;
  #sharedAt: number | undefined;
  readonly #desk: Desk;
  readonly #mirror: Mirror;
  readonly #manager: OrderManager;
  readonly #host: StrategyHost;
  readonly #selection: MarketSelection;
  readonly #limits: RiskLimits;
  readonly #oddsStep: number;
  readonly #signals: Signals;
  readonly #denialOf: (strategy: StrategyId, market: Market, side: Side) => Denial | undefined;

  constructor(
    desk: Desk,
    parts: {
      readonly mirror: Mirror;
      readonly manager: OrderManager;
      readonly host: StrategyHost;
      readonly signals: Signals;
      /** Denies one strategy, or one side of one market. */
      readonly denialOf: (strategy: StrategyId, market: Market, side: Side) => Denial | undefined;
    },
    settings: { readonly selection: MarketSelection; readonly limits: RiskLimits; readonly oddsStep: number },
  ) {
    this.#desk = desk;
    this.#mirror = parts.mirror;
    this.#manager = parts.manager;
    this.#host = parts.host;
    this.#signals = parts.signals;
    this.#denialOf = parts.denialOf;
    this.#selection = settings.selection;
    this.#limits = settings.limits;
    this.#oddsStep = settings.oddsStep;
  }

  /** An intent replaced the former one of this strategy and market. */
  applyIntent(strategy: StrategyId, intent: QuoteIntent): void {
    this.intents += 1;
    let intents = this.#byMarket.get(intent.market);
    if (intents === undefined) {
      intents = new Map();
      this.#byMarket.set(intent.market, intents);
    }
    intents.set(strategy, { intent, seq: this.#desk.seq });
    const book = this.open.get(intent.market);
    if (book !== undefined) this.#changed.set(intent.market, book.market);
  }

  /** Shows a changed market to the strategies, opening or closing it as its state asks. `stopped`: quote nothing any more. */
  show(book: MarketBook, stopped: boolean): void {
    const { market } = book;
    this.#changed.set(market.id, market);
    const game = this.#mirror.games.get(market.gameId)?.game;
    const quotable =
      !stopped && game !== undefined && isQuotable(game, market, this.#selection, this.#desk.t);
    if (!quotable || game === undefined) {
      if (this.open.delete(market.id)) {
        this.#host.close(market);
        this.#byMarket.delete(market.id);
        this.#shownFreshness.delete(market.id);
        for (const side of book.sides) this.#othersOf.delete(side);
      }
      return;
    }
    this.open.set(market.id, book);
    this.#shownFreshness.set(market.id, this.#freshnessOf(book));
    const others = this.others(book);
    this.#host.dispatch(market, (strategy) => this.#viewOf(strategy, book, game, others));
  }

  /** Games with a market that is quoted now; one may come several times. */
  *openGames(): Iterable<GameId> {
    for (const { market } of this.open.values()) yield market.gameId;
  }

  /** Open markets that time alone changed: no longer quotable, or fresher or staler than they were shown. */
  *due(stopped: boolean): Iterable<MarketBook> {
    for (const [id, book] of this.open) {
      const game = this.#mirror.games.get(book.market.gameId)?.game;
      const quotable =
        !stopped && game !== undefined && isQuotable(game, book.market, this.#selection, this.#desk.t);
      if (!quotable || this.#freshnessOf(book) !== this.#shownFreshness.get(id)) yield book;
    }
  }

  /** When time alone changes an open market. */
  nextDue(): number {
    const { now, t } = this.#desk;
    let due = Number.POSITIVE_INFINITY;
    for (const { market, sides } of this.open.values()) {
      for (const { coveredAt } of sides) {
        // the first moment that is too late
        const staleAt = coveredAt + this.#limits.staleAfterMs + 1;
        if (staleAt > now) due = Math.min(due, staleAt);
      }
      const game = this.#mirror.games.get(market.gameId)?.game;
      if (game !== undefined && !game.live)
        due = Math.min(due, now + Math.max(0, game.start - this.#selection.stopBeforeMs - t));
    }
    return due;
  }

  #freshnessOf(book: MarketBook): string {
    return `${this.#freshness(book.sides[0])} ${this.#freshness(book.sides[1])}`;
  }

  /** What one strategy sees: the common book, its own offers and fills. */
  #viewOf(
    strategy: StrategyId,
    book: MarketBook,
    game: MarketView['game'],
    others: readonly [Ladder, Ladder],
  ): MarketView {
    const { market } = book;
    return {
      time: this.#desk.t,
      game,
      market,
      sides: [this.#sideView(strategy, book, 0, others[0]), this.#sideView(strategy, book, 1, others[1])],
      position: this.#manager.ledger.plays.positionIn(market.id),
      fills: this.#manager.ledger.fillsOf(strategy, market.id),
      signals: this.#signals,
    };
  }

  #sideView(strategy: StrategyId, book: MarketBook, index: 0 | 1, offers: Ladder): SideView {
    const side = book.market.sides[index];
    const own: OwnOffer[] = [];
    for (const order of this.#manager.ledger.activeIn(book.market.id)) {
      if (order.strategy !== strategy || order.side !== side) continue;
      own.push({
        side,
        rung: order.rung,
        risk: order.risk,
        remaining: remainingOf(order),
        key: order.key,
        status: order.status,
      });
    }
    return { side, offers, freshness: this.#freshness(book.sides[index]), own };
  }

  /** The ladders of both sides without own offers. */
  others({ market, sides }: MarketBook): readonly [Ladder, Ladder] {
    const newestId = this.#manager.ledger.newestIdIn(market.id);
    return [this.#othersIn(sides[0], newestId), this.#othersIn(sides[1], newestId)];
  }

  /** The same array when there are none. Kept until the ladder or the known ids change. */
  #othersIn(side: SideBook, ids: number): Ladder {
    const { ledger } = this.#manager;
    const kept = this.#othersOf.get(side);
    if (kept?.of === side.ladder && kept.ids === ids) return kept.others;
    const isOwn = (offer: Offer): boolean => offer.own || ledger.owns(offer.id);
    const others = side.ladder.some(isOwn) ? side.ladder.filter((offer) => !isOwn(offer)) : side.ladder;
    this.#othersOf.set(side, { of: side.ladder, ids, others });
    return others;
  }

  #freshness(side: SideBook): ReturnType<Mirror['freshness']> {
    return this.#mirror.freshness(side, this.#desk.now, this.#limits.staleAfterMs);
  }

  /** Recomputes targets and needs of every market touched in this step. `closed` denies all of them. */
  retarget(closed: Denial | undefined, all: boolean): void {
    if (all) for (const [id, { market }] of this.open) this.#changed.set(id, market);
    for (const market of this.#changed.values()) this.#retargetMarket(market, closed);
    this.#changed.clear();
  }

  markChanged(market: Market): void {
    this.#changed.set(market.id, market);
  }

  #retargetMarket({ id, gameId }: Market, closed: Denial | undefined): void {
    const book = this.open.get(id);
    const intents = this.#byMarket.get(id);
    if (book === undefined || intents === undefined) this.#manager.setTargets(id, []);
    else {
      const others = this.others(book);
      const consensus = consensusOf(others[0], others[1], ANY_BOOK);
      if (consensus !== undefined) this.lastConsensus.set(id, consensus.p);
      this.#manager.setTargets(
        id,
        targetsOf(this.#inFileOrder(intents), {
          market: book.market,
          others,
          freshness: [this.#freshness(book.sides[0]), this.#freshness(book.sides[1])],
          consensus,
          limits: this.#limits,
          oddsStep: this.#oddsStep,
          live: this.#manager.ledger.activeIn(id),
          closed,
          denialOf: (strategy, side) => this.#denialOf(strategy, book.market, side),
        }),
      );
    }
    this.#manager.refresh(id, gameId);
    this.#recount(id);
  }

  #inFileOrder(
    intents: ReadonlyMap<StrategyId, HeldIntent>,
  ): readonly (HeldIntent & { readonly strategy: StrategyId })[] {
    const list: (HeldIntent & { readonly strategy: StrategyId })[] = [];
    for (const { id: strategy } of this.#host.entries) {
      const held = intents.get(strategy);
      if (held !== undefined) list.push({ strategy, ...held });
    }
    return list;
  }

  #recount(id: MarketId): void {
    const targets = this.#manager.targets.get(id);
    let wanted = 0;
    let resting = 0;
    if (targets !== undefined) {
      wanted = targets.length;
      const live = this.#manager.ledger.activeIn(id);
      for (const target of targets) {
        for (const order of live) {
          if (order.slot !== target.slot || order.status === 'sending' || order.status === 'unknown')
            continue;
          resting += 1;
          break;
        }
      }
    }
    const before = this.#shares.get(id) ?? { wanted: 0, resting: 0 };
    this.#total = {
      wanted: this.#total.wanted + wanted - before.wanted,
      resting: this.#total.resting + resting - before.resting,
    };
    if (wanted === 0) this.#shares.delete(id);
    else this.#shares.set(id, { wanted, resting });
  }

  /** Counts the time since the last input with what stood during it. */
  advance(now: number): void {
    if (this.#sharedAt !== undefined) {
      this.#wantedMs += (now - this.#sharedAt) * this.#total.wanted;
      this.#restedMs += (now - this.#sharedAt) * this.#total.resting;
    }
    this.#sharedAt = now;
  }

  /** Slots wanted and slots resting now. */
  get slots(): Readonly<Share> {
    return this.#total;
  }

  /** 0…1; 0 when nothing was ever wanted. */
  get quotedShare(): number {
    return this.#wantedMs === 0 ? 0 : this.#restedMs / this.#wantedMs;
  }
}
