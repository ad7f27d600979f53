// The player mode of the account (rules.md, 9) and its balance, as the current user tells them. Evidence of the wrong mode is
// that, and any row, answer or event that names one.
import type { ExitCode, Micros, PlayerMode } from '../domain/index.ts';
import { EXIT } from '../domain/index.ts';

/** How often the account is asked to switch before it is believed that it does not. */
const MOST_SWITCHES = 5;
const SWITCH_AGAIN_MS = { first: 500, then: 1000 };
/** What was sent since the mode was confirmed hedges nothing until it is again. */
const AWAITED_EVERY_MS = 15_000;

export type Halt = { readonly code: ExitCode; readonly error: string; readonly reason: string };

export type ModeSettings = {
  readonly playerMode: PlayerMode;
  readonly allowModeSwitch: boolean;
  /** The current user is read this often while something rests or is to be placed, and while nothing does. */
  readonly userEveryMs: { readonly busy: number; readonly quiet: number };
  /** Nothing is placed when the newest right answer was asked for longer ago. */
  readonly modeAgeMs: number;
};

export type UserReport = {
  readonly mode: PlayerMode | undefined;
  readonly balance: Micros | undefined;
};

export class PlayerModeWatch {
  /** The configured one, once the account was in it. */
  mode: PlayerMode | undefined;
  /** As it was read last. */
  newest: PlayerMode | undefined;
  balance: Micros | undefined;
  /** Set when the run must end: the account is not what the configuration says. */
  halt: Halt | undefined;
  /** Set when the exchange serves the account no longer: banned, closed, or no login (rules.md, 5). */
  refused: Halt | undefined;
  /** The account is to be switched; whoever reads it clears it. */
  wantsSwitch = false;
  /** When the newest answer that named the right mode was asked for. */
  rightAsked = Number.NEGATIVE_INFINITY;
  /** When it was read or reported last, and when it is to be read whatever else is due. */
  #lastAt: number | undefined;
  #soonAt = Number.POSITIVE_INFINITY;
  #switching = false;
  #switches = 0;
  readonly #settings: ModeSettings;

  constructor(settings: ModeSettings) {
    this.#settings = settings;
  }

  /** There was a session. */
  get isLoggedIn(): boolean {
    return this.#lastAt !== undefined;
  }

  /** The current user, by a login or a read. `asked`: when it was asked for. True when the mode was confirmed. */
  applyUser({ mode, balance }: UserReport, asked: number, now: number): boolean {
    this.#lastAt = now;
    this.#soonAt = Number.POSITIVE_INFINITY;
    if (balance !== undefined) this.balance = balance;
    const { playerMode, allowModeSwitch } = this.#settings;
    // what is not told confirms nothing
    if (mode === undefined) return false;
    this.newest = mode;
    if (mode === playerMode) {
      this.#switching = false;
      this.mode = mode;
      this.rightAsked = Math.max(this.rightAsked, asked);
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
      this.#switching = true;
      this.wantsSwitch = true;
      this.#soonAt = now + SWITCH_AGAIN_MS.first;
    }
    return false;
  }

  /** Something names a mode that is not the configured one, after that was confirmed: the run ends. */
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

  /** The exchange refuses to say who we are: the account is banned or closed (spec, Authentication 7). */
  applyForbidden(reason: string): void {
    this.refused ??= { code: EXIT.refused, error: 'ACCOUNT_REFUSED', reason };
  }

  /** The exchange refuses to log us in again. */
  applyLost(reason: string): void {
    this.refused ??= { code: EXIT.refused, error: 'LOGIN_REFUSED', reason };
  }

  /** Something was refused with 403, or the run is ending: who we are is asked at once. */
  ask(now: number): void {
    // before the login nobody can tell
    if (this.isLoggedIn) this.#soonAt = now;
  }

  /** Nothing may be placed: the newest right answer is too old. */
  isTooOld(now: number): boolean {
    return now - this.rightAsked > this.#settings.modeAgeMs;
  }

  /**
   * When the current user is read next. `isBusy`: something rests, or is to be placed. `isAwaited`: something hedges nothing
   * until the mode is confirmed.
   */
  nextRead(isBusy: boolean, isAwaited: boolean): number {
    if (this.#lastAt === undefined) return Number.POSITIVE_INFINITY;
    const { busy, quiet } = this.#settings.userEveryMs;
    const everyMs = isBusy ? busy : isAwaited ? Math.min(quiet, AWAITED_EVERY_MS) : quiet;
    return Math.min(this.#soonAt, this.#lastAt + everyMs);
  }

  /** It is being read. */
  applyAsked(now: number): void {
    this.#lastAt = now;
    this.#soonAt = this.#switching ? now + SWITCH_AGAIN_MS.then : Number.POSITIVE_INFINITY;
  }
}
