// The thread that writes the ledger: a disk that is slow or hangs stands in its way, never in the bot's. Entered only through ledger.ts.
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { accountIdOf, idOf, inodeOf, openLedger } from './file.ts';
import type { LedgerKey } from './file.ts';
import type { LedgerRow } from './schema.ts';
import { LedgerWriter } from './writer.ts';

export type ThreadData = {
  readonly file: string;
  readonly id: string;
  readonly key: LedgerKey;
  readonly run: string;
};
/** A batch, or the wish to end. */
export type ToThread = { readonly batch: number; readonly rows: readonly LedgerRow[] } | 'close';
/** `isLost`: it will not come back by itself. */
export type FromThread =
  | { readonly done: number }
  | { readonly failed: number; readonly problem: string; readonly isLost: boolean }
  | 'closed';

const { file, id, key, run } = workerData as ThreadData;

type Open = {
  readonly db: DatabaseSync;
  readonly inode: string | undefined;
  readonly writer: LedgerWriter;
};
let open: Open | undefined;

/** One that was removed or replaced keeps its fills where nobody finds them. */
class Lost extends Error {}

function write(rows: readonly LedgerRow[]): void {
  const inode = inodeOf(file);
  if (inode === undefined) throw new Lost('the file is gone');
  if (open !== undefined && open.inode !== inode) throw new Lost('another file has taken its place');
  if (open === undefined) {
    const db = openLedger(file);
    if (idOf(db) !== id) {
      db.close();
      throw new Lost('another ledger has taken its place');
    }
    open = { db, inode, writer: new LedgerWriter(db, accountIdOf(db, key), run) };
  }
  open.writer.write(rows);
}

function close(): void {
  open?.db.close();
  open = undefined;
}

parentPort?.on('message', (message: ToThread) => {
  const tell = (answer: FromThread): void => parentPort?.postMessage(answer);
  if (message === 'close') {
    try {
      close();
    } catch {
      // what was committed stays
    }
    tell('closed');
    parentPort?.close();
    return;
  }
  try {
    write(message.rows);
    tell({ done: message.batch });
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    tell({ failed: message.batch, problem, isLost: error instanceof Lost });
    try {
      close();
    } catch {
      open = undefined;
    }
  }
});
