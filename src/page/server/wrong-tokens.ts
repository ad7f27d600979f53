// Who guesses tokens gets nowhere: of one address five wrong ones a second are answered, and what it brings beyond them is not
// even compared, right or wrong. A token that an address brought lately is always heard there: nobody beside it, such as behind the
// same proxy, can lock its user out. Addresses that brought none may wait for a second.
import { isIPv6 } from 'node:net';

export const WRONG_TOKENS_A_SECOND = 5;
/** So long an address that brought the right token is heard. */
const TRUSTED_MS = 24 * 3_600_000;
const MOST_ADDRESSES = 10_000;

export class WrongTokens {
  /** By address: the second, and how many were wrong in it. */
  readonly #wrong = new Map<string, { readonly second: number; readonly count: number }>();
  /** By role and address: when it brought the right one, monotonic ms. */
  readonly #right = new Map<string, number>();

  /** Whether what this address brings is compared with the token of this role now. `now`: monotonic ms. */
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

/** Of IPv6, the half that one customer has: all addresses behind it are theirs. */
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
