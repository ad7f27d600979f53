// Tests what `ctl risk` prints of the reply of a bot of any version.
import { describe, expect, it } from 'vitest';
import { gamesLike, riskText } from '../../src/cli/risk-text.ts';

const cell = (p: number, value: number) => ({ p, value });
const GAME = {
  gameId: 'g1',
  game: 'Hawks @ Owls',
  league: 'NBA',
  start: Date.UTC(2030, 0, 1, 19),
  live: false,
  period: 'full',
  markets: 2,
  worst: -150,
  byScore: {
    source: 'odds',
    expected: 12.344,
    deviation: 80.1,
    quantile: -60,
    shortfall: -90.5,
    worst: -140,
    hurting: [{ scores: 'away wins, 221 or fewer', value: -140, p: 0.031 }],
  },
  map: {
    margins: [
      { from: -10, to: -1 },
      { from: 1, to: 10 },
    ],
    totals: [
      { from: 201, to: 210 },
      { from: 211, to: 220 },
    ],
    cells: [
      [cell(0.2, -140), cell(0.3, 40)],
      [cell(0.4, -50), cell(0.00001, 90)],
    ],
  },
};
const UNKNOWN = { ...GAME, gameId: 'g2', game: 'Kings @ Bears', period: 'h1', live: true, byScore: undefined };

describe('the text of the risk of games', () => {
  it('has a row for each game, and its worst case where nothing is known of the score', () => {
    expect(riskText([GAME, UNKNOWN])).toBe(
      [
        'game                     expected  deviation  5 % loss  shortfall  worst     by the',
        'Hawks @ Owls             $12.34    $80.10     -$60.00   -$90.50    -$140.00  odds feed',
        'Kings @ Bears (h1) live  –         –          –         –          -$150.00  limits: no distribution',
        '',
        'Hawks @ Owls loses most',
        '  away wins, 221 or fewer  -$140.00  3.1 % of games',
        '',
      ].join('\n'),
    );
  });

  it('draws one game alone, the highest total first', () => {
    expect(riskText([GAME])).toContain(
      [
        'total, by home’s score minus away’s:',
        '211 to 220 |= |',
        '201 to 210 |#+|',
        '            -10 to -1 … 1 to 10',
      ].join('\n'),
    );
  });

  it('lists games by a part of their name or id', () => {
    expect(gamesLike([GAME, UNKNOWN], 'bears')).toEqual([UNKNOWN]);
    expect(gamesLike([GAME, UNKNOWN], 'g1')).toEqual([GAME]);
    expect(gamesLike('nonsense')).toEqual([]);
  });

  it('is a sentence without games, and does not fail on fields of another version', () => {
    expect(riskText([])).toBe('no game with fills\n');
    expect(riskText([{ byScore: 3, map: { margins: [1], totals: [2], cells: 'x' } }])).toContain('–');
  });
});
