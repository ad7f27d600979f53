/**
 * The form of a name for comparison: no accents, no blanks around it, lower case. Leagues and sports with
 * equal forms are the same.
 */
export const plainName = (name: string): string => name.normalize('NFD').replaceAll(/\p{M}/gu, '').trim().toLowerCase();
