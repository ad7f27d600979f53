// Secrets are known by where they come from (environment-values.ts), by the name they stand under, and in URLs by their place: none
// is ever shown, logged or kept in a journal (rules.md, 12).
import { namesTaken, withoutTaken, withoutTakenAt } from './environment-values.ts';

const SECRET =
  /(password|passphrase|passwd|secret|token|auth|authorization|(api|access|private)[-_]?key|credential|webhook)s?$/i;
/** In a URL: the password before the host, and what a parameter with such a name says. */
const IN_URL = /(?<=\b[a-z][a-z\d+.-]*:\/\/[^/?#\s:@]*:)[^/?#\s@]+(?=@)/gi;
const IN_QUERY = /(?<=[?&][^=&#\s]*(password|secret|token|auth|key)=)[^&#\s]+/gi;
const HIDDEN = '[hidden]';
const NAMES_ALONE = /^(?:\$\{\w+\})+$/;

/**
 * The value with every secret in it hidden. Numbers, switches and nothing at all are none, whatever they are called.
 * @param depth how many objects deep it is shown
 */
export function withoutSecrets(value: unknown, depth = Number.POSITIVE_INFINITY): unknown {
  return hiddenIn(value, depth, undefined);
}

/** The same of a configuration, or of the part of one that stands at `path`: what it took from the environment is known by its keys. */
export const configWithoutSecrets = (value: unknown, path = ''): unknown =>
  hiddenIn(value, Number.POSITIVE_INFINITY, path);

function hiddenIn(value: unknown, depth: number, path: string | undefined): unknown {
  if (typeof value === 'string') {
    const shown = path === undefined ? withoutTaken(value) : withoutTakenAt(path, value);
    return shown.replace(IN_URL, hiddenOf).replace(IN_QUERY, hiddenOf);
  }
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  if (depth === 0) return '[deeper]';
  const under = (key: string): string | undefined =>
    path === undefined ? undefined : path === '' ? key : `${path}.${key}`;
  if (Array.isArray(value)) return value.map((one, index) => hiddenIn(one, depth - 1, under(String(index))));
  return Object.fromEntries(
    Object.entries(value).map(([key, one]: [string, unknown]) => {
      const shown = hiddenIn(one, depth - 1, under(key));
      return [key, isTelling(one) && isSecretName(key) && !isTaken(shown) ? HIDDEN : shown];
    }),
  );
}

/** Of a text that is nothing but names: who reads it knows which, and no value. */
const isTaken = (shown: unknown): boolean => typeof shown === 'string' && NAMES_ALONE.test(shown);
const hiddenOf = (secret: string): string => (NAMES_ALONE.test(secret) ? secret : HIDDEN);

/** True for the name of a key whose text is a secret. */
export const isSecretName = (key: string): boolean => SECRET.test(key);

/** Where a value of which the secrets are hidden had one: keys and indices. */
export function hiddenPaths(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value === 'string') return isHiddenText(value) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]: [string, unknown]) => hiddenPaths(one, [...path, key]));
}

/** True for a text in which a secret is hidden: whether it is the same as another one cannot be known. */
export const isHiddenText = (value: unknown): boolean =>
  typeof value === 'string' && (value.includes(HIDDEN) || namesTaken(value));

const isTelling = (value: unknown): boolean =>
  typeof value === 'string' || (typeof value === 'object' && value !== null);
