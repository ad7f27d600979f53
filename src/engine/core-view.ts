// What can be seen of a core: for the page, the figures, the door. Nothing here changes it.
import type {
  EventOf,
  Game,
  GameId,
  GameResult,
  Input,
  KnownSport,
  Market,
  MarketId,
  Position,
  Standing,
  StrategyId,
  RestingOrder,
  UnansweredOrder,
} from '../domain/index.ts';
import { AgeCounts } from '../domain/index.ts';
import type { DayLoss, HeldFill } from '../account/index.ts';
import { resultOfInput, runOf } from '../account/index.ts';
import type { Denial } from '../risk/index.ts';
import type { StrategyBudget, StandingSignal } from '../strategy/host/index.ts';
import { DEFAULT_BUDGET } from '../strategy/host/index.ts';
import { notOver } from './game-ends.ts';
import type { MarketStatus, OwnPrices } from './market-status.ts';
import { ladderOf, marketsOf, othersBestOf, ownPricesOf } from './market-status.ts';
import type { Parts } from './parts.ts';
import type { Mark } from './marks.ts';
import { markedOf, marksOf } from './marks.ts';
import type { AccountOrder, ExternalOrderStatus } from './order-status.ts';
import { externalOrdersOf, ordersOf } from './order-status.ts';
import type { CoreStatus } from './status.ts';
import { countsOf, statusOf, worstOf } from './status.ts';
import type { StrategyStatus } from './strategy-status.ts';
import { strategiesOf } from './strategy-status.ts';

type OrdersLeft = {
  readonly orders: readonly RestingOrder[];
  readonly unanswered: readonly UnansweredOrder[];
};

export abstract class CoreView {
  protected readonly parts: Parts;
  /** What one input may take of each strategy. */
  protected budgets: ReadonlyMap<StrategyId, StrategyBudget>;
  /** The account was read whole in this run. */
  protected wasRead = false;

  constructor(parts: Parts, budgets: ReadonlyMap<StrategyId, StrategyBudget>) {
    this.parts = parts;
    this.budgets = budgets;
  }

  /** Why nothing is quoted now; undefined: something may be. */
  protected abstract closedBy(): Denial | undefined;

  /** The header of a game, for the door: sides travel as participant ids. */
  gameOf(id: GameId): Game | undefined {
    return this.parts.gameOf(id);
  }

  /** All that are known, with their newest headers. */
  *games(): Iterable<Game> {
    for (const { game } of this.parts.mirror.games.values()) if (game !== undefined) yield game;
  }

  /** What decides the markets of a game. */
  sportOf(id: GameId): KnownSport {
    return this.parts.sportOf(id);
  }

  /** What operators said so far of how a game ended; undefined: nothing. */
  resultOf(id: GameId): GameResult | undefined {
    return this.parts.settlements.resultOf(id);
  }

  /** What the account holds, market by market. */
  positions(): Iterable<{ readonly market: Market; readonly position: Position }> {
    return this.parts.account.holdings.positions.values();
  }

  /** The same, with what it is worth at the newest consensus. */
  marks(): Iterable<Mark> {
    return marksOf(this.parts.account, this.parts.prices);
  }

  /** What a market is marked at, as probability of its first side. */
  priceOf(id: MarketId): number | undefined {
    return this.parts.prices.get(id);
  }

  /** The newest good consensus of a market, as probability of its first side. */
  fairOf(id: MarketId): number | undefined {
    return this.parts.prices.fairOf(id);
  }

  /** What a strategy said last that a market is worth, strictly before this Unix ms and within some seconds. */
  ownFairOf(strategy: StrategyId, market: MarketId, beforeMs: number): number | undefined {
    return this.parts.quoting.ownFairs.before(market, strategy, beforeMs);
  }

  /** Every market that is quoted, held or open, the one that starts first in front. */
  markets(): readonly MarketStatus[] {
    return marketsOf(this.parts);
  }

  /** Prices of the markets in which something is open or held. */
  ownPrices(): Iterable<OwnPrices> {
    return ownPricesOf(this.parts);
  }

  /** The best prices of the others in a market that is quoted, by side, as probabilities; undefined: nobody offers. */
  othersBest(id: MarketId): readonly [number | undefined, number | undefined] {
    return othersBestOf(id, this.parts);
  }

  /** Both sides of one market, own orders among the others'; undefined: it is not quoted. */
  ladder(id: MarketId): ReturnType<typeof ladderOf> {
    return ladderOf(id, this.parts);
  }

  /** What runs, in the order of the YAML file. */
  strategies(): readonly StrategyStatus[] {
    return strategiesOf(this.parts);
  }

  /** Those that were taken off for a fault of their own: `why`, or in so many markets alone. */
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

  /** What one input may take of a strategy. */
  budgetOf(strategy: StrategyId): StrategyBudget {
    return this.budgets.get(strategy) ?? DEFAULT_BUDGET;
  }

  /** Own orders that rest or may, with what is believed of them. */
  orders(): readonly AccountOrder[] {
    return ordersOf(this.parts);
  }

  /** The account was read whole in this run. */
  get isAccountRead(): boolean {
    return this.wasRead;
  }

  /**
   * Own orders that the next run must know: those that rest, by id, and those whose fate is open. Undefined where the exchange
   * reports references, which show whose orders are.
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

  /** An own order came to rest with the last step, ended, or rests again. */
  get ordersTurned(): boolean {
    return this.parts.account.news.turns.size > 0;
  }

  /** Those on the account that are not ours. */
  externalOrders(): readonly ExternalOrderStatus[] {
    return externalOrdersOf(this.parts);
  }

  /** Signals as they stand, by name. */
  signals(): ReadonlyMap<string, StandingSignal> {
    return this.parts.signals.standing((name) => this.wasAskedFor(name));
  }

  /** How old each was when a strategy read it, by name: for `signalAges` of the report. */
  signalAges(): ReadonlyMap<string, AgeCounts> {
    return this.parts.signals.ages;
  }

  /** Some strategy asked for this signal. */
  wasAskedFor(name: string): boolean {
    return this.parts.host.wasAskedFor(name);
  }

  /** Every fill that waits for its game. */
  fills(): Iterable<HeldFill> {
    return this.parts.account.holdings.open;
  }

  /** The runs that placed orders with fills that wait for their games; undefined: not of all fills is that known. */
  runsWithOpenPlays(): ReadonlySet<string> | undefined {
    const { account, reconciliation } = this.parts;
    if (!reconciliation.complete || account.holdings.stakedElsewhere > 0) return undefined;
    const runs = new Set<string>();
    for (const { ref, name } of account.holdings.open) {
      const of = name?.ref ?? ref ?? name?.holder?.ref;
      if (of === undefined) return undefined;
      runs.add(runOf(of));
    }
    return runs;
  }

  /** Some fill waits for this game, known or not. */
  waitsFor(gameId: GameId): boolean {
    const { account, day } = this.parts;
    return account.holdings.waitsFor(gameId) || day.former.waitsFor(gameId);
  }

  /** What a human or a limit tightened: it is to hold over restarts. */
  get standing(): Standing | undefined {
    return this.parts.trading.standing;
  }

  /** What the account brought since the day began, and what it held then. */
  get day(): Pick<DayLoss, 'startsAt' | 'base' | 'baseVersion' | 'status'> {
    return this.parts.day;
  }

  /** Why this result cannot settle the game, now; undefined when it can (rules.md, 11). */
  settleProblem(input: Extract<Input, { type: 'settle' }>): string | undefined {
    const { gameId } = input;
    const game = this.gameOf(gameId);
    const { settlements, buffer } = this.parts;
    const problem = settlements.problem(gameId, resultOfInput(input), this.sportOf(gameId), game);
    if (problem !== undefined) return problem;
    if (!this.waitsFor(gameId)) return `no play waits for a result of game ${gameId}`;
    return notOver(game, buffer.t);
  }

  /** Why there is no result of this game to take back; undefined when there is one. */
  unsettleProblem({ gameId }: Extract<Input, { type: 'unsettle' }>): string | undefined {
    return this.resultOf(gameId) === undefined ? `no operator gave a result of game ${gameId}` : undefined;
  }

  /** What the run brought, settled and marked at the consensus, dollars. */
  get marked(): number {
    return markedOf(this.parts.account, this.parts.prices) / 1e6;
  }

  /** The most that everything resting and held may lose, dollars, 0 or below. */
  get worst(): number {
    return worstOf(this.parts.manager);
  }

  /** What settled games brought, dollars. */
  get realized(): number {
    return this.parts.account.holdings.realized / 1e6;
  }

  /** What the last sample of a run has, but for what is measured beside the core. */
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

  /** The state of a run for status line and summary; money in dollars. */
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
