// The session: login, the token, and one shared re-login for however many requests were answered 401.
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
  /** Told of what delays the start, for the log. */
  readonly say?: (message: string, fields: Readonly<Record<string, unknown>>) => void;
};

/** Why a login brought no token: it may be tried again, or the exchange said no. */
type Problem = { readonly detail: string; readonly waitMs?: number; readonly refusal?: OddsmakerError };

const BACK_OFF_MS = { first: 250, longest: 5000 };

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
    if (token !== undefined) this.#token = token;
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

  /** Logs in again, then calls back, whatever came of it; every caller meanwhile shares the same attempt. */
  relogin(then: () => void): void {
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
    this.#login(this.#settings.requestTimeoutMs, (problem) => {
      if (problem?.refusal !== undefined) {
        this.#refused = true;
        this.#ports.tell({ type: 'session-lost', reason: problem.refusal.message });
      } else if (problem !== undefined) {
        this.#againAt = now() + BACK_OFF_MS.longest;
        this.#ports.say?.('logging in again did not work', { detail: problem.detail });
      }
      const waiting = this.#waiting ?? [];
      this.#waiting = undefined;
      for (const one of waiting) one();
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
      this.#token = token;
      this.#username = user.value.username;
      const balance = playerMode === 'cash' ? cash : coins;
      this.#ports.tell({
        type: 'session',
        ...{ username: this.username, userId, mode, balance },
      });
      done(undefined);
    });
  }
}
