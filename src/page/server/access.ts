// Who may see and who may command, over HTTP: two tokens, as `Authorization: Bearer` or as the cookie that a login sets; and
// which names and which pages a browser may reach it by, so that a foreign page has no say (DNS rebinding, CSRF).
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { isLoopback } from '../../ops/index.ts';
import { WrongTokens } from './wrong-tokens.ts';

/** `control` may see as well. */
export type Role = 'control' | 'view';
const ROLES: readonly Role[] = ['control', 'view'];

export type AccessSettings = {
  readonly tokens: Readonly<Record<Role, string | undefined>>;
  /** The address that is listened on. */
  readonly host: string;
  /** Further names it is reached by. */
  readonly hosts: readonly string[];
};

/** Who asks, as far as a request says. */
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

  /** Undefined: neither; `too-many`: its address guesses. `from`: the address. */
  roleOf({ headers, from }: Asking, cookie: string): Role | 'too-many' | undefined {
    const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
    if (bearer !== undefined) return this.roleOfToken(bearer, from);
    const told = cookieIn(headers.cookie, cookie);
    if (told === undefined) return undefined;
    return this.#try(from, (token) => isSame(told, ticketOf(token)));
  }

  roleOfToken(told: string, from: string): Role | 'too-many' | undefined {
    return this.#try(from, (token) => isSame(told, token));
  }

  /** What the cookie of a login holds: not the token itself, and good as long as the token is. */
  ticketOf(role: Role): string {
    return ticketOf(this.#tokens[role] ?? '');
  }

  /** A browser that was told that a foreign name is this address names that one: only names that are known are served. */
  isKnownHost(header: string | undefined): boolean {
    const name = hostIn(header);
    if (name === undefined) return false;
    if (isIP(name) !== 0 || name === this.#host.toLowerCase() || this.#hosts.has(name)) return true;
    return isLoopback(name);
  }

  /** Browsers say which page sends a command: only this one may, others' requests carry the cookie as well. */
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

  /** Every token is compared, and each takes as long whatever is wrong with it. */
  #find(tried: readonly Role[], fits: (token: string) => boolean): Role | undefined {
    const found = ROLES.filter((role) => {
      const token = this.#tokens[role];
      return fits(token ?? '') && token !== undefined && tried.includes(role);
    });
    return found[0];
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const isSame = (told: string, wanted: string): boolean => timingSafeEqual(digest(told), digest(wanted));
const ticketOf = (token: string): string => createHmac('sha256', token).update('oddsmaker page').digest('hex');

function cookieIn(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const [key, value] = part.trim().split('=');
    if (key === name) return value;
  }
  return undefined;
}

/** Without port and brackets, in small letters. */
function hostIn(header: string | undefined): string | undefined {
  const url = `http://${header ?? ''}`;
  if (header === undefined || /[/@?#\\\s]/.test(header) || !URL.canParse(url)) return undefined;
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

/** At most so many in a second. */
export class Rate {
  readonly #most: number;
  #second = 0;
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** `now`: monotonic ms. */
  take(now: number): boolean {
    const second = Math.floor(now / 1000);
    if (second !== this.#second) [this.#second, this.#count] = [second, 0];
    this.#count += 1;
    return this.#count <= this.#most;
  }
}
