// Exchanges take an account's name without regard to case: one spelling of it must not hide what another one left.

/** What two spellings of a name have in common. */
export const accountKey = (name: string): string => name.toLowerCase();

export const isSameAccount = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'string' && typeof b === 'string' && accountKey(a) === accountKey(b));
