// Hides secrets, which are recognized by their origin (environment-values.ts), by the name of their key, and
// in URLs by their place. No secret is ever shown, logged or kept in a journal (rules.md, 12).
import { namesTaken, redacted, redactedAt } from './environment-values.ts';

const SECRET =
  /(password|passphrase|passwd|secret|token|auth|authorization|(api|access|private)[-_]?key|credential|webhook)s?$/i;
/** The password before the host of a URL; and the value of a parameter with such a name. */
const IN_URL = /(?<=\b[a-z][a-z\d+.-]*:\/\/[^/?#\s:@]*:)[^/?#\s@]+(?=@)/gi;
const IN_QUERY = /(?<=[?&][^=&#\s]*(password|secret|token|auth|key)=)[^&#\s]+/gi;
const HIDDEN = '[hidden]';
const NAMES_ALONE = /^(?:\$\{\w+\})+$/;

/**
 * The value with every secret in it hidden. Numbers, booleans and missing values are never secrets, whatever
 * their key.
 * @param depth levels of nested objects that are shown
 */
export function withoutSecrets(value: unknown, depth = Number.POSITIVE_INFINITY): unknown {
  return hiddenIn(value, depth, undefined);
}

/**
 * A configuration, or the part of one at `path`, with every secret hidden. Values from the environment are
 * recognized by their keys.
 */
export const configWithoutSecrets = (value: unknown, path = ''): unknown =>
  hiddenIn(value, Number.POSITIVE_INFINITY, path);

function hiddenIn(value: unknown, depth: number, path: string | undefined): unknown {
  if (typeof value === 'string') {
    const shown = path === undefined ? redacted(value) : redactedAt(path, value);
    return shown.replace(IN_URL, hiddenOf).replace(IN_QUERY, hiddenOf);
  }
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  if (depth === 0) return '[deeper]';
  const under = (key: string): string | undefined =>
    path === undefined ? undefined : path === '' ? key : `${path}.${key}`;
  if (Array.isArray(value)) return value.map((element, index) => hiddenIn(element, depth - 1, under(String(index))));
  return Object.fromEntries(
    Object.entries(value).map(([key, child]: [string, unknown]) => {
      const shown = hiddenIn(child, depth - 1, under(key));
      return [key, canHoldSecret(child) && isSecretName(key) && !isTaken(shown) ? HIDDEN : shown];
    }),
  );
}

/** True for a text of names only: it shows which variables are used, and no value. */
const isTaken = (shown: unknown): boolean => typeof shown === 'string' && NAMES_ALONE.test(shown);
const hiddenOf = (secret: string): string => (NAMES_ALONE.test(secret) ? secret : HIDDEN);

/** True for the name of a key that holds a secret. */
export const isSecretName = (key: string): boolean => SECRET.test(key);

/** The paths (keys and indices) at which secrets are hidden in a value. */
export function hiddenPaths(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value === 'string') return isHiddenText(value) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]: [string, unknown]) => hiddenPaths(child, [...path, key]));
}

/** True for a text with a hidden secret: whether it equals another text cannot be known. */
export const isHiddenText = (value: unknown): boolean =>
  typeof value === 'string' && (value.includes(HIDDEN) || namesTaken(value));

const canHoldSecret = (value: unknown): boolean =>
  typeof value === 'string' || (typeof value === 'object' && value !== null);
