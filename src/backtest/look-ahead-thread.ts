// The entry file of the look-ahead thread. The thread starts without strategy state of former runs; what
// strategies keep stays from one cut to the next.
import { unpackConfig } from '../config/index.ts';
import type { LookAhead, LookAheadTask } from './look-ahead.ts';
import { lookAheadCheck } from './look-ahead.ts';
import { inThread } from './thread-side.ts';

export const handle = inThread<LookAheadTask, LookAhead, number>(({ job, loaded }, report) =>
  lookAheadCheck(job, unpackConfig(loaded), report),
);
