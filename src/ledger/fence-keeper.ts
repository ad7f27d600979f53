// The guard's record of a fence in the ledger, so that a bot with another journal.dir finds it. The fence itself stands beside the
// journal: a ledger that cannot be written keeps the guard from nothing.
import { loadHaltPlace } from '../config/index.ts';
import { messageOf } from '../domain/index.ts';
import type { Fence, Log } from '../ops/index.ts';
import { accountIdOf, openLedger } from './file.ts';
import { writeHalts } from './halts.ts';

/** The loop of the guard stands for as long. */
const BUSY_MS = 250;

/** @param account as the file names it */
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
      log.warn('the fence cannot be kept in the ledger: it stands beside the journal alone', {
        problem: messageOf(error),
      });
    }
  };
}
