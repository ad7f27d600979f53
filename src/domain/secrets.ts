// Secrets are known by the name they stand under, and in URLs by their place: neither is ever shown, logged or kept in a
// journal (DESIGN rule 12).
const SECRET =
  /(password|passphrase|passwd|secret|token|auth|authorization|(api|access|private)[-_]?key|credential|webhook)s?$/i;
/** In a URL: the password before the host, and what a parameter with such a name says. */
const IN_URL = /(?<=\b[a-z][a-z\d+.-]*:\/\/[^/?#\s:@]*:)[^/?#\s@]+(?=@)/gi;
const IN_QUERY = /(?<=[?&][^=&#\s]*(password|secret|token|auth|key)=)[^&#\s]+/gi;
const HIDDEN = '[hidden]';

/**
 * The value with every secret in it hidden. Numbers, switches and nothing at all are none, whatever they are called.
 * @param depth how many objects deep it is shown
 */
export function withoutSecrets(value: unknown, depth = Number.POSITIVE_INFINITY): unknown {
  if (typeof value === 'string') return value.replace(IN_URL, HIDDEN).replace(IN_QUERY, HIDDEN);
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  if (depth === 0) return '[deeper]';
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, one]: [string, unknown]) => [
      key,
      isTelling(one) && isSecretName(key) ? HIDDEN : withoutSecrets(one, depth - 1),
    ]),
  );
}

/** True for the name of a key whose text is a secret. */
export const isSecretName = (key: string): boolean => SECRET.test(key);

/** Where a value of which the secrets are hidden had one: keys and indices. */
export function hiddenPaths(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value === 'string') return value.includes(HIDDEN) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]: [string, unknown]) => hiddenPaths(one, [...path, key]));
}

const isTelling = (value: unknown): boolean =>
  typeof value === 'string' || (typeof value === 'object' && value !== null);
