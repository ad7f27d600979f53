// The entry file of a backtest thread: it plays one scenario after the other.
import { unpackConfig } from '../config/index.ts';
import type { ScenarioDone, ScenarioTask, ScenarioMessage } from './scenario-run.ts';
import { runJob } from './scenario-run.ts';
import { inThread } from './thread-side.ts';

export const handle = inThread<ScenarioTask, ScenarioDone, ScenarioMessage>(({ job, loaded }, report) =>
  runJob(job, unpackConfig(loaded), {
    read: (tape, share) => report({ what: 'read', tape, share }),
    show: (shown) => report({ what: 'shown', ...shown }),
  }),
);
