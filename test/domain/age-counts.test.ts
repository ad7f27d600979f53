import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AgeCounts } from '../../src/domain/index.ts';

it('AgeCounts gives a quantile of the ages, at most 5 % and a millisecond too high', () => {
  const ages = fc.array(fc.integer({ min: 0, max: 600_000_000 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(ages, fc.constantFrom(0.01, 0.5, 0.95, 1), (list, share) => {
      const counts = new AgeCounts();
      for (const age of list) counts.countAge(age);
      const sorted = [...list].sort((a, b) => a - b);
      const exact = sorted[Math.max(0, Math.ceil(share * list.length - 1e-9) - 1)] ?? 0;
      const quantile = counts.quantile(share);
      expect(quantile).toBeGreaterThanOrEqual(exact);
      expect(quantile).toBeLessThanOrEqual(exact * 1.05 + 1);
      expect([counts.count, counts.last]).toEqual([list.length, list.at(-1)]);
    }),
  );
});

it('AgeCounts adds the counts of another, and gives 0 without ages', () => {
  const [all, others] = [new AgeCounts(), new AgeCounts()];
  expect(all.quantile(0.5)).toBe(0);
  for (const age of [0, 1, 1]) all.countAge(age);
  others.countAge(1000);
  all.addAll(others);
  expect([all.count, all.quantile(0.5), all.last]).toEqual([4, 1, 1000]);
  expect(all.quantile(1)).toBeGreaterThanOrEqual(1000);
});
