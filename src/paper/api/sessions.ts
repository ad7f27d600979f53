// Session tokens, which identify the account of a request or socket. Several tokens of one account may be
// valid at once. A token ends when it expires or is revoked.
import { readText, recordOf } from '../../wire/index.ts';
import type { VenueAccount } from '../../venue/index.ts';

export type Session = { readonly account: VenueAccount; endsMs: number };
/**
 * Called on every change with the token and its session. The session is undefined when the token has ended.
 */
export type SessionRecorder = (token: string, session: Session | undefined) => void;

export type SessionOptions = {
  /** Makes a secret that cannot be guessed. */
  readonly newToken: () => string;
  readonly tokenLifetimeMs: number;
};

/** Tokens of one account at a time: a client that logs in for every request must not fill the exchange. */
const MOST_TOKENS = 200;

/** How long the old token works after a new one was sent in a reply header. */
const ROTATED_GRACE_MS = 60_000;

export class Sessions {
  recorder: SessionRecorder | undefined;
  readonly #byToken = new Map<string, Session>();
  readonly #newToken: () => string;
  readonly #tokenLifetimeMs: number;

  constructor({ newToken, tokenLifetimeMs }: SessionOptions) {
    this.#newToken = newToken;
    this.#tokenLifetimeMs = tokenLifetimeMs;
  }

  issue(account: VenueAccount, nowMs: number): string {
    this.#dropOld(account, nowMs);
    const token = this.#newToken();
    this.restore(token, { account, endsMs: nowMs + this.#tokenLifetimeMs });
    this.recorder?.(token, this.#byToken.get(token));
    return token;
  }

  restore(token: string, session: Session): void {
    this.#byToken.set(token, session);
  }

  entries(): Iterable<readonly [string, Session]> {
    return this.#byToken;
  }

  find(token: string | undefined, nowMs: number): VenueAccount | undefined {
    const session = token === undefined ? undefined : this.#byToken.get(token);
    return session !== undefined && session.endsMs > nowMs ? session.account : undefined;
  }

  /** Issues a new token; the old one stays valid for a short time. Undefined when the old one is unknown. */
  rotate(token: string, nowMs: number): string | undefined {
    const session = this.#byToken.get(token);
    if (session === undefined) return undefined;
    session.endsMs = Math.min(session.endsMs, nowMs + ROTATED_GRACE_MS);
    this.recorder?.(token, session);
    return this.issue(session.account, nowMs);
  }

  /** Ends this token. */
  endSession(token: string): void {
    this.#drop(token);
  }

  /** Ends all tokens of the account. */
  revoke(account: VenueAccount): void {
    for (const [token, session] of this.#byToken) if (session.account === account) this.#drop(token);
  }

  /** Ends expired tokens, and the account's oldest token when it has too many. */
  #dropOld(account: VenueAccount, nowMs: number): void {
    const own: string[] = [];
    for (const [token, session] of this.#byToken) {
      if (session.endsMs <= nowMs) this.#drop(token);
      else if (session.account === account) own.push(token);
    }
    if (own.length >= MOST_TOKENS) this.#drop(own[0] ?? '');
  }

  #drop(token: string): void {
    this.#byToken.delete(token);
    this.recorder?.(token, undefined);
  }
}

/** The token without a `Bearer` prefix. The spec sends it raw; some clients add the prefix. */
const bare = (value: string | undefined): string | undefined => {
  const token = value?.replace(/^Bearer\s+/i, '').trim();
  return token === '' ? undefined : token;
};

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The token of a REST request or of a socket handshake: `Authorization`, the `auth` cookie, or `token` in the
 * query.
 */
export function tokenOf(headers: Headers, query: unknown): string | undefined {
  const header = headers['authorization'];
  const cookie = headers['cookie'];
  const auth = typeof cookie === 'string' ? /(?:^|;\s*)auth=([^;]+)/.exec(cookie)?.[1] : undefined;
  return (
    bare(typeof header === 'string' ? header : undefined) ?? bare(auth) ?? bare(readText(recordOf(query)?.['token']))
  );
}

/** The `auth` cookie, which browsers send back with every request. Without a token the cookie is removed. */
export const authCookie = (token: string | undefined): Readonly<Record<string, string>> => ({
  'Set-Cookie': `auth=${token ?? ''}; Path=/; HttpOnly${token === undefined ? '; Max-Age=0' : ''}`,
});

/** Whether the password is correct. It takes the same time wherever the two differ. */
export function passwordMatches(account: VenueAccount, given: string): boolean {
  const known = account.password;
  if (known === undefined) return false;
  let difference = known.length ^ given.length;
  for (let i = 0; i < given.length; i++) difference |= given.charCodeAt(i) ^ known.charCodeAt(i % known.length);
  return difference === 0;
}
