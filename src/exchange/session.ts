// The session: login, the token, and one shared re-login for however many requests were answered 401. A token whose life is
// known, from itself or from one that ended before, is renewed before it ends.
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
  /** Told of logins and lost sessions. */
  readonly tell: (input: Extract<Input, { type: 'session' | 'session-lost' }>) => void;
  /** Unix ms; absent: the life of a token that names its end alone is not known. */
  readonly wall?: () => number;
  /** Told of what delays the start, for the log. */
  readonly say?: (message: string, fields: Readonly<Record<string, unknown>>) => void;
};

/** Why a login brought no token: it may be tried again, or the exchange said no. */
type Problem = { readonly detail: string; readonly waitMs?: number; readonly refusal?: OddsmakerError };

const BACK_OFF_MS = { first: 250, longest: 5000 };
/** A token is renewed when this much of its life is over; never more than one login in `leastMs`. */
const RENEWAL = { share: 0.8, leastMs: 5000, mostMs: 20 * 86_400_000 };
/** Two tokens that a 401 ended at the same age show how long tokens live; one alone may have ended for another reason. */
const SAME_LIFE = 0.1;

export class Session {
  readonly #profile: WireProfile;
  readonly #settings: SessionSettings;
  readonly #ports: SessionPorts;
  #token: string | undefined;
  #username: string | undefined;
  /** Those who wait for the re-login that is on its way. */
  #waiting: (() => void)[] | undefined;
  #refused = false;
  #againAt = Number.NEGATIVE_INFINITY;
  /** When the token came, monotonic ms. */
  #tokenAt = 0;
  /** How long the last token lived that a 401 ended. */
  #livedMs: number | undefined;
  /** How long tokens live, where they do not say it and two that ended in a row agree; undefined: not known. */
  #lifeMs: number | undefined;
  #endRenewal = (): void => undefined;

  constructor(profile: WireProfile, settings: SessionSettings, ports: SessionPorts) {
    this.#profile = profile;
    this.#settings = settings;
    this.#ports = ports;
  }

  get token(): string | undefined {
    return this.#token;
  }

  /** As the exchange named the account at the last login; before the first, as it is configured. */
  get username(): string {
    return this.#username ?? this.#settings.username;
  }

  /** A rotated token came with some answer. */
  rotate(token: string | undefined): void {
    if (token !== undefined) this.#take(token);
  }

  #take(token: string): void {
    this.#token = token;
    this.#tokenAt = this.#ports.timers.now();
    const lifeMs = lifeIn(token, this.#ports.wall?.()) ?? this.#lifeMs;
    if (lifeMs !== undefined) this.#renewAfter(lifeMs * RENEWAL.share);
    else this.#endRenewal();
  }

  #learnLife(livedMs: number): void {
    const before = this.#livedMs ?? 0;
    this.#livedMs = livedMs;
    const [shorter, longer] = [Math.min(livedMs, before), Math.max(livedMs, before)];
    this.#lifeMs = longer - shorter <= SAME_LIFE * longer ? shorter : undefined;
  }

  #renewAfter(ms: number): void {
    this.#endRenewal();
    const waitMs = Math.min(Math.max(ms, RENEWAL.leastMs), RENEWAL.mostMs);
    this.#endRenewal = this.#ports.timers.after(waitMs, () => this.#renew());
  }

  /** The token still works, so whatever comes of it ends nothing: a 401 decides. */
  #renew(): void {
    if (this.#refused || this.#waiting !== undefined) return;
    this.#waiting = [];
    this.#login(this.#settings.requestTimeoutMs, (problem) => {
      if (problem !== undefined) {
        this.#ports.say?.('the token could not be renewed before its end', { detail: problem.detail });
        if (problem.refusal === undefined) this.#renewAfter(problem.waitMs ?? RENEWAL.leastMs);
      }
      this.#callBack();
    });
  }

  #callBack(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const one of waiting) one();
  }

  close(): void {
    this.#endRenewal();
  }

  /**
   * The first login. An exchange that cannot be reached is asked again with back-off until startTimeout; one that says
   * no is believed at once. `done` is told why there is no session: LOGIN_REFUSED, EXCHANGE_UNREACHABLE. The action that
   * is returned ends the trying.
   */
  start(done: (problem: OddsmakerError | undefined) => void): () => void {
    const { now, after } = this.#ports.timers;
    const giveUpAt = now() + this.#settings.startTimeoutMs;
    let wait = BACK_OFF_MS.first;
    let cancel = (): void => undefined;
    let isOver = false;
    const attempt = (): void => {
      const deadlineMs = Math.max(100, Math.min(this.#settings.requestTimeoutMs, giveUpAt - now()));
      this.#login(deadlineMs, (problem) => {
        if (isOver) return;
        if (problem === undefined || problem.refusal !== undefined) {
          done(problem?.refusal);
          return;
        }
        const left = giveUpAt - now();
        if (left <= 0) {
          const within = `${this.#settings.startTimeoutMs / 1000} s`;
          const message = `the exchange did not let us log in within ${within}: ${problem.detail}`;
          done(new OddsmakerError('EXCHANGE_UNREACHABLE', message));
          return;
        }
        const next = Math.min(left, problem.waitMs ?? wait);
        wait = Math.min(wait * 2, BACK_OFF_MS.longest);
        this.#ports.say?.('the exchange cannot be reached, trying again', {
          detail: problem.detail,
          waitMs: Math.round(next),
          givingUpInMs: Math.round(left),
        });
        cancel = after(next, attempt);
      });
    };
    attempt();
    return () => {
      isOver = true;
      cancel();
    };
  }

  /** The exchange serves this account no longer: nobody logs in again. */
  refuse(): void {
    this.#refused = true;
  }

  /**
   * Logs in again, then calls back, whatever came of it; every caller meanwhile shares the same attempt. `refusedToken`: the one
   * that was answered 401; another than the present one was renewed already.
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
    // a refusal is final, and a failure is not repeated at once: many requests may be asking
    if (this.#refused || now() < this.#againAt) {
      then();
      return;
    }
    this.#waiting = [then];
    const livedMs = now() - this.#tokenAt;
    if (this.#token !== undefined && livedMs >= RENEWAL.leastMs) this.#learnLife(livedMs);
    this.#login(this.#settings.requestTimeoutMs, (problem) => {
      if (problem?.refusal !== undefined) {
        this.#refused = true;
        this.#ports.tell({ type: 'session-lost', reason: problem.refusal.message });
      } else if (problem !== undefined) {
        this.#againAt = now() + BACK_OFF_MS.longest;
        this.#ports.say?.('logging in again did not work', { detail: problem.detail });
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
      this.#ports.tell({ type: 'session', username: this.username, userId, mode, balance });
      done(undefined);
    });
  }
}

/** The life of a JSON Web Token (RFC 7519: `iat`, `exp`), ms; undefined: it is none, or names no end. */
function lifeIn(token: string, nowMs: number | undefined): number | undefined {
  const [, payload] = token.split('.');
  if (payload === undefined) return undefined;
  try {
    const { exp, iat } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    if (typeof exp !== 'number') return undefined;
    const fromMs = typeof iat === 'number' ? iat * 1000 : nowMs;
    const lifeMs = fromMs === undefined ? Number.NaN : exp * 1000 - fromMs;
    return lifeMs > 0 ? lifeMs : undefined;
  } catch {
    return undefined;
  }
}
