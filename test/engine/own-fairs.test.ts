import { describe, expect, it } from 'vitest';
import type { MarketId, StrategyId } from '../../src/domain/index.ts';
import { OwnFairs } from '../../src/engine/own-fairs.ts';

const M = 'g/moneyline' as MarketId;
const S = 's' as StrategyId;

describe('OwnFairs', () => {
  it('returns the newest fair price strictly before a moment, or none when the strategy gave none', () => {
    const fairs = new OwnFairs();
    fairs.note(M, S, undefined, 0);
    expect(fairs.before(M, S, 1)).toBeUndefined();
    fairs.note(M, S, 0.5, 1000);
    fairs.note(M, S, 0.52, 3000);
    fairs.note(M, S, undefined, 4000);
    expect([1000, 1001, 3000, 3001, 4001].map((t) => fairs.before(M, S, t))).toEqual([
      ...[undefined, 0.5, 0.5, 0.52, undefined],
    ]);
    expect(fairs.before(M, 'other' as StrategyId, 5000)).toBeUndefined();
    fairs.forget(M);
    expect(fairs.before(M, S, 5000)).toBeUndefined();
  });

  it('keeps the fair price of ten seconds ago, however often the strategy gives one', () => {
    const fairs = new OwnFairs();
    for (let t = 0; t <= 100_000; t += 10) fairs.note(M, S, 0.3 + t / 1e6, t);
    expect(fairs.before(M, S, 95_001)).toBeCloseTo(0.395, 9);
    expect(fairs.before(M, S, 90_001)).toBeCloseTo(0.39, 9);
    expect(fairs.before(M, S, 50_000)).toBeUndefined();
    // a price given once is valid until another is given
    const still = new OwnFairs();
    still.note(M, S, 0.4, 0);
    still.note(M, S, 0.4, 60_000);
    expect(still.before(M, S, 59_000)).toBe(0.4);
  });
});
