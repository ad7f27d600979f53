// The thread of a look-ahead check: nothing that strategies kept before is in it, and what they keep stays from one cut to the next.
import { Console } from 'node:console';
import { parentPort, workerData } from 'node:worker_threads';
import { handedOver } from '../config/index.ts';
import { OddsmakerError } from '../domain/index.ts';
import type { LookAheadMessage, LookAheadTask } from './look-ahead.ts';
import { lookAheadCheck } from './look-ahead.ts';

const tell = (message: LookAheadMessage): void => parentPort?.postMessage(message);
globalThis.console = new Console(process.stderr);

const { job, loaded } = workerData as LookAheadTask;
try {
  tell({
    what: 'done',
    done: await lookAheadCheck(job, handedOver(loaded), (cut) => tell({ what: 'cut', cut })),
  });
} catch (error) {
  // the class of an error does not pass between threads
  if (!(error instanceof OddsmakerError)) throw error;
  tell({ what: 'refused', code: error.code, problem: error.message });
}
