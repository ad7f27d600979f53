// Records the guard's fence in the ledger, so that a bot with another journal.dir finds it. The fence itself
// is a file beside the journal: a ledger that cannot be written does not stop the guard.
import { loadHaltPlace } from '../config/index.ts';
import { messageOf } from '../domain/index.ts';
import type { Fence, Log } from '../ops/index.ts';
import { accountIdOf, openLedger } from './file.ts';
import { writeHalts } from './halts.ts';

/** Waiting time for the ledger, ms. It blocks the loop of the guard. */
const BUSY_MS = 250;

/** @param account the account name as the configuration writes it */
export function fenceKeeper(file: string, account: string, log: Log): (fence: Fence) => void {
  return (fence) => {
    try {
      const { ledger, instance, exchange, mode } = loadHaltPlace(file, process.env);
      if (ledger === null || exchange === undefined) return;
      const db = openLedger(ledger, BUSY_MS);
      try {
        writeHalts(db, accountIdOf(db, { exchange, account, mode }), instance, { fence });
      } finally {
        db.close();
      }
    } catch (error) {
      log.warn('the fence cannot be written to the ledger: only the file beside the journal has it', {
        problem: messageOf(error),
      });
    }
  };
}
