// Builds the parts of the core and connects them. Each part gets only what it needs; no part sees the whole.
import type {
  CommissionRule,
  Game,
  GameId,
  HeldPosition,
  KnownSport,
  Market,
  Micros,
  SignalUpdate,
  StrategyId,
} from '../domain/index.ts';
import {
  dollarsOfMicros,
  FLAT,
  isScore,
  microsOfCents,
  SCORE_PREFIXES,
  Sports,
  worstCaseOfGame,
  ZERO,
} from '../domain/index.ts';
import { Mirror } from '../mirror/index.ts';
import { Account, DayLoss, ownerOf, PlayerModeWatch, Reconciliation, Settlements, Ungraded } from '../account/index.ts';
import { aversion } from '../pricing/index.ts';
import type { ManagerSettings, OrderPorts } from '../orders/index.ts';
import { OrderManager } from '../orders/index.ts';
import type { HostPorts, StrategyEntry } from '../strategy/host/index.ts';
import { GameModels, PersistedValues, SeriesLog, StrategyHost, SignalBoard } from '../strategy/host/index.ts';
import { countedHeld, HeldElsewhere } from '../risk/index.ts';
import { bookPerspectiveOf } from '../wire/index.ts';
import { LiveAccountView } from './account-view.ts';
import { Closing } from './closing.ts';
import { CommandBuffer } from './command-buffer.ts';
import { FeedHealth } from './feed-health.ts';
import { GameRisks } from './game-risks.ts';
import { HeldWatch } from './held-watch.ts';
import { MarketData } from './market-data.ts';
import type { GameParts } from './market-views.ts';
import { Prices } from './prices.ts';
import { Quoting } from './quoting.ts';
import { Restart } from './restart.ts';
import { orderLimitsOf } from './strategy-limits.ts';
import { Scores } from './scores.ts';
import type { CoreSettings, LiveSettings } from './settings.ts';
import { liveSettingsOf } from './settings.ts';
import { TeamChanges } from './team-changes.ts';
import { Trading } from './trading.ts';

/**
 * Functions that the shell gives the core. None may change a decision, except code that a `reload` names by
 * its hash.
 */
export type CorePorts = Pick<HostPorts, 'enter' | 'leave' | 'reportAsync'> & {
  /**
   * The strategy that a `reload` of this file loaded, with checked parameters. Undefined when none was
   * loaded.
   */
  readonly reloaded?: (strategy: StrategyId, sha256: string) => StrategyEntry | undefined;
  /** The settings that a `configure` loaded under this name. Undefined when none were loaded. */
  readonly configured?: (config: string) => CoreSettings | undefined;
};

/** How far an even price leans when a game holds as much as it may lose, points of probability. */
const LEAN_POINTS = 5;

export class Parts {
  readonly buffer = new CommandBuffer();
  readonly prices = new Prices();
  readonly held = new HeldElsewhere();
  readonly persisted = new PersistedValues();
  readonly series = new SeriesLog();
  readonly mirror: Mirror;
  readonly sports: Sports;
  readonly ungraded: Ungraded;
  readonly account: Account;
  readonly mode: PlayerModeWatch;
  readonly health: FeedHealth;
  readonly reconciliation: Reconciliation;
  readonly manager: OrderManager;
  readonly market: MarketData;
  readonly closing: Closing;
  readonly signals: SignalBoard;
  readonly scores: Scores;
  readonly models: GameModels;
  /** Read by people at any time, so it decides nothing. */
  readonly risks: GameRisks;
  /** All models, which must know of changed signals. */
  readonly #allModels: GameModels[] = [];
  readonly heldWatch: HeldWatch;
  readonly host: StrategyHost;
  readonly quoting: Quoting;
  readonly day: DayLoss;
  readonly settlements: Settlements;
  readonly restart: Restart;
  readonly trading: Trading;
  readonly teams: TeamChanges;
  readonly #live: LiveSettings;
  readonly #orders: { -readonly [K in keyof ManagerSettings]: ManagerSettings[K] };

  constructor(settings: CoreSettings, ports: CorePorts) {
    const { buffer } = this;
    const { profile } = settings;
    const { instance } = settings.orders;
    this.#live = liveSettingsOf(settings);
    const { risk, markets, safety } = this.#live;
    this.#orders = { ...settings.orders, risk, playerMode: settings.playerMode, batchErrors: profile };
    this.mirror = new Mirror(bookPerspectiveOf(profile));
    this.sports = new Sports(settings.sports);
    this.ungraded = new Ungraded(buffer.alert);
    this.account = new Account({
      ...settings,
      instance,
      editKeepsId: profile.editKeepsId,
      expiresAfterMs: settings.orders.expiresAfterMs,
    });
    if (settings.modeIsCertain) this.account.fills.applyModeSure(Number.POSITIVE_INFINITY);
    this.mode = new PlayerModeWatch(settings);
    this.health = new FeedHealth(buffer, risk.resumeAfterMs);
    this.reconciliation = new Reconciliation(this.account, this.mirror, { ...settings, instance });
    this.manager = new OrderManager(this.account, this.#orders, this.#orderPorts());
    this.market = new MarketData(
      buffer,
      this.mirror,
      {
        account: this.account,
        manager: this.manager,
        headerChanged: (before, book) => this.teams.applyBook(before, book),
      },
      markets,
      { ...settings, staleAfterMs: risk.staleAfterMs },
    );
    this.closing = new Closing(buffer, this.manager, this.account, settings);
    this.signals = new SignalBoard({
      now: () => buffer.now,
      wall: () => buffer.t,
      leftOut: (names, stand) => {
        const fields = { stand, leftOut: names.slice(0, 5) };
        buffer.alert('warn', 'SIGNALS_LEFT_OUT', 'signals were dropped: there are too many signals already', fields);
      },
      mostAgeMs: (name) => (isScore(name) ? settings.scoreAgeMs : undefined),
    });
    this.scores = new Scores((name) => this.signals.get(name), buffer, settings.scoreAgeMs);
    this.models = this.#newModels();
    this.risks = this.newRisks();
    this.heldWatch = new HeldWatch(buffer, this.held, this.manager.exposure);
    this.host = new StrategyHost(settings.strategies, this.signals, this.#hostPorts(ports));
    this.day = new DayLoss(safety, this.account.holdings, this.prices, {
      now: () => buffer.now,
      sendRead: (read) => buffer.readFormer(read),
      news: this.account.news.fills,
      isOurs: (ref) => ownerOf(ref, instance) !== undefined,
      charge: (market, profit, by) => this.account.holdings.commission.charge(market, profit, by),
    });
    this.settlements = new Settlements(this.account, this.day);
    this.restart = new Restart(buffer);
    this.trading = new Trading(buffer, safety, {
      account: this.account,
      day: this.day,
      prices: this.prices,
      leastOrder: microsOfCents(risk.minOrderRisk),
    });
    this.quoting = new Quoting(
      buffer,
      {
        mirror: this.mirror,
        account: this.account,
        manager: this.manager,
        host: this.host,
        trading: this.trading,
        prices: this.prices,
        signals: this.signals,
        leagues: this.market.leagues,
        gameViews: this.#gameViews(settings.commission),
        isClosed: (gameId) => this.teams.isClosed(gameId),
      },
      { ...settings, selection: markets, limits: risk, oddsStep: profile.oddsStep, orders: this.#orders },
    );
    this.teams = new TeamChanges(this);
  }

  #newModels(): GameModels {
    const models = new GameModels({
      gameOf: (id) => this.gameOf(id),
      signal: (name) => this.signals.get(name),
      sportOf: (id) => this.sportOf(id).sport,
      drawOf: (id) => this.sportOf(id).rule.draw,
      scoreOf: (id) => this.scores.scoreOf(id),
      consensusIn: (id) => this.consensusIn(id),
      positionsIn: (id) => this.#heldIn(id),
      now: () => this.buffer.now,
    });
    this.#allModels.push(models);
    return models;
  }

  /** A view of what games may bring, with models of its own: reading one view changes no other. */
  newRisks(): GameRisks {
    return new GameRisks({
      models: this.#newModels(),
      gameOf: (id) => this.gameOf(id),
      games: () => this.account.games.keys(),
      positionsIn: (id) => this.#positionsIn(id),
      worstOf: (id) => this.#worstOfFillsIn(id),
    });
  }

  /** What strategies of whole games see beside the markets. */
  #gameViews(commission: CommissionRule): Omit<GameParts, 'openIn' | 'histories' | 'isWanted'> {
    const { risk } = this.#live;
    const left = (limit: number, worst: number): Micros => Math.max(0, limit + worst) as Micros;
    return {
      models: this.models,
      gameOf: (id) => this.gameOf(id),
      wholeOf: (game) => this.gameOf(this.#wholeOf(game.id)) ?? game,
      subscribe: (game) => {
        for (const name of this.models.signalsOf(game)) this.host.signals.get(name);
      },
      roomOf: (id) => ({
        game: left(risk.maxGameLoss, this.#worstOfFills(id)),
        total: left(risk.maxTotalLoss, this.manager.exposure.totalWorst()),
      }),
      gamma: () => aversion({ leanAt: dollarsOfMicros(risk.maxGameLoss), points: LEAN_POINTS }),
      accountView: new LiveAccountView({
        account: this.account,
        manager: this.manager,
        mode: this.mode,
        commission,
      }),
      scoreIn: (game, signals) => {
        const id = this.#wholeOf(game.id);
        for (const prefix of Object.values(SCORE_PREFIXES)) signals.get(prefix + id);
        return this.scores.scoreOf(id);
      },
    };
  }

  /** The worst outcome of what filled in a game and its parts, open orders aside; 0 or below. */
  #worstOfFills(whole: GameId): number {
    let sum = 0;
    for (const id of this.account.games.keys()) if (this.#wholeOf(id) === whole) sum += this.#worstOfFillsIn(id);
    return sum;
  }

  /** The worst outcome of what filled in a game without its parts, open orders aside; 0 or below. */
  #worstOfFillsIn(id: GameId): Micros {
    const exposures = [...(this.account.games.get(id)?.values() ?? [])].map((market) => ({
      market,
      position: this.account.positionIn(market.id),
      openFirst: ZERO,
      openSecond: ZERO,
    }));
    return worstCaseOfGame(exposures, this.sportOf(id).rule);
  }

  /** The consensus of each quoted market of a game that has one now. Own offers are left out. */
  *consensusIn(id: GameId): Iterable<{ readonly market: Market; readonly p: number }> {
    for (const { book, consensus, isFair, freshness } of this.quoting.markets.ofGame(id)) {
      if (!isFair || consensus === undefined) continue;
      if (freshness[0] === 'fresh' && freshness[1] === 'fresh') yield { market: book.market, p: consensus.p };
    }
  }

  /** The account's positions in the markets of a game. */
  *#positionsIn(id: GameId): Iterable<HeldPosition> {
    for (const market of this.account.games.get(id)?.values() ?? []) {
      const position = this.account.positionIn(market.id);
      if (position !== FLAT) yield { market, position };
    }
  }

  /** What is held in each market of a game: the account's positions, and what is held elsewhere. */
  *#heldIn(id: GameId): Iterable<HeldPosition> {
    yield* this.#positionsIn(id);
    for (const held of this.held.payoffsOfGame(id)) yield { market: held.market, position: countedHeld(held) };
  }

  /** The whole game of a part. Without a selection of parts each game stands alone, as in version 0.2. */
  #wholeOf(id: GameId): GameId {
    return this.#live.markets.parts === undefined ? id : (this.gameOf(id)?.parentGameId ?? id);
  }

  #orderPorts(): OrderPorts {
    const { buffer } = this;
    return {
      nextRequest: buffer.nextRequest,
      send: buffer.send,
      alert: buffer.alert,
      raise: buffer.raise,
      wall: () => buffer.t,
      gameOf: (id) => this.gameOf(id),
      limitsOf: (strategy) => orderLimitsOf(this.host, strategy),
      ruleOf: (id) => this.sportOf(id).rule,
      held: this.held,
      modelOf: (id) => {
        const game = this.gameOf(id);
        return game && this.models.modelOf(game);
      },
      parentOf: (id) => {
        const whole = this.#wholeOf(id);
        return whole === id ? undefined : whole;
      },
      balance: () => this.mode.balance,
      askBalance: () => this.mode.ask(buffer.now),
    };
  }

  #hostPorts(ports: CorePorts): HostPorts {
    const { buffer } = this;
    return {
      ...ports,
      seq: () => buffer.seq,
      wholeOf: (id) => this.#wholeOf(id),
      gameOf: (id) => this.gameOf(id),
      signalRead: (name) => this.signals.noteUse(name),
      persisted: this.persisted,
      series: this.series,
      unlogged: (strategy, detail) => {
        buffer.alert('warn', 'SERIES_DROPPED', 'a value of a series was dropped', { strategy, detail });
      },
      fault: (code, strategy, detail) => {
        // completion may be intended, unlike every other reason for disabling a strategy
        const level = code === 'STRATEGY_COMPLETED' ? 'warn' : 'error';
        buffer.alert(level, code, 'a strategy was disabled', { strategy, detail });
        buffer.raise({ type: 'StrategyQuarantined', strategy, code, detail });
      },
      log: (strategy, message, fields) => {
        buffer.alert('info', 'STRATEGY_LOG', message, { strategy, ...fields });
      },
    };
  }

  /**
   * Applies limits, selection and tolerances of another configuration. All other settings stay as they were.
   */
  configure(settings: CoreSettings): void {
    const { risk, markets, safety } = this.#live;
    // parts were built with these two values, so they cannot change
    const { staleAfterMs, resumeAfterMs } = risk;
    Object.assign(risk, settings.orders.risk, { staleAfterMs, resumeAfterMs });
    Object.assign(markets, settings.markets);
    const { haltAtLoss, losingFills, dailyLoss } = settings.safety;
    Object.assign(safety, { haltAtLoss, losingFills });
    if (safety.dailyLoss !== undefined && dailyLoss !== undefined)
      safety.dailyLoss = { ...safety.dailyLoss, limit: dailyLoss.limit };
    Object.assign(this.#orders, { tolerance: settings.orders.tolerance, reserve: settings.orders.reserve });
    this.manager.exposure.forgetAll();
    this.market.applySelection();
    this.mirror.touchAll();
  }

  /** When the current user is read next, monotonic ms. */
  get nextUserRead(): number {
    const isBusy = this.account.active.size > 0 || this.quoting.open.size > 0;
    return this.mode.nextRead(isBusy, this.account.awaitsMode);
  }

  /** The current header of a game. */
  gameOf(id: GameId): Game | undefined {
    return this.mirror.games.get(id)?.game;
  }

  /**
   * The sport that decides how the markets of a game settle. An unknown game has the row of an unknown sport.
   */
  sportOf(id: GameId): KnownSport {
    const game = this.gameOf(id);
    // without a selection of parts, a future settles like a game of its sport, as in version 0.2
    const isAsBefore = game?.futures === true && this.#live.markets.parts === undefined;
    return this.sports.sportOf(isAsBefore ? { ...game, futures: false } : game);
  }

  applySignals(update: SignalUpdate): void {
    this.signals.applyUpdate(update);
    this.heldWatch.applyUpdate(update);
  }

  /** Removes expired signals. What is held elsewhere counts at its worse from then on. */
  expireSignals(): void {
    this.signals.expire();
    this.heldWatch.expire();
  }

  /**
   * Marks the markets whose strategies subscribed to signals that changed, so that they are shown again, and
   * shows the limits what is held elsewhere.
   */
  showSignals(): void {
    this.heldWatch.advance();
    const signals = this.signals.takeChanged();
    if (signals.length === 0) return;
    this.quoting.applySignals(signals);
    this.scores.applySignals(signals);
    for (const models of this.#allModels) models.applySignals(signals);
    for (const id of this.host.marketsReading(signals)) {
      const quoted = this.quoting.open.get(id);
      if (quoted !== undefined) this.mirror.touched.add(quoted.book);
    }
  }

  /** Raises the values that strategies set to keep them over restarts. */
  raisePersisted(): void {
    for (const value of this.persisted.takeChanged()) this.buffer.raise({ type: 'ValuePersisted', ...value });
  }

  /** Raises the values that strategies logged, as far as they are due at `now`, monotonic ms. */
  raiseSeries(now: number): void {
    for (const logged of this.series.takeDue(now)) this.buffer.raise({ type: 'SeriesLogged', ...logged });
  }

  /** Sends the reads and alerts that the account requests, and cancels the external orders that it names. */
  serveAccount(): void {
    const { account, buffer, manager } = this;
    const { reads, cancels, alerts } = account.news.takeRequests();
    for (const read of reads) buffer.read(read);
    if (cancels.length > 0) manager.cancelExternal(cancels, buffer.now);
    for (const { level, code, message, fields, once } of alerts)
      if (once === undefined) buffer.alert(level, code, message, fields);
      else buffer.alertOnce(once, level, code, message, fields);
  }
}
