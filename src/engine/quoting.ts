// From a changed market to targets: view → strategies → intents → controls → targets.
import type {
  Consensus,
  Game,
  GameId,
  Ladder,
  Market,
  MarketId,
  QuoteIntent,
  Side,
  StrategyId,
} from '../domain/index.ts';
import { ANY_BOOK, consensusOf, FAIR_BOOK, NO_OFFERS } from '../domain/index.ts';
import type { GameBook, MarketBook, Mirror, SideBook } from '../mirror/index.ts';
import type { HeldReason, OrderManager, Target } from '../orders/index.ts';
import { remainingOf, targetsOf } from '../orders/index.ts';
import type { ControlName, Denial, RiskLimits } from '../risk/index.ts';
import type { StrategyHost } from '../strategy/host.ts';
import type { MarketView, OwnOffer, SideView } from '../strategy/view.ts';
import type { Desk } from './desk.ts';
import { ownersOf } from './own-rows.ts';
import type { SlotShare } from './quoted-share.ts';
import { NO_SLOTS, QuotedShare } from './quoted-share.ts';
import { isQuotable } from './selection.ts';
import type { MarketSelection } from './settings.ts';

/** The newest intent, and the sequence number of the input that brought it. */
type HeldIntent = { readonly intent: QuoteIntent; readonly seq: number };

/** A market that is quoted now. */
type Quoted = {
  readonly book: MarketBook;
  readonly intents: Map<StrategyId, HeldIntent>;
  /** Of both sides, as the strategies saw it last. */
  freshness: string;
  /** Of these ladders, which are new arrays whenever something changed. */
  others: readonly [Ladder, Ladder];
  consensus: Consensus | undefined;
  /** The consensus is a fair price: the book is neither wide nor thin. */
  isFair: boolean;
  share: SlotShare;
};
/** Reasons to want nothing that are told apart, and letters of each. */
const MOST_REASONS = 20;
const LONGEST_REASON = 80;
const OTHER_REASONS = 'other reasons';
const NO_TARGETS: readonly Target[] = [];

export class Quoting {
  intents = 0;
  /** Intents without a quote, by the reason they gave. */
  readonly idle = new Map<string, number>();
  readonly share = new QuotedShare();
  /** Markets that are quoted now. */
  readonly open = new Map<MarketId, Quoted>();
  /** How often a market was opened or closed. */
  turns = 0;
  /**
   * What a market is marked at, as probability of its first side: the newest fair price, and until there was one the
   * newest price of any book.
   */
  readonly prices = new Map<MarketId, number>();
  readonly #hadFairPrice = new Set<MarketId>();
  readonly #changed = new Map<MarketId, Market>();
  /** Games with a market that is quoted now, and how many. */
  readonly #games = new Map<GameId, number>();
  readonly #desk: Desk;
  readonly #mirror: Mirror;
  readonly #manager: OrderManager;
  readonly #host: StrategyHost;
  readonly #selection: MarketSelection;
  readonly #limits: RiskLimits;
  readonly #oddsStep: number;
  readonly #bookShowsOwn: boolean;
  readonly #denialOf: (strategy: StrategyId, market: Market, side: Side) => Denial | undefined;

  constructor(
    desk: Desk,
    parts: {
      readonly mirror: Mirror;
      readonly manager: OrderManager;
      readonly host: StrategyHost;
      /** Denies one strategy, or one side of one market. */
      readonly denialOf: (strategy: StrategyId, market: Market, side: Side) => Denial | undefined;
    },
    settings: {
      readonly selection: MarketSelection;
      readonly limits: RiskLimits;
      readonly oddsStep: number;
      readonly bookShowsOwn: boolean;
    },
  ) {
    this.#desk = desk;
    this.#mirror = parts.mirror;
    this.#manager = parts.manager;
    this.#host = parts.host;
    this.#denialOf = parts.denialOf;
    this.#selection = settings.selection;
    this.#limits = settings.limits;
    this.#oddsStep = settings.oddsStep;
    this.#bookShowsOwn = settings.bookShowsOwn;
  }

  /** An intent replaced the former one of this strategy and market. */
  applyIntent(strategy: StrategyId, intent: QuoteIntent): void {
    this.intents += 1;
    const quoted = this.open.get(intent.market);
    if (quoted === undefined) return;
    quoted.intents.set(strategy, { intent, seq: this.#desk.seq });
    this.#changed.set(intent.market, quoted.book.market);
  }

  /** The newest intent of a strategy for a market that is quoted: which input brought it, and what it said. */
  intentOf(market: MarketId, strategy: StrategyId): HeldReason | undefined {
    const held = this.open.get(market)?.intents.get(strategy);
    return held === undefined ? undefined : { seq: held.seq, said: held.intent.reason };
  }

  /** A strategy wants nothing, and says why. */
  noteIdle(reason = 'no reason given'): void {
    const told = reason.slice(0, LONGEST_REASON);
    const named = this.idle.has(told) || this.idle.size < MOST_REASONS ? told : OTHER_REASONS;
    this.idle.set(named, (this.idle.get(named) ?? 0) + 1);
  }

  /** Shows a changed market to the strategies, opening or closing it as its state asks. `stopped`: quote nothing any more. */
  show(book: MarketBook, stopped: boolean): void {
    const { market } = book;
    const game = this.#mirror.games.get(market.gameId)?.game;
    const known = this.open.get(market.id);
    if (game === undefined || !this.#isQuotable(game, market, stopped)) {
      if (known !== undefined) this.#close(known);
      return;
    }
    const quoted = known?.book === book ? known : this.#open(book, known);
    quoted.freshness = this.#freshnessOf(book);
    this.#changed.set(market.id, market);
    const others = this.#othersOf(quoted);
    this.#host.dispatch(market, (strategy) => this.#viewOf(strategy, book, game, others));
  }

  #isQuotable(game: Game, market: Market, stopped: boolean): boolean {
    return !stopped && isQuotable(game, market, this.#selection, this.#desk.t);
  }

  /** `former`: of the same market, before its game was forgotten and told again. */
  #open(book: MarketBook, former: Quoted | undefined): Quoted {
    const { id, gameId } = book.market;
    const quoted: Quoted = {
      book,
      intents: former?.intents ?? new Map<StrategyId, HeldIntent>(),
      freshness: '',
      others: [NO_OFFERS, NO_OFFERS],
      consensus: undefined,
      isFair: false,
      share: former?.share ?? NO_SLOTS,
    };
    if (former === undefined) this.#games.set(gameId, (this.#games.get(gameId) ?? 0) + 1);
    this.open.set(id, quoted);
    this.turns += 1;
    return quoted;
  }

  #close({ book: { market, sides }, share }: Quoted): void {
    const { id, gameId } = market;
    this.#host.close(market);
    this.open.delete(id);
    this.turns += 1;
    this.share.replace(share, NO_SLOTS);
    const games = (this.#games.get(gameId) ?? 1) - 1;
    if (games > 0) this.#games.set(gameId, games);
    else this.#games.delete(gameId);
    for (const side of sides) side.owners = undefined;
    this.#changed.set(id, market);
  }

  /** The game is over, and nothing is open or held in it: until then what is held is marked at the last consensus. */
  forget({ markets }: GameBook): void {
    for (const id of markets.keys()) {
      this.prices.delete(id);
      this.#hadFairPrice.delete(id);
    }
  }

  /** Games with a market that is quoted now. */
  get openGames(): Iterable<GameId> {
    return this.#games.keys();
  }

  /** Open markets that time alone changed: no longer quotable, or fresher or staler than they were shown. */
  *due(stopped: boolean): Iterable<MarketBook> {
    for (const { book, freshness } of this.open.values()) {
      const game = this.#mirror.games.get(book.market.gameId)?.game;
      const isQuoted = game !== undefined && this.#isQuotable(game, book.market, stopped);
      if (!isQuoted || this.#freshnessOf(book) !== freshness) yield book;
    }
  }

  /** When time alone changes an open market. */
  nextDue(): number {
    const { now, t } = this.#desk;
    let due = Number.POSITIVE_INFINITY;
    for (const { book } of this.open.values()) {
      for (const { coveredAt } of book.sides) {
        // the first moment that is too late
        const staleAt = coveredAt + this.#limits.staleAfterMs + 1;
        if (staleAt > now) due = Math.min(due, staleAt);
      }
      const game = this.#mirror.games.get(book.market.gameId)?.game;
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
      signals: this.#host.signals,
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

  /** The ladders of both sides without own offers, and what they say of the fair price. */
  #othersOf(quoted: Quoted): readonly [Ladder, Ladder] {
    const { others, book } = quoted;
    const first = this.#othersIn(book.sides[0]);
    const second = this.#othersIn(book.sides[1]);
    if (first === others[0] && second === others[1]) return others;
    // the price band is measured against it, however wide the book is
    const fair = consensusOf(first, second, FAIR_BOOK);
    quoted.consensus = fair ?? consensusOf(first, second, ANY_BOOK);
    quoted.isFair = fair !== undefined;
    return (quoted.others = [first, second]);
  }

  #othersIn(side: SideBook): Ladder {
    return this.#bookShowsOwn ? ownersOf(side, this.#manager.ledger).others : Object.freeze(side.ladder);
  }

  #freshness(side: SideBook): ReturnType<Mirror['freshness']> {
    return this.#mirror.freshness(side, this.#desk.now, this.#limits.staleAfterMs);
  }

  /** Recomputes targets and needs of every market touched in this step. `closed` denies all of them. */
  retarget(closed: Denial | undefined, all: boolean): void {
    if (all) for (const [id, { book }] of this.open) this.#changed.set(id, book.market);
    for (const market of this.#changed.values()) this.#retargetMarket(market, closed);
    this.#changed.clear();
  }

  markChanged(market: Market): void {
    this.#changed.set(market.id, market);
  }

  #retargetMarket({ id }: Market, closed: Denial | undefined): void {
    const quoted = this.open.get(id);
    const targets = quoted === undefined ? NO_TARGETS : this.#targetsOf(quoted, closed);
    this.#manager.setTargets(id, targets);
    this.#manager.refresh(id, this.#desk.now);
    if (quoted !== undefined) this.#recount(quoted, targets);
  }

  /** Counts again where a control denied, or denies no more, what was wanted in this step. */
  recount(): void {
    const { heldAnew, targets } = this.#manager;
    for (const id of heldAnew) {
      const quoted = this.open.get(id);
      if (quoted !== undefined) this.#recount(quoted, targets.get(id) ?? NO_TARGETS);
    }
    heldAnew.clear();
  }

  #targetsOf(quoted: Quoted, closed: Denial | undefined): readonly Target[] {
    const { book, intents } = quoted;
    if (intents.size === 0) return NO_TARGETS;
    const others = this.#othersOf(quoted);
    const { consensus } = quoted;
    if (consensus !== undefined) this.#notePrice(book.market.id, consensus.p, quoted.isFair);
    return targetsOf(this.#inFileOrder(intents), {
      market: book.market,
      others,
      freshness: [this.#freshness(book.sides[0]), this.#freshness(book.sides[1])],
      consensus,
      limits: this.#limits,
      oddsStep: this.#oddsStep,
      live: this.#manager.ledger.activeIn(book.market.id),
      closed,
      denialOf: (strategy, side) => this.#denialOf(strategy, book.market, side),
    });
  }

  #notePrice(id: MarketId, p: number, isFair: boolean): void {
    if (isFair) this.#hadFairPrice.add(id);
    else if (this.#hadFairPrice.has(id)) return;
    this.prices.set(id, p);
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

  #recount(quoted: Quoted, targets: readonly Target[]): void {
    let resting = 0;
    let held: ControlName[] | undefined;
    const live = this.#manager.ledger.activeIn(quoted.book.market.id);
    for (const { slot, denial } of targets) {
      let isTaken = false;
      let rests = false;
      for (const order of live) {
        if (order.slot !== slot) continue;
        isTaken = true;
        rests ||= order.status !== 'sending' && order.status !== 'unknown';
      }
      if (rests) resting += 1;
      const control = isTaken ? undefined : (denial?.control ?? this.#manager.deniedBy(slot));
      if (control !== undefined) (held ??= []).push(control);
    }
    const share = { wanted: targets.length, resting, held: held ?? NO_SLOTS.held };
    quoted.share = this.share.replace(quoted.share, share);
  }
}
