// Two offers that cannot both win add up to less than 1, so that no taker of both wins whatever happens.
import { describe, expect, it } from 'vitest';
import { excessOver } from '../../src/pricing/index.ts';

describe('excessOver', () => {
  const offer = (side: 'home' | 'away', probability: number, over: object = {}) => ({
    ...({ gameId: 'g', type: 'moneyline', side, probability } as const),
    ...over,
  });

  it('is half of what two offers that cannot both win have above 1, and a little more', () => {
    const [home, away] = [offer('home', 0.6), offer('away', 0.45)];
    expect(excessOver(home, [home, away])).toBeCloseTo(0.0251, 9);
    expect(excessOver(away, [home, away])).toBeCloseTo(0.0251, 9);
  });

  it('is nothing for offers that both may win, or that are of two games', () => {
    const home = offer('home', 0.6);
    expect(excessOver(home, [home, offer('away', 0.3)])).toBe(0);
    expect(excessOver(home, [home, offer('away', 0.45, { gameId: 'other' })])).toBe(0);
    expect(excessOver(home, [offer('away', 0.9, { type: 'spread', line: -7.5 })])).toBe(0);
  });

  it('counts lines that exclude each other', () => {
    const spread = offer('home', 0.5, { type: 'spread', line: -3.5 });
    expect(excessOver(spread, [offer('away', 0.52)])).toBeCloseTo(0.0101, 9);
  });
});
