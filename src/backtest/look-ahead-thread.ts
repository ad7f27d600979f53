// The thread of a look-ahead check: nothing that strategies kept before is in it, and what they keep stays from one cut to the next.
import { unpackConfig } from '../config/index.ts';
import type { LookAhead, LookAheadTask } from './look-ahead.ts';
import { lookAheadCheck } from './look-ahead.ts';
import { inThread } from './thread-side.ts';

export const handle = inThread<LookAheadTask, LookAhead, number>(({ job, loaded }, tell) =>
  lookAheadCheck(job, unpackConfig(loaded), tell),
);
