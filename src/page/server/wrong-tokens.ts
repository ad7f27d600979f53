// Protection against guessed tokens: after five wrong tokens of one address in a second, its further tokens
// are not compared. An address that sent a valid token recently is always compared, so that another client
// behind the same proxy cannot lock its user out. Other addresses may have to wait a second.
import { isIPv6 } from 'node:net';

export const WRONG_TOKENS_A_SECOND = 5;
/** How long an address that sent a valid token is always compared. */
const TRUSTED_MS = 24 * 3_600_000;
const MOST_ADDRESSES = 10_000;

export class WrongTokens {
  /** The second of the last wrong token and the wrong tokens in it, by address. */
  readonly #wrong = new Map<string, { readonly second: number; readonly count: number }>();
  /** When the last valid token arrived, monotonic ms, by role and address. */
  readonly #right = new Map<string, number>();

  /** Whether a token of this address is compared with the token of this role. `now`: monotonic ms. */
  mayTry(role: string, address: string, now: number): boolean {
    const from = networkOf(address);
    const rightAt = this.#right.get(`${role} ${from}`);
    if (rightAt !== undefined && now - rightAt < TRUSTED_MS) return true;
    const wrong = this.#wrong.get(from);
    return wrong?.second !== secondOf(now) || wrong.count < WRONG_TOKENS_A_SECOND;
  }

  wrong(address: string, now: number): void {
    const from = networkOf(address);
    const before = this.#wrong.get(from);
    const second = secondOf(now);
    this.#wrong.delete(from);
    this.#wrong.set(from, { second, count: before?.second === second ? before.count + 1 : 1 });
    forgetFirst(this.#wrong);
  }

  right(role: string, address: string, now: number): void {
    const from = `${role} ${networkOf(address)}`;
    this.#right.delete(from);
    this.#right.set(from, now);
    forgetFirst(this.#right);
  }
}

const secondOf = (now: number): number => Math.floor(now / 1000);

/**
 * The network of an address: for IPv6 the first half, which belongs to one customer; for IPv4 the address.
 */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address.replace(/^::ffff:/i, '');
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - groups.length - rest.length;
  return [...groups, ...Array.from({ length: zeros }, () => '0'), ...rest].slice(0, 4).join(':');
}

function forgetFirst(known: Map<string, unknown>): void {
  if (known.size <= MOST_ADDRESSES) return;
  const [first] = known.keys();
  if (first !== undefined) known.delete(first);
}
