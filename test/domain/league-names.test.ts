import { describe, expect, it } from 'vitest';
import { didYouMean, LeagueNames } from '../../src/domain/index.ts';

const namesOf = (...leagues: readonly string[]): LeagueNames => {
  const names = new LeagueNames();
  for (const league of leagues) names.see(league);
  return names;
};

describe('a league that somebody wrote', () => {
  it.each([
    ['the same', ['NBA'], 'NBA', ['NBA']],
    ['in another case', ['NBA', 'NHL'], 'nba', ['NBA']],
    ['with other accents, or blanks', ['Primera División', 'Serie A'], ' primera division', ['Primera División']],
    ['the same, beside one in another case', ['NBA', 'Nba'], 'NBA', ['NBA']],
    ['a third spelling of two', ['NBA', 'Nba'], 'nba', []],
    ['another one', ['NBA'], 'NBAA', []],
  ] as const)('means the league of the exchange: %s', (_name, leagues, wanted, meant) => {
    const names = namesOf(...leagues);
    expect(leagues.filter((league) => names.isAmong([wanted], league))).toEqual(meant);
  });

  it('names those between which it does not decide', () => {
    expect(namesOf('NBA', 'Nba', 'NHL').rivals('nba')).toEqual(['NBA', 'Nba']);
    expect(namesOf('NBA', 'Nba').rivals('NBA')).toEqual([]);
    expect(namesOf('NBA').rivals('nba')).toEqual([]);
  });

  it('is told from the one that was meant, accents apart', () => {
    expect(didYouMean('Primera Divisin', ['Primera División'])).toBe('; did you mean Primera División?');
  });
});
