// What a thread of a sweep does: it plays one point after the other, and tells what each came to.
import { Console } from 'node:console';
import { parentPort } from 'node:worker_threads';
import type { PoolMessage } from '../sweep/thread-pool.ts';
import type { PointDone, PointJob } from './point-run.ts';
import { playPoint } from './point-run.ts';

const tell = (message: PoolMessage<PointDone>): void => parentPort?.postMessage(message);

// as in the process: stdout is for what the command produces
globalThis.console = new Console(process.stderr);

// what it throws ends the thread, and is told there
parentPort?.on('message', (job: PointJob) => {
  void playPoint(job, (share) => tell({ what: 'progress', share })).then((done) =>
    tell({ what: 'done', done }),
  );
});
