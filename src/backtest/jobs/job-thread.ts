// The entry file of a thread that plays jobs, one after the other.
import { unpackConfig } from '../../config/index.ts';
import { readSpan } from '../../tape/index.ts';
import { inThread } from '../thread-side.ts';
import type { ThreadDone, ThreadMessage, ThreadTask } from './job-run.ts';
import { playJob } from './job-run.ts';

export const handle = inThread<ThreadTask, ThreadDone, ThreadMessage>(async (task, report) => {
  if ('tape' in task) {
    const { tape, ...reading } = task;
    return { span: await readSpan(tape, { ...reading, progress: report }) };
  }
  await playJob(task, unpackConfig(task.loaded), report);
  return {};
});
