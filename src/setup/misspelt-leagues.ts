// Leagues of the configuration that are probably misspelt. A warning and no refusal: an exchange may have leagues of its own, and
// lists none of a league that is out of season.
import type { Config } from '../config/index.ts';
import { didYouMean, KNOWN_LEAGUES, plainName } from '../domain/index.ts';

const KNOWN: ReadonlySet<string> = new Set(KNOWN_LEAGUES.map(plainName));

/** Those that are not known and read nearly like one that is. */
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
