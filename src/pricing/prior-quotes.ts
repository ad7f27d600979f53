// How markets take offers before anything of one's own was measured: the constants that ship.
//
// Source: `fit-quotes` with A 6, k .9, a .6 as prior, on backtests (calibrated) of `strategies/two-sided` with an edge
// of .4, .8, 1.2, 1.7, 2.5 and 3.5 points, on an NBA moneyline from the day before to its end, a basketball moneyline
// before the start (both of a large betting exchange, 2019), and the generated evening of `examples`, the only one
// with spreads and totals. A recording without takes is left out. Few games: the errors are large, and the level of A
// is that of its exchange. docs/prices/quotes.md shows the figures of each recording.
import type { QuoteTable } from './quote-table.ts';

/** The rates of markets without own measurements: NBA basketball, and everything else. */
export const PRIOR_QUOTES: QuoteTable = {
  quotes: 1,
  groups: [
    {
      league: 'NBA',
      type: 'moneyline',
      phase: 'prematch',
      A: 4.956,
      k: 0.622,
      a: 0.2235,
      errors: { A: 0.7496, k: 0.1009, a: 0.6671 },
      fills: 889,
      hours: 451.94,
    },
    {
      league: 'NBA',
      type: 'moneyline',
      phase: 'inplay',
      A: 52.67,
      k: 0.473,
      a: 3.002,
      errors: { A: 5.249, k: 0.05854, a: 0.6667 },
      fills: 3028,
      hours: 123.82,
    },
    {
      league: 'NBA',
      type: 'spread',
      phase: 'prematch',
      A: 7.321,
      k: 0.4759,
      a: 0.2727,
      errors: { A: 1.211, k: 0.09915, a: 0.7231 },
      fills: 665,
      hours: 192.73,
    },
    {
      league: 'NBA',
      type: 'spread',
      phase: 'inplay',
      A: 27.22,
      k: 0.2798,
      a: 3.163,
      errors: { A: 2.761, k: 0.05507, a: 0.7887 },
      fills: 2035,
      hours: 118.68,
    },
    {
      league: 'NBA',
      type: 'total',
      phase: 'prematch',
      A: 5.333,
      k: 0.3587,
      a: 0.7897,
      errors: { A: 0.942, k: 0.09629, a: 0.5981 },
      fills: 564,
      hours: 191.26,
    },
    {
      league: 'NBA',
      type: 'total',
      phase: 'inplay',
      A: 28.45,
      k: 0.2942,
      a: 2.028,
      errors: { A: 3.173, k: 0.061, a: 0.962 },
      fills: 1533,
      hours: 87.34,
    },
  ],
  leagues: [
    {
      league: 'NBA',
      A: 9.758,
      k: 0.442,
      a: 1.354,
      errors: { A: 5.598, k: 0.0922, a: 0.5937 },
      fills: 8714,
      hours: 1165.78,
    },
  ],
  all: { A: 6.716, k: 0.5466, a: 1.203, errors: { A: 5.104, k: 0.1669, a: 0.6524 }, fills: 8745, hours: 1286.1 },
};
