// The session: login, the token, and one shared re-login for however many requests were answered 401.
import type { Observable } from 'rxjs';
import { Subject } from 'rxjs';
import type { Input, PlayerMode } from '../domain/index.ts';
import { messageOf, OddsmakerError } from '../domain/index.ts';
import type { WireProfile } from '../wire/index.ts';
import { loginCall, parseEnvelope, parseUser } from '../wire/index.ts';
import type { Answer, RestClient } from './rest-client.ts';

export type SessionSettings = {
  readonly username: string;
  readonly password: string;
  readonly playerMode: PlayerMode;
  readonly startTimeoutMs: number;
  readonly requestTimeoutMs: number;
};

const BACK_OFF_MS = { first: 250, longest: 5000 };

export class Session {
  readonly #inputs = new Subject<Input>();
  readonly #rest: RestClient;
  readonly #profile: WireProfile;
  readonly #settings: SessionSettings;
  readonly #say: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  #token: string | undefined;
  #relogin: Promise<boolean> | undefined;
  #refused = false;
  #againAt = 0;

  constructor(
    rest: RestClient,
    profile: WireProfile,
    settings: SessionSettings,
    say: (message: string, fields: Readonly<Record<string, unknown>>) => void,
  ) {
    this.#rest = rest;
    this.#profile = profile;
    this.#settings = settings;
    this.#say = say;
  }

  /** Logins and lost sessions, as inputs of the core. */
  get inputs$(): Observable<Input> {
    return this.#inputs;
  }

  get token(): string | undefined {
    return this.#token;
  }

  get username(): string {
    return this.#settings.username;
  }

  /** A rotated token came with some answer. */
  rotate(token: string | undefined): void {
    if (token !== undefined) this.#token = token;
  }

  /**
   * The first login. An exchange that cannot be reached is asked again with back-off until startTimeout; one that says
   * no is believed at once. `signal` ends the waiting.
   * @throws OddsmakerError LOGIN_REFUSED, EXCHANGE_UNREACHABLE
   */
  async start(signal: AbortSignal): Promise<void> {
    const giveUpAt = performance.now() + this.#settings.startTimeoutMs;
    let wait = BACK_OFF_MS.first;
    for (;;) {
      const answer = await this.#login(
        Math.max(100, Math.min(this.#settings.requestTimeoutMs, giveUpAt - performance.now())),
      );
      if (answer === undefined) return;
      if (signal.aborted) return;
      const left = giveUpAt - performance.now();
      if (left <= 0) {
        throw new OddsmakerError(
          'EXCHANGE_UNREACHABLE',
          `the exchange did not let us log in within ${this.#settings.startTimeoutMs / 1000} s: ${answer.detail}`,
        );
      }
      const next = Math.min(left, answer.waitMs ?? wait);
      this.#say('the exchange cannot be reached, trying again', {
        detail: answer.detail,
        waitMs: Math.round(next),
        givingUpInMs: Math.round(left),
      });
      await sleep(next, signal);
      if (signal.aborted) return;
      wait = Math.min(wait * 2, BACK_OFF_MS.longest);
    }
  }

  /** The exchange serves this account no longer: nobody logs in again. */
  refuse(): void {
    this.#refused = true;
  }

  /** Logs in again; every caller meanwhile shares the same attempt. False when it did not work out. */
  relogin(): Promise<boolean> {
    // a refusal is final, and a failure is not repeated at once: many requests may be asking
    if (this.#refused || (this.#relogin === undefined && performance.now() < this.#againAt))
      return Promise.resolve(false);
    this.#relogin ??= this.#login(this.#settings.requestTimeoutMs)
      .then((problem) => {
        if (problem !== undefined) this.#againAt = performance.now() + BACK_OFF_MS.longest;
        if (problem !== undefined) this.#say('logging in again did not work', { detail: problem.detail });
        return problem === undefined;
      })
      .catch((error: unknown) => {
        this.#refused = true;
        this.#inputs.next({
          type: 'session-lost',
          reason: messageOf(error),
        });
        return false;
      })
      .finally(() => {
        this.#relogin = undefined;
      });
    return this.#relogin;
  }

  /** Undefined when it worked; otherwise why it may be tried again. Throws when the exchange said no. */
  async #login(
    deadlineMs: number,
  ): Promise<{ readonly detail: string; readonly waitMs: number | undefined } | undefined> {
    const { username, password, playerMode } = this.#settings;
    const answer: Answer = await this.#rest.call(loginCall(username, password, this.#profile), deadlineMs);
    if (answer.type === 'failed') return { detail: answer.detail, waitMs: undefined };
    if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) {
      const reason = parseEnvelope(answer.body)?.message ?? '';
      throw new OddsmakerError(
        'LOGIN_REFUSED',
        `the exchange refused the login of ${username}: ${reason} (status ${answer.status})`,
      );
    }
    if (answer.status >= 300) {
      return {
        detail: `status ${answer.status}`,
        waitMs: answer.retryAfterSeconds === undefined ? undefined : answer.retryAfterSeconds * 1000,
      };
    }
    const user = parseUser(answer.body);
    if (!user.ok || user.value.token === undefined)
      return { detail: 'the login reply has no token', waitMs: undefined };
    this.#token = user.value.token;
    const { userId, mode, cash, coins } = user.value;
    this.#inputs.next({
      type: 'session',
      username: user.value.username ?? username,
      userId,
      mode,
      balance: playerMode === 'cash' ? cash : coins,
    });
    return undefined;
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
