// Random valid and invalid requests from four accounts in both player modes, sent to the exchange's request
// handler on a virtual clock. A failure prints its seed, its path and the shortest plan that fails.
import fc from 'fast-check';
import { it } from 'vitest';
import { plans } from './request-actions.ts';
import { Trial } from './request-trial.ts';

it('the exchange answers any request in a valid shape, changes no state by a refusal, leaks no private data and conserves money', () => {
  fc.assert(
    fc.property(plans(100), (plan) => {
      const trial = new Trial(plan);
      for (const action of plan.actions) trial.run(action);
      trial.finish();
    }),
    { numRuns: 200 },
  );
}, 120_000);
