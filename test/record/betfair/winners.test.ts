import { describe, expect, it } from 'vitest';
import { parseStreamLine } from '../../../src/record/betfair/stream-line.ts';
import type { Winners } from '../../../src/record/betfair/winners.ts';
import { scoreOf, winnersOf } from '../../../src/record/betfair/winners.ts';
import { defined, runner } from './made-stream.ts';

const SOCCER = { eventTypeId: '1', eventName: 'Ash v Birch', status: 'CLOSED' };

function settled(more: Readonly<Record<string, unknown>>): Winners {
  const message = parseStreamLine(defined(0, '1.1', { ...SOCCER, ...more }));
  const definition = typeof message === 'object' ? message.markets[0]?.definition : undefined;
  const winners = definition === undefined ? undefined : winnersOf('1.1', definition);
  if (winners === undefined) throw new Error('nobody won');
  return winners;
}

const won = (id: number, name: string, more = {}) => runner(id, name, { status: 'WINNER', ...more });
const lost = (id: number, name: string, more = {}) => runner(id, name, { status: 'LOSER', ...more });
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

describe('a final score', () => {
  it('is what the market of exact scores says', () => {
    const exact = settled({ marketType: 'CORRECT_SCORE', runners: [won(1, '2 - 1'), lost(2, '0 - 0')] });
    expect(scoreOf([exact])).toEqual({ home: 2, away: 1 });
  });

  it('is not told by the rest of that market, nor by a moneyline', () => {
    const rest = { marketType: 'CORRECT_SCORE', runners: [won(1, 'Any Other Home Win'), lost(2, '0 - 0')] };
    expect(scoreOf([settled(rest)])).toBeUndefined();
    expect(scoreOf([settled({ runners: [won(1, 'Ash'), lost(2, 'Birch')] })])).toBeUndefined();
  });

  it('is the one that half lines leave', () => {
    // three goals, and home ahead by one
    const lines = [total(25, true), total(35, false), spread(-0.5, true), spread(-1.5, false)];
    expect(scoreOf(lines)).toEqual({ home: 2, away: 1 });
    for (let left = 0; left < lines.length; left++)
      expect(scoreOf(lines.filter((_one, at) => at !== left))).toBeUndefined();
  });

  it('is none where the lines contradict each other', () => {
    // three goals in all, and level
    const lines = [total(25, true), total(35, false), spread(-0.5, false), spread(0.5, true)];
    expect(scoreOf(lines)).toBeUndefined();
  });

  it('is none of a market that goes on', () => {
    const message = parseStreamLine(
      defined(0, '1.1', { status: 'OPEN', runners: [won(1, 'A'), lost(2, 'B')] }),
    );
    const definition = typeof message === 'object' ? message.markets[0]?.definition : undefined;
    expect(definition === undefined ? undefined : winnersOf('1.1', definition)).toBeUndefined();
    expect(definition).toBeDefined();
  });
});
