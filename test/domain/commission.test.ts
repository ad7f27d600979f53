import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MarketId } from '../../src/domain/index.ts';
import { Commission, commissionOf, commissionsOf } from '../../src/domain/index.ts';

const M = 'm' as MarketId;

describe('commission', () => {
  it('on a market is a share of its net winnings, and 0 when it lost', () => {
    expect(commissionOf({ of: 'market', share: 0.05 }, [100, -40])).toBe(3);
    expect(commissionOf({ of: 'market', share: 0.05 }, [40, -100])).toBe(0);
  });

  it('on wins is a share of each winning bet', () => {
    expect(commissionOf({ of: 'win', share: 0.05 }, [100, -400, 20])).toBe(6);
  });

  it('on a market is split over the winning bets', () => {
    expect(commissionsOf({ of: 'market', share: 0.1 }, [300, 100, -200])).toEqual([15, 5, 0]);
    expect(commissionsOf({ of: 'market', share: 0.1 }, [-300, 100])).toEqual([0, 0]);
  });

  it('charged bet by bet equals that on all bets together, in any order, after a bet was taken back', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 }), { maxLength: 12 }),
        fc.constantFrom('market' as const, 'win' as const),
        fc.integer({ min: -1_000_000, max: 1_000_000 }),
        (profits, basis, mistaken) => {
          const rule = { of: basis, share: 0.02 };
          const commission = new Commission(rule);
          let sum = commission.charge(M, mistaken);
          for (const profit of profits) sum = (sum + commission.charge(M, profit)) as typeof sum;
          sum = (sum + commission.charge(M, mistaken, -1)) as typeof sum;
          expect(Math.abs(sum - commissionOf(rule, profits))).toBeLessThanOrEqual(profits.length + 2);
        },
      ),
    );
  });

  it('on a market includes bets that earlier runs settled there', () => {
    const commission = new Commission({ of: 'market', share: 0.05 });
    commission.restore(M, -400);
    expect([commission.charge(M, 300), commission.charge(M, 200)]).toEqual([0, 5]);
  });

  it('is 0 when the exchange charges none or the market is unknown', () => {
    expect(new Commission({ of: 'market', share: 0 }).charge(M, 100)).toBe(0);
    expect(new Commission({ of: 'market', share: 0.5 }).charge(undefined, 100)).toBe(0);
  });
});
