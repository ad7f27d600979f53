// Tests what `ctl markets` prints of the reply of a bot of any version.
import { describe, expect, it } from 'vitest';
import { marketsLike, marketTable } from '../../src/cli/market-table.ts';

const market = {
  market: 'g1/total/210.5',
  game: 'Ravens @ Otters',
  start: Date.parse('2030-01-01T12:00:00Z'),
  live: true,
  sides: ['over', 'under'],
  quoted: true,
  fair: 0.5,
  held: ['game-loss', 'game-loss'],
  said: { main: 'fair 0.5000' },
  orders: [
    { strategy: 'main', side: 'over', odds: 105, risk: 50, remaining: 12.5, status: 'moving' },
    { strategy: 'other', side: 'over', odds: -110, risk: 20, remaining: 20, status: 'open' },
  ],
  position: { first: 10, second: -20.5, staked: 20.5 },
};
const rowOf = (row: object): readonly string[] => (marketTable([row as never]).split('\n')[1] ?? '').split(/ {2,}/);

describe('the table of markets', () => {
  it('shows quotes, position and what holds quotes back', () => {
    expect(rowOf(market)).toEqual([
      'g1/total/210.5',
      'Ravens @ Otters',
      '2030-01-01 12:00 live',
      '0.5000',
      'over +105 $12.50 of $50 (moving), -110 $20',
      'under –',
      '$10.00 / -$20.50',
      '–',
      'held back by game-loss',
    ]);
  });

  it('shows what is wrong with a price that nothing bounds or that is invalid', () => {
    const slot = (control: string, reason: string) => ({ control, reason });
    const slots = [
      slot('price-band', 'price-band: no reference'),
      slot('price-band', 'price-band: no reference'),
      slot('game-loss', 'the game could lose 2001.00'),
    ];
    expect(rowOf({ ...market, orders: [], held: ['price-band', 'price-band', 'game-loss'], slots }).at(-1)).toBe(
      'held back by price-band: no reference, game-loss; main: fair 0.5000',
    );
  });

  it('shows why nothing rests, and that a market with a position alone is not quoted', () => {
    expect(rowOf({ ...market, orders: [], held: [], said: { main: 'no fair price' } }).at(-1)).toBe(
      'main: no fair price',
    );
    const held = { ...market, quoted: false, orders: [], held: [], said: {}, game: undefined };
    expect(rowOf(held)).toContain('–');
    expect(rowOf(held).at(-1)).toBe('not quoted');
  });

  it('shows what is held elsewhere, and that its values have expired', () => {
    const elsewhere = { first: 140, second: -150, isExpired: false };
    expect(rowOf({ ...market, held: [], elsewhere }).at(-1)).toBe('held elsewhere $140.00 / -$150.00');
    expect(rowOf({ ...market, elsewhere: { ...elsewhere, isExpired: true } }).at(-1)).toBe(
      'held elsewhere $140.00 / -$150.00, expired; held back by game-loss',
    );
  });

  it('shows the worst loss of a game with all of its parts when it exceeds the loss of the game alone', () => {
    expect(rowOf({ ...market, worstOfGame: -50, worstWithParts: -350 })).toContain('-$50.00, -$350.00 with all parts');
    expect(rowOf({ ...market, worstOfGame: -50, worstWithParts: -50 })).toContain('-$50.00');
  });

  it('shows rank, value and gate of each market in a column of its own, only where markets are ranked', () => {
    const figures = { value: 5.717, perPermit: 0.4764 };
    const select = { isSelected: true, rank: 1, ...figures };
    const cellOf = (ranked: object): unknown => rowOf({ ...market, select: ranked }).at(-2);
    expect(marketTable([market])).not.toContain('rank, value');
    expect(marketTable([{ ...market, select }])).toContain('rank, value');
    expect(cellOf(select)).toBe('rank 1, $5.72 an hour, $0.48 a permit');
    expect(cellOf({ ...select, isSelected: false, rank: 14 })).toBe('out, rank 14, $5.72 an hour, $0.48 a permit');
    expect(cellOf({ isSelected: false, gate: 'pinned', ...figures })).toBe(
      'out, pinned, $5.72 an hour, $0.48 a permit',
    );
    const slots = [{ control: 'select', reason: 'select: rank 14 of 12, $0.02 a permit' }];
    expect(rowOf({ ...market, orders: [], said: {}, held: ['select', 'select'], slots }).at(-1)).toBe(
      'held back by select: rank 14 of 12, $0.02 a permit',
    );
    const both = marketTable([{ ...market, select }, market]).split('\n');
    expect(both[2]).toMatch(/ {2}– +held back by game-loss$/);
  });

  it('shows a dash for each missing or invalid field', () => {
    for (const rubbish of [{}, { sides: 7, orders: [{}], position: null, held: 'x', said: [] }])
      expect(rowOf(rubbish)[0]).toBe('–');
    expect(marketTable(marketsLike('rubbish'))).toBe('no market\n');
  });

  it('is filtered by market id or game, in any case', () => {
    const markets = [market, { ...market, market: 'g2/moneyline', game: 'Lions @ Tigers' }];
    expect(marketsLike(markets, 'tiGERS')).toEqual([markets[1]]);
    expect(marketsLike(markets, 'g1/')).toEqual([market]);
    expect(marketsLike(markets)).toHaveLength(2);
  });
});
