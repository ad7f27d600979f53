// Merges the rows of one ledger into another in one transaction: adds missing rows, fills in unknown values,
// and never deletes anything.
import type { DatabaseSync } from 'node:sqlite';
import { accountIdOf } from './file.ts';

type Rule = { readonly table: string; readonly key: readonly string[] };

/** The tables and their keys. `account_id` is mapped to that of the target ledger. */
const RULES: readonly Rule[] = [
  { table: 'runs', key: ['run'] },
  { table: 'days', key: ['account_id', 'starts_at'] },
  { table: 'orders', key: ['account_id', 'ref'] },
  { table: 'fills', key: ['account_id', 'tx_id'] },
  { table: 'settlements', key: ['account_id', 'tx_id'] },
  { table: 'marks', key: ['account_id', 'market', 'minute'] },
  { table: 'run_figures', key: ['account_id', 'run', 'turn'] },
  { table: 'alerts', key: ['account_id', 'run', 'seq', 'code', 'message', 'fields'] },
  { table: 'operator_actions', key: ['account_id', 'run', 'seq', 'command', 'fields'] },
];
/**
 * Merged value of the columns whose value in the ledger is not final. All others keep a known value, or are
 * filled in.
 */
const COLUMNS: Readonly<Record<string, string>> = {
  // the answer may have come later
  'orders.fate': "iif(orders.fate = 'sent', excluded.fate, orders.fate)",
  'fills.own': 'max(fills.own, excluded.own)',
  // JSON that grows over time: the longer one is more complete
  'fills.markouts': 'iif(length(excluded.markouts) > length(fills.markouts), excluded.markouts, fills.markouts)',
  // figures of a run that has not ended, or was killed, are from before its end
  'runs.figures': 'iif(runs.ended_at IS NULL, excluded.figures, runs.figures)',
};
/** Columns that a reported result replaces: until then the stake counted as lost. */
const REPORTED = ['run', 'at', 'day', 'source', 'profit', 'is_told', 'commission'];
/** Tables whose only key is a number: rows that exist already stay as they are. */
const NUMBERED: ReadonlySet<string> = new Set(['alerts', 'operator_actions']);

export type Merged = Readonly<Record<string, { readonly rows: number; readonly added: number }>>;

/**
 * Merges the rows of another ledger into `db`.
 * @param from the file of a ledger that no process writes
 * @throws the errors of SQLite and the disk; then nothing changed
 */
export function mergeLedger(db: DatabaseSync, from: string): Merged {
  db.prepare('ATTACH ? AS merged').run(from);
  try {
    db.exec('BEGIN IMMEDIATE');
    try {
      mapAccounts(db);
      const merged = RULES.map((rule) => [rule.table, mergeTable(db, rule)] as const);
      db.exec('COMMIT');
      return Object.fromEntries(merged);
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  } finally {
    db.exec('DETACH merged');
  }
}

/** Maps account ids of both ledgers, ignoring the case of names. */
function mapAccounts(db: DatabaseSync): void {
  db.exec('CREATE TEMP TABLE IF NOT EXISTS account_map (theirs INTEGER PRIMARY KEY, mine INTEGER NOT NULL)');
  db.exec('DELETE FROM temp.account_map');
  const map = db.prepare('INSERT INTO temp.account_map (theirs, mine) VALUES (?, ?)');
  for (const row of db.prepare('SELECT id, exchange, account, mode FROM merged.accounts').all()) {
    const key = {
      exchange: String(row['exchange']),
      account: String(row['account']),
      mode: String(row['mode']),
    };
    map.run(Number(row['id']), accountIdOf(db, key));
  }
}

function mergeTable(db: DatabaseSync, { table, key }: Rule): Merged[string] {
  const columns = db
    .prepare(`SELECT name FROM pragma_table_info('${table}', 'main')`)
    .all()
    .map((row) => String(row['name']))
    .filter((name) => name !== 'id');
  const account = '(SELECT mine FROM temp.account_map WHERE theirs = m.account_id)';
  const values = columns.map((name) => (name === 'account_id' ? account : `m.${name}`)).join(', ');
  const count = (): number => Number(db.prepare(`SELECT count(*) AS n FROM main.${table}`).get()?.['n'] ?? 0);
  const before = count();
  const select = `SELECT ${values} FROM merged.${table} m`;
  if (NUMBERED.has(table)) {
    const same = key.map((name) => `t.${name} IS ${name === 'account_id' ? account : `m.${name}`}`);
    db.exec(
      `INSERT INTO main.${table} (${columns.join(', ')}) ${select}
       WHERE NOT EXISTS (SELECT 1 FROM main.${table} t WHERE ${same.join(' AND ')})`,
    );
  } else {
    const sets = columns.filter((name) => !key.includes(name)).map((name) => `${name} = ${mergedColumn(table, name)}`);
    db.exec(
      `INSERT INTO main.${table} (${columns.join(', ')}) ${select} WHERE ${table === 'settlements' ? NOT_TAKEN_BACK : 'true'}
       ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${sets.join(', ')}`,
    );
  }
  const rows = count();
  return { rows, added: rows - before };
}

function mergedColumn(table: string, name: string): string {
  const known = COLUMNS[`${table}.${name}`];
  if (known !== undefined) return known;
  const kept = `coalesce(${table}.${name}, excluded.${name})`;
  return table === 'settlements' && REPORTED.includes(name)
    ? `iif(settlements.is_told < excluded.is_told, excluded.${name}, ${kept})`
    : kept;
}

/**
 * Excludes a settlement that an operator withdrew later, when the journal that says so is gone or breaks off
 * before.
 */
const NOT_TAKEN_BACK = `NOT (m.source = 'operator' AND EXISTS (
  SELECT 1 FROM main.operator_actions a WHERE a.command = 'unsettle' AND a.at >= m.at))`;
