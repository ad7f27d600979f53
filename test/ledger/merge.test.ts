// Merges one ledger into another: final values stay, missing ones are filled in, and a result that was taken
// back does not return.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { accountIdOf, openLedger } from '../../src/ledger/index.ts';
import { mergeLedger } from '../../src/ledger/merge.ts';
import type { StatementName, Value } from '../../src/ledger/schema.ts';
import { LedgerWriter } from '../../src/ledger/writer.ts';
import { folder } from '../support/children.ts';

type Rows = readonly (readonly [StatementName, Readonly<Record<string, Value>>])[];

function writeLedger(file: string, account: string, rows: Rows): void {
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

/** The tables of `mine` after `theirs` was merged into it, and the counts of added rows. */
function merged(mine: Rows, theirs: Rows) {
  const home = folder();
  // another account comes first there, so that the ids differ
  writeLedger(join(home, 'mine.db'), 'bob', []);
  writeLedger(join(home, 'mine.db'), 'alice', mine);
  writeLedger(join(home, 'theirs.db'), 'alice', theirs);
  const db = openLedger(join(home, 'mine.db'));
  const counts = mergeLedger(db, join(home, 'theirs.db'));
  const all = (table: string) => db.prepare(`SELECT * FROM ${table}`).all();
  const rows = {
    orders: all('orders'),
    fills: all('fills'),
    settlements: all('settlements'),
    accounts: all('accounts'),
  };
  db.close();
  return { counts, ...rows };
}

describe('mergeLedger', () => {
  it('adds missing rows under the account that owns them', () => {
    const { counts, orders, accounts } = merged([], [['order', ORDER]]);
    expect(counts['orders']).toEqual({ rows: 1, added: 1 });
    expect(accounts).toHaveLength(2);
    expect(orders[0]).toMatchObject({
      ref: 'o',
      account_id: accounts.find(({ account }) => account === 'alice')?.['id'],
    });
  });

  it('fills in a later answer, the order of a fill and the final result of a bet', () => {
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
    const { counts, orders, fills, settlements } = merged(
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
    expect(counts).toMatchObject({ orders: { added: 0 }, fills: { added: 0 }, settlements: { added: 0 } });
  });

  it('removes no row and changes no known value', () => {
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
    // settled again after the operator took the result back
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
