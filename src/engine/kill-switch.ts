// The kill switch (rules.md, 8): active → reduce-only → halted, latched: it only tightens by itself, and only an operator's
// `resume` sets it back. Halted means nothing rests: cancelAllOrders, repeated until a list read after it is empty; where another
// bot of the instance trades on the account, only what is our own is withdrawn.
import type { AlertLevel, TradingState } from '../domain/index.ts';
import type { CommandBuffer } from './command-buffer.ts';

const RANK: Readonly<Record<TradingState, number>> = { active: 0, 'reduce-only': 1, halted: 2 };
const LEVELS: Readonly<Record<TradingState, AlertLevel>> = {
  active: 'info',
  'reduce-only': 'warn',
  halted: 'error',
};
/** cancelAllOrders drains 15 a second: asked again when the list is not empty by then. */
const AGAIN_MS = 3000;

export class KillSwitch {
  #state: TradingState;
  #reason = 'as configured';
  #isTightened = false;
  /** Only what is our own is withdrawn: the rest is another bot's. */
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

  /** By a human or a limit, beyond what the configuration says. */
  get isTightened(): boolean {
    return this.#isTightened;
  }

  get ownOnly(): boolean {
    return this.#ownOnly;
  }

  /** When everything is cancelled again, if no list shows before that nothing is open. */
  get nextDue(): number {
    return this.#state === 'halted' ? this.#cancelAgainAt : Number.POSITIVE_INFINITY;
  }

  /** Never loosens. */
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
   * Called at every step once the session is there, with the newest list of what is open. True: everything on the account is
   * to be cancelled, and what is open to be read.
   */
  advance(listed: { readonly open: number; readonly readAt: number } | undefined): boolean {
    if (this.#state !== 'halted') return false;
    // only a list that was read after the cancel-all tells anything
    if (listed?.open === 0 && listed.readAt > this.#cancelledAt) this.#cancelAgainAt = Number.POSITIVE_INFINITY;
    if (this.#buffer.now < this.#cancelAgainAt) return false;
    this.#cancelledAt = this.#buffer.now;
    this.#cancelAgainAt = this.#buffer.now + AGAIN_MS;
    return true;
  }
}
