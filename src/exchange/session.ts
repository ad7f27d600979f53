// The session: login, the token, and one shared re-login for all requests that were answered 401. A token
// with a known lifetime, from the token itself or from one that expired before, is renewed before it expires.
import type { Input, PlayerMode, Timers } from '../domain/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import type { WireProfile } from '../wire/index.ts';
import { loginCall, parseEnvelope, parseUser } from '../wire/index.ts';
import type { RestPort } from './ports.ts';

export type SessionSettings = {
  readonly username: string;
  readonly password: string;
  readonly playerMode: PlayerMode;
  readonly startTimeoutMs: number;
  readonly requestTimeoutMs: number;
};

export type SessionPorts = {
  readonly rest: RestPort;
  readonly timers: Timers;
  /** Receives logins and lost sessions. */
  readonly report: (input: Extract<Input, { type: 'session' | 'session-lost' }>) => void;
  /**
   * Returns the wall time, Unix ms. When absent, the lifetime of a token that names only its end is not
   * known.
   */
  readonly wall?: () => number;
  /** Receives the causes of a delayed start, for the log. */
  readonly warn?: (message: string, fields: Readonly<Record<string, unknown>>) => void;
};

/** Why a login gave no token: it may be retried, or the exchange refused it (`refusal`). */
type Problem = { readonly detail: string; readonly waitMs?: number; readonly refusal?: OddsmakerError };

const BACK_OFF_MS = { first: 250, longest: 5000 };
/** A token is renewed after this share of its lifetime; at most one login in `leastMs`. */
const RENEWAL = { share: 0.8, leastMs: 5000, mostMs: 20 * 86_400_000 };
/**
 * The tolerance between the ages of two tokens that a 401 ended: equal ages show how long tokens live; a
 * single token may have ended for another reason.
 */
const SAME_LIFETIME = 0.1;

export class Session {
  readonly #profile: WireProfile;
  readonly #settings: SessionSettings;
  readonly #ports: SessionPorts;
  #token: string | undefined;
  #username: string | undefined;
  /** Callbacks that wait for the running re-login. Undefined when none is running. */
  #waiting: (() => void)[] | undefined;
  #refused = false;
  #againAt = Number.NEGATIVE_INFINITY;
  /** When the token arrived, monotonic ms. */
  #tokenAt = 0;
  /** The age of the last token that a 401 ended, ms. */
  #livedMs: number | undefined;
  /**
   * The lifetime of tokens that do not name it, ms, when two that ended in a row agree. Undefined when not
   * known.
   */
  #lifetimeMs: number | undefined;
  #endRenewal = (): void => undefined;

  constructor(profile: WireProfile, settings: SessionSettings, ports: SessionPorts) {
    this.#profile = profile;
    this.#settings = settings;
    this.#ports = ports;
  }

  get token(): string | undefined {
    return this.#token;
  }

  /** The account's name by the last login; before the first login, the configured name. */
  get username(): string {
    return this.#username ?? this.#settings.username;
  }

  /** Takes a rotated token, which any answer may bring. */
  rotate(token: string | undefined): void {
    if (token !== undefined) this.#take(token);
  }

  #take(token: string): void {
    this.#token = token;
    this.#tokenAt = this.#ports.timers.now();
    const lifetimeMs = lifetimeIn(token, this.#ports.wall?.()) ?? this.#lifetimeMs;
    if (lifetimeMs !== undefined) this.#renewAfter(lifetimeMs * RENEWAL.share);
    else this.#endRenewal();
  }

  #learnLifetime(livedMs: number): void {
    const before = this.#livedMs ?? 0;
    this.#livedMs = livedMs;
    const [shorter, longer] = [Math.min(livedMs, before), Math.max(livedMs, before)];
    this.#lifetimeMs = longer - shorter <= SAME_LIFETIME * longer ? shorter : undefined;
  }

  #renewAfter(ms: number): void {
    this.#endRenewal();
    const waitMs = Math.min(Math.max(ms, RENEWAL.leastMs), RENEWAL.mostMs);
    this.#endRenewal = this.#ports.timers.after(waitMs, () => this.#renew());
  }

  /** Renews the token. The old one still works, so a failure here has no consequence: a 401 decides. */
  #renew(): void {
    if (this.#refused || this.#waiting !== undefined) return;
    this.#waiting = [];
    this.#login(this.#settings.requestTimeoutMs, (problem) => {
      if (problem !== undefined) {
        this.#ports.warn?.('the early renewal of the token failed', { detail: problem.detail });
        if (problem.refusal === undefined) this.#renewAfter(problem.waitMs ?? RENEWAL.leastMs);
      }
      this.#callBack();
    });
  }

  #callBack(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const resume of waiting) resume();
  }

  close(): void {
    this.#endRenewal();
  }

  /**
   * The first login. When the exchange cannot be reached, the login is retried with back-off until
   * startTimeout; a refusal is final. `done` receives the reason when there is no session: LOGIN_REFUSED,
   * EXCHANGE_UNREACHABLE. The returned function ends the retries.
   */
  start(done: (problem: OddsmakerError | undefined) => void): () => void {
    const { now, after } = this.#ports.timers;
    const giveUpAt = now() + this.#settings.startTimeoutMs;
    let wait = BACK_OFF_MS.first;
    let cancel = (): void => undefined;
    let isEnded = false;
    const attempt = (): void => {
      const deadlineMs = Math.max(100, Math.min(this.#settings.requestTimeoutMs, giveUpAt - now()));
      this.#login(deadlineMs, (problem) => {
        if (isEnded) return;
        if (problem === undefined || problem.refusal !== undefined) {
          done(problem?.refusal);
          return;
        }
        const left = giveUpAt - now();
        if (left <= 0) {
          const within = `${this.#settings.startTimeoutMs / 1000} s`;
          const message = `the exchange did not accept the login within ${within}: ${problem.detail}`;
          done(new OddsmakerError('EXCHANGE_UNREACHABLE', message));
          return;
        }
        const next = Math.min(left, problem.waitMs ?? wait);
        wait = Math.min(wait * 2, BACK_OFF_MS.longest);
        this.#ports.warn?.('the exchange cannot be reached, trying again', {
          detail: problem.detail,
          waitMs: Math.round(next),
          givingUpInMs: Math.round(left),
        });
        cancel = after(next, attempt);
      });
    };
    attempt();
    return () => {
      isEnded = true;
      cancel();
    };
  }

  /** Stops all further logins: the exchange no longer serves this account. */
  refuse(): void {
    this.#refused = true;
  }

  /**
   * Logs in again, then calls back, whatever the result; callers in the meantime share the same attempt.
   * `refusedToken`: the token that was answered 401; if it is not the current one, the token was renewed
   * already.
   */
  relogin(then: () => void, refusedToken = this.#token): void {
    if (refusedToken !== this.#token) {
      then();
      return;
    }
    if (this.#waiting !== undefined) {
      this.#waiting.push(then);
      return;
    }
    const { now } = this.#ports.timers;
    // a refusal is final, and a failure is not repeated at once: many requests may need a login
    if (this.#refused || now() < this.#againAt) {
      then();
      return;
    }
    this.#waiting = [then];
    const livedMs = now() - this.#tokenAt;
    if (this.#token !== undefined && livedMs >= RENEWAL.leastMs) this.#learnLifetime(livedMs);
    this.#login(this.#settings.requestTimeoutMs, (problem) => {
      if (problem?.refusal !== undefined) {
        this.#refused = true;
        this.#ports.report({ type: 'session-lost', reason: problem.refusal.message });
      } else if (problem !== undefined) {
        this.#againAt = now() + BACK_OFF_MS.longest;
        this.#ports.warn?.('the new login failed', { detail: problem.detail });
      }
      this.#callBack();
    });
  }

  #login(deadlineMs: number, done: (problem: Problem | undefined) => void): void {
    const { username, password, playerMode } = this.#settings;
    this.#ports.rest(loginCall(username, password, this.#profile), deadlineMs, (answer) => {
      if (answer.type !== 'answer') {
        done({ detail: answer.type === 'failed' ? answer.detail : 'the login was not answered' });
        return;
      }
      const { status, body, retryAfterSeconds } = answer;
      if (status >= 400 && status < 500 && status !== 429) {
        const reason = parseEnvelope(body)?.message ?? '';
        const detail = `the exchange refused the login of ${username}: ${reason} (status ${status})`;
        done({ detail, refusal: new OddsmakerError('LOGIN_REFUSED', detail) });
        return;
      }
      if (status >= 300) {
        const waits = retryAfterSeconds === undefined ? {} : { waitMs: retryAfterSeconds * 1000 };
        done({ detail: `status ${status}`, ...waits });
        return;
      }
      const user = parseUser(body);
      if (!user.ok || user.value.token === undefined) {
        done({ detail: 'the login reply has no token' });
        return;
      }
      const { token, userId, mode, cash, coins } = user.value;
      this.#take(token);
      this.#username = user.value.username;
      const balance = playerMode === 'cash' ? cash : coins;
      this.#ports.report({ type: 'session', username: this.username, userId, mode, balance });
      done(undefined);
    });
  }
}

/**
 * The lifetime of a JSON Web Token (RFC 7519: `iat`, `exp`), ms. Undefined when it is none, or names no end.
 */
function lifetimeIn(token: string, nowMs: number | undefined): number | undefined {
  const [, payload] = token.split('.');
  if (payload === undefined) return undefined;
  try {
    const { exp, iat } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    if (typeof exp !== 'number') return undefined;
    const fromMs = typeof iat === 'number' ? iat * 1000 : nowMs;
    const lifetimeMs = fromMs === undefined ? Number.NaN : exp * 1000 - fromMs;
    return lifetimeMs > 0 ? lifetimeMs : undefined;
  } catch {
    return undefined;
  }
}
