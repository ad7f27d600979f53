import { expect, it } from 'vitest';
import { misspeltLeagues } from '../../src/setup/misspelt-leagues.ts';
import { configSchema } from '../../src/config/index.ts';

const hintsFor = (leagues: readonly string[], sports: object = {}) =>
  misspeltLeagues({
    markets: { ...configSchema.shape.markets.parse({}), leagues: [...leagues] },
    sports: configSchema.shape.sports.parse(sports),
  });

it('misspeltLeagues names the known league that an unknown league resembles, and ignores others and those under sports', () => {
  expect(hintsFor(['NBAA', 'nba', 'DEMO LEAGUE'])).toEqual([{ league: 'NBAA', hint: 'did you mean NBA?' }]);
  expect(hintsFor(['NBAA'], { nbaa: { draw: 'push' } })).toEqual([]);
});
