// A ledger of a former version is brought up to this one, and loses nothing.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { accountIdOf, openLedger } from '../../src/ops/index.ts';
import { folder } from '../support/children.ts';

it('a ledger of version 1 gets what it lacks, once', () => {
  const file = join(folder(), 'ledger.db');
  const first = openLedger(file);
  const account = accountIdOf(first, { exchange: 'x', account: 'alice', mode: 'coins' });
  // as version 1 made it
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
    expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 2 });
    expect(db.prepare('SELECT command, who FROM operator_actions').all()).toEqual([
      { command: 'pause', who: null },
    ]);
    expect(db.prepare('SELECT config_hash FROM runs').all()).toEqual([]);
    db.close();
  }
  const newer = new DatabaseSync(file);
  newer.exec('PRAGMA user_version = 3');
  newer.close();
  expect(() => openLedger(file)).toThrow(/version 3/);
});
