// Random requests, valid and not, from four accounts in both player modes, through the exchange's front door on a virtual
// clock. A failure prints its seed, its path and the shortest plan that shows it.
import fc from 'fast-check';
import { it } from 'vitest';
import { plans } from './request-actions.ts';
import { Trial } from './request-trial.ts';

it('answers in shape, changes nothing by a refusal, keeps what is private and conserves money, whatever is asked', () => {
  fc.assert(
    fc.property(plans(100), (plan) => {
      const trial = new Trial(plan);
      for (const action of plan.actions) trial.run(action);
      trial.finish();
    }),
    { numRuns: 200 },
  );
}, 120_000);
