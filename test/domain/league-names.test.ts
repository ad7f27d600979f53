import { describe, expect, it } from 'vitest';
import { didYouMean, LeagueNames } from '../../src/domain/index.ts';

const namesOf = (...leagues: readonly string[]): LeagueNames => {
  const names = new LeagueNames();
  for (const league of leagues) names.see(league);
  return names;
};

describe('a league name that a user wrote', () => {
  it.each([
    ['the same name', ['NBA'], 'NBA', ['NBA']],
    ['a name in another case', ['NBA', 'NHL'], 'nba', ['NBA']],
    ['a name with other accents or blanks', ['Primera División', 'Serie A'], ' primera division', ['Primera División']],
    ['the same name beside one in another case', ['NBA', 'Nba'], 'NBA', ['NBA']],
    ['a third spelling of two', ['NBA', 'Nba'], 'nba', []],
    ['another name', ['NBA'], 'NBAA', []],
  ] as const)('matches the leagues of the exchange by the rules: %s', (_name, leagues, wanted, meant) => {
    const names = namesOf(...leagues);
    expect(leagues.filter((league) => names.isAmong([wanted], league))).toEqual(meant);
  });

  it('has rivals when it fits several leagues equally well', () => {
    expect(namesOf('NBA', 'Nba', 'NHL').rivals('nba')).toEqual(['NBA', 'Nba']);
    expect(namesOf('NBA', 'Nba').rivals('NBA')).toEqual([]);
    expect(namesOf('NBA').rivals('nba')).toEqual([]);
  });

  it('gets a suggestion of the nearest name, ignoring accents', () => {
    expect(didYouMean('Primera Divisin', ['Primera División'])).toBe('; did you mean Primera División?');
  });
});
