import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MarketType, Side } from '../../src/domain/index.ts';
import {
  lineFor,
  market,
  marketId,
  marketLine,
  MARKET_TYPES,
  oppositeSide,
  sideIndex,
  sidesOf,
} from '../../src/domain/index.ts';
import { GAME, markets } from './arbitraries.ts';

describe('a market', () => {
  it('of home −3.5 is the market of away +3.5', () => {
    const home = market(GAME, 'spread', marketLine('spread', 'home', -3.5));
    const away = market(GAME, 'spread', marketLine('spread', 'away', 3.5));
    expect(away).toEqual(home);
    expect(home.id).toBe('g1/spread/-3.5');
    expect([lineFor(home, 'home'), lineFor(home, 'away')]).toEqual([-3.5, 3.5]);
  });

  it('of over is the market of under at the same line', () => {
    const over = market(GAME, 'total', marketLine('total', 'over', 210.5));
    expect(market(GAME, 'total', marketLine('total', 'under', 210.5))).toEqual(over);
    expect([lineFor(over, 'over'), lineFor(over, 'under')]).toEqual([210.5, 210.5]);
  });

  it('of type moneyline has no line, whichever line is passed', () => {
    const moneyline = market(GAME, 'moneyline', -3.5);
    expect(moneyline).toEqual(market(GAME, 'moneyline'));
    expect(moneyline.line).toBeUndefined();
    expect(lineFor(moneyline, 'away')).toBeUndefined();
    expect(marketLine('moneyline', 'away', 3.5)).toBeUndefined();
  });

  it.each([0, -0])('with line %d is the market of line 0, and its lines are never −0', (line) => {
    const level = market(GAME, 'spread', line);
    expect(level.id).toBe('g1/spread/0');
    expect(marketId(GAME, 'spread', line)).toBe('g1/spread/0');
    for (const seen of [level.line, lineFor(level, 'home'), lineFor(level, 'away')]) {
      expect(Object.is(seen, 0)).toBe(true);
    }
  });

  it.each<[MarketType, Side, number]>([
    ['spread', 'home', 0],
    ['spread', 'home', -0],
    ['spread', 'away', 0],
    ['spread', 'away', -0],
    ['total', 'over', -0],
    ['total', 'under', -0],
  ])('of type %s on %s with line %d has line 0, never −0', (type, side, line) => {
    expect(Object.is(marketLine(type, side, line), 0)).toBe(true);
  });

  it('has the same line when it is read from either side', () => {
    fc.assert(
      fc.property(markets, fc.constantFrom(0, 1), (whole, index) => {
        const side = whole.sides[index === 0 ? 0 : 1];
        const line = marketLine(whole.type, side, lineFor(whole, side));
        expect(market(whole.gameId, whole.type, line)).toEqual(whole);
      }),
    );
  });

  it('has an id that differs by game, type and line', () => {
    fc.assert(
      fc.property(markets, markets, (a, b) => {
        expect(a.id === b.id).toBe(a.type === b.type && a.line === b.line);
      }),
    );
  });
});

describe('the sides of a market', () => {
  it.each(MARKET_TYPES)('of type %s are opposite to each other, and the first has index 0', (type) => {
    const [first, second] = sidesOf(type);
    expect(oppositeSide(first)).toBe(second);
    expect(oppositeSide(second)).toBe(first);
    expect([sideIndex(first), sideIndex(second)]).toEqual([0, 1]);
  });
});
