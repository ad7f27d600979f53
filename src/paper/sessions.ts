// Session tokens: who a request or a socket speaks for. Several tokens of one account are valid at once; a token stays
// valid until it is revoked.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readText, recordOf } from '../wire/index.ts';
import type { Account } from './account.ts';

export class Sessions {
  readonly #byToken = new Map<string, Account>();

  issue(account: Account): string {
    const token = randomBytes(24).toString('base64url');
    this.#byToken.set(token, account);
    return token;
  }

  find(token: string | undefined): Account | undefined {
    return token === undefined ? undefined : this.#byToken.get(token);
  }

  /** Every token of the account becomes unknown. */
  revoke(account: Account): void {
    for (const [token, owner] of this.#byToken) if (owner === account) this.#byToken.delete(token);
  }
}

/** Raw by the spec; clients in the wild also put `Bearer` before it. */
const bare = (value: string | undefined): string | undefined => {
  const token = value?.replace(/^Bearer\s+/i, '').trim();
  return token === '' ? undefined : token;
};

type Carrier = {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly query: unknown;
};

/** The token of a REST request or of a socket handshake: `Authorization`, the `auth` cookie, or `token` in the query. */
export function tokenOf({ headers, query }: Carrier): string | undefined {
  const header = headers['authorization'];
  const cookie = headers['cookie'];
  const auth = typeof cookie === 'string' ? /(?:^|;\s*)auth=([^;]+)/.exec(cookie)?.[1] : undefined;
  return (
    bare(typeof header === 'string' ? header : undefined) ??
    bare(auth) ??
    bare(readText(recordOf(query)?.['token']))
  );
}

export function passwordMatches(account: Account, password: string): boolean {
  if (account.password === undefined) return false;
  const known = Buffer.from(account.password);
  const given = Buffer.from(password);
  return known.length === given.length && timingSafeEqual(known, given);
}
