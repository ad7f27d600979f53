// Decides whether the bot may trade, apart from feeds and account: the kill switch, pauses by operators, and
// the loss limits. Each restriction carries a reason.
import type { Account, DayLoss } from '../account/index.ts';
import type {
  EventOf,
  GameId,
  Market,
  MarketId,
  Micros,
  OperatorCommand,
  Side,
  Standing,
  StrategyId,
  TradingState,
  WaitsFor,
} from '../domain/index.ts';
import { inventoryOf, sideIndex } from '../domain/index.ts';
import type { Denial } from '../risk/index.ts';
import type { CommandBuffer } from './command-buffer.ts';
import { KillSwitch } from './kill-switch.ts';
import { LosingFills } from './losing-fills.ts';
import type { Prices } from './prices.ts';
import type { SafetySettings } from './settings.ts';
import { markedOf } from './marks.ts';

type QuotedMarkets = Pick<ReadonlyMap<MarketId, unknown>, 'has'>;
const NO_MARKETS: QuotedMarkets = new Map();

export class Trading {
  readonly #killSwitch: KillSwitch;
  readonly #losing: LosingFills;
  readonly #settings: SafetySettings;
  readonly #day: DayLoss;
  readonly #account: Account;
  readonly #prices: Prices;
  readonly #leastOrder: Micros;
  #paused = false;
  /** Strategies that an operator paused. */
  readonly #pausedStrategies = new Set<StrategyId>();
  #wantsCancelAll = false;
  /** Reason of an operator's `hold`. Undefined when the bot is not held. */
  #held: string | undefined;
  /** Reasons for waiting, by the cause that must end each. */
  readonly #waits = new Map<WaitsFor, string>();
  /** True once the daily loss limit was reached: the bot closes what it can close, then halts. */
  #lostTheDay = false;

  constructor(
    buffer: CommandBuffer,
    settings: SafetySettings,
    parts: {
      readonly account: Account;
      readonly day: DayLoss;
      readonly prices: Prices;
      /** The smallest order, micro-dollars. */
      readonly leastOrder: Micros;
    },
  ) {
    this.#settings = settings;
    this.#day = parts.day;
    this.#account = parts.account;
    this.#prices = parts.prices;
    this.#leastOrder = parts.leastOrder;
    this.#killSwitch = new KillSwitch(buffer, settings.state);
    this.#losing = new LosingFills(buffer, settings, parts.prices);
  }

  get state(): TradingState {
    return this.#killSwitch.state;
  }

  /** The restriction in force and its reason. Undefined when the bot trades freely. */
  get stands(): Pick<EventOf<'StateChanged'>, 'state' | 'reason'> | undefined {
    if (this.#paused) return { state: 'paused', reason: undefined };
    if (this.#held !== undefined) return { state: 'waiting', reason: this.#held };
    if (this.#waits.size > 0) for (const reason of this.#waits.values()) return { state: 'waiting', reason };
    const { state, reason } = this.#killSwitch;
    return state === 'active' ? undefined : { state, reason };
  }

  /** Restrictions that an operator or a limit set. They must survive restarts. */
  get standing(): Standing | undefined {
    const { isTightened, state, reason, ownOnly } = this.#killSwitch;
    const paused = this.#paused;
    const strategies = this.#pausedStrategies.size > 0 ? { strategies: [...this.#pausedStrategies] } : {};
    if (isTightened) return { state, reason, paused, ...strategies, ...(ownOnly ? { ownOnly } : {}) };
    if (!paused && this.#pausedStrategies.size === 0) return undefined;
    return { state: 'active', reason: paused ? 'paused' : 'a strategy is paused', paused, ...strategies };
  }

  /** Applies the restrictions that a former run left. */
  applyStanding({ state, reason, paused, strategies = [], ownOnly }: Standing): void {
    this.#paused = paused;
    for (const id of strategies) this.#pausedStrategies.add(id);
    this.#killSwitch.tighten(state, reason, ownOnly);
  }

  /**
   * Halts because another bot of the instance trades on the account. The other bot's orders are left alone.
   */
  standDown(reason: string): void {
    this.#killSwitch.tighten('halted', reason, true);
  }

  /** Sets or, with `undefined`, clears a reason for waiting. Nothing is quoted while one is set. */
  wait(cause: WaitsFor, reason: string | undefined): void {
    if (reason === undefined) this.#waits.delete(cause);
    else this.#waits.set(cause, reason);
  }

  operate(command: Exclude<OperatorCommand, 'stop' | 'abort'>, reason: string): void {
    switch (command) {
      case 'pause':
        this.#paused = true;
        return;
      case 'hold':
        this.#held = reason;
        return;
      case 'release':
        this.#held = undefined;
        return;
      case 'resume':
        this.#paused = false;
        this.#waits.clear();
        this.#lostTheDay = false;
        this.#killSwitch.resume();
        // the loss limits apply again before anything is sent
        this.#applyLosses(false, NO_MARKETS);
        return;
      case 'reduce-only':
        this.#killSwitch.tighten('reduce-only', reason);
        return;
      case 'halt':
        this.#killSwitch.tighten('halted', reason);
        return;
      case 'cancel-all':
        this.#wantsCancelAll = true;
    }
  }

  /** Pauses or resumes one strategy. True when its state changed, so its quotes must be decided again. */
  operateStrategy(strategy: StrategyId, command: 'pause' | 'resume'): boolean {
    if (command === 'resume') return this.#pausedStrategies.delete(strategy);
    const isNew = !this.#pausedStrategies.has(strategy);
    this.#pausedStrategies.add(strategy);
    return isNew;
  }

  isPaused(strategy: StrategyId): boolean {
    return this.#pausedStrategies.has(strategy);
  }

  /**
   * Runs in every step, with the newest list of open orders. True when everything on the account must be
   * cancelled and the open orders read afterwards.
   */
  advance(listed: { readonly open: number; readonly readAt: number } | undefined): boolean {
    const isAsked = this.#wantsCancelAll;
    this.#wantsCancelAll = false;
    return this.#killSwitch.advance(listed) || isAsked;
  }

  /**
   * Runs at every housekeeping. True when the pause of a strategy began or ended, so its quotes must be
   * decided again. `booksRead`: the quotable markets are known. `quoted`: the quoted markets.
   */
  housekeep(booksRead: boolean, quoted: QuotedMarkets): boolean {
    for (const fill of this.#account.news.takeOwnFills()) this.#losing.applyFill(fill);
    this.#applyLosses(booksRead, quoted);
    return this.#losing.housekeep();
  }

  #applyLosses(booksRead: boolean, quoted: QuotedMarkets): void {
    const { haltAtLoss } = this.#settings;
    if (haltAtLoss !== undefined && this.watchesLoss) {
      const brought = markedOf(this.#account, this.#prices);
      if (brought <= -haltAtLoss)
        this.#killSwitch.tighten('halted', `the run has lost ${(-brought / 1e6).toFixed(2)} (risk.haltAtLoss)`);
    }
    this.#applyDay(booksRead, quoted);
  }

  /** Applies the daily loss limit (rules.md, 14): reduce-only while a position can be closed, then halted. */
  #applyDay(booksRead: boolean, quoted: QuotedMarkets): void {
    const day = this.#day.status;
    if (day?.brought === undefined) return;
    this.#lostTheDay ||= day.brought <= -day.limit;
    if (!this.#lostTheDay) return;
    const reason = `the account has lost ${(-day.brought / 1e6).toFixed(2)} since ${new Date(day.startsAt).toISOString()} (risk.maxDailyLoss ${day.limit / 1e6})`;
    this.#killSwitch.tighten(booksRead && !this.#canClose(quoted) ? 'halted' : 'reduce-only', reason);
  }

  /** True when a position in a quoted market is larger than the smallest order. */
  #canClose(quoted: QuotedMarkets): boolean {
    for (const [id, { position }] of this.#account.holdings.positions)
      if (Math.abs(inventoryOf(position)) > this.#leastOrder && quoted.has(id)) return true;
    return false;
  }

  /** True when each housekeeping must check the loss of the run. */
  get watchesLoss(): boolean {
    return this.#settings.haltAtLoss !== undefined && this.#account.counts.fills > 0;
  }

  /** When the next fill is judged, a strategy's pause ends, or cancel-all is repeated; monotonic ms. */
  get nextDue(): number {
    return Math.min(this.#losing.nextDue, this.#killSwitch.nextDue);
  }

  /** Why nothing at all may be quoted. Undefined when quoting is allowed. */
  get closed(): Denial | undefined {
    if (this.#held !== undefined) return { control: 'gate', reason: this.#held };
    if (this.#paused) return { control: 'gate', reason: 'paused' };
    if (this.#waits.size > 0)
      for (const reason of this.#waits.values()) return { control: 'gate', reason: `waiting: ${reason}` };
    return this.#killSwitch.state === 'halted'
      ? { control: 'gate', reason: `halted: ${this.#killSwitch.reason}` }
      : undefined;
  }

  /** Applies a change of home and away in a game. */
  swapTeams(gameId: GameId): void {
    this.#losing.swapTeams(gameId);
  }

  /** Why a strategy may not quote one side of a market. Undefined when it may. */
  denialOf(strategy: StrategyId, market: Market, side: Side): Denial | undefined {
    if (this.#pausedStrategies.has(strategy)) return { control: 'paused', reason: 'an operator paused the strategy' };
    if (this.#losing.isPaused(strategy))
      return { control: 'losing-fills', reason: 'the strategy pauses after losing fills' };
    if (this.#killSwitch.state !== 'reduce-only') return undefined;
    const inventory = inventoryOf(this.#account.positionIn(market.id));
    const adds = sideIndex(side) === 0 ? inventory >= 0 : inventory <= 0;
    return adds ? { control: 'reduce-only', reason: this.#killSwitch.reason } : undefined;
  }

  /**
   * Highest total payout of the quotes of a side, stake included, micro-dollars. It is set in reduce-only: a
   * fill moves the position by its payout, and must only make it smaller. Undefined when there is no bound.
   */
  mostPayout(market: Market): number | undefined {
    if (this.#killSwitch.state !== 'reduce-only') return undefined;
    return Math.abs(inventoryOf(this.#account.positionIn(market.id)));
  }
}
