import { describe, expect, it } from 'vitest';
import { parseStreamLine } from '../../src/import/stream-line.ts';
import type { Winners } from '../../src/import/winners.ts';
import { resultOf, winnersOf } from '../../src/import/winners.ts';
import { defined, runner } from './made-stream.ts';

const SOCCER = { eventTypeId: '1', eventName: 'Ash v Birch', status: 'CLOSED' };

function settled(fields: Readonly<Record<string, unknown>>): Winners {
  const message = parseStreamLine(defined(0, '1.1', { ...SOCCER, ...fields }));
  const definition = typeof message === 'object' ? message.markets[0]?.definition : undefined;
  const winners = definition === undefined ? undefined : winnersOf('1.1', definition);
  if (winners === undefined) throw new Error('no winners');
  return winners;
}

const won = (id: number, name: string, fields = {}) => runner(id, name, { status: 'WINNER', ...fields });
const lost = (id: number, name: string, fields = {}) => runner(id, name, { status: 'LOSER', ...fields });
const total = (tenths: number, isOver: boolean): Winners =>
  settled({
    marketType: `OVER_UNDER_${tenths}`,
    runners: isOver ? [lost(1, 'Under'), won(2, 'Over')] : [won(1, 'Under'), lost(2, 'Over')],
  });
const spread = (line: number, isHome: boolean): Winners =>
  settled({
    marketType: 'ASIAN_HANDICAP',
    bettingType: 'ASIAN_HANDICAP_DOUBLE_LINE',
    runners: isHome
      ? [won(1, 'Ash', { hc: line }), lost(2, 'Birch', { hc: 0 - line })]
      : [lost(1, 'Ash', { hc: line }), won(2, 'Birch', { hc: 0 - line })],
  });

describe('a final score from settled markets', () => {
  it('is the winning score of the correct-score market', () => {
    const exact = settled({ marketType: 'CORRECT_SCORE', runners: [won(1, '2 - 1'), lost(2, '0 - 0')] });
    expect(resultOf([exact])).toEqual({ home: 2, away: 1 });
  });

  it('does not follow from the rest of that market, nor from a moneyline, which gives the winner only', () => {
    const rest = { marketType: 'CORRECT_SCORE', runners: [won(1, 'Any Other Home Win'), lost(2, '0 - 0')] };
    expect(resultOf([settled(rest)])).toBeUndefined();
    expect(resultOf([settled({ runners: [won(1, 'Ash'), lost(2, 'Birch')] })])).toEqual({ winner: 'home' });
    expect(resultOf([settled({ runners: [lost(1, 'Ash'), won(2, 'Birch')] })])).toEqual({ winner: 'away' });
    const three = [lost(1, 'Ash'), lost(2, 'Birch'), won(58805, 'The Draw')];
    expect(resultOf([settled({ runners: three })])).toEqual({ winner: 'draw' });
    // a dead heat, or both paid out: the winner is not known
    expect(resultOf([settled({ runners: [won(1, 'Ash'), won(2, 'Birch')] })])).toBeUndefined();
  });

  it('is the only score that half lines leave', () => {
    // three goals, and home wins by one
    const lines = [total(25, true), total(35, false), spread(-0.5, true), spread(-1.5, false)];
    expect(resultOf(lines)).toEqual({ home: 2, away: 1 });
    for (let left = 0; left < lines.length; left++)
      expect(resultOf(lines.filter((_line, index) => index !== left))).toBeUndefined();
  });

  it('is unknown when the lines contradict each other', () => {
    // three goals in all, and level
    const lines = [total(25, true), total(35, false), spread(-0.5, false), spread(0.5, true)];
    expect(resultOf(lines)).toBeUndefined();
  });

  it('is unknown while a market is open', () => {
    const message = parseStreamLine(defined(0, '1.1', { status: 'OPEN', runners: [won(1, 'A'), lost(2, 'B')] }));
    const definition = typeof message === 'object' ? message.markets[0]?.definition : undefined;
    expect(definition === undefined ? undefined : winnersOf('1.1', definition)).toBeUndefined();
    expect(definition).toBeDefined();
  });
});
