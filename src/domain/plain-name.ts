/** A name as it is compared: no accents, no blanks around it, lower case. Leagues and sports that are equal by it are the same. */
export const plainName = (name: string): string => name.normalize('NFD').replaceAll(/\p{M}/gu, '').trim().toLowerCase();
