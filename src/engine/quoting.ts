// From a changed market to targets: view → strategies → intents → controls → targets.
import type {
  Consensus,
  Game,
  GameId,
  HeldIntent,
  Ladder,
  Market,
  MarketId,
  Side,
  StrategyId,
} from '../domain/index.ts';
import { ANY_BOOK, consensusOf, FAIR_BOOK, NO_OFFERS, elementAt } from '../domain/index.ts';
import type { Freshness, GameBook, MarketBook, Mirror, SideBook } from '../mirror/index.ts';
import type { Account } from '../account/index.ts';
import type { OrderManager, Target } from '../orders/index.ts';
import { targetsOf } from '../orders/index.ts';
import type { BandReference, Denial, RiskLimits } from '../risk/index.ts';
import { NO_REFERENCE } from '../risk/index.ts';
import type { StrategyHost, SignalBoard } from '../strategy/host/index.ts';
import type { LastGood } from './band-references.ts';
import { BandReferences } from './band-references.ts';
import type { CommandBuffer } from './command-buffer.ts';
import { IdleReasons } from './idle-reasons.ts';
import { Alarm, Alarms } from './market-alarms.ts';
import type { MarketView } from '../strategy/index.ts';
import { MarketViews } from './market-views.ts';
import { OwnFairs } from './own-fairs.ts';
import { ownersOf } from './own-rows.ts';
import type { SlotDenial, SlotShare } from './quoted-share.ts';
import { NO_DENIALS, NO_SLOTS, QuotedShare } from './quoted-share.ts';
import type { Leagues } from './leagues.ts';
import type { Known } from './selection.ts';
import { isQuotable } from './selection.ts';
import type { Prices } from './prices.ts';
import type { MarketSelection } from './settings.ts';
import type { Trading } from './trading.ts';

/** A market that is quoted now. */
type Quoted = {
  readonly book: MarketBook;
  readonly intents: Map<StrategyId, HeldIntent>;
  /** Of both sides, as the strategies saw it last. */
  freshness: readonly [Freshness, Freshness];
  /** Of these ladders, which are new arrays whenever something changed. */
  others: readonly [Ladder, Ladder];
  consensus: Consensus | undefined;
  /** The consensus is a fair price: the book is neither wide nor thin. */
  isFair: boolean;
  readonly lastGood: LastGood;
  share: SlotShare;
  /** When a fresh side goes stale, at the earliest, monotonic ms; and when its game is about to start, Unix ms. */
  readonly stale: Alarm<MarketId>;
  readonly start: Alarm<MarketId>;
};
const NO_TARGETS: readonly Target[] = [];
const NO_BOOKS: readonly MarketBook[] = [];
const UNKNOWN = ['unknown', 'unknown'] as const;

export class Quoting {
  intents = 0;
  readonly #idle = new IdleReasons();
  readonly share: QuotedShare;
  /** Markets that are quoted now. */
  readonly open = new Map<MarketId, Quoted>();
  /** What strategies say that markets are worth. */
  readonly ownFairs = new OwnFairs();
  readonly #bands: BandReferences;
  #turns = 0;
  readonly #changed = new Map<MarketId, Market>();
  /** Games with a market that is quoted now, and how many. */
  readonly #games = new Map<GameId, number>();
  readonly #stale = new Alarms<MarketId>();
  readonly #starts = new Alarms<MarketId>();
  /** Those with a side that is not fresh, or whose game is forgotten: every sweep looks at them. */
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
      /** Nothing of this game may be quoted now, whatever is selected. */
      readonly isClosed: (gameId: GameId) => boolean;
    },
    settings: {
      readonly selection: MarketSelection;
      readonly limits: RiskLimits;
      readonly oddsStep: number;
      readonly rowsCarryOwners: boolean;
    },
  ) {
    this.#buffer = buffer;
    this.share = new QuotedShare(buffer.raise, (id) => parts.mirror.games.get(id)?.game);
    this.#mirror = parts.mirror;
    this.#manager = parts.manager;
    this.#host = parts.host;
    this.#account = parts.account;
    this.#trading = parts.trading;
    this.#prices = parts.prices;
    this.#views = new MarketViews(parts.account, parts.host.signals);
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
  }

  /** How often something came up that time alone may change: a market was opened or closed, a reference of the band began to age. */
  get turns(): number {
    return this.#turns + this.#bands.turns;
  }

  /** Takes what strategies said: an intent replaces the former one of its strategy and market. */
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
    quoted.intents.set(strategy, held);
    this.#changed.set(intent.market, quoted.book.market);
  }

  /** Intents without a quote, by the reason they gave. */
  get idle(): Readonly<Record<string, number>> {
    return this.#idle.counts;
  }

  /** Slots that are held back since nothing says what their market is worth. */
  get withoutReference(): number {
    if ((this.share.slots.held['price-band'] ?? 0) === 0) return 0;
    let slots = 0;
    for (const id of this.open.keys())
      for (const { denial } of this.#manager.targetsIn(id)) if (denial === NO_REFERENCE) slots += 1;
    return slots;
  }

  /** Shows a changed market to the strategies, opening or closing it as its state asks. `stopped`: quote nothing any more. */
  show(book: MarketBook, stopped: boolean): void {
    const { market } = book;
    const game = this.#mirror.games.get(market.gameId)?.game;
    const known = this.open.get(market.id);
    if (game === undefined || !this.#isQuotable(game, market, stopped)) {
      if (known === undefined) return;
      this.#noteGood(known);
      this.#close(known);
      return;
    }
    const quoted = known?.book === book ? known : this.#open(book, known);
    this.#noteGood(quoted);
    const isNew = this.#isFreshnessNew(quoted);
    if (isNew) quoted.freshness = this.#freshnessOf(book);
    this.#setAlarms(quoted, game, isNew);
    this.#changed.set(market.id, market);
    const common = { game, market, others: this.#othersOf(quoted), freshness: quoted.freshness };
    this.#host.dispatch(market, (strategy) => this.#views.of(strategy, common, this.#buffer.t));
    this.takeIntents();
  }

  /** What a strategy saw of each market that is quoted now, as it was shown last. */
  *views(strategy: StrategyId): Iterable<MarketView> {
    for (const quoted of this.open.values()) {
      const { market } = quoted.book;
      const game = this.#mirror.games.get(market.gameId)?.game;
      if (game === undefined) continue;
      const common = { game, market, others: quoted.others, freshness: quoted.freshness };
      yield this.#views.of(strategy, common, this.#buffer.t);
    }
  }

  /** The wall time may be as late as this: a game that may have begun by then is not quoted. */
  get #latest(): number {
    return this.#buffer.t + this.#buffer.uncertainMs;
  }

  #isQuotable(game: Game, market: Market, stopped: boolean): boolean {
    if (stopped || this.#isClosed(game.id)) return false;
    return isQuotable(game, market, this.#selection, this.#known, this.#latest);
  }

  /** `former`: of the same market, before its game was forgotten and told again. */
  #open(book: MarketBook, former: Quoted | undefined): Quoted {
    const { id, gameId } = book.market;
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
    if (former === undefined) this.#games.set(gameId, (this.#games.get(gameId) ?? 0) + 1);
    this.open.set(id, quoted);
    return quoted;
  }

  #close(quoted: Quoted): void {
    const { market, sides } = quoted.book;
    const { id, gameId } = market;
    this.#unset(quoted);
    this.#host.close(market);
    this.takeIntents();
    this.open.delete(id);
    this.#bands.close(quoted.lastGood);
    this.#turns += 1;
    quoted.share = this.share.change(market, quoted.share, 0, 0, NO_DENIALS);
    const games = (this.#games.get(gameId) ?? 1) - 1;
    if (games > 0) this.#games.set(gameId, games);
    else this.#games.delete(gameId);
    for (const side of sides) side.owners = undefined;
    this.#changed.set(id, market);
  }

  /** The game is over, and nothing is open or held in it: until then what is held is marked at the last consensus. */
  forget({ markets }: GameBook): void {
    for (const [id, { market }] of markets) {
      if (this.open.has(id)) this.#watched.add(id);
      this.#prices.forget(id);
      this.forgetPrices([market]);
    }
  }

  /** What strategies and books said of these markets holds no more; what is held there is marked as before. */
  forgetPrices(markets: Iterable<Market>): void {
    for (const { id } of markets) {
      this.ownFairs.forget(id);
      this.#bands.forget(id);
    }
  }

  /** Withdraws whatever is quoted in a game, and closes its markets, whose books speak of other sides by now. */
  closeGame(gameId: GameId): void {
    for (const quoted of [...this.open.values()]) if (quoted.book.market.gameId === gameId) this.#close(quoted);
  }

  /** Games with a market that is quoted now. */
  get openGames(): Iterable<GameId> {
    return this.#games.keys();
  }

  /** Open markets that time alone changed: no longer quotable, or fresher or staler than they were shown. */
  due(stopped: boolean): Iterable<MarketBook> {
    if (stopped) return [...this.open.values()].map(({ book }) => book);
    const { now } = this.#buffer;
    // no strategy sees it: the quotes alone are decided anew
    for (const id of this.#bands.ended()) this.#decideAnew(id);
    const isStale = (this.#stale.first?.at ?? Number.POSITIVE_INFINITY) < now;
    const isStarted = (this.#starts.first?.at ?? Number.POSITIVE_INFINITY) <= this.#latest;
    return isStale || isStarted || this.#watched.size > 0 ? this.#dueAt(now) : NO_BOOKS;
  }

  *#dueAt(now: number): Iterable<MarketBook> {
    const due = new Set(this.#watched);
    for (const id of this.#stale.ring((at) => at < now)) due.add(id);
    for (const id of this.#starts.ring((at) => at <= this.#latest)) due.add(id);
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

  /** `isNew`: another freshness than before. A side that is told of again goes stale later: that alarm rings early, never late. */
  #setAlarms(quoted: Quoted, game: Game, isNew: boolean): void {
    const { freshness, stale, start } = quoted;
    if (isNew || !stale.isSet) {
      this.#stale.set(stale, this.#staleAt(quoted));
      const isFresh = freshness[0] === 'fresh' && freshness[1] === 'fresh';
      this.#watched[isFresh ? 'delete' : 'add'](stale.of);
    }
    this.#starts.set(start, game.live ? Number.POSITIVE_INFINITY : game.start - this.#selection.stopBeforeMs);
  }

  #unset({ stale, start }: Quoted): void {
    this.#stale.unset(stale);
    this.#starts.unset(start);
    this.#watched.delete(stale.of);
  }

  /** The last moment at which every side that was fresh still is; monotonic ms. */
  #staleAt({ book: { sides }, freshness }: Quoted): number {
    let at = Number.POSITIVE_INFINITY;
    for (const index of [0, 1] as const)
      if (freshness[index] === 'fresh') at = Math.min(at, sides[index].coveredAt + this.#limits.staleAfterMs);
    return at;
  }

  /** When time alone changes an open market. */
  nextDue(): number {
    const { now } = this.#buffer;
    const start = Math.min(
      now + Math.max(0, (this.#starts.first?.at ?? Number.POSITIVE_INFINITY) - this.#latest),
      Math.max(now, this.#bands.nextDue),
    );
    for (let { first } = this.#stale; first !== undefined; first = this.#stale.first) {
      const quoted = this.open.get(first.of);
      const at = quoted === undefined ? Number.POSITIVE_INFINITY : this.#staleAt(quoted);
      // the first moment that is too late
      if (at <= first.at) return Math.min(start, Math.max(now, at + 1));
      this.#stale.set(first, at);
    }
    return start;
  }

  #freshnessOf({ sides }: MarketBook): readonly [Freshness, Freshness] {
    return [this.#freshness(sides[0]), this.#freshness(sides[1])];
  }

  #isFreshnessNew({ book: { sides }, freshness }: Quoted): boolean {
    return this.#freshness(sides[0]) !== freshness[0] || this.#freshness(sides[1]) !== freshness[1];
  }

  /** The ladders of both sides without own offers, and what they say of the fair price. */
  #othersOf(quoted: Quoted): readonly [Ladder, Ladder] {
    const { others, book } = quoted;
    const first = this.#othersIn(book.sides[0], others[0]);
    const second = this.#othersIn(book.sides[1], others[1]);
    if (first === others[0] && second === others[1]) return others;
    // the price band is measured against it, however wide the book is
    const fair = consensusOf(first, second, FAIR_BOOK);
    quoted.consensus = fair ?? consensusOf(first, second, ANY_BOOK);
    quoted.isFair = fair !== undefined;
    return (quoted.others = [first, second]);
  }

  /** `before`: as they were the last time, frozen then. */
  #othersIn(side: SideBook, before: Ladder): Ladder {
    if (this.#rowsCarryOwners) return ownersOf(side, this.#account).others;
    return side.ladder === before ? before : Object.freeze(side.ladder);
  }

  #freshness(side: SideBook): Freshness {
    return this.#mirror.freshness(side, this.#buffer.now, this.#limits.staleAfterMs);
  }

  /** Recomputes targets and needs of every market touched in this step. `closed` denies all of them. */
  retarget(closed: Denial | undefined, all: boolean): void {
    if (all) for (const [id, { book }] of this.open) this.#changed.set(id, book.market);
    if (this.#changed.size === 0) return;
    for (const market of this.#changed.values()) this.#retargetMarket(market, closed);
    this.#changed.clear();
  }

  markChanged(market: Market): void {
    this.#changed.set(market.id, market);
  }

  /** Signals that changed: the band of a market without a consensus goes by its odds. */
  applySignals(names: readonly string[]): void {
    for (const name of names) {
      const id = this.#bands.marketOf(name);
      if (id !== undefined) this.#decideAnew(id);
    }
  }

  #decideAnew(id: MarketId): void {
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

  /** Counts again where a control denied, or denies no more, what was wanted in this step. */
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
    this.#noteGood(quoted);
    const others = this.#othersOf(quoted);
    const { consensus } = quoted;
    if (consensus !== undefined) this.#prices.note(market.id, consensus.p, quoted.isFair, this.#buffer.t);
    return targetsOf(this.#inFileOrder(intents), {
      market,
      others,
      freshness: this.#freshnessOf(book),
      reference: this.#referenceOf(quoted),
      limits: this.#limits,
      oddsStep: this.#oddsStep,
      live: this.#account.activeIn(market.id),
      former: this.#manager.targetsIn(market.id),
      closed,
      denialOf: this.#denialOf,
      mostPayout: this.#trading.mostPayout(market),
    });
  }

  /** Before anything of a market changes: what its book said until now. */
  #noteGood({ isFair, consensus, freshness, lastGood, stale }: Quoted): void {
    if (!isFair || consensus === undefined || freshness[0] !== 'fresh' || freshness[1] !== 'fresh') return;
    lastGood.p = consensus.p;
    // a process that stood still did not see that the book went stale
    lastGood.at = Math.min(this.#buffer.now, stale.at);
  }

  #referenceOf({ book: { market }, consensus, lastGood }: Quoted): BandReference | undefined {
    const isLive = this.#mirror.games.get(market.gameId)?.game?.live === true;
    if (consensus === undefined) return this.#bands.of(lastGood, isLive);
    this.#bands.close(lastGood);
    return consensus;
  }

  readonly #denialOf = (strategy: StrategyId, market: Market, side: Side): Denial | undefined =>
    this.#trading.denialOf(strategy, market, side);

  #inFileOrder(intents: ReadonlyMap<StrategyId, HeldIntent>): readonly HeldIntent[] {
    const list: HeldIntent[] = [];
    for (const { id } of this.#host.entries) {
      const held = intents.get(id);
      if (held !== undefined) list.push(held);
    }
    return list;
  }

  #recount(quoted: Quoted, targets: readonly Target[]): void {
    let resting = 0;
    let denials: SlotDenial[] | undefined;
    const { market } = quoted.book;
    const live = this.#account.activeIn(market.id);
    for (let index = 0; index < targets.length; index++) {
      const { slot, strategy, denial } = elementAt(targets, index);
      let isTaken = false;
      let rests = false;
      for (let at = 0; at < live.length; at++) {
        const order = live[at];
        if (order?.slot !== slot) continue;
        isTaken = true;
        rests ||= order.status !== 'sending' && order.status !== 'unknown';
      }
      if (rests) resting += 1;
      const by = isTaken ? undefined : (denial ?? this.#manager.deniedBy(slot));
      if (by !== undefined) (denials ??= []).push({ ...by, strategy });
    }
    quoted.share = this.share.change(market, quoted.share, targets.length, resting, denials ?? NO_DENIALS);
  }
}
