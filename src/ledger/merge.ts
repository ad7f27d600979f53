// Takes the rows of one ledger into another, in one transaction: what is missing is added, what was not known is filled in, and
// nothing is ever taken away.
import type { DatabaseSync } from 'node:sqlite';
import { accountIdOf } from './file.ts';

type Rule = { readonly table: string; readonly key: readonly string[] };

/** By their keys; `account_id` is the ledger's own. */
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
/** Where what the ledger has is not final: what a column becomes. All others keep what is known, and are filled in. */
const COLUMNS: Readonly<Record<string, string>> = {
  // an answer came after all
  'orders.fate': "iif(orders.fate = 'sent', excluded.fate, orders.fate)",
  'fills.own': 'max(fills.own, excluded.own)',
  // JSON of what became known with time: the one that has more of it
  'fills.markouts': 'iif(length(excluded.markouts) > length(fills.markouts), excluded.markouts, fills.markouts)',
  // those of a run that goes on, or was killed, are from before its end
  'runs.figures': 'iif(runs.ended_at IS NULL, excluded.figures, runs.figures)',
};
/** A stake that counted as lost, until the result was told. */
const TOLD = ['run', 'at', 'day', 'source', 'profit', 'is_told', 'commission'];
/** They have no key of their own but a number: rows that are there are left as they are. */
const NUMBERED: ReadonlySet<string> = new Set(['alerts', 'operator_actions']);

export type Merged = Readonly<Record<string, { readonly rows: number; readonly added: number }>>;

/** `from`: the file of a ledger that nobody writes. @throws what SQLite and the disk say; then nothing changed */
export function mergeLedger(db: DatabaseSync, from: string): Merged {
  db.prepare('ATTACH ? AS merged').run(from);
  try {
    db.exec('BEGIN IMMEDIATE');
    try {
      mapAccounts(db);
      const told = RULES.map((rule) => [rule.table, mergeTable(db, rule)] as const);
      db.exec('COMMIT');
      return Object.fromEntries(told);
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  } finally {
    db.exec('DETACH merged');
  }
}

/** The ids of both, whatever case names are written in. */
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
  return table === 'settlements' && TOLD.includes(name)
    ? `iif(settlements.is_told < excluded.is_told, excluded.${name}, ${kept})`
    : kept;
}

/** An operator took it back, and the journal that says so is gone or breaks off before. */
const NOT_TAKEN_BACK = `NOT (m.source = 'operator' AND EXISTS (
  SELECT 1 FROM main.operator_actions a WHERE a.command = 'unsettle' AND a.at >= m.at))`;
