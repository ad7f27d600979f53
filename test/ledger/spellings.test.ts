// The ledger ignores the case of account names.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { accountIdOf, openLedger, readDay } from '../../src/ledger/index.ts';
import { mergeLedger } from '../../src/ledger/merge.ts';
import { accountsOf } from '../../src/ledger/pnl.ts';
import { LedgerWriter } from '../../src/ledger/writer.ts';
import { folder } from '../support/children.ts';

const keyOf = (account: string) => ({ exchange: 'https://x', account, mode: 'cash' });
const DAY = 1_000_000;

function withLoss(file: string, account: string, txId: string): void {
  const db = openLedger(file);
  const base = { txId, at: DAY + 1, day: DAY, source: 'graded' };
  new LedgerWriter(db, accountIdOf(db, keyOf(account)), 'run').write([
    { name: 'settlement', values: { ...base, profit: -5, isReported: 1 } },
  ]);
  db.close();
}

it('spellings of an account name that differ in case are one account, also in a merged ledger', () => {
  const [file, other] = [join(folder(), 'a.db'), join(folder(), 'b.db')];
  withLoss(file, 'alice', 't1');
  withLoss(file, 'Alice', 't2');
  withLoss(other, 'ALICE', 't3');
  const db = openLedger(file);
  mergeLedger(db, other);
  const id = accountIdOf(db, keyOf('aLICE'));
  expect(db.prepare('SELECT account FROM accounts').all()).toEqual([{ account: 'alice' }]);
  expect(readDay(db, id, DAY, DAY + 2).settled).toBe(-15);
  expect(accountsOf(db, keyOf('ALICE'))).toEqual([id]);
  db.close();
});

it('two accounts that an earlier version made of one name are united, with the losses of both', () => {
  const file = join(folder(), 'a.db');
  withLoss(file, 'alice', 't1');
  const db = openLedger(file);
  db.exec("INSERT INTO accounts (exchange, account, mode) VALUES ('https://x', 'Alice', 'cash')");
  new LedgerWriter(db, 2, 'run').write([
    {
      name: 'settlement',
      values: { txId: 't2', at: DAY + 1, day: DAY, source: 'graded', profit: -7, isReported: 1 },
    },
  ]);
  const id = accountIdOf(db, keyOf('Alice'));
  expect(id).toBe(1);
  expect(readDay(db, id, DAY, DAY + 2).settled).toBe(-12);
  expect(accountsOf(db, keyOf('alice'))).toEqual([1]);
  db.close();
});
