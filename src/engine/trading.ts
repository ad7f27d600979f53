// Whether and how far the bot may trade, apart from feeds and account: the kill switch, an operator's pause, and what the
// rules make of losses.
import type { Account } from '../account/index.ts';
import type { Market, OperatorCommand, Side, StrategyId } from '../domain/index.ts';
import { inventoryOf, sideIndex } from '../domain/index.ts';
import type { Denial } from '../risk/index.ts';
import type { Desk } from './desk.ts';
import { KillSwitch } from './kill-switch.ts';
import { LosingFills } from './losing-fills.ts';
import type { Prices } from './prices.ts';
import type { SafetySettings, TradingState } from './settings.ts';
import { markedOf } from './status.ts';

export class Trading {
  readonly #killSwitch: KillSwitch;
  readonly #losing: LosingFills;
  readonly #settings: SafetySettings;
  readonly #account: Account;
  readonly #prices: Prices;
  #paused = false;
  #wantsCancelAll = false;
  /** Why the bot quotes nothing by its own will. */
  #held: string | undefined;

  constructor(desk: Desk, settings: SafetySettings, account: Account, prices: Prices) {
    this.#settings = settings;
    this.#account = account;
    this.#prices = prices;
    this.#killSwitch = new KillSwitch(desk, settings.state);
    this.#losing = new LosingFills(desk, settings.losingFills, prices);
  }

  get state(): TradingState {
    return this.#killSwitch.state;
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
        this.#killSwitch.resume();
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

  /**
   * At every step, with the newest list of what is open. True: everything on the account is to be cancelled, and what is open
   * to be read afterwards.
   */
  advance(listed: { readonly open: number; readonly readAt: number } | undefined): boolean {
    const isAsked = this.#wantsCancelAll;
    this.#wantsCancelAll = false;
    return this.#killSwitch.advance(listed) || isAsked;
  }

  /** At every sweep. True when a strategy was paused or came back: all of its quotes change. */
  sweep(): boolean {
    for (const fill of this.#account.newFills) this.#losing.applyFill(fill);
    this.#account.newFills = [];
    const { haltAtLoss } = this.#settings;
    if (haltAtLoss !== undefined && this.watchesLoss) {
      const brought = markedOf(this.#account, this.#prices);
      if (brought <= -haltAtLoss)
        this.#killSwitch.tighten(
          'halted',
          `the run has lost ${(-brought / 1e6).toFixed(2)} (risk.haltAtLoss)`,
        );
    }
    return this.#losing.sweep();
  }

  /** Every sweep looks whether the run has lost too much. */
  get watchesLoss(): boolean {
    return this.#settings.haltAtLoss !== undefined && this.#account.counts.fills > 0;
  }

  /** When the next fill is judged, a pause of a strategy ends, or everything is cancelled again. */
  get nextDue(): number {
    return Math.min(this.#losing.nextDue, this.#killSwitch.nextDue);
  }

  /** Why nothing at all may be quoted. */
  get closed(): Denial | undefined {
    if (this.#held !== undefined) return { control: 'gate', reason: this.#held };
    if (this.#paused) return { control: 'gate', reason: 'paused' };
    return this.#killSwitch.state === 'halted'
      ? { control: 'gate', reason: `halted: ${this.#killSwitch.reason}` }
      : undefined;
  }

  /** Why one strategy may not quote one side of a market. */
  denialOf(strategy: StrategyId, market: Market, side: Side): Denial | undefined {
    if (this.#losing.isPaused(strategy))
      return { control: 'losing-fills', reason: 'the strategy pauses after losing fills' };
    if (this.#killSwitch.state !== 'reduce-only') return undefined;
    const inventory = inventoryOf(this.#account.positionIn(market.id));
    const adds = sideIndex(side) === 0 ? inventory >= 0 : inventory <= 0;
    return adds ? { control: 'reduce-only', reason: this.#killSwitch.reason } : undefined;
  }

  /**
   * What the quotes of a side may pay out together, stake included, micro-dollars, where they may only make the position smaller: a fill
   * moves it by its payout. Undefined: nothing binds them.
   */
  mostPayout(market: Market): number | undefined {
    if (this.#killSwitch.state !== 'reduce-only') return undefined;
    return Math.abs(inventoryOf(this.#account.positionIn(market.id)));
  }
}
