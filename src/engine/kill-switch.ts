// The kill switch (rules.md, 8): active → reduce-only → halted. It is latched: by itself it only tightens,
// and only an operator's `resume` resets it. In halted nothing rests: cancelAllOrders is repeated until a
// list read after it is empty. Where another bot of the instance trades on the account, only own orders are
// withdrawn.
import type { AlertLevel, TradingState } from '../domain/index.ts';
import type { CommandBuffer } from './command-buffer.ts';

const RANK: Readonly<Record<TradingState, number>> = { active: 0, 'reduce-only': 1, halted: 2 };
const LEVELS: Readonly<Record<TradingState, AlertLevel>> = {
  active: 'info',
  'reduce-only': 'warn',
  halted: 'error',
};
/** cancelAllOrders drains 15 orders a second. It is repeated when no list was empty after this time. */
const AGAIN_MS = 3000;

export class KillSwitch {
  #state: TradingState;
  #reason = 'as configured';
  #isTightened = false;
  /** True when only own orders are withdrawn, because the others belong to another bot. */
  #ownOnly = false;
  #cancelAgainAt = Number.POSITIVE_INFINITY;
  #cancelledAt = Number.POSITIVE_INFINITY;
  readonly #buffer: CommandBuffer;

  constructor(buffer: CommandBuffer, state: TradingState) {
    this.#buffer = buffer;
    this.#state = state;
    if (state === 'halted') this.#cancelAgainAt = 0;
  }

  get state(): TradingState {
    return this.#state;
  }

  get reason(): string {
    return this.#reason;
  }

  /** True when an operator or a limit tightened the switch beyond the configuration. */
  get isTightened(): boolean {
    return this.#isTightened;
  }

  get ownOnly(): boolean {
    return this.#ownOnly;
  }

  /** When everything is cancelled again, monotonic ms, unless a list shows before that nothing is open. */
  get nextDue(): number {
    return this.#state === 'halted' ? this.#cancelAgainAt : Number.POSITIVE_INFINITY;
  }

  /** Tightens the switch. It never loosens it. */
  tighten(state: TradingState, reason: string, ownOnly = false): void {
    const isWider = state === 'halted' && this.#ownOnly && !ownOnly;
    if (RANK[state] <= RANK[this.#state] && !isWider) return;
    this.#set(state, reason);
    this.#isTightened = true;
    this.#ownOnly = ownOnly;
    if (state === 'halted' && !ownOnly) this.#cancelAgainAt = this.#buffer.now;
  }

  resume(): void {
    this.#cancelAgainAt = Number.POSITIVE_INFINITY;
    this.#cancelledAt = Number.POSITIVE_INFINITY;
    this.#isTightened = false;
    this.#ownOnly = false;
    if (this.#state !== 'active') this.#set('active', 'resumed by an operator');
  }

  #set(state: TradingState, reason: string): void {
    this.#state = state;
    this.#reason = reason;
    this.#buffer.alert(LEVELS[state], 'KILL_SWITCH', 'the kill switch was set', { state, reason });
  }

  /**
   * Runs in every step after login, with the newest list of open orders. True when everything on the account
   * must be cancelled and the open orders read.
   */
  advance(listed: { readonly open: number; readonly readAt: number } | undefined): boolean {
    if (this.#state !== 'halted') return false;
    // only a list read after the cancel-all counts
    if (listed?.open === 0 && listed.readAt > this.#cancelledAt) this.#cancelAgainAt = Number.POSITIVE_INFINITY;
    if (this.#buffer.now < this.#cancelAgainAt) return false;
    this.#cancelledAt = this.#buffer.now;
    this.#cancelAgainAt = this.#buffer.now + AGAIN_MS;
    return true;
  }
}
