// The thread that writes the ledger: a disk that is slow or hangs stands in its way, never in the bot's. One transaction a
// batch, statements prepared once. Entered only through ledger.ts.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { accountIdOf, idOf, inodeOf, openLedger } from './ledger-file.ts';
import type { LedgerKey } from './ledger-file.ts';
import type { LedgerRow, StatementName } from './ledger-schema.ts';
import { bindsOf, STATEMENTS } from './ledger-schema.ts';

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

type Prepared = { readonly statement: StatementSync; readonly binds: readonly string[] };
type Open = { readonly db: DatabaseSync; readonly inode: string | undefined; readonly account: number };
let open: Open | undefined;
const prepared = new Map<StatementName, Prepared>();

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
    open = { db, inode, account: accountIdOf(db, key) };
  }
  const { db, account } = open;
  db.exec('BEGIN IMMEDIATE');
  try {
    for (const { name, values } of rows) {
      const { statement, binds } = prepare(db, name);
      const all: Readonly<Record<string, string | number | null>> = { ...values, account, run };
      statement.run(Object.fromEntries(binds.map((bound) => [bound, all[bound] ?? null])));
    }
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

function prepare(db: DatabaseSync, name: StatementName): Prepared {
  let one = prepared.get(name);
  if (one === undefined)
    prepared.set(name, (one = { statement: db.prepare(STATEMENTS[name]), binds: bindsOf(name) }));
  return one;
}

function close(): void {
  prepared.clear();
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
