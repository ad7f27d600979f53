// The parts of an own order's reference.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PlayerMode, StrategyId } from '../../src/domain/index.ts';
import { modeOf, ownerOf, runOf, shownRun } from '../../src/account/index.ts';
import { referenceOf } from '../../src/account/references.ts';

const key = fc.stringMatching(/^[\w-]{1,16}$/);

it('a reference shows the owner of an order, its run and its player mode, whatever their names are', () => {
  fc.assert(
    fc.property(
      fc.record({
        strategy: key,
        key: fc.oneof(key, fc.constant('#0'), fc.constant('a.cash-b')),
        run: fc.stringMatching(/^[0-9a-f]{8}$/),
        mode: fc.constantFrom<PlayerMode>('cash', 'coins'),
        count: fc.nat(1e6),
      }),
      ({ strategy, key: named, run, mode, count }) => {
        const owner = { strategy: strategy as StrategyId, key: named };
        const ref = referenceOf('a', owner, shownRun(run, mode), count);
        expect(ownerOf(ref, 'a')).toEqual(owner);
        expect(ownerOf(ref, 'b')).toBeUndefined();
        expect([runOf(ref), modeOf(ref)]).toEqual([run, mode]);
      },
    ),
  );
});
