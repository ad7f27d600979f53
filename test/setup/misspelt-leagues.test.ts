import { expect, it } from 'vitest';
import { misspeltLeagues } from '../../src/setup/misspelt-leagues.ts';
import { configSchema } from '../../src/config/index.ts';

const hintsFor = (leagues: readonly string[], sports: object = {}) =>
  misspeltLeagues({
    markets: { ...configSchema.shape.markets.parse({}), leagues: [...leagues] },
    sports: configSchema.shape.sports.parse(sports),
  });

it('a league that reads nearly like a known one is named with it; others, and those of sports, are not', () => {
  expect(hintsFor(['NBAA', 'nba', 'DEMO LEAGUE'])).toEqual([{ league: 'NBAA', hint: 'did you mean NBA?' }]);
  expect(hintsFor(['NBAA'], { nbaa: { draw: 'push' } })).toEqual([]);
});
