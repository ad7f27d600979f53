// Opens the ledger file: for the bot at its start, to read the P&L of former runs of the day, and for the
// writing thread. SQLite in WAL mode, so that other programs can read while the bot runs; readable by the
// bot's own user alone.
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { accountKey, messageOf, OddsmakerError } from '../domain/index.ts';
import { LEDGER_VERSION, migrationOf, SCHEMA, STATEMENTS, VIEWS } from './schema.ts';

export type LedgerKey = {
  /** REST URL of the exchange; `embedded/<run>` for one that a configuration embeds. */
  readonly exchange: string;
  readonly account: string;
  readonly mode: string;
};

/** Waiting time for a locked file, ms: other bots may write it, too. */
const BUSY_MS = 2000;

/** SQLITE_BUSY and SQLITE_LOCKED. */
const LOCKED: ReadonlySet<number> = new Set([5, 6]);

/** True when another program holds the file: it may be free later. */
export const isLocked = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' && LOCKED.has(error.errcode & 0xff);

export const lockedLedger = (file: string, error: unknown): OddsmakerError =>
  new OddsmakerError(
    'LEDGER_LOCKED',
    `${file}: another program keeps the ledger locked (${messageOf(error)}): end what uses it, and start again`,
    { cause: error },
  );

/** Opens the ledger and creates missing files and tables. Throws the errors of SQLite and the disk. */
export function openLedger(file: string, busyMs = BUSY_MS): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, 'a', 0o600));
  const db = new DatabaseSync(file, { timeout: busyMs });
  try {
    const version = versionOf(db);
    if (version > LEDGER_VERSION)
      throw new Error(`it has version ${version}, and this program knows ${LEDGER_VERSION}: use the newer one`);
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON');
    if (version === LEDGER_VERSION) return db;
    // another bot with the same file may have migrated it meanwhile
    db.exec('BEGIN IMMEDIATE');
    db.exec(
      [
        ...[SCHEMA, ...migrationOf(versionOf(db)), VIEWS],
        ...[`PRAGMA user_version = ${LEDGER_VERSION}`, 'COMMIT'],
      ].join(';'),
    );
    const meta = db.prepare('INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING');
    meta.run('ledger', randomBytes(8).toString('hex'));
    meta.run('created_at', String(Date.now()));
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

const versionOf = (db: DatabaseSync): number => Number(db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);

/** Id of the ledger: it differs from that of a file that replaced it. */
export function idOf(db: DatabaseSync): string {
  return String(db.prepare("SELECT value FROM meta WHERE key = 'ledger'").get()?.['value'] ?? '');
}

/** All names under which the user of the account logged in, in lower case, including the account's own. */
export function namesOfUser(db: DatabaseSync, exchange: string, account: string): ReadonlySet<string> {
  const others = db
    .prepare(
      `SELECT other.account FROM user_ids own JOIN user_ids other USING (exchange, user_id)
       WHERE own.exchange = ? AND own.account = ?`,
    )
    .all(exchange, accountKey(account));
  return new Set([accountKey(account), ...others.map((row) => String(row['account']))]);
}

export function keepUserId(db: DatabaseSync, exchange: string, account: string, userId: string): void {
  db.prepare(STATEMENTS.userId).run({ exchange, name: accountKey(account), userId });
}

/**
 * Id of the account, whatever the case of its name and whichever login name its user used. The first row
 * stays.
 */
export function accountIdOf(db: DatabaseSync, { exchange, account, mode }: LedgerKey): number {
  const names = namesOfUser(db, exchange, account);
  const known = (): readonly number[] =>
    db
      .prepare('SELECT id, account FROM accounts WHERE exchange = ? AND mode = ? ORDER BY id')
      .all(exchange, mode)
      .flatMap((row) => (names.has(accountKey(String(row['account']))) ? Number(row['id']) : []));
  const [id, ...others] = known();
  if (id !== undefined) {
    if (others.length > 0) unite(db, id, others);
    return id;
  }
  db.prepare('INSERT INTO accounts (exchange, account, mode) VALUES (?, ?, ?) ON CONFLICT DO NOTHING').run(
    exchange,
    account,
    mode,
  );
  return known()[0] ?? Number.NaN;
}

const OF_ACCOUNTS = [
  ...['runs', 'orders', 'fills', 'settlements', 'days', 'marks', 'alerts', 'operator_actions', 'run_figures'],
] as const;

/**
 * Merges accounts: versions before 0.3 took each spelling for an account of its own. Rows that both have stay
 * as they are.
 */
function unite(db: DatabaseSync, id: number, others: readonly number[]): void {
  db.exec('SAVEPOINT unite');
  try {
    for (const table of OF_ACCOUNTS) {
      const update = db.prepare(`UPDATE OR IGNORE ${table} SET account_id = ? WHERE account_id = ?`);
      for (const other of others) update.run(id, other);
    }
    // an account that still has rows keeps its name under another exchange, which no query uses
    const leave = db.prepare("UPDATE accounts SET exchange = exchange || '#former' || id WHERE id = ?");
    for (const other of others) leave.run(other);
    db.exec('RELEASE unite');
  } catch (error) {
    db.exec('ROLLBACK TO unite; RELEASE unite');
    throw error;
  }
}

/** Device and inode of a file: they stay the same when it is moved. Undefined: there is no file. */
export function inodeOf(file: string): string | undefined {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? undefined : `${stat.dev}:${stat.ino}`;
}
