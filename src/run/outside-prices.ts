// Prices of outside sources for the side of a fill, when it filled and at the close.
import type { OutsideSource } from '../domain/index.ts';
import { OUTSIDE_SOURCES } from '../domain/index.ts';

/** Outside prices of one fill by source: probability of its side when it filled, and at the close. */
export type OutsideOfFill = Readonly<
  Partial<Record<OutsideSource, { readonly f0: number | undefined; readonly fc: number | undefined }>>
>;

/** No outside source priced its market. */
export const NO_OUTSIDE: OutsideOfFill = Object.freeze({});
/** Takes the prices at the time of the fill. */
export function openOutside(priceOf: (source: OutsideSource) => number | undefined): OutsideOfFill {
  const prices: { -readonly [K in keyof OutsideOfFill]: OutsideOfFill[K] } = {};
  for (const source of OUTSIDE_SOURCES) {
    const f0 = priceOf(source);
    if (f0 !== undefined) prices[source] = { f0, fc: undefined };
  }
  return prices;
}

/** Adds the closing prices. */
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
