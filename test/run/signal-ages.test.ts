import { expect, it } from 'vitest';
import { AgeCounts } from '../../src/domain/index.ts';
import { signalAges } from '../../src/run/index.ts';

const counted = (...ages: readonly number[]): AgeCounts => {
  const counts = new AgeCounts();
  for (const age of ages) counts.countAge(age);
  return counts;
};

it('signalAges gives the age of signals when read, by name and over all, with the most-read name first', () => {
  const { all, names } = signalAges(
    new Map([
      ['slow', counted(1000)],
      ['fair', counted(0, 0, 1, 1)],
    ]),
  );
  expect(names).toEqual([
    { name: 'fair', reads: 4, p50Ms: 0, p95Ms: 1, lastMs: 1 },
    { name: 'slow', reads: 1, p50Ms: 1043, p95Ms: 1043, lastMs: 1000 },
  ]);
  expect(all).toMatchObject({ reads: 5, p50Ms: 1, p95Ms: 1043 });
});

it('signalAges has no ages without signals', () => {
  expect(signalAges(new Map())).toEqual({ all: undefined, names: [] });
});
