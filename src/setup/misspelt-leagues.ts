// Finds configured leagues that are probably misspelt. They only cause a warning: an exchange may have
// leagues of its own, and it lists no games of a league that is out of season.
import type { Config } from '../config/index.ts';
import { didYouMean, KNOWN_LEAGUES, plainName } from '../domain/index.ts';

const KNOWN: ReadonlySet<string> = new Set(KNOWN_LEAGUES.map(plainName));

/** Unknown leagues whose name is similar to a known one, with a hint. */
export const misspeltLeagues = ({
  markets,
  sports,
}: Pick<Config, 'markets' | 'sports'>): readonly { readonly league: string; readonly hint: string }[] => {
  const configured = new Set(Object.keys(sports).map(plainName));
  return markets.leagues.flatMap((league) => {
    const name = plainName(league);
    if (KNOWN.has(name) || configured.has(name)) return [];
    const hint = didYouMean(league, KNOWN_LEAGUES).replace(/^; /, '');
    return hint === '' ? [] : [{ league, hint }];
  });
};
