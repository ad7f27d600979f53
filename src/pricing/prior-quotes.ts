// How markets take offers before anything was measured: the constants that ship.
import type { QuoteTable } from './quote-table.ts';

/** The rates of a market without own measurements. */
export const PRIOR_QUOTES: QuoteTable = {
  quotes: 1,
  groups: [],
  leagues: [],
  all: { A: 6, k: 0.9, a: 0.6, errors: { A: 9, k: 0.5, a: 0.6 }, fills: 0, hours: 0 },
};
