// The entry file of a thread that plays jobs, one after the other.
import { unpackConfig } from '../../config/index.ts';
import { inThread } from '../thread-side.ts';
import type { ThreadDone, ThreadMessage, ThreadTask } from './job-run.ts';
import { playJob, readSpan } from './job-run.ts';

export const handle = inThread<ThreadTask, ThreadDone, ThreadMessage>(async (task, report) => {
  if ('tape' in task) return { span: await readSpan(task, report) };
  await playJob(task, unpackConfig(task.loaded), report);
  return {};
});
