// What a thread of a backtest does: it plays one scenario after the other.
import { unpackConfig } from '../config/index.ts';
import type { ScenarioDone, ScenarioTask, ScenarioMessage } from './scenario-run.ts';
import { runJob } from './scenario-run.ts';
import { inThread } from './thread-side.ts';

export const handle = inThread<ScenarioTask, ScenarioDone, ScenarioMessage>(({ job, loaded }, tell) =>
  runJob(job, unpackConfig(loaded), {
    read: (tape, share) => tell({ what: 'read', tape, share }),
    show: (shown) => tell({ what: 'shown', ...shown }),
  }),
);
