// A ledger of a former version is brought up to this one, and loses nothing.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { accountIdOf, openLedger } from '../../src/ops/index.ts';
import { folder } from '../support/children.ts';

/** What version 3 brought. */
function asVersion2(db: DatabaseSync): void {
  db.exec('DROP VIEW attribution; DROP VIEW attributed_fills; DROP TABLE run_figures');
  for (const column of [
    ...['order_run', 'age_ms', 'queue_placed', 'queue_filled', 'reason', 'before_first', 'before_second'],
    ...['picked_off', 'spread', 'drift', 'clv', 'keys'],
  ])
    db.exec(`ALTER TABLE fills DROP COLUMN ${column}`);
  db.exec('PRAGMA user_version = 2');
}

it('a ledger of version 1 gets what it lacks, once', () => {
  const file = join(folder(), 'ledger.db');
  const first = openLedger(file);
  const account = accountIdOf(first, { exchange: 'x', account: 'alice', mode: 'coins' });
  // as version 1 made it
  asVersion2(first);
  first.exec('ALTER TABLE operator_actions DROP COLUMN who; ALTER TABLE runs DROP COLUMN config_hash');
  first
    .prepare(
      `INSERT INTO operator_actions (account_id, run, at, seq, command, fields) VALUES (?, 'r', 1, 2, 'pause', '{}')`,
    )
    .run(account);
  first.exec('PRAGMA user_version = 1');
  first.close();
  for (let turn = 0; turn < 2; turn++) {
    const db = openLedger(file);
    expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 3 });
    expect(db.prepare('SELECT command, who FROM operator_actions').all()).toEqual([
      { command: 'pause', who: null },
    ]);
    expect(db.prepare('SELECT config_hash FROM runs').all()).toEqual([]);
    db.close();
  }
  const newer = new DatabaseSync(file);
  newer.exec('PRAGMA user_version = 4');
  newer.close();
  expect(() => openLedger(file)).toThrow(/version 4/);
});

it('fills of a ledger of version 2 are in no attribution, and those that come are', () => {
  const file = join(folder(), 'ledger.db');
  const former = openLedger(file);
  const account = accountIdOf(former, { exchange: 'x', account: 'alice', mode: 'coins' });
  asVersion2(former);
  const fill = `INSERT INTO fills (tx_id, account_id, run, at, source, own, game_id, risk, win) VALUES (?, ?, 'r', 1, 'feed', 1, 'g', 5, 6)`;
  former.prepare(fill).run('old', account);
  former.close();
  const db = openLedger(file);
  expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 3 });
  expect(db.prepare('SELECT * FROM attribution').all()).toEqual([]);
  expect(db.prepare('SELECT * FROM run_figures').all()).toEqual([]);
  db.prepare(fill).run('new', account);
  const told = `UPDATE fills SET order_run = 'r', spread = 2, drift = 1, clv = 3, keys = '{"type":"total"}' WHERE tx_id = 'new'`;
  db.exec(told);
  const row = { account_id: account, run: 'r', attribution: 'type', key: 'total', fills: 1, risk: 5 };
  const nothing = { spread: null, drift: null, luck: null, commission: null, pnl: null };
  const open = { ...row, ...nothing, unpriced: 0, unpriced_pnl: null, captured: 2, clv: 3 };
  expect(db.prepare('SELECT * FROM attribution').all()).toEqual([open]);
  db.prepare(
    `INSERT INTO settlements (tx_id, account_id, run, at, source, profit, is_told, commission) VALUES ('new', ?, 'r', 2, 'graded', 6, 1, 1)`,
  ).run(account);
  expect(db.prepare('SELECT * FROM attribution').all()).toEqual([
    { ...open, spread: 2, drift: 1, luck: 3, commission: -1, pnl: 5 },
  ]);
  expect(db.prepare('SELECT tx_id, risk FROM fills').all()).toHaveLength(2);
  db.close();
});
