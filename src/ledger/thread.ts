// The thread that writes the ledger: a slow or hanging disk blocks this thread, never the bot. Started only
// by ledger.ts.
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
/** A batch to write, or the request to close. */
export type ToThread = { readonly batch: number; readonly rows: readonly LedgerRow[] } | 'close';
/** Answers of the thread. `isLost`: the ledger will not come back by itself. */
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

/** The file was removed or replaced: rows written to it would be lost. */
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
  const post = (answer: FromThread): void => parentPort?.postMessage(answer);
  if (message === 'close') {
    try {
      close();
    } catch {
      // committed rows stay
    }
    post('closed');
    parentPort?.close();
    return;
  }
  try {
    write(message.rows);
    post({ done: message.batch });
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    post({ failed: message.batch, problem, isLost: error instanceof Lost });
    try {
      close();
    } catch {
      open = undefined;
    }
  }
});
