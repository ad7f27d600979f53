// The read-only view of a core, for the page, the figures and the door. Nothing here changes the core.
import type {
  EventOf,
  Game,
  GameId,
  GameResult,
  Input,
  KnownSport,
  Market,
  MarketId,
  Micros,
  Position,
  Standing,
  StrategyId,
  RestingOrder,
  UnansweredOrder,
} from '../domain/index.ts';
import { AgeCounts, heldNamed } from '../domain/index.ts';
import type { DayLoss, HeldFill } from '../account/index.ts';
import { resultOfInput, runOf } from '../account/index.ts';
import type { GameScore } from '../pricing/index.ts';
import type { Denial, HeldPayoffs } from '../risk/index.ts';
import type { StrategyBudget, StandingSignal } from '../strategy/host/index.ts';
import { DEFAULT_BUDGET } from '../strategy/host/index.ts';
import { notOver } from './game-ends.ts';
import type { GameRiskStatus } from './game-risks.ts';
import type { MarketStatus, OwnPrices } from './market-status.ts';
import { ladderOf, marketsOf, othersBestOf, ownPricesOf } from './market-status.ts';
import type { Parts } from './parts.ts';
import type { Mark } from './marks.ts';
import { markedOf, marksOf } from './marks.ts';
import type { AccountOrder, ExternalOrderStatus } from './order-status.ts';
import { externalOrdersOf, ordersOf } from './order-status.ts';
import type { CoreSettings } from './settings.ts';
import type { CoreStatus } from './status.ts';
import { countsOf, statusOf, worstOf } from './status.ts';
import type { StrategyStatus } from './strategy-status.ts';
import { strategiesOf } from './strategy-status.ts';

type OrdersLeft = {
  readonly orders: readonly RestingOrder[];
  readonly unanswered: readonly UnansweredOrder[];
};

export const budgetsIn = ({ strategies }: CoreSettings): ReadonlyMap<StrategyId, StrategyBudget> =>
  new Map(strategies.map(({ id, budget }) => [id, budget ?? DEFAULT_BUDGET]));

export abstract class CoreView {
  protected readonly parts: Parts;
  /** The time budget for one input, by strategy. */
  protected budgets: ReadonlyMap<StrategyId, StrategyBudget>;
  /** True once the account was read completely in this run. */
  protected wasRead = false;

  constructor(parts: Parts, settings: CoreSettings) {
    this.parts = parts;
    this.budgets = budgetsIn(settings);
  }

  /** Why nothing is quoted now. Undefined when quoting is possible. */
  protected abstract closedBy(): Denial | undefined;

  /** The header of a game. The door needs it: requests name sides by participant ids. */
  gameOf(id: GameId): Game | undefined {
    return this.parts.gameOf(id);
  }

  /** All known games, with their newest headers. */
  *games(): Iterable<Game> {
    for (const { game } of this.parts.mirror.games.values()) if (game !== undefined) yield game;
  }

  /** Every known market of a game, of its child games and of its props, each with its own game. */
  *marketsOfGame(id: GameId): Iterable<{ readonly market: Market; readonly game: Game }> {
    for (const { game, markets } of this.parts.mirror.games.values())
      if (game.id === id || game.parentGameId === id) for (const { market } of markets.values()) yield { market, game };
  }

  /**
   * The consensus of each quoted market of a game that has one now, as probability of its first side. Own
   * offers are left out.
   */
  consensusIn(id: GameId): Iterable<{ readonly market: Market; readonly p: number }> {
    return this.parts.consensusIn(id);
  }

  /** The score of a game in play. Undefined when it is not known, or too old. */
  scoreOf(id: GameId): GameScore | undefined {
    return this.parts.scores.scoreOf(id);
  }

  /** What each game with fills may bring, by the distribution of its score. */
  gameRisks(): Iterable<GameRiskStatus> {
    return this.parts.risks.all();
  }

  /** The sport of a game, which decides how its markets settle. */
  sportOf(id: GameId): KnownSport {
    return this.parts.sportOf(id);
  }

  /** The result of a game as given by operators so far. Undefined when none was given. */
  resultOf(id: GameId): GameResult | undefined {
    return this.parts.settlements.resultOf(id);
  }

  /** The account's position in each market. */
  positions(): Iterable<{ readonly market: Market; readonly position: Position }> {
    return this.parts.account.holdings.positions.values();
  }

  /** The account's position in each market, with its marked value. */
  marks(): Iterable<Mark> {
    return marksOf(this.parts.account, this.parts.prices);
  }

  /** The price at which a market is marked, as probability of its first side. */
  priceOf(id: MarketId): number | undefined {
    return this.parts.prices.get(id);
  }

  /** The newest good consensus of a market, as probability of its first side. */
  fairOf(id: MarketId): number | undefined {
    return this.parts.prices.fairOf(id);
  }

  /**
   * The strategy's own fair price of a market, the newest strictly before `beforeMs` (Unix ms), at most
   * seconds old.
   */
  ownFairOf(strategy: StrategyId, market: MarketId, beforeMs: number): number | undefined {
    return this.parts.quoting.ownFairs.before(market, strategy, beforeMs);
  }

  /** Every market that is quoted or has a position or an open order, ordered by start. */
  markets(): readonly MarketStatus[] {
    return [...marketsOf(this.parts)];
  }

  /** The same one by one: each is computed when it is taken, so a reader may let steps pass between. */
  eachMarket(): Iterable<MarketStatus> {
    return marketsOf(this.parts);
  }

  /** Own prices in the markets with an open order or a position. */
  ownPrices(): Iterable<OwnPrices> {
    return ownPricesOf(this.parts);
  }

  /**
   * The best prices of others in a quoted market, by side, as probabilities. Undefined for a side without
   * offers.
   */
  othersBest(id: MarketId): readonly [number | undefined, number | undefined] {
    return othersBestOf(id, this.parts);
  }

  /**
   * Both sides of one market, with own orders and those of others. Undefined when the market is not quoted.
   */
  ladder(id: MarketId): ReturnType<typeof ladderOf> {
    return ladderOf(id, this.parts);
  }

  /** The strategies, in the order of the YAML file. */
  strategies(): readonly StrategyStatus[] {
    return strategiesOf(this.parts);
  }

  /** Strategies disabled for a fault: entirely (`why` is set), or only in a number of markets. */
  strategiesOff(): readonly {
    readonly id: StrategyId;
    readonly why: string | undefined;
    readonly markets: number;
  }[] {
    const { host } = this.parts;
    return host.entries.flatMap(({ id }) => {
      const [why, markets] = [host.quarantineOf(id), host.faultyIn(id)];
      return why === undefined && markets === 0 ? [] : [{ id, why, markets }];
    });
  }

  /** The strategy's time budget for one input. */
  budgetOf(strategy: StrategyId): StrategyBudget {
    return this.budgets.get(strategy) ?? DEFAULT_BUDGET;
  }

  /** Own orders that rest or may rest, with the belief about each. */
  orders(): readonly AccountOrder[] {
    return ordersOf(this.parts);
  }

  /** True once the account was read completely in this run. */
  get isAccountRead(): boolean {
    return this.wasRead;
  }

  /**
   * Own orders that the next run must know: those that rest, by id, and those with unknown fate. Undefined
   * where the exchange reports references, because references already identify own orders.
   */
  ordersLeft(): OrdersLeft | undefined {
    const { account, reconciliation } = this.parts;
    if (account.reportsReferences) return undefined;
    const orders: RestingOrder[] = [...reconciliation.notAdopted()];
    const unanswered: UnansweredOrder[] = [];
    for (const { id, landed, sentT, ref, market, side, rung, risk } of account.active) {
      const sent = { sentT, order: { ref, market, side, rung, risk } };
      if (id?.orderId !== undefined && landed) orders.push({ orderId: id.orderId, ...sent });
      else unanswered.push(sent);
    }
    return { orders, unanswered };
  }

  /** True when an own order began to rest, ended, or rests again in the last step. */
  get ordersTurned(): boolean {
    return this.parts.account.news.turns.size > 0;
  }

  /** The external orders on the account. */
  externalOrders(): readonly ExternalOrderStatus[] {
    return externalOrdersOf(this.parts);
  }

  /** The current signals, by name. */
  signals(): ReadonlyMap<string, StandingSignal> {
    return this.parts.signals.standing((name) => this.isSubscribed(name));
  }

  /** The ages of each signal when strategies read it, by name. For `signalAges` of the report. */
  signalAges(): ReadonlyMap<string, AgeCounts> {
    return this.parts.signals.ages;
  }

  /** True when a strategy has subscribed to this signal, or the limits read it for a market that is known. */
  isSubscribed(name: string): boolean {
    const { host, mirror } = this.parts;
    const held = heldNamed(name)?.market;
    return host.isSubscribed(name) || (held !== undefined && mirror.bookOf(held.id, held.gameId) !== undefined);
  }

  /** What is held on other exchanges in a market, as signals report it. Undefined when nothing is known. */
  heldIn(market: Pick<Market, 'id' | 'gameId'>): HeldPayoffs | undefined {
    return this.parts.held.payoffsIn(market);
  }

  /** All fills that wait for the result of their game. */
  fills(): Iterable<HeldFill> {
    return this.parts.account.holdings.open;
  }

  /**
   * Names of the runs with fills that wait for their games. Undefined when the run of a fill is not known.
   */
  runsWithOpenPlays(): ReadonlySet<string> | undefined {
    const { account, reconciliation } = this.parts;
    if (!reconciliation.complete || account.holdings.stakedElsewhere > 0) return undefined;
    const runs = new Set<string>();
    for (const { ref, name } of account.holdings.open) {
      const orderRef = name?.ref ?? ref ?? name?.holder?.ref;
      if (orderRef === undefined) return undefined;
      runs.add(runOf(orderRef));
    }
    return runs;
  }

  /** True when a fill waits for this game, of this run or a former one. */
  waitsFor(gameId: GameId): boolean {
    const { account, day } = this.parts;
    return account.holdings.waitsFor(gameId) || day.former.waitsFor(gameId);
  }

  /** Restrictions that an operator or a limit set. They must survive restarts. */
  get standing(): Standing | undefined {
    return this.parts.trading.standing;
  }

  /** The account's result since the day began, and what it held then. */
  get day(): Pick<DayLoss, 'startsAt' | 'base' | 'baseVersion' | 'status'> {
    return this.parts.day;
  }

  /** Why this result cannot settle the game now. Undefined when it can (rules.md, 11). */
  settleProblem(input: Extract<Input, { type: 'settle' }>): string | undefined {
    const { gameId } = input;
    const game = this.gameOf(gameId);
    const { settlements, buffer } = this.parts;
    const problem = settlements.problem(gameId, resultOfInput(input), this.sportOf(gameId), game);
    if (problem !== undefined) return problem;
    if (!this.waitsFor(gameId)) return `no play waits for a result of game ${gameId}`;
    return notOver(game, buffer.t);
  }

  /** Why no result of this game can be withdrawn. Undefined when there is one. */
  unsettleProblem({ gameId }: Extract<Input, { type: 'unsettle' }>): string | undefined {
    return this.resultOf(gameId) === undefined ? `no operator gave a result of game ${gameId}` : undefined;
  }

  /** The result of the run, settled and marked at the consensus, dollars. */
  get marked(): number {
    return markedOf(this.parts.account, this.parts.prices) / 1e6;
  }

  /** Worst case of all positions and resting orders, dollars, 0 or below. */
  get worst(): number {
    return worstOf(this.parts.manager);
  }

  /** The balance as last read, and what of it is in use, as the control `credit` compares them. */
  get credit(): { readonly balance: Micros | undefined; readonly inUse: Micros } {
    const { mode, account } = this.parts;
    return { balance: mode.balance, inUse: account.creditInUse };
  }

  /** Result of settled games, dollars. */
  get realized(): number {
    return this.parts.account.holdings.realized / 1e6;
  }

  /** The fields of a run's last sample, without those measured outside the core. */
  get sums(): Required<Pick<EventOf<'Sample'>, 'counts' | 'shares' | 'idle'>> & Pick<EventOf<'Sample'>, 'signals'> {
    const { quoting, signals } = this.parts;
    const ages = AgeCounts.sum(signals.ages.values()).figures;
    return {
      counts: countsOf(this.parts),
      shares: quoting.share.sums,
      idle: quoting.idle,
      ...(ages === undefined ? {} : { signals: ages }),
    };
  }

  /** The state of a run for status line and summary. Money is in dollars. */
  status(): CoreStatus {
    const { reconciliation, trading } = this.parts;
    return statusOf({
      parts: this.parts,
      trading: trading.state,
      accountRead: reconciliation.complete,
      closed: this.closedBy(),
    });
  }
}
