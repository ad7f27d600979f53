// Writes rows of one run into an open ledger: one transaction per batch, statements prepared once.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { LedgerRow, StatementName, Value } from './schema.ts';
import { bindsOf, STATEMENTS } from './schema.ts';

type Prepared = { readonly statement: StatementSync; readonly binds: readonly string[] };

export class LedgerWriter {
  readonly #db: DatabaseSync;
  readonly #account: number;
  readonly #run: string;
  readonly #prepared = new Map<StatementName, Prepared>();

  constructor(db: DatabaseSync, account: number, run: string) {
    this.#db = db;
    this.#account = account;
    this.#run = run;
  }

  /** Writes all rows or none. @throws the errors of SQLite and the disk */
  write(rows: readonly LedgerRow[]): void {
    const db = this.#db;
    db.exec('BEGIN IMMEDIATE');
    try {
      for (const { name, values } of rows) {
        const { statement, binds } = this.#prepare(name);
        const all: Readonly<Record<string, Value>> = { ...values, account: this.#account, run: this.#run };
        statement.run(Object.fromEntries(binds.map((bound) => [bound, all[bound] ?? null])));
      }
      db.exec('COMMIT');
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  }

  #prepare(name: StatementName): Prepared {
    let prepared = this.#prepared.get(name);
    if (prepared === undefined)
      this.#prepared.set(name, (prepared = { statement: this.#db.prepare(STATEMENTS[name]), binds: bindsOf(name) }));
    return prepared;
  }
}
