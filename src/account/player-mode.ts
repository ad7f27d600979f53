// The player mode of the account (rules.md, 9) and its balance, as the current user shows them. Any row,
// answer or event that reports another mode is evidence of the wrong mode, too.
import type { ExitCode, Micros, PlayerMode } from '../domain/index.ts';
import { EXIT } from '../domain/index.ts';

/** The most switches that are requested before the run gives up. */
const MOST_SWITCHES = 5;
const SWITCH_AGAIN_MS = { first: 500, then: 1000 };
/** The interval of reads while fills or orders cannot hedge until the mode is confirmed again. */
const AWAITED_EVERY_MS = 15_000;

export type Halt = { readonly code: ExitCode; readonly error: string; readonly reason: string };

export type ModeSettings = {
  readonly playerMode: PlayerMode;
  readonly allowModeSwitch: boolean;
  /** The interval of reads of the current user: `busy` while something rests or is wanted, else `quiet`. */
  readonly userEveryMs: { readonly busy: number; readonly quiet: number };
  /** Nothing is placed when the newest confirmation of the mode was requested longer ago, ms. */
  readonly modeAgeMs: number;
};

export type UserReport = {
  readonly mode: PlayerMode | undefined;
  readonly balance: Micros | undefined;
};

export class PlayerModeWatch {
  /** The configured mode, once the account was in it; else undefined. */
  mode: PlayerMode | undefined;
  /** The mode that was read last. */
  newest: PlayerMode | undefined;
  balance: Micros | undefined;
  /** Set when the run must end: the account is not in the configured mode. */
  halt: Halt | undefined;
  /** Set when the exchange no longer serves the account: banned, closed, or no login (rules.md, 5). */
  refused: Halt | undefined;
  /** True when the account is to be switched. The reader clears it. */
  wantsSwitch = false;
  /** When the newest answer with the configured mode was requested, monotonic ms. */
  rightAsked = Number.NEGATIVE_INFINITY;
  /** When the user was last read or reported, and when the next read is due at the latest, monotonic ms. */
  #lastAt: number | undefined;
  #readBy = Number.POSITIVE_INFINITY;
  #isSwitching = false;
  #switches = 0;
  readonly #settings: ModeSettings;

  constructor(settings: ModeSettings) {
    this.#settings = settings;
  }

  /** True once there was a session. */
  get isLoggedIn(): boolean {
    return this.#lastAt !== undefined;
  }

  /**
   * Applies the current user, from a login or a read. `askedAt`: when it was requested, monotonic ms. Returns
   * true when the mode was confirmed.
   */
  applyUser({ mode, balance }: UserReport, askedAt: number, now: number): boolean {
    this.#lastAt = now;
    this.#readBy = Number.POSITIVE_INFINITY;
    if (balance !== undefined) this.balance = balance;
    const { playerMode, allowModeSwitch } = this.#settings;
    // an answer without a mode confirms nothing
    if (mode === undefined) return false;
    this.newest = mode;
    if (mode === playerMode) {
      this.#isSwitching = false;
      this.mode = mode;
      this.rightAsked = Math.max(this.rightAsked, askedAt);
      return true;
    }
    if (this.mode !== undefined) this.applyWrongMode(mode);
    else if (!allowModeSwitch)
      this.#refuse(
        `the account is in ${mode} mode, the configuration says ${playerMode}; switch the account or set exchange.allowModeSwitch`,
      );
    else if (this.#switches >= MOST_SWITCHES)
      this.#refuse(`the account stays in ${mode} mode although it was switched ${MOST_SWITCHES} times`);
    else {
      this.#switches += 1;
      this.#isSwitching = true;
      this.wantsSwitch = true;
      this.#readBy = now + SWITCH_AGAIN_MS.first;
    }
    return false;
  }

  /** A report names another mode after the configured one was confirmed: the run ends. */
  applyWrongMode(mode: PlayerMode): void {
    this.halt ??= {
      code: EXIT.refused,
      error: 'MODE_CHANGED',
      reason: `the player mode changed from ${this.#settings.playerMode} to ${mode} while the bot was running`,
    };
  }

  #refuse(reason: string): void {
    this.halt ??= { code: EXIT.refused, error: 'MODE_MISMATCH', reason };
  }

  /** The exchange refuses to show the user: the account is banned or closed (spec, Authentication 7). */
  applyForbidden(reason: string): void {
    this.refused ??= { code: EXIT.refused, error: 'ACCOUNT_REFUSED', reason };
  }

  /** The exchange refuses another login. */
  applyLost(reason: string): void {
    this.refused ??= { code: EXIT.refused, error: 'LOGIN_REFUSED', reason };
  }

  /** A request was refused with 403, or the run is ending: the current user is read at once. */
  ask(now: number): void {
    // there is no current user before the login
    if (this.isLoggedIn) this.#readBy = now;
  }

  /** True when the newest confirmation of the mode is too old: nothing may be placed. */
  isTooOld(now: number): boolean {
    return now - this.rightAsked > this.#settings.modeAgeMs;
  }

  /**
   * When the current user is read next, monotonic ms. `isBusy`: something rests, or is to be placed.
   * `isAwaited`: something hedges nothing until the mode is confirmed.
   */
  nextRead(isBusy: boolean, isAwaited: boolean): number {
    if (this.#lastAt === undefined) return Number.POSITIVE_INFINITY;
    const { busy, quiet } = this.#settings.userEveryMs;
    const everyMs = isBusy ? busy : isAwaited ? Math.min(quiet, AWAITED_EVERY_MS) : quiet;
    return Math.min(this.#readBy, this.#lastAt + everyMs);
  }

  /** A read of the current user is in flight. */
  applyAsked(now: number): void {
    this.#lastAt = now;
    this.#readBy = this.#isSwitching ? now + SWITCH_AGAIN_MS.then : Number.POSITIVE_INFINITY;
  }
}
