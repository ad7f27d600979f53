// What outside sources took a fill's side to be worth, when it filled and at the close.
import type { OutsideSource } from '../domain/index.ts';
import { OUTSIDE_SOURCES } from '../domain/index.ts';

/** Of one fill, by source: as probability of its side when it filled, and at the close. */
export type OutsideOfFill = Readonly<
  Partial<Record<OutsideSource, { readonly f0: number | undefined; readonly fc: number | undefined }>>
>;

/** Nothing outside priced its market. */
export const NO_OUTSIDE: OutsideOfFill = Object.freeze({});
/** When it filled. */
export function openOutside(priceOf: (source: OutsideSource) => number | undefined): OutsideOfFill {
  const prices: { -readonly [K in keyof OutsideOfFill]: OutsideOfFill[K] } = {};
  for (const source of OUTSIDE_SOURCES) {
    const f0 = priceOf(source);
    if (f0 !== undefined) prices[source] = { f0, fc: undefined };
  }
  return prices;
}

/** The same with the prices of the close. */
export function closedOutside(
  before: OutsideOfFill,
  priceOf: (source: OutsideSource) => number | undefined,
): OutsideOfFill {
  const prices: { -readonly [K in keyof OutsideOfFill]: OutsideOfFill[K] } = { ...before };
  for (const source of OUTSIDE_SOURCES) {
    const fc = priceOf(source);
    if (fc !== undefined) prices[source] = { f0: before[source]?.f0, fc };
  }
  return prices;
}
