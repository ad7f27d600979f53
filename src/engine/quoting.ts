// Turns a changed market into targets: view → strategies → intents → controls → targets.
import type { Game, GameId, HeldIntent, Ladder, Market, MarketId, Side, SlotId, StrategyId } from '../domain/index.ts';
import { ANY_BOOK, consensusOf, FAIR_BOOK, marketOf, NO_OFFERS, elementAt, withLast } from '../domain/index.ts';
import type { Freshness, GameBook, MarketBook, Mirror, SideBook } from '../mirror/index.ts';
import type { Account } from '../account/index.ts';
import type { OrderManager, OrderSettings, Target } from '../orders/index.ts';
import { targetsOf } from '../orders/index.ts';
import type { BandReference, Denial, RiskLimits } from '../risk/index.ts';
import { NO_REFERENCE } from '../risk/index.ts';
import type { StrategyEntry, StrategyHost, SignalBoard } from '../strategy/host/index.ts';
import { BandReferences } from './band-references.ts';
import type { CommandBuffer } from './command-buffer.ts';
import { IdleReasons } from './idle-reasons.ts';
import { Histories } from './histories.ts';
import { Alarm, Alarms } from './market-alarms.ts';
import type { MarketView } from '../strategy/index.ts';
import type { Quoted } from './quoted-market.ts';
import { MarketSelect } from './market-select.ts';
import type { CommonBook, GameParts, IsWanted } from './market-views.ts';
import { MarketViews } from './market-views.ts';
import { OpenMarkets } from './open-markets.ts';
import { OwnFairs } from './own-fairs.ts';
import { ownersOf } from './own-rows.ts';
import { quoteLimitsOf } from './strategy-limits.ts';
import { regimeChange } from './regime.ts';
import { NO_DENIALS, NO_SLOTS, QuotedShare, slotsIn } from './quoted-share.ts';
import type { Leagues } from './leagues.ts';
import type { Known } from './selection.ts';
import { isQuotable } from './selection.ts';
import type { Prices } from './prices.ts';
import type { MarketSelection } from './settings.ts';
import type { Trading } from './trading.ts';

const NO_TARGETS: readonly Target[] = [];
const NO_INTENTS: readonly HeldIntent[] = [];
const NO_BOOKS: readonly MarketBook[] = [];
const UNKNOWN = ['unknown', 'unknown'] as const;

export class Quoting {
  intents = 0;
  readonly #idle = new IdleReasons();
  readonly share: QuotedShare;
  readonly select: MarketSelect;
  /** Markets that are quoted now. */
  readonly markets: OpenMarkets;
  readonly open: ReadonlyMap<MarketId, Quoted>;
  /** Earlier prices and takes, of the markets in which a strategy reads them. */
  readonly histories: Histories;
  /** Fair prices that strategies gave with their intents. */
  readonly ownFairs = new OwnFairs();
  readonly #bands: BandReferences;
  #turns = 0;
  readonly #changed = new Map<MarketId, Market>();
  readonly #stale = new Alarms<MarketId>();
  readonly #starts = new Alarms<MarketId>();
  /** Markets with a side that is not fresh, or whose game was forgotten: each housekeeping checks them. */
  readonly #watched = new Set<MarketId>();
  readonly #buffer: CommandBuffer;
  readonly #mirror: Mirror;
  readonly #account: Account;
  readonly #manager: OrderManager;
  readonly #trading: Trading;
  readonly #prices: Prices;
  readonly #host: StrategyHost;
  readonly #views: MarketViews;
  readonly #selection: MarketSelection;
  readonly #known: Known;
  readonly #isClosed: (gameId: GameId) => boolean;
  readonly #limits: RiskLimits;
  readonly #oddsStep: number;
  readonly #rowsCarryOwners: boolean;

  constructor(
    buffer: CommandBuffer,
    parts: {
      readonly mirror: Mirror;
      readonly account: Account;
      readonly manager: OrderManager;
      readonly host: StrategyHost;
      readonly trading: Trading;
      readonly prices: Prices;
      readonly signals: Pick<SignalBoard, 'get'>;
      readonly leagues: Leagues;
      /** What strategies of whole games see beside the markets. */
      readonly gameViews: Omit<GameParts, 'openIn' | 'histories' | 'isWanted'>;
      /** True when no market of this game may be quoted now, whatever is selected. */
      readonly isClosed: (gameId: GameId) => boolean;
    },
    settings: {
      readonly selection: MarketSelection;
      readonly limits: RiskLimits;
      readonly oddsStep: number;
      readonly rowsCarryOwners: boolean;
      readonly orders: Pick<OrderSettings, 'tolerance'>;
    },
  ) {
    this.#buffer = buffer;
    this.markets = new OpenMarkets(parts.mirror);
    this.open = this.markets.byId;
    this.share = new QuotedShare(buffer.raise, (id) => parts.mirror.games.get(id)?.game);
    this.#mirror = parts.mirror;
    this.#manager = parts.manager;
    this.#host = parts.host;
    this.#account = parts.account;
    this.#trading = parts.trading;
    this.#prices = parts.prices;
    this.histories = new Histories(() => parts.host.entries);
    this.#views = new MarketViews(parts.account, parts.host.signals, {
      ...parts.gameViews,
      openIn: (id) => this.markets.booksIn(id),
      histories: this.histories.all,
      isWanted: (strategy, market) => {
        const entry = parts.host.entries.find(({ id }) => id === strategy);
        return entry === undefined || parts.host.isWanted(entry, market);
      },
    });
    this.#selection = settings.selection;
    this.#known = {
      leagues: parts.leagues,
      gameOf: (id) => parts.mirror.games.get(id)?.game,
    };
    this.#isClosed = parts.isClosed;
    this.#limits = settings.limits;
    this.#oddsStep = settings.oddsStep;
    this.#rowsCarryOwners = settings.rowsCarryOwners;
    this.#bands = new BandReferences({
      limits: settings.limits,
      signal: (name) => parts.signals.get(name),
      now: () => buffer.now,
    });
    this.select = new MarketSelect({
      open: this.open,
      selection: settings.selection,
      tolerance: () => settings.orders.tolerance,
      permitPrice: () => parts.manager.permitPrice / 1e6,
      // a book without own rows shows all takes
      fills: settings.rowsCarryOwners ? parts.account.news.fills : [],
      isDenied: (strategy, market, side) => this.#denialOf(strategy, market, side) !== undefined,
      now: () => buffer.now,
    });
  }

  /** Rises when a market opens or closes, a band reference begins to age, or a warm-up begins: `nextDue` may change. */
  get turns(): number {
    return this.#turns + this.#bands.turns + this.histories.turns;
  }

  /** Takes the strategies' new intents. An intent replaces the previous one of its strategy and market. */
  takeIntents(): void {
    for (const held of this.#host.takeIntents()) this.#applyIntent(held);
  }

  #applyIntent(held: HeldIntent): void {
    const { strategy, intent, isWithdrawn } = held;
    if (intent.quotes.length === 0 && !isWithdrawn) this.#idle.note(intent.reason);
    this.intents += 1;
    const quoted = this.open.get(intent.market);
    if (quoted === undefined) return;
    this.ownFairs.note(intent.market, strategy, intent.fair, this.#buffer.t);
    const regime = regimeChange(held, quoted.intents.get(strategy)?.intent.regime);
    if (regime !== undefined) this.#buffer.raise(regime);
    quoted.intents.set(strategy, held);
    this.#changed.set(intent.market, quoted.book.market);
  }

  /** Number of intents without a quote, by the reason that the strategy gave. */
  get idle(): Readonly<Record<string, number>> {
    return this.#idle.counts;
  }

  /** Number of slots kept empty because their market has no reference price. */
  get withoutReference(): number {
    if ((this.share.slots.held['price-band'] ?? 0) === 0) return 0;
    let slots = 0;
    for (const id of this.open.keys())
      for (const { denial } of this.#manager.targetsIn(id)) if (denial === NO_REFERENCE) slots += 1;
    return slots;
  }

  /** Opens a changed market, shows it to the strategies, or closes it. `stopped`: quote nothing any more. */
  show(book: MarketBook, stopped: boolean): void {
    const { market } = book;
    const game = this.#mirror.games.get(market.gameId)?.game;
    const known = this.open.get(market.id);
    if (game === undefined || !this.#isQuotable(game, market, stopped)) {
      if (known === undefined) return;
      this.#saveLastGood(known);
      this.#close(known);
      return;
    }
    const quoted = known?.book === book ? known : this.#open(book, known);
    this.#saveLastGood(quoted);
    const isNew = this.#isFreshnessNew(quoted);
    if (isNew) quoted.freshness = this.freshnessOf(book);
    this.#setAlarms(quoted, game, isNew);
    this.#changed.set(market.id, market);
    const common = { game, market, others: this.#othersOf(quoted), freshness: quoted.freshness };
    this.select.see(quoted);
    this.#host.dispatch(market, (strategy, isOfGame) => this.#viewOf(strategy, isOfGame, common));
    this.takeIntents();
  }

  #viewOf(strategy: StrategyId, isOfGame: boolean, common: CommonBook, trial?: IsWanted): MarketView {
    const { t } = this.#buffer;
    return isOfGame
      ? this.#views.gameViewOf(strategy, common, t, trial)
      : this.#views.viewOf(strategy, common, t, trial !== undefined);
  }

  /** The strategy's view of each quoted market, with books as last shown to it, for a trial. */
  *views(entry: StrategyEntry): Iterable<MarketView> {
    const isWanted = (market: Market): boolean => this.#host.isWanted(entry, market);
    for (const common of this.markets.books())
      if (isWanted(common.market)) yield this.#viewOf(entry.id, entry.strategy.scope === 'game', common, isWanted);
  }

  /** The latest possible wall time, Unix ms. A game that may have begun by then is not quoted. */
  get #latest(): number {
    return this.#buffer.t + this.#buffer.uncertainMs;
  }

  #isQuotable(game: Game, market: Market, stopped: boolean): boolean {
    if (stopped || this.#isClosed(game.id)) return false;
    return isQuotable(game, market, this.#selection, this.#known, this.#latest);
  }

  /** Opens a market. `former`: the same market before its game was forgotten and appeared again. */
  #open(book: MarketBook, former: Quoted | undefined): Quoted {
    const { id } = book.market;
    if (former !== undefined) this.#unset(former);
    this.#turns += 1;
    const quoted: Quoted = {
      book,
      intents: former?.intents ?? new Map<StrategyId, HeldIntent>(),
      freshness: UNKNOWN,
      others: [NO_OFFERS, NO_OFFERS],
      consensus: undefined,
      isFair: false,
      lastGood: this.#bands.open(id, this.#turns),
      share: former?.share ?? NO_SLOTS,
      stale: new Alarm(id, this.#turns),
      start: new Alarm(id, this.#turns),
    };
    this.markets.add(quoted, former);
    this.histories.openMarket(book.market);
    return quoted;
  }

  #close(quoted: Quoted): void {
    const { market, sides } = quoted.book;
    const { id } = market;
    this.#unset(quoted);
    this.#host.closeMarket(market);
    this.takeIntents();
    this.markets.delete(quoted);
    this.select.forget(id);
    this.histories.closeMarket(id);
    this.#bands.closeEntry(quoted.lastGood);
    this.#turns += 1;
    quoted.share = this.share.change(market, quoted.share, 0, 0, NO_DENIALS);
    for (const side of sides) side.owners = undefined;
    this.#changed.set(id, market);
  }

  /** Forgets a game without orders and positions. Until then it is marked at the last consensus. */
  forget({ markets }: GameBook): void {
    for (const [id, { market }] of markets) {
      if (this.open.has(id)) this.#watched.add(id);
      this.#prices.forget(id);
      this.forgetPrices([market]);
    }
  }

  /** Forgets fair prices and band references of these markets. Positions there are marked as before. */
  forgetPrices(markets: Iterable<Market>): void {
    for (const { id } of markets) {
      this.ownFairs.forget(id);
      this.#bands.forget(id);
    }
  }

  /** Withdraws all quotes in a game and closes its markets: the sides of its books now mean other teams. */
  closeGame(gameId: GameId): void {
    for (const quoted of [...this.open.values()]) if (quoted.book.market.gameId === gameId) this.#close(quoted);
  }

  /** Open markets that time alone changed: no longer quotable, or with another freshness than last shown. */
  due(stopped: boolean): Iterable<MarketBook> {
    if (stopped) return [...this.open.values()].map(({ book }) => book);
    const { now } = this.#buffer;
    // strategies do not see band references: only the targets are decided again
    for (const id of this.#bands.ended()) this.#decideAgain(id);
    for (const id of this.histories.warmIn(this.#buffer.t)) this.#changed.set(id, marketOf(id));
    const isStale = (this.#stale.first?.dueAt ?? Number.POSITIVE_INFINITY) < now;
    const isStarted = (this.#starts.first?.dueAt ?? Number.POSITIVE_INFINITY) <= this.#latest;
    return isStale || isStarted || this.#watched.size > 0 ? this.#changedByTime(now) : NO_BOOKS;
  }

  *#changedByTime(now: number): Iterable<MarketBook> {
    const due = new Set(this.#watched);
    for (const id of this.#stale.ring((time) => time < now)) due.add(id);
    for (const id of this.#starts.ring((time) => time <= this.#latest)) due.add(id);
    for (const id of due) {
      const quoted = this.open.get(id);
      if (quoted === undefined) continue;
      const { book } = quoted;
      const game = this.#mirror.games.get(book.market.gameId)?.game;
      const isQuoted = game !== undefined && this.#isQuotable(game, book.market, false);
      if (!isQuoted || this.#isFreshnessNew(quoted)) yield book;
      else this.#setAlarms(quoted, game, false);
    }
  }

  /** `isNew`: the freshness changed. A side covered again goes stale later than its alarm, never earlier. */
  #setAlarms(quoted: Quoted, game: Game, isNew: boolean): void {
    const { freshness, stale, start } = quoted;
    if (isNew || !stale.isSet) {
      this.#stale.set(stale, this.#staleAt(quoted));
      const isFresh = freshness[0] === 'fresh' && freshness[1] === 'fresh';
      this.#watched[isFresh ? 'delete' : 'add'](stale.owner);
    }
    this.#starts.set(start, game.live ? Number.POSITIVE_INFINITY : game.start - this.#selection.stopBeforeMs);
  }

  #unset({ stale, start }: Quoted): void {
    this.#stale.unset(stale);
    this.#starts.unset(start);
    this.#watched.delete(stale.owner);
  }

  /** The last moment at which every side that was fresh still is; monotonic ms. */
  #staleAt({ book: { sides }, freshness }: Quoted): number {
    let staleAt = Number.POSITIVE_INFINITY;
    for (const index of [0, 1] as const)
      if (freshness[index] === 'fresh') staleAt = Math.min(staleAt, sides[index].coveredAt + this.#limits.staleAfterMs);
    return staleAt;
  }

  /** When time alone changes an open market next, monotonic ms. */
  nextDue(): number {
    const { now } = this.#buffer;
    const start = Math.min(
      now + Math.max(0, (this.#starts.first?.dueAt ?? Number.POSITIVE_INFINITY) - this.#latest),
      Math.max(now, this.#bands.nextDue),
      now + Math.max(0, this.histories.nextWarm - this.#buffer.t),
    );
    for (let { first } = this.#stale; first !== undefined; first = this.#stale.first) {
      const quoted = this.open.get(first.owner);
      const staleAt = quoted === undefined ? Number.POSITIVE_INFINITY : this.#staleAt(quoted);
      // the first moment at which the side is stale
      if (staleAt <= first.dueAt) return Math.min(start, Math.max(now, staleAt + 1));
      this.#stale.set(first, staleAt);
    }
    return start;
  }

  freshnessOf({ sides }: MarketBook): readonly [Freshness, Freshness] {
    return [this.#freshness(sides[0]), this.#freshness(sides[1])];
  }

  #isFreshnessNew({ book: { sides }, freshness }: Quoted): boolean {
    return this.#freshness(sides[0]) !== freshness[0] || this.#freshness(sides[1]) !== freshness[1];
  }

  /** The ladders of both sides without own offers. Recomputes the consensus when they changed. */
  #othersOf(quoted: Quoted): readonly [Ladder, Ladder] {
    const { others, book } = quoted;
    const first = this.#othersIn(book.sides[0], others[0]);
    const second = this.#othersIn(book.sides[1], others[1]);
    if (first === others[0] && second === others[1]) return others;
    // the price band needs a consensus, however wide the book is
    const fair = consensusOf(first, second, FAIR_BOOK);
    quoted.consensus = fair ?? consensusOf(first, second, ANY_BOOK);
    quoted.isFair = fair !== undefined;
    this.histories.note(book.market.id, others, [first, second], fair?.p, this.#buffer.t);
    return (quoted.others = [first, second]);
  }

  /** One side's ladder without own offers. `before`: the previous result, already frozen. */
  #othersIn(side: SideBook, before: Ladder): Ladder {
    if (this.#rowsCarryOwners) return ownersOf(side, this.#account).others;
    return side.ladder === before ? before : Object.freeze(side.ladder);
  }

  #freshness(side: SideBook): Freshness {
    return this.#mirror.freshness(side, this.#buffer.now, this.#limits.staleAfterMs);
  }

  /** Recomputes targets and needs of every market touched in this step. `closed` denies all of them. */
  retarget(closed: Denial | undefined, all: boolean): void {
    for (const market of this.select.advance(closed === undefined)) this.#changed.set(market.id, market);
    if (all) for (const [id, { book }] of this.open) this.#changed.set(id, book.market);
    if (this.#changed.size === 0) return;
    for (const market of this.#changed.values()) this.#retargetMarket(market, closed);
    this.#changed.clear();
  }

  markChanged(market: Market): void {
    this.#changed.set(market.id, market);
  }

  /** Applies changed signals: a market without a consensus may use `odds:` as its band reference. */
  applySignals(names: readonly string[]): void {
    for (const name of names) {
      const id = this.#bands.marketOf(name);
      if (id !== undefined) this.#decideAgain(id);
    }
  }

  #decideAgain(id: MarketId): void {
    const quoted = this.open.get(id);
    if (quoted !== undefined && quoted.consensus === undefined) this.#changed.set(id, quoted.book.market);
  }

  #retargetMarket({ id }: Market, closed: Denial | undefined): void {
    const quoted = this.open.get(id);
    const targets = quoted === undefined ? NO_TARGETS : this.#targetsOf(quoted, closed);
    this.#manager.setTargets(id, targets, quoted?.intents);
    this.#manager.refresh(id, this.#buffer.now);
    if (quoted !== undefined) this.#recount(quoted, targets);
  }

  /** Counts slots again in markets where a control began or stopped denying a target in this step. */
  recount(): void {
    const { heldAnew } = this.#manager;
    if (heldAnew.size === 0) return;
    for (const id of heldAnew) {
      const quoted = this.open.get(id);
      if (quoted !== undefined) this.#recount(quoted, this.#manager.targetsIn(id));
    }
    heldAnew.clear();
  }

  #targetsOf(quoted: Quoted, closed: Denial | undefined): readonly Target[] {
    const { book, intents } = quoted;
    if (intents.size === 0) return NO_TARGETS;
    const { market } = book;
    this.#saveLastGood(quoted);
    const others = this.#othersOf(quoted);
    const { consensus } = quoted;
    const mostPayout = this.#trading.mostPayout(market);
    if (consensus !== undefined) this.#prices.note(market.id, consensus.p, quoted.isFair, this.#buffer.t);
    return targetsOf(this.#inFileOrder(intents), {
      market,
      others,
      freshness: this.freshnessOf(book),
      reference: this.#referenceOf(quoted),
      limits: this.#limits,
      limitsOf: this.#limitsOf,
      oddsStep: this.#oddsStep,
      live: this.#account.activeIn(market.id),
      former: this.#manager.targetsIn(market.id),
      closed,
      denialOf: this.#denialOf,
      mostPayout,
      // in reduce-only every market may close its position
      unselected: mostPayout === undefined ? this.select.denialOf(market.id) : undefined,
      rank: this.select.rankText(market.id),
    });
  }

  /** Saves a fresh fair consensus as the last good one. It must run before anything of the market changes. */
  #saveLastGood({ isFair, consensus, freshness, lastGood, stale }: Quoted): void {
    if (!isFair || consensus === undefined || freshness[0] !== 'fresh' || freshness[1] !== 'fresh') return;
    lastGood.p = consensus.p;
    // a process that stood still did not see that the book went stale
    lastGood.at = Math.min(this.#buffer.now, stale.dueAt);
  }

  #referenceOf({ book: { market }, consensus, lastGood }: Quoted): BandReference | undefined {
    const isLive = this.#mirror.games.get(market.gameId)?.game?.live === true;
    if (consensus === undefined) return this.#bands.referenceOf(lastGood, isLive);
    this.#bands.closeEntry(lastGood);
    return consensus;
  }

  readonly #denialOf = (strategy: StrategyId, market: Market, side: Side): Denial | undefined =>
    this.#trading.denialOf(strategy, market, side) ?? this.histories.denialOf(strategy, market.id, this.#buffer.t);

  readonly #limitsOf = (strategy: StrategyId): RiskLimits => quoteLimitsOf(this.#host, strategy, this.#limits);

  #inFileOrder(intents: ReadonlyMap<StrategyId, HeldIntent>): readonly HeldIntent[] {
    const { entries } = this.#host;
    let list: HeldIntent[] | undefined;
    for (let index = 0; index < entries.length; index++) {
      const held = intents.get(elementAt(entries, index).id);
      if (held !== undefined) list = withLast(list, held);
    }
    return list ?? NO_INTENTS;
  }

  #recount(quoted: Quoted, targets: readonly Target[]): void {
    const { market } = quoted.book;
    const live = this.#account.activeIn(market.id);
    const { wanted, resting, denials } = slotsIn(targets, live, this.#deniedBy);
    quoted.share = this.share.change(market, quoted.share, wanted, resting, denials);
  }

  readonly #deniedBy = (slot: SlotId): Denial | undefined => this.#manager.deniedBy(slot);
}
