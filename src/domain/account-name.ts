// Exchanges ignore the case of an account's name: one spelling must not hide the state left under another
// one.

/** The common key of all spellings of a name. */
export const accountKey = (name: string): string => name.toLowerCase();

export const isSameAccount = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'string' && typeof b === 'string' && accountKey(a) === accountKey(b));
