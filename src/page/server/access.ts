// Access by HTTP: two tokens, sent as `Authorization: Bearer` or as the cookie that a login sets. Host names
// and origins are checked, so that a foreign page cannot read or command (DNS rebinding, CSRF).
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { isLoopback } from '../../ops/index.ts';
import { WrongTokens } from './wrong-tokens.ts';

/** The permission of a client. `control` includes `view`. */
export type Role = 'control' | 'view';
const ROLES: readonly Role[] = ['control', 'view'];

export type AccessSettings = {
  readonly tokens: Readonly<Record<Role, string | undefined>>;
  /** The address that the server listens on. */
  readonly host: string;
  /** Additional host names of the server. */
  readonly hosts: readonly string[];
};

/** The headers of a request, and the address of its client. */
export type Asking = { readonly headers: IncomingHttpHeaders; readonly from: string };

export const askingOf = ({
  headers,
  socket,
}: {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}): Asking => ({ headers, from: socket.remoteAddress ?? '' });

export class Access {
  readonly #tries = new WrongTokens();
  readonly #tokens: AccessSettings['tokens'];
  readonly #host: string;
  readonly #hosts: ReadonlySet<string>;

  constructor({ tokens, host, hosts }: AccessSettings) {
    this.#tokens = tokens;
    this.#host = host;
    this.#hosts = new Set(hosts.map((name) => name.toLowerCase()));
  }

  /**
   * The role of a request. Undefined without a valid token; `too-many` when its address sent too many wrong
   * tokens. `from`: the address.
   */
  roleOf({ headers, from }: Asking, cookie: string): Role | 'too-many' | undefined {
    const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
    if (bearer !== undefined) return this.roleOfToken(bearer, from);
    const ticket = cookieIn(headers.cookie, cookie);
    if (ticket === undefined) return undefined;
    return this.#try(from, (token) => isSame(ticket, ticketOf(token)));
  }

  roleOfToken(given: string, from: string): Role | 'too-many' | undefined {
    return this.#try(from, (token) => isSame(given, token));
  }

  /** The value of a login's cookie. It does not contain the token, and is valid as long as the token. */
  ticketOf(role: Role): string {
    return ticketOf(this.#tokens[role] ?? '');
  }

  /**
   * Whether the Host header names this server. With DNS rebinding, a browser sends a foreign name: only known
   * names are served.
   */
  isKnownHost(header: string | undefined): boolean {
    const name = hostIn(header);
    if (name === undefined) return false;
    if (isIP(name) !== 0 || name === this.#host.toLowerCase() || this.#hosts.has(name)) return true;
    return isLoopback(name);
  }

  /**
   * Whether the own page sends the request. Browsers name the page; a foreign page's request has the cookie,
   * too.
   */
  isOwnOrigin(headers: IncomingHttpHeaders): boolean {
    const { origin } = headers;
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
    if (origin === undefined) return headers.cookie === undefined || site === 'same-origin';
    return URL.canParse(origin) && new URL(origin).host === headers.host?.toLowerCase();
  }

  #try(from: string, fits: (token: string) => boolean): Role | 'too-many' | undefined {
    const now = performance.now();
    const roles = ROLES.filter((role) => this.#tokens[role] !== undefined);
    const tried = roles.filter((role) => this.#tries.mayTry(role, from, now));
    const role = this.#find(tried, fits);
    if (role !== undefined) this.#tries.right(role, from, now);
    else this.#tries.wrong(from, now);
    return role ?? (tried.length < roles.length ? 'too-many' : undefined);
  }

  /** Compares every token in constant time, so that the time of an answer shows nothing. */
  #find(tried: readonly Role[], fits: (token: string) => boolean): Role | undefined {
    const found = ROLES.filter((role) => {
      const token = this.#tokens[role];
      return fits(token ?? '') && token !== undefined && tried.includes(role);
    });
    return found[0];
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const isSame = (given: string, wanted: string): boolean => timingSafeEqual(digest(given), digest(wanted));
const ticketOf = (token: string): string => createHmac('sha256', token).update('oddsmaker page').digest('hex');

function cookieIn(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const [key, value] = part.trim().split('=');
    if (key === name) return value;
  }
  return undefined;
}

/**
 * The host name of a Host header, in lower case, without port and brackets. Undefined when it is malformed.
 */
function hostIn(header: string | undefined): string | undefined {
  const url = `http://${header ?? ''}`;
  if (header === undefined || /[/@?#\\\s]/.test(header) || !URL.canParse(url)) return undefined;
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

/** Limits events to a number in each second. */
export class Rate {
  readonly #most: number;
  #second = 0;
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts an event. False when the second has too many. `now`: monotonic ms. */
  take(now: number): boolean {
    const second = Math.floor(now / 1000);
    if (second !== this.#second) [this.#second, this.#count] = [second, 0];
    this.#count += 1;
    return this.#count <= this.#most;
  }
}
