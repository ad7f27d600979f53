// One ledger taken into another: what is final stays, what is not is filled in, and what was taken back does not return.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { accountIdOf, openLedger } from '../../src/ledger/index.ts';
import { mergeLedger } from '../../src/ledger/merge.ts';
import type { StatementName, Value } from '../../src/ledger/schema.ts';
import { LedgerWriter } from '../../src/ledger/writer.ts';
import { folder } from '../support/children.ts';

type Rows = readonly (readonly [StatementName, Readonly<Record<string, Value>>])[];

function made(file: string, account: string, rows: Rows): void {
  const db = openLedger(file);
  const id = accountIdOf(db, { exchange: 'http://x', account, mode: 'coins' });
  new LedgerWriter(db, id, 'r').write(rows.map(([name, values]) => ({ name, values })));
  db.close();
}

const ORDER = {
  ref: 'o',
  request: 1,
  kind: 'place',
  gameId: 'g',
  market: 'm',
  type: 'moneyline',
  side: 'home',
  odds: 110,
  risk: 5,
  at: 1,
};
const FILL = { txId: 'f', at: 2, source: 'feed', own: 0, gameId: 'g', risk: 5 };
const SETTLED = { txId: 'f', at: 3, source: 'operator', profit: 7, isReported: 1 };

/** `mine`, with `theirs` taken in; and what was added. */
function merged(mine: Rows, theirs: Rows) {
  const at = folder();
  // other accounts come first there: ids differ
  made(join(at, 'mine.db'), 'bob', []);
  made(join(at, 'mine.db'), 'alice', mine);
  made(join(at, 'theirs.db'), 'alice', theirs);
  const db = openLedger(join(at, 'mine.db'));
  const told = mergeLedger(db, join(at, 'theirs.db'));
  const all = (table: string) => db.prepare(`SELECT * FROM ${table}`).all();
  const rows = {
    orders: all('orders'),
    fills: all('fills'),
    settlements: all('settlements'),
    accounts: all('accounts'),
  };
  db.close();
  return { told, ...rows };
}

describe('a merge', () => {
  it('adds what is missing under the account it is of', () => {
    const { told, orders, accounts } = merged([], [['order', ORDER]]);
    expect(told['orders']).toEqual({ rows: 1, added: 1 });
    expect(accounts).toHaveLength(2);
    expect(orders[0]).toMatchObject({
      ref: 'o',
      account_id: accounts.find(({ account }) => account === 'alice')?.['id'],
    });
  });

  it('fills in an answer that came, whose order it was, and what a result was in the end', () => {
    const answer = {
      ref: 'o',
      at: 5,
      latencyMs: 4,
      status: 200,
      fate: 'accepted',
      orderId: 'id',
      refusal: null,
    };
    const lost = { ...SETTLED, source: 'graded', profit: -5, isReported: 0 };
    const { told, orders, fills, settlements } = merged(
      [
        ['order', ORDER],
        ['fill', FILL],
        ['settlement', lost],
      ],
      [
        ['order', ORDER],
        ['answer', answer],
        ['fill', { ...FILL, own: 1, ref: 'o', strategy: 'main' }],
        ['settlement', { ...lost, profit: 9, isReported: 1 }],
      ],
    );
    expect(orders).toMatchObject([{ fate: 'accepted', order_id: 'id', http_status: 200 }]);
    expect(fills).toMatchObject([{ own: 1, ref: 'o', strategy: 'main' }]);
    expect(settlements).toMatchObject([{ profit: 9, is_told: 1 }]);
    expect(told).toMatchObject({ orders: { added: 0 }, fills: { added: 0 }, settlements: { added: 0 } });
  });

  it('takes nothing away, and changes nothing that is known', () => {
    const answer = {
      ref: 'o',
      at: 5,
      latencyMs: 4,
      status: 200,
      fate: 'refused',
      orderId: null,
      refusal: 'no',
    };
    const before: Rows = [
      ['order', ORDER],
      ['answer', answer],
      ['fill', { ...FILL, own: 1 }],
      ['settlement', SETTLED],
    ];
    const { orders, fills, settlements } = merged(before, [
      ['order', ORDER],
      ['fill', FILL],
      ['settlement', { ...SETTLED, profit: 1 }],
    ]);
    expect(orders).toMatchObject([{ fate: 'refused', refusal: 'no' }]);
    expect(fills).toMatchObject([{ own: 1 }]);
    expect(settlements).toMatchObject([{ profit: 7 }]);
  });

  it('does not bring back a result that an operator took back', () => {
    const action = { at: 4, seq: 9, command: 'unsettle', reason: null, who: 'x', fields: '{}' };
    expect(
      merged(
        [
          ['fill', FILL],
          ['action', action],
        ],
        [['settlement', SETTLED]],
      ).settlements,
    ).toEqual([]);
    // settled once more behind that
    expect(
      merged(
        [
          ['fill', FILL],
          ['action', action],
        ],
        [['settlement', { ...SETTLED, at: 8 }]],
      ).settlements,
    ).toHaveLength(1);
    expect(merged([['fill', FILL]], [['settlement', SETTLED]]).settlements).toHaveLength(1);
  });
});
