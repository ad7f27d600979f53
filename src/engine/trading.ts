// Whether and how far the bot may trade, apart from feeds and account: the kill switch, an operator's pause, and what the
// rules make of losses.
import type {
  Market,
  Micros,
  OperatorCommand,
  Side,
  Standing,
  StrategyId,
  TradingState,
  WaitsFor,
} from '../domain/index.ts';
import { inventoryOf, sideIndex } from '../domain/index.ts';
import type { OrderManager } from '../orders/index.ts';
import type { Denial } from '../risk/index.ts';
import type { DayLoss } from './day-loss.ts';
import type { Desk } from './desk.ts';
import { KillSwitch } from './kill-switch.ts';
import { LosingFills } from './losing-fills.ts';
import type { Quoting } from './quoting.ts';
import type { SafetySettings } from './settings.ts';
import { markedOf } from './status.ts';

export class Trading {
  readonly #killSwitch: KillSwitch;
  readonly #losing: LosingFills;
  readonly #settings: SafetySettings;
  readonly #day: DayLoss;
  readonly #manager: OrderManager;
  readonly #quoting: Quoting;
  readonly #cancelAll: () => void;
  readonly #leastOrder: Micros;
  #paused = false;
  /** Why the bot waits, by whose word ends it. */
  readonly #waits = new Map<WaitsFor, string>();
  /** The limit of the day was reached: what can be closed is closed, and then it halts. */
  #lostTheDay = false;

  /** `cancelAll`: everything on the account, and what is open is read afterwards. */
  constructor(
    desk: Desk,
    settings: SafetySettings,
    parts: {
      readonly manager: OrderManager;
      readonly day: DayLoss;
      readonly quoting: Quoting;
      /** No order is smaller. */
      readonly leastOrder: Micros;
      readonly cancelAll: () => void;
    },
  ) {
    this.#settings = settings;
    this.#day = parts.day;
    this.#manager = parts.manager;
    this.#quoting = parts.quoting;
    this.#cancelAll = parts.cancelAll;
    this.#leastOrder = parts.leastOrder;
    this.#killSwitch = new KillSwitch(desk, settings.state, parts.cancelAll);
    this.#losing = new LosingFills(desk, settings.losingFills, parts.quoting.prices);
  }

  get state(): TradingState {
    return this.#killSwitch.state;
  }

  /** What a human or a limit tightened: it is to hold over restarts. */
  get standing(): Standing | undefined {
    const { isTightened, state, reason } = this.#killSwitch;
    if (!isTightened) return this.#paused ? { state: 'active', reason: 'paused', paused: true } : undefined;
    return { state, reason, paused: this.#paused };
  }

  /** What a former run left tightened. */
  applyStanding({ state, reason, paused }: Standing): void {
    this.#paused = paused;
    this.#killSwitch.tighten(state, reason);
  }

  /** Nothing is quoted while there is a reason. */
  wait(whose: WaitsFor, reason: string | undefined): void {
    if (reason === undefined) this.#waits.delete(whose);
    else this.#waits.set(whose, reason);
  }

  operate(command: Exclude<OperatorCommand, 'stop' | 'abort'>, reason: string): void {
    switch (command) {
      case 'pause':
        this.#paused = true;
        return;
      case 'resume':
        this.#paused = false;
        this.#waits.clear();
        this.#lostTheDay = false;
        this.#killSwitch.resume();
        // nothing may leave before the limits had their say
        this.#applyLosses(false);
        return;
      case 'reduce-only':
        this.#killSwitch.tighten('reduce-only', reason);
        return;
      case 'halt':
        this.#killSwitch.tighten('halted', reason);
        return;
      case 'cancel-all':
        this.#cancelAll();
    }
  }

  /** At every step, with the newest list of what is open. */
  advance(listed: { readonly open: number; readonly readAt: number } | undefined): void {
    this.#killSwitch.advance(listed);
  }

  /** At every sweep. True when a strategy was paused or came back: all of its quotes change. `booksRead`: what can be quoted is known. */
  sweep(booksRead: boolean): boolean {
    const { ledger } = this.#manager;
    for (const fill of ledger.newFills) this.#losing.applyFill(fill);
    ledger.newFills = [];
    this.#applyLosses(booksRead);
    return this.#losing.sweep();
  }

  #applyLosses(booksRead: boolean): void {
    const { haltAtLoss } = this.#settings;
    if (haltAtLoss !== undefined && this.watchesLoss) {
      const brought = markedOf(this.#manager, this.#quoting);
      if (brought <= -haltAtLoss)
        this.#killSwitch.tighten(
          'halted',
          `the run has lost ${(-brought / 1e6).toFixed(2)} (risk.haltAtLoss)`,
        );
    }
    this.#applyDay(booksRead);
  }

  /** DESIGN rule 14: reduce-only while a position can still be closed, then halted. */
  #applyDay(booksRead: boolean): void {
    const day = this.#day.status;
    if (day?.brought === undefined) return;
    this.#lostTheDay ||= day.brought <= -day.limit;
    if (!this.#lostTheDay) return;
    const reason = `the account has lost ${(-day.brought / 1e6).toFixed(2)} since ${new Date(day.startsAt).toISOString()} (risk.maxDailyLoss ${day.limit / 1e6})`;
    this.#killSwitch.tighten(booksRead && !this.#canClose() ? 'halted' : 'reduce-only', reason);
  }

  /** Some position is in a market that is quoted, and is not smaller than an order can be. */
  #canClose(): boolean {
    for (const [id, { position }] of this.#manager.ledger.plays.positions)
      if (Math.abs(inventoryOf(position)) > this.#leastOrder && this.#quoting.open.has(id)) return true;
    return false;
  }

  /** Every sweep looks whether the run has lost too much. */
  get watchesLoss(): boolean {
    return this.#settings.haltAtLoss !== undefined && this.#manager.ledger.stats.fills > 0;
  }

  /** When the next fill is judged, a pause of a strategy ends, or everything is cancelled again. */
  get nextDue(): number {
    return Math.min(this.#losing.nextDue, this.#killSwitch.nextDue);
  }

  /** Why nothing at all may be quoted. */
  get closed(): Denial | undefined {
    if (this.#paused) return { control: 'gate', reason: 'paused' };
    for (const reason of this.#waits.values()) return { control: 'gate', reason: `waiting: ${reason}` };
    return this.#killSwitch.state === 'halted'
      ? { control: 'gate', reason: `halted: ${this.#killSwitch.reason}` }
      : undefined;
  }

  /** Why one strategy may not quote one side of a market. */
  denialOf(strategy: StrategyId, market: Market, side: Side): Denial | undefined {
    if (this.#losing.isPaused(strategy))
      return { control: 'losing-fills', reason: 'the strategy pauses after losing fills' };
    if (this.#killSwitch.state !== 'reduce-only') return undefined;
    const inventory = inventoryOf(this.#manager.ledger.plays.positionIn(market.id));
    const adds = sideIndex(side) === 0 ? inventory >= 0 : inventory <= 0;
    return adds ? { control: 'reduce-only', reason: this.#killSwitch.reason } : undefined;
  }

  /**
   * What the quotes of a side may pay out together, stake included, micro-dollars, where they may only make the position smaller: a fill
   * moves it by its payout. Undefined: nothing binds them.
   */
  mostPayout(market: Market): number | undefined {
    if (this.#killSwitch.state !== 'reduce-only') return undefined;
    return Math.abs(inventoryOf(this.#manager.ledger.plays.positionIn(market.id)));
  }
}
