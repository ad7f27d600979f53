// Plays one scenario of a backtest: the bot of a live run on a virtual clock, against an in-process venue
// with request windows, cancel-all lock and rejections. The tapes are the venue's other traders. Nothing
// depends on the machine or the time of day.
import type { EventOf, EventType, GameId, MarketId, Micros, Phase, RunEvent } from '../domain/index.ts';
import {
  gameTitle,
  heldNamed,
  inventoryOfAll,
  isInPlay,
  marketOf,
  namedGame,
  phaseOf,
  redacted,
} from '../domain/index.ts';
import { WindowLedger } from '../exchange/index.ts';
import { Extremes, OutsidePrices } from '../measure/index.ts';
import type { RunFill } from '../run/index.ts';
import { busiestOf, FillBook, fillsByMarket, MarketPaths, Refusals, RequestTally, RunFold } from '../run/index.ts';
import { InProcessExchange } from '../paper/index.ts';
import type { MarketBook, SideBook } from '../venue/index.ts';
import type { MarketEvent } from '../tape/index.ts';
import type { BacktestOptions, TapeContents, RunError, ScenarioRun } from './scenario-types.ts';
import { FairPrices } from './fair-prices.ts';
import { drawsOf } from './latency.ts';
import { PriceFeed } from './price-feed.ts';
import { GameResults } from './results-file.ts';
import { endingOf, scenarioResult } from './scenario-result.ts';
import { vanishedIn } from './scenarios.ts';
import { marketRows } from './totals.ts';
import { TapeHistory } from './tape-history.ts';
import { isWithoutTime, timesOf } from './strategy-time/strategy-times.ts';
import type { StrategyTimes } from './strategy-time/strategy-times.ts';
import { TapeSignals } from './tape-signals.ts';
import { VenueFills } from './venue-fills.ts';
import type { Raise } from './venue-orders.ts';
import { VenueOrders } from './venue-orders.ts';
import { VirtualRun } from './virtual-run.ts';
import { WireInputs } from './wire-inputs.ts';

const ACCOUNT = { username: 'backtest', password: 'backtest' };
/** The account balance, dollars, high enough that usually only the configured limits bind. */
export const BALANCE = 1_000_000;
const START_TIMEOUT_MS = 60_000;
/** Ended orders that the venue keeps: more than any request still needs, however long the tapes are. */
const KEEP_ENDED = 2000;
/** The least time between two updates of the drawdown and worst case, and between two points of the curve. */
const MARK_MS = 1000;
/**
 * Event types that the venue and its clock raise at once. The bot's own versions come later and say less, so
 * they are dropped.
 */
const BY_VENUE: ReadonlySet<EventType> = new Set([
  'OrderRested',
  'OrderRevived',
  'OrderMoved',
  'Fill',
  'FillMoved',
  'Markout',
  'CloseTaken',
  'Settled',
  'Unsettled',
  'Sample',
]);
/**
 * Endings of orders that never reached the venue. An order that the bot believes never landed may land yet.
 */
const NOT_AT_VENUE: ReadonlySet<string> = new Set(['refused', 'not-sent']);
/**
 * A silence longer than this number of curve steps gets only a first and a last point: nothing moves in it.
 */
const QUIET_STEPS = 60;
const MOST_ERRORS = 5;
/** The exchange's refusal of an order that the balance does not cover. */
const NO_CREDIT = 'rejected_liability';

/** One scenario: the venue, the bot on it, and what is measured. */
export class Replay {
  readonly #options: BacktestOptions;
  readonly #exchange: InProcessExchange;
  readonly #run: VirtualRun;
  /** Undefined: strategies take no virtual time. */
  readonly #strategyTimes: StrategyTimes | undefined;
  readonly #feed: PriceFeed;
  readonly #fairs = new FairPrices();
  readonly #outside = new OutsidePrices();
  readonly #orders: VenueOrders;
  readonly #fills: VenueFills;
  /** The largest number of fills that any market of an ended game has. */
  #mostFills = 0;
  readonly #paths = new MarketPaths();
  /** Markets of ended games. */
  readonly #ended = new Set<MarketId>();
  readonly #fillBook = new FillBook();
  readonly #fold: RunFold;
  readonly #requests = new RequestTally();
  readonly #wireInputs = new WireInputs((id) => this.#run.core.gameOf(id));
  readonly #alerts = new Map<string, number>();
  readonly #refusals = new Refusals();
  readonly #errors: RunError[] = [];
  #startedMs: number | undefined;
  #sampleAtMs = 0;
  #markAtMs = Number.POSITIVE_INFINITY;
  readonly #extremes = new Extremes();
  /** Micro-dollars of the balance that the limit of credit left, at the least. */
  #spareCredit = Number.POSITIVE_INFINITY;
  readonly #missingGames: Set<GameId>;
  readonly #results: GameResults | undefined;
  #inPlay = 0;
  readonly #games = new Map<GameId, TapeContents['games'][number]>();
  readonly #firstMs: number;
  #newestMs: number;
  readonly #signals: TapeSignals;
  /** Undefined: no strategy asks for it, or the backtest begins with the tape. */
  readonly #history: TapeHistory | undefined;
  #isBuilding = false;

  constructor(startMs: number, options: BacktestOptions) {
    this.#options = options;
    this.#firstMs = startMs;
    this.#newestMs = startMs;
    this.#missingGames = new Set(options.results?.keys());
    this.#results =
      options.results === undefined
        ? undefined
        : new GameResults(options.results, (id) => {
            const game = this.#run.core.gameOf(id);
            return game && { game, sport: this.#run.core.sportOf(id) };
          });
    const { settings, seed, windows, balance = BALANCE } = options;
    const { profile } = settings;
    this.#exchange = new InProcessExchange({
      startMs,
      leaps: true,
      // a journal keeps the text of messages
      withoutText: options.journal === undefined,
      traders: 'tape',
      keepEnded: KEEP_ENDED,
      profile,
      sports: settings.sports,
      seed,
      limits: { place: windows.place, cancel: windows.cancel },
      accounts: [{ ...ACCOUNT, coins: balance, cash: balance, mode: settings.playerMode }],
    });
    const account = this.#exchange.world.venue.accounts.get(ACCOUNT.username);
    if (account === undefined) throw new Error('the venue has no account');
    this.#fillBook.commission = settings.commission;
    this.#fold = new RunFold(this.#fillBook, () => true, {
      orders: options.keepsOrders === true,
      paths: false,
      series: true,
      curveStepMs: MARK_MS,
    });
    const raise: Raise = (t, event) => this.#fold.applyEvents(t, [event]);
    const own = { exchange: this.#exchange, account, fairs: this.#fairs, raise };
    this.#orders = new VenueOrders(own);
    this.#fills = new VenueFills({
      ...own,
      instance: settings.orders.instance,
      orders: this.#orders,
      outside: this.#outside,
      commission: settings.commission,
      priceOf: (market) => this.#run.core.priceOf(market),
      ownFairOf: (strategy, market, beforeMs) => this.#run.core.ownFairOf(strategy, market, beforeMs),
    });
    this.#exchange.world.venue.teamsSwapped = (gameId, books) => {
      for (const book of books) {
        this.#fairs.swapTeams(book);
        this.#history?.forget(book);
      }
      this.#fills.swapTeams(books);
      this.#orders.swapTeams(books, this.#exchange.nowMs);
      this.#outside.forgetGame(gameId);
    };
    const vanished = vanishedIn(options.fills, options.calibrated, seed);
    const latency = (stream: string): (() => number) => drawsOf(options.latency, seed, stream);
    this.#feed = new PriceFeed(this.#exchange, vanished, latency('prices'));
    this.#signals = new TapeSignals(this.#exchange, drawsOf(options.signalLatency ?? options.latency, seed, 'signals'));
    const warmUpMs = Math.max(0, ...settings.strategies.map((entry) => entry.warmUpMs ?? 0));
    if (options.fromMs !== undefined && warmUpMs > 0) this.#history = new TapeHistory(options.fromMs - warmUpMs);
    const { strategyTime } = options;
    this.#strategyTimes =
      strategyTime === undefined || isWithoutTime(strategyTime)
        ? undefined
        : // only --strategy-latency measured reads a clock of the machine, and writes down what it read
          timesOf(strategyTime, () => performance.now());
    this.#run = this.#botOn(latency('requests'));
  }

  /** Creates the bot, connected to the in-process exchange. */
  #botOn(latency: () => number): VirtualRun {
    const options = this.#options;
    const { settings, windows } = options;
    const { profile } = settings;
    return new VirtualRun({
      exchange: this.#exchange,
      // the venue measures the same more exactly; only a journal needs the bot's measurements
      settings: { ...settings, measures: options.journal !== undefined },
      impure: options.impure,
      run: 'backtest',
      times: this.#strategyTimes,
      tapes: { prices$: this.#feed.inputs$, signals$: this.#signals.inputs$ },
      onLogin: () => this.#feed.openFeed(),
      door: {
        ...ACCOUNT,
        playerMode: settings.playerMode,
        profile,
        startTimeoutMs: START_TIMEOUT_MS,
        requestTimeoutMs: options.requestTimeoutMs,
        lateArrivalMs: settings.lateArrivalMs,
        expirationMinutes: options.expirationMinutes,
        windows: {
          place: new WindowLedger(windows.place),
          cancel: new WindowLedger(windows.cancel),
          read: new WindowLedger(windows.read),
        },
        latency,
        book: (read) => this.#feed.read(read),
      },
      record: ({ arrival, asked, commands, events }) => {
        if (events.length > 0) this.#applyEvents(events);
        if (commands.length > 0) this.#noteCredit();
        options.observe?.(commands, (id) => this.#phaseOf(id));
        if (options.journal === undefined) return;
        const received = this.#wireInputs.inputOf(arrival.in, asked);
        options.journal.record({ ...arrival, in: received }, commands, events);
      },
    });
  }

  get isOver(): boolean {
    return this.#run.ended !== undefined;
  }

  get nowMs(): number {
    return this.#exchange.nowMs;
  }

  applyEvent(event: MarketEvent): void {
    this.#newestMs = event.ts;
    const { fromMs } = this.#options;
    const building = fromMs !== undefined && event.ts < fromMs;
    if (!building && fromMs !== undefined) this.#start(fromMs);
    this.#advance(event.ts);
    if (event.what === 'signal') {
      this.#outside.applySignals(event.update);
      this.#signals.applySignal(event);
      return;
    }
    // fills caused by arriving orders are priced by the book of that moment, before this event changes it
    this.#fills.collect();
    if (event.what === 'down') this.#orders.noteGap();
    const side = this.#feed.applyEvent(event, building);
    this.#isBuilding = building;
    this.#fills.collect();
    if (event.what === 'side') this.#noteGame(event.frame.gameId, side);
    else if (event.what === 'game') this.#noteGame(event.game.gameId, undefined);
    if (event.ts >= this.#markAtMs) this.#mark();
    if (event.what === 'game') {
      const { gameId, ended } = event.game;
      this.#missingGames.delete(gameId);
      const header = this.#exchange.world.venue.games.get(gameId)?.header;
      if (header !== undefined && !this.#games.has(gameId)) {
        const { league, eventName: name, start } = header;
        this.#games.set(gameId, { league, name, start });
      }
      if (ended === true) this.#settleGame(gameId);
    }
    // the first event is applied before the bot starts, so that the book exists when the bot reads it
    if (!building && this.#feed.delivered > 0) this.#start(event.ts);
  }

  /**
   * Updates prices, orders and counters after an event of a game. `side`: the only side that changed, or
   * undefined.
   */
  #noteGame(gameId: GameId, side: SideBook | undefined): void {
    const game = this.#exchange.world.venue.games.get(gameId);
    if (game === undefined) return;
    this.#fills.note(game);
    if (side !== undefined && game.header.live) this.#inPlay += 1;
    if (game.header.ended && this.#options.keepsQuotes !== true) this.#dropPaths(game.books.keys());
    if (side !== undefined) this.#noteBook(side.book);
    else for (const book of game.books.values()) this.#noteBook(book);
  }

  #noteBook(book: MarketBook): void {
    const { nowMs } = this;
    this.#fairs.note(book, nowMs);
    this.#orders.note(book, nowMs);
    if (this.#isBuilding) this.#history?.note(book, nowMs);
  }

  /**
   * Drops the quote paths of an ended game's markets, unless one has the most fills so far. What a report draws
   * of the others is kept in fewer points, so memory does not grow with the number of games.
   */
  #dropPaths(ids: Iterable<MarketId>): void {
    for (const id of ids) {
      const fills = this.#fills.countIn(id);
      if (!this.#ended.has(id)) this.#addPath(id, fills);
      this.#ended.add(id);
      if (fills > 0 && fills >= this.#mostFills) this.#mostFills = fills;
      else this.#orders.dropPath(id);
    }
  }

  #addPath(id: MarketId, fills: number): void {
    const market = marketOf(id);
    const header = this.#exchange.world.venue.games.get(market.gameId)?.header;
    const eventName = header === undefined ? market.gameId : namedGame(gameTitle(header), header.start);
    this.#paths.add({ market, eventName, fills, points: this.#orders.pathOf(id) });
  }

  #endPaths(fills: readonly RunFill[]): ScenarioRun['paths'] {
    const counts = fillsByMarket(fills);
    for (const id of this.#orders.markets) if (!this.#ended.has(id)) this.#addPath(id, counts.get(id) ?? 0);
    return this.#paths.set;
  }

  /** Settles an ended game whose result is known: its positions no longer count against limits. */
  #settleGame(gameId: GameId): void {
    const result = this.#results?.resultOf(gameId);
    if (result === undefined || this.#startedMs === undefined) return;
    this.#run.input({ type: 'settle', gameId, result });
  }

  /** Advances to this time, Unix ms, up to which the tapes have no more events. */
  passTo(ms: number): void {
    this.#startBy(ms);
    this.#advance(ms);
  }

  /** Advances to this time, Unix ms, in the middle of a silence, without adding points to the curve. */
  wait(ms: number): void {
    this.#startBy(ms);
    this.#exchange.advanceTo(ms);
  }

  #startBy(ms: number): void {
    const { fromMs } = this.#options;
    if (fromMs !== undefined && fromMs <= ms) this.#start(fromMs);
  }

  /** Stops the bot in an orderly way and returns the results of the run. */
  endRun(): ScenarioRun {
    const { settings, requestTimeoutMs } = this.#options;
    const stoppedMs = this.#exchange.nowMs;
    if (this.#startedMs !== undefined) {
      this.#run.stop();
      const longestMs = stoppedMs + settings.lateArrivalMs + 10 * requestTimeoutMs;
      while (!this.isOver && this.#exchange.nowMs < longestMs) this.#exchange.advanceTo(this.#exchange.nowMs + 250);
      this.#sample();
    }
    this.#fills.collect();
    const { core } = this.#run;
    this.#fold.applyEvents(this.nowMs, [{ type: 'Sample', ...core.sums, ...this.#orders.takeSample(this.nowMs) }]);
    this.#fills.endRun(this.#results);
    const fills = [...this.#fillBook.fills];
    const ending = endingOf(core, this.#results);
    const facts = this.#fold.endRun(this.nowMs, fills);
    return {
      result: scenarioResult(settings.strategies, {
        ended: this.#run.ended,
        ending,
        fills,
        fold: this.#fold,
        requests: this.#requests,
        http: this.#run.door.statuses,
        alerts: this.#alerts,
        refusals: this.#refusals,
      }),
      facts,
      quotes: this.#options.keepsQuotes === true ? this.#orders.paths() : undefined,
      busiest: busiestOf(fills, (id) => this.#orders.pathOf(id)),
      paths: this.#endPaths(fills),
      series: this.#fold.series,
      orders: this.#options.keepsOrders === true ? this.#fold.ended : undefined,
      fills,
      markets: marketRows(fills, ending),
      frames: this.#feed.delivered,
      inPlay: this.#inPlay,
      equity: facts.curve,
      merge: {
        shares: this.#fold.shares,
        waits: this.#fold.waits.counts,
        highest: this.#extremes.highest,
        lowest: this.#extremes.lowest,
        spareCredit: this.#isCreditBound ? Number.NEGATIVE_INFINITY : this.#spareCredit / 1e6,
      },
      errors: this.#errors,
      traded: this.#startedMs === undefined ? undefined : { fromMs: this.#startedMs, toMs: stoppedMs },
      seen: { games: [...this.#games.values()], fromMs: this.#firstMs, toMs: this.#newestMs },
      strategyTimes: this.#strategyTimes?.endRun(),
      gamesNotOnTapes: [...this.#missingGames],
      resultProblems: this.#results?.problems() ?? [],
      unsubscribedSignals: [...this.#signals.deliveredNames].filter(
        (name) => !core.isSubscribed(name) && heldNamed(name) === undefined,
      ),
    };
  }

  #start(atMs: number): void {
    if (this.#startedMs !== undefined) return;
    this.#startedMs = atMs;
    this.#exchange.advanceTo(atMs);
    this.#sampleAtMs = atMs;
    this.#markAtMs = atMs;
    this.#run.start();
    const history = this.#history?.input;
    if (history !== undefined) this.#run.input(history);
    this.#signals.openFeed();
  }

  #advance(toMs: number): void {
    if (this.#startedMs === undefined) {
      this.#exchange.advanceTo(toMs);
      return;
    }
    while (this.#sampleAtMs <= toMs) {
      this.#exchange.advanceTo(this.#sampleAtMs);
      this.#sample();
      const stepMs = this.#fold.curveStepMs;
      const steps = Math.floor((toMs - this.#sampleAtMs) / stepMs);
      this.#sampleAtMs += (steps > QUIET_STEPS ? steps : 1) * stepMs;
    }
    this.#exchange.advanceTo(toMs);
  }

  /**
   * Updates the largest drawdown and worst case. Returns the marked result and the worst case now,
   * micro-dollars.
   */
  #mark(): Pick<EventOf<'Sample'>, 'marked' | 'worst'> {
    const { core } = this.#run;
    const marked = micros(core.marked);
    const worst = micros(core.worst);
    this.#markAtMs = this.#exchange.nowMs + MARK_MS;
    this.#extremes.see(marked, worst);
    return { marked, worst };
  }

  /** Adds a point to the curve. */
  #sample(): void {
    const { core } = this.#run;
    const held = [...core.positions()];
    const inPlay = held.filter(({ market }) => this.#phaseOf(market.gameId) === 'inplay');
    const sample: EventOf<'Sample'> = {
      type: 'Sample',
      ...this.#mark(),
      maxDrawdown: this.#extremes.maxDrawdown as Micros,
      worstEver: this.#extremes.worst as Micros,
      inventory: inventoryOfAll(held) as Micros,
      inPlay: inventoryOfAll(inPlay) as Micros,
    };
    this.#fold.applyEvents(this.#exchange.nowMs, [sample]);
  }

  /** Applies the events of one step of the bot. */
  #applyEvents(events: readonly RunEvent[]): void {
    this.#requests.applyEvents(events);
    this.#refusals.applyEvents(events);
    for (const event of events)
      if (event.type === 'OrderSubmitted') this.#orders.applySubmitted(event, this.nowMs);
      else if (event.type === 'Alert') this.#countAlert(event);
    this.#fold.applyEvents(
      this.#exchange.nowMs,
      events.filter((event) => (event.type === 'OrderEnded' ? NOT_AT_VENUE.has(event.how) : !BY_VENUE.has(event.type))),
    );
  }

  /** Notes how much of the balance the limit of credit leaves, after the orders that were sent. */
  #noteCredit(): void {
    const { balance, inUse } = this.#run.core.credit;
    if (balance === undefined) return;
    const spare = balance * this.#options.settings.orders.risk.maxCreditUse - inUse;
    if (spare < this.#spareCredit) this.#spareCredit = spare;
  }

  /** Whether the balance held back an order: the bot's limit of credit, or the exchange. */
  get #isCreditBound(): boolean {
    return this.#fold.heldWhy['credit'] !== undefined || this.#refusals.counts[NO_CREDIT] !== undefined;
  }

  #countAlert({ level, code, message, fields }: EventOf<'Alert'>): void {
    this.#alerts.set(code, (this.#alerts.get(code) ?? 0) + 1);
    // a strategy may complete its intents on purpose; the first completion is reported all the same
    const isFirstEnd = code === 'STRATEGY_COMPLETED' && this.#alerts.get(code) === 1;
    if (isFirstEnd || (level === 'error' && this.#errors.length < MOST_ERRORS))
      this.#errors.push({ code, text: redacted(`${message}: ${Object.values(fields).join(', ')}`) });
  }

  /** The phase of a game as the bot knows it. */
  #phaseOf(gameId: GameId): Phase {
    return phaseOf({ isInPlay: isInPlay(this.#run.core.gameOf(gameId), this.#exchange.nowMs) });
  }
}

const micros = (dollars: number): Micros => Math.round(dollars * 1e6) as Micros;
