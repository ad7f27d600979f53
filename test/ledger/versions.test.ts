// The ledger of an earlier version is migrated to this version and loses nothing.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { accountIdOf, openLedger } from '../../src/ledger/index.ts';
import { readDay } from '../../src/ledger/day.ts';
import { readPnl } from '../../src/ledger/pnl.ts';
import { folder } from '../support/children.ts';

/** Removes what versions 3 to 5 added. */
function asVersion2(db: DatabaseSync): void {
  db.exec('DROP VIEW attribution; DROP VIEW attributed_fills; DROP VIEW settled_fills; DROP TABLE run_figures');
  for (const column of [
    ...['order_run', 'age_ms', 'queue_placed', 'queue_filled', 'reason', 'before_first', 'before_second'],
    ...['picked_off', 'spread', 'drift', 'clv', 'keys'],
  ])
    db.exec(`ALTER TABLE fills DROP COLUMN ${column}`);
  db.exec('ALTER TABLE settlements DROP COLUMN result; PRAGMA user_version = 2');
}

it('a ledger of version 1 gets its missing columns once', () => {
  const file = join(folder(), 'ledger.db');
  const first = openLedger(file);
  const account = accountIdOf(first, { exchange: 'x', account: 'alice', mode: 'coins' });
  // removes what version 2 added
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
    expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 6 });
    expect(db.prepare('SELECT command, who FROM operator_actions').all()).toEqual([{ command: 'pause', who: null }]);
    expect(db.prepare('SELECT config_hash FROM runs').all()).toEqual([]);
    db.close();
  }
  const newer = new DatabaseSync(file);
  newer.exec('PRAGMA user_version = 7');
  newer.close();
  expect(() => openLedger(file)).toThrow(/version 7/);
});

it('fills of a ledger of version 2 are in no attribution, and later fills are', () => {
  const file = join(folder(), 'ledger.db');
  const former = openLedger(file);
  const account = accountIdOf(former, { exchange: 'x', account: 'alice', mode: 'coins' });
  asVersion2(former);
  const fill = `INSERT INTO fills (tx_id, account_id, run, at, source, own, game_id, risk, win) VALUES (?, ?, 'r', 1, 'feed', 1, 'g', 5, 6)`;
  former.prepare(fill).run('old', account);
  former.close();
  const db = openLedger(file);
  expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 6 });
  expect(db.prepare('SELECT * FROM attribution').all()).toEqual([]);
  expect(db.prepare('SELECT * FROM run_figures').all()).toEqual([]);
  db.prepare(fill).run('new', account);
  const attribute = `UPDATE fills SET order_run = 'r', spread = 2, drift = 1, clv = 3, keys = '{"type":"total"}' WHERE tx_id = 'new'`;
  db.exec(attribute);
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

it('the commission of a market is shared by its winning fills, in whichever order they were settled', () => {
  const file = join(folder(), 'ledger.db');
  const former = openLedger(file);
  const account = accountIdOf(former, { exchange: 'x', account: 'alice', mode: 'coins' });
  // version 3 had no column `at_limits`, and each fill had the commission that was kept when it was settled
  former.exec('DROP VIEW attribution; DROP VIEW attributed_fills; DROP VIEW settled_fills');
  former.exec(
    'CREATE VIEW attribution AS SELECT 1; CREATE VIEW attributed_fills AS SELECT 1; ALTER TABLE run_figures DROP COLUMN at_limits; ALTER TABLE settlements DROP COLUMN result; PRAGMA user_version = 3',
  );
  for (const [tx, strategy, market, profit, commission] of [
    ['a', 'one', 'm', 100, 5],
    ['b', 'two', 'm', 300, 15],
    ['c', 'two', 'm', -200, -10],
    ['d', 'one', 'n', 60, 3],
  ] as const) {
    former
      .prepare(
        `INSERT INTO fills (tx_id, account_id, run, at, source, own, game_id, market, strategy, risk, win) VALUES (?, ?, 'r', 1, 'feed', 1, 'g', ?, ?, 5, 6)`,
      )
      .run(tx, account, market, strategy);
    former
      .prepare(
        `INSERT INTO settlements (tx_id, account_id, run, at, source, profit, is_told, commission) VALUES (?, ?, 'r', 2, 'graded', ?, 1, ?)`,
      )
      .run(tx, account, profit, commission);
  }
  former.close();
  const db = openLedger(file);
  expect(db.prepare('SELECT tx_id, commission FROM settled_fills ORDER BY tx_id').all()).toEqual([
    { tx_id: 'a', commission: 3 },
    { tx_id: 'b', commission: 8 },
    { tx_id: 'c', commission: 0 },
    { tx_id: 'd', commission: 3 },
  ]);
  expect(db.prepare('SELECT at_limits FROM run_figures').all()).toEqual([]);
  // the next run reads the settled net of a market only while another fill in it is open
  const insert = `INSERT INTO fills (tx_id, account_id, run, at, source, own, game_id, market, type, side, risk, win) VALUES ('e', ?, 'r', 1, 'feed', 1, 'g', 'm', 'moneyline', 'home', 5, 6)`;
  expect(readDay(db, account, 0, 1)).not.toHaveProperty('nets');
  db.prepare(insert).run(account);
  db.exec(`UPDATE fills SET market = 'g/moneyline' WHERE market = 'm'`);
  expect(readDay(db, account, 0, 1).nets).toEqual([{ market: 'g/moneyline', net: 200 }]);
  db.exec(`DELETE FROM fills WHERE tx_id = 'e'`);
  expect(readDay(db, account, 0, 1)).not.toHaveProperty('nets');
  // a fill that an operator settled may be opened again, though no other fill is open
  db.exec(`UPDATE settlements SET source = 'operator' WHERE tx_id = 'a'`);
  expect(readDay(db, account, 0, 1).nets).toEqual([{ market: 'g/moneyline', net: 200 }]);
  db.exec(`UPDATE settlements SET source = 'graded' WHERE tx_id = 'a'`);
  expect(readPnl(db, [account], 'strategy', 0).map(({ key, settled }) => [key, settled])).toEqual([
    ['one', 154],
    ['two', 92],
  ]);
  db.close();
});

it('a migrated ledger of version 4 has no closing price for fills in play', () => {
  const file = join(folder(), 'ledger.db');
  const former = openLedger(file);
  const account = accountIdOf(former, { exchange: 'x', account: 'alice', mode: 'coins' });
  const fill = former.prepare(
    `INSERT INTO fills (tx_id, account_id, run, at, source, own, game_id, risk, win, starts_at, in_play, clv)
     VALUES (?, ?, 'r', ?, 'feed', 1, 'g', 5, 6, 100, ?, 3)`,
  );
  fill.run('before', account, 99, 0);
  fill.run('begun', account, 100, 0);
  fill.run('live', account, 50, 1);
  former.exec('ALTER TABLE settlements DROP COLUMN result; PRAGMA user_version = 4');
  former.close();
  const db = openLedger(file);
  expect(db.prepare('SELECT tx_id, clv FROM fills ORDER BY at').all()).toEqual([
    { tx_id: 'live', clv: null },
    { tx_id: 'before', clv: 3 },
    { tx_id: 'begun', clv: null },
  ]);
  db.close();
});
