// What a thread of a backtest does: it plays one scenario after the other.
import { handedOver } from '../config/index.ts';
import type { ScenarioDone, ScenarioTask, ScenarioTold } from './scenario-run.ts';
import { runJob } from './scenario-run.ts';
import { inThread } from './thread-side.ts';

export const handle = inThread<ScenarioTask, ScenarioDone, ScenarioTold>(({ job, loaded }, tell) =>
  runJob(job, handedOver(loaded), {
    read: (tape, share) => tell({ what: 'read', tape, share }),
    show: (shown) => tell({ what: 'shown', ...shown }),
  }),
);
