// What a thread of a backtest does: it runs one job after the other and tells what each came to.
import { Console } from 'node:console';
import { parentPort } from 'node:worker_threads';
import { handedOver } from '../config/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import { runJob } from './scenario-run.ts';
import type { ThreadJob, ThreadMessage } from './scenario-threads.ts';

const tell = (message: ThreadMessage): void => parentPort?.postMessage(message);

// as in the process: stdout is for what the command produces
globalThis.console = new Console(process.stderr);

async function run({ job, loaded }: ThreadJob): Promise<void> {
  try {
    const done = await runJob(job, handedOver(loaded), {
      read: (tape, share) => tell({ what: 'read', tape, share }),
      show: (shown) => tell({ what: 'shown', ...shown }),
    });
    tell({ what: 'done', done });
  } catch (error) {
    // the class of an error does not pass between threads
    if (!(error instanceof OddsmakerError)) throw error;
    tell({ what: 'refused', code: error.code, problem: error.message });
  }
}

// what it throws ends the thread, and is told there
parentPort?.on('message', (job: ThreadJob) => void run(job));
