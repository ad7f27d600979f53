// Finds how a market takes offers in a table of `oddsmaker fit-quotes`.
import { PRIOR_QUOTES } from './prior-quotes.ts';
import type { QuoteGroup, QuoteRates, QuoteTable } from './quote-table.ts';

/**
 * The rates of a market: those of its group, else of its league, else of the whole table.
 * @param table a table; undefined: `PRIOR_QUOTES`
 * @param group the league, type and phase of the market
 * @returns the rates and their errors
 * @example quoteMarketOf(table, { league: 'NBA', type: 'spread', phase: 'prematch' }).k
 */
export function quoteMarketOf(table: QuoteTable | undefined, group: QuoteGroup): QuoteRates {
  const { groups, leagues, all } = table ?? PRIOR_QUOTES;
  const { league, type, phase } = group;
  const { A, k, a, errors } =
    groups.find((entry) => entry.league === league && entry.type === type && entry.phase === phase) ??
    leagues.find((entry) => entry.league === league) ??
    all;
  return { A, k, a, errors };
}
