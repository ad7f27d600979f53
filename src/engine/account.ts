// The account: who we are, the player mode (DESIGN rule 9), the balance, and the health of both feeds (rule 4).
import type { ExitCode, Input, Micros, PlayerMode } from '../domain/index.ts';
import { EXIT, microsOfDollars } from '../domain/index.ts';
import type { OrderManager } from '../orders/index.ts';
import { parseUser } from '../wire/index.ts';
import type { Denial } from '../risk/index.ts';
import type { Desk } from './desk.ts';
import { FeedTrust } from './feed-trust.ts';
import type { CoreSettings } from './settings.ts';

/** DESIGN rule 9. */
const READ_USER_EVERY_MS = 15_000;
/** When nothing asks for it: in a backtest nobody else has the account. */
const QUIET_READ_MS = { steady: READ_USER_EVERY_MS, 'when-due': 3_600_000 };
/** How often the account is asked to switch before it is believed that it does not. */
const MOST_SWITCHES = 5;

export type Halt = { readonly code: ExitCode; readonly error: string; readonly reason: string };

export type AccountSettings = Pick<CoreSettings, 'playerMode' | 'allowModeSwitch' | 'housekeeping'> & {
  readonly resumeAfterMs: number;
};

export class Account {
  /** The configured one, once the account was in it. */
  mode: PlayerMode | undefined;
  /** Whatever was told last. */
  toldMode: PlayerMode | undefined;
  balance: Micros | undefined;
  /** Set when the run must end: the account is not what the configuration says. */
  halt: Halt | undefined;
  userFeedUp = false;
  userFeedUpSince: number | undefined;
  #drops = 0;
  #healthySince: number | undefined;
  readonly #trust: FeedTrust;
  #nextRead = 0;
  /** When the account was told last. */
  #toldAt = 0;
  #switching = false;
  #switches = 0;
  readonly #desk: Desk;
  readonly #manager: OrderManager;
  readonly #settings: AccountSettings;

  constructor(desk: Desk, manager: OrderManager, settings: AccountSettings) {
    this.#desk = desk;
    this.#manager = manager;
    this.#settings = settings;
    this.#trust = new FeedTrust(settings.resumeAfterMs);
  }

  /** `readAt`: when it was asked for. */
  applySession(session: Extract<Input, { type: 'session' }>, readAt = this.#desk.now): void {
    this.#toldAt = this.#desk.now;
    this.#nextRead = this.#toldAt + QUIET_READ_MS[this.#settings.housekeeping];
    if (session.balance !== undefined) this.balance = microsOfDollars(session.balance);
    const { playerMode, allowModeSwitch } = this.#settings;
    // what is not told confirms nothing
    if (session.mode === undefined) return;
    this.toldMode = session.mode;
    if (session.mode === playerMode) {
      this.#switching = false;
      this.mode = session.mode;
      this.#manager.ledger.plays.applyModeSure(readAt);
      return;
    }
    if (this.mode !== undefined) {
      this.halt ??= {
        code: EXIT.refused,
        error: 'MODE_CHANGED',
        reason: `the player mode changed from ${this.mode} to ${session.mode} while the bot was running`,
      };
    } else if (!allowModeSwitch) {
      this.halt ??= {
        code: EXIT.refused,
        error: 'MODE_MISMATCH',
        reason: `the account is in ${session.mode} mode, the configuration says ${playerMode}; switch the account or set exchange.allowModeSwitch`,
      };
    } else if (this.#switches >= MOST_SWITCHES) {
      this.halt ??= {
        code: EXIT.refused,
        error: 'MODE_MISMATCH',
        reason: `the account stays in ${session.mode} mode although it was switched ${MOST_SWITCHES} times`,
      };
    } else {
      this.#switches += 1;
      this.#switching = true;
      this.#desk.send({ type: 'switch-mode', req: this.#desk.nextRequest(), mode: playerMode });
      this.#nextRead = this.#desk.now + 500;
    }
  }

  /** There was a session. */
  get isLoggedIn(): boolean {
    return this.#nextRead > 0;
  }

  /** The reply to a read of the current user. */
  applyUser(body: unknown, readAt: number): void {
    const user = parseUser(body);
    if (!user.ok) {
      this.#desk.alert('warn', 'REPLY_MALFORMED', 'the current user cannot be read', {
        problem: user.problem,
      });
      return;
    }
    const { username, userId, mode, cash, coins } = user.value;
    const balance = this.#settings.playerMode === 'cash' ? cash : coins;
    this.applySession({ type: 'session', username: username ?? '', userId, mode, balance }, readAt);
  }

  /** Something was refused with 403, or the run is ending: who we are is asked at once. */
  askUser(): void {
    // before the login nobody can tell
    if (this.isLoggedIn) this.#nextRead = this.#desk.now;
  }

  /** The exchange refuses to tell who we are: the account is banned or closed (spec, Authentication 7). */
  applyForbidden(reason: string): void {
    this.halt ??= { code: EXIT.refused, error: 'ACCOUNT_REFUSED', reason };
  }

  /** The event loop stood still: what came meanwhile is old, so quotes are pulled and come back after resumeAfter. */
  applyStall(): void {
    this.#drops += 1;
    this.#healthySince = undefined;
  }

  /** The exchange refuses to log us in again. */
  applyLost(reason: string): void {
    this.halt ??= { code: EXIT.refused, error: 'LOGIN_REFUSED', reason };
  }

  applyFeed(status: 'up' | 'down'): void {
    this.userFeedUp = status === 'up';
    this.userFeedUpSince = this.userFeedUp ? this.#desk.now : undefined;
  }

  /** Called at every step with the state of both feeds: after a drop they must be healthy for resumeAfter. */
  updateHealth(pricesUp: boolean): void {
    if (this.#trust.advance(this.#desk.now, this.userFeedUpSince))
      this.#desk.alert(
        'info',
        'FEED_SUSPECT',
        'the user feed reports orders again: all quotes come back',
        {},
      );
    const healthy = pricesUp && this.userFeedUp && !this.#trust.isSuspect;
    if (!healthy && this.#healthySince !== undefined) {
      this.#drops += 1;
      this.#healthySince = undefined;
    }
    if (healthy) this.#healthySince ??= this.#desk.now;
  }

  /** When it is looked after next; a read that is asked for is planned. */
  planNext(): number {
    if (this.#trust.isWaiting || this.#manager.ledger.unconfirmed.size > 0) return this.#desk.now;
    this.#readSoonIfAsked();
    return this.#nextRead;
  }

  /** What was sent since the mode was confirmed hedges nothing until it is again: as soon as a steady reader would know. */
  #readSoonIfAsked(): void {
    if (this.#settings.housekeeping === 'steady') return;
    const soon = this.#nextSteadyRead;
    if (soon >= this.#nextRead || !this.isLoggedIn) return;
    const { active, newestModeAt, plays } = this.#manager.ledger;
    let isAsked = plays.awaitsMode;
    if (!plays.isModeSure(newestModeAt))
      for (const { modeAt } of active) if (!plays.isModeSure(modeAt)) isAsked = true;
    if (isAsked) this.#nextRead = soon;
  }

  /** When whoever reads every 15 s does so next. */
  get #nextSteadyRead(): number {
    const since = this.#desk.now - this.#toldAt;
    return this.#toldAt + Math.max(1, Math.ceil(since / READ_USER_EVERY_MS)) * READ_USER_EVERY_MS;
  }

  sweep(): void {
    const { now } = this.#desk;
    this.#readSoonIfAsked();
    if (now >= this.#nextRead && this.isLoggedIn) {
      this.#nextRead = now + (this.#switching ? 1000 : QUIET_READ_MS[this.#settings.housekeeping]);
      this.#desk.read({ what: 'user' });
    }
    const suspicion = this.#trust.watch(now, this.#manager.ledger.unconfirmed, this.userFeedUpSince);
    if (suspicion === undefined) return;
    const { order, waitMs } = suspicion;
    this.#desk.alert(
      'warn',
      'FEED_SUSPECT',
      'an accepted order has no positionUpdate: quotes are pulled, then one is tried',
      { ref: order.ref, orderId: order.orderId, waitMs },
    );
  }

  /** How many orders may be placed now: one, while the user feed is tried. */
  get mostNew(): number {
    return this.#trust.mostNew;
  }

  /** After what was sent in a step. */
  noteSent(): void {
    this.#trust.noteSent(this.#manager.ledger.active);
  }

  /** When the feeds have been healthy for long enough, if they stay so. */
  get resumesAt(): number {
    const { now } = this.#desk;
    const at = (this.#healthySince ?? Number.POSITIVE_INFINITY) + this.#resumeAfter;
    return at > now ? at : Number.POSITIVE_INFINITY;
  }

  get #resumeAfter(): number {
    return this.#drops === 0 ? 0 : this.#settings.resumeAfterMs;
  }

  /** Why nothing may be quoted now, as far as the account and the feeds are concerned. */
  get closed(): Denial | undefined {
    if (this.mode !== this.#settings.playerMode)
      return { control: 'gate', reason: 'the player mode is not confirmed' };
    if (this.#healthySince === undefined)
      return {
        control: 'gate',
        reason: this.#trust.isSuspect ? 'the user feed is suspect' : 'a feed is down',
      };
    return this.#desk.now - this.#healthySince < this.#resumeAfter
      ? { control: 'gate', reason: 'the feeds came back a moment ago' }
      : undefined;
  }
}
