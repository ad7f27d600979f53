// Session tokens: who a request or a socket speaks for. Several tokens of one account are valid at once; a token ends when
// its time is over or when it is revoked.
import { readText, recordOf } from '../../wire/index.ts';
import type { VenueAccount } from '../../venue/index.ts';

export type Session = { readonly account: VenueAccount; endsMs: number };
/** Told of every change: a token and its session, or none when it is gone. */
export type SessionRecorder = (token: string, session: Session | undefined) => void;

export type SessionOptions = {
  /** A secret nobody can guess. */
  readonly newToken: () => string;
  readonly lifeMs: number;
};

/** Of one account at a time: a client that logs in for every request must not fill the exchange. */
const MOST_TOKENS = 200;

/** How long the former token works after a new one came in a reply header. */
const ROTATED_GRACE_MS = 60_000;

export class Sessions {
  recorder: SessionRecorder | undefined;
  readonly #byToken = new Map<string, Session>();
  readonly #newToken: () => string;
  readonly #lifeMs: number;

  constructor({ newToken, lifeMs }: SessionOptions) {
    this.#newToken = newToken;
    this.#lifeMs = lifeMs;
  }

  issue(account: VenueAccount, nowMs: number): string {
    this.#dropOld(account, nowMs);
    const token = this.#newToken();
    this.restore(token, { account, endsMs: nowMs + this.#lifeMs });
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

  /** A new token; the old one works a little longer. */
  rotate(token: string, nowMs: number): string | undefined {
    const session = this.#byToken.get(token);
    if (session === undefined) return undefined;
    session.endsMs = Math.min(session.endsMs, nowMs + ROTATED_GRACE_MS);
    this.recorder?.(token, session);
    return this.issue(session.account, nowMs);
  }

  /** This token becomes unknown. */
  end(token: string): void {
    this.#drop(token);
  }

  /** Every token of the account becomes unknown. */
  revoke(account: VenueAccount): void {
    for (const [token, session] of this.#byToken) if (session.account === account) this.#drop(token);
  }

  /** What has expired, and of too many tokens of one account the oldest. */
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

/** Raw by the spec; clients in the wild also put `Bearer` before it. */
const bare = (value: string | undefined): string | undefined => {
  const token = value?.replace(/^Bearer\s+/i, '').trim();
  return token === '' ? undefined : token;
};

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The token of a REST request or of a socket handshake: `Authorization`, the `auth` cookie, or `token` in the query. */
export function tokenOf(headers: Headers, query: unknown): string | undefined {
  const header = headers['authorization'];
  const cookie = headers['cookie'];
  const auth = typeof cookie === 'string' ? /(?:^|;\s*)auth=([^;]+)/.exec(cookie)?.[1] : undefined;
  return (
    bare(typeof header === 'string' ? header : undefined) ?? bare(auth) ?? bare(readText(recordOf(query)?.['token']))
  );
}

/** Browsers and clients like them send it back with every request; without a token it is taken away. */
export const authCookie = (token: string | undefined): Readonly<Record<string, string>> => ({
  'Set-Cookie': `auth=${token ?? ''}; Path=/; HttpOnly${token === undefined ? '; Max-Age=0' : ''}`,
});

/** Takes the same time wherever the two differ. */
export function passwordMatches(account: VenueAccount, given: string): boolean {
  const known = account.password;
  if (known === undefined) return false;
  let difference = known.length ^ given.length;
  for (let i = 0; i < given.length; i++) difference |= given.charCodeAt(i) ^ known.charCodeAt(i % known.length);
  return difference === 0;
}
