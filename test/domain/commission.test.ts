import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MarketId } from '../../src/domain/index.ts';
import { Commission, commissionOf, commissionsOf } from '../../src/domain/index.ts';

const M = 'm' as MarketId;

describe('commission', () => {
  it('of a market is of its net winnings, and of nothing where it lost', () => {
    expect(commissionOf({ of: 'market', share: 0.05 }, [100, -40])).toBe(3);
    expect(commissionOf({ of: 'market', share: 0.05 }, [40, -100])).toBe(0);
  });

  it('of wins is of each play that won', () => {
    expect(commissionOf({ of: 'win', share: 0.05 }, [100, -400, 20])).toBe(6);
  });

  it('is borne by the plays that won', () => {
    expect(commissionsOf({ of: 'market', share: 0.1 }, [300, 100, -200])).toEqual([15, 5, 0]);
    expect(commissionsOf({ of: 'market', share: 0.1 }, [-300, 100])).toEqual([0, 0]);
  });

  it('charged play by play is what all of them are charged together, in any order, taken back or not', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 }), { maxLength: 12 }),
        fc.constantFrom('market' as const, 'win' as const),
        fc.integer({ min: -1_000_000, max: 1_000_000 }),
        (profits, of, mistaken) => {
          const rule = { of, share: 0.02 };
          const commission = new Commission(rule);
          let sum = commission.charge(M, mistaken);
          for (const profit of profits) sum = (sum + commission.charge(M, profit)) as typeof sum;
          sum = (sum + commission.charge(M, mistaken, -1)) as typeof sum;
          expect(Math.abs(sum - commissionOf(rule, profits))).toBeLessThanOrEqual(profits.length + 2);
        },
      ),
    );
  });

  it('of a market is of what former runs settled there as well', () => {
    const commission = new Commission({ of: 'market', share: 0.05 });
    commission.restore(M, -400);
    expect([commission.charge(M, 300), commission.charge(M, 200)]).toEqual([0, 5]);
  });

  it('is nothing where the exchange keeps nothing, or the market is not known', () => {
    expect(new Commission({ of: 'market', share: 0 }).charge(M, 100)).toBe(0);
    expect(new Commission({ of: 'market', share: 0.5 }).charge(undefined, 100)).toBe(0);
  });
});
