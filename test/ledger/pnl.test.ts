// The profit of an account, from a ledger with known fills and from a ledger that a bot wrote.
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { EventOf, TxId } from '../../src/domain/index.ts';
import { accountIdOf, openLedger } from '../../src/ledger/index.ts';
import { command, folder, run, TWO_SIDED, writeConfig } from '../support/children.ts';

const DAY = Date.UTC(2026, 10, 24, 8);
const MICROS = 1_000_000;

/**
 * A settled game, an open and marked one, a fill without a strategy, and another account that must not count.
 */
function ledgerAt(file: string): void {
  const db = openLedger(file);
  const account = accountIdOf(db, { exchange: 'http://127.0.0.1:1', account: 'alice', mode: 'coins' });
  const other = accountIdOf(db, { exchange: 'http://127.0.0.1:1', account: 'alice', mode: 'cash' });
  const fill = db.prepare(
    `INSERT INTO fills (tx_id, account_id, run, at, day, source, own, strategy, game_id, event, market, type, side, risk, win)
     VALUES (?, ?, 'r', ?, ?, 'feed', ?, ?, ?, ?, ?, 'moneyline', ?, ?, ?)`,
  );
  const insert = (
    tx: string,
    accountId: number,
    filledAt: number,
    strategy: string | null,
    game: string,
    side: string,
    risk: number,
    win: number,
  ): void => {
    fill.run(
      tx,
      accountId,
      filledAt,
      DAY,
      strategy === null ? 0 : 1,
      strategy,
      game,
      `game ${game}`,
      `${game}/moneyline`,
      side,
      risk * MICROS,
      win * MICROS,
    );
  };
  insert('a', account, DAY + 1000, 'main', 'g1', 'home', 100, 105);
  insert('b', account, DAY + 2000, 'main', 'g1', 'away', 100, 95);
  insert('c', account, DAY + 3000, 'wide', 'g2', 'away', 50, 50);
  insert('d', account, DAY + 4000, null, 'g3', 'home', 10, 10);
  insert('e', other, DAY + 4000, 'main', 'g1', 'home', 1000, 1000);
  const settled = db.prepare(
    `INSERT INTO settlements (tx_id, account_id, run, at, day, source, profit, is_told) VALUES (?, ?, 'r', ?, ?, 'graded', ?, 1)`,
  );
  settled.run('a', account, DAY + 9000, DAY, 105 * MICROS);
  settled.run('b', account, DAY + 9000, DAY, -100 * MICROS);
  const mark = db.prepare(
    `INSERT INTO marks (account_id, market, minute, run, at, game_id, price, position_first, position_second, staked, marked)
     VALUES (?, 'g2/moneyline', ?, 'r', ?, 'g2', ?, 0, 0, 0, 0)`,
  );
  mark.run(account, 60_000, 60_000, 0.9);
  mark.run(account, 120_000, 120_000, 0.4);
  db.close();
}

/** Three games of the same teams, two on one day and one on the next, each with one settled fill. */
function doubleheaderAt(file: string): void {
  const db = openLedger(file);
  const account = accountIdOf(db, { exchange: 'http://127.0.0.1:1', account: 'alice', mode: 'coins' });
  const fill = db.prepare(
    `INSERT INTO fills (tx_id, account_id, run, at, day, source, own, strategy, game_id, event, starts_at, market, type, line,
       side, risk, win, order_run, keys)
     VALUES (?, ?, 'r', ?, ?, 'feed', 1, 'main', ?, 'Hawks @ Bulls', ?, ?, 'spread', -1.5, 'home', ?, ?, 'r', ?)`,
  );
  const settled = db.prepare(
    `INSERT INTO settlements (tx_id, account_id, run, at, day, source, profit, is_told) VALUES (?, ?, 'r', ?, ?, 'graded', ?, 1)`,
  );
  for (const [game, hours, profit] of [
    ['g1', 9, 55],
    ['g2', 13, -50],
    ['g3', 33, -50],
  ] as const) {
    const market = `${game}/spread/-1.5`;
    fill.run(
      ...[`tx-${game}`, account, DAY + hours, DAY, game, DAY + hours * 3_600_000, market],
      ...[50 * MICROS, 55 * MICROS, JSON.stringify({ game, market })],
    );
    settled.run(`tx-${game}`, account, DAY + 9000, DAY, profit * MICROS);
  }
  db.close();
}

const configAt = (home: string): string =>
  writeConfig(
    [
      'exchange: { restUrl: http://127.0.0.1:1, socketUrl: http://127.0.0.1:1, username: alice, password: x, playerMode: coins }',
      'strategies:',
      `  - { use: ${TWO_SIDED}, id: main, params: { edge: 0.012, risk: 100 } }`,
      'ledger: { file: ./ledger.db }',
      '',
    ].join('\n'),
    home,
  );

describe('pnl', () => {
  it('values settled fills as booked, open fills at the last price, and unpriced open fills as lost', async () => {
    const home = folder();
    ledgerAt(join(home, 'ledger.db'));
    const config = configAt(home);
    const ask = async (...flags: readonly string[]): Promise<unknown> => {
      const { code, stdout } = await command(['pnl', config, '--json', ...flags]);
      expect(code).toBe(0);
      return JSON.parse(stdout);
    };
    const g1 = { fills: 2, risk: 200, pnl: 5, settled: 5, open: 0 };
    const g2 = { fills: 1, risk: 50, pnl: 10, settled: 0, open: 10 };
    const g3 = { fills: 1, risk: 10, pnl: -10, settled: 0, open: -10 };
    const all = { fills: 4, risk: 260, pnl: 5, settled: 5, open: 0 };
    expect(await ask()).toEqual({ rows: [{ key: '2026-11-24', name: '2026-11-24', ...all }] });
    expect(await ask('--by', 'game')).toEqual({
      rows: [
        { key: 'g1', name: 'game g1', ...g1 },
        { key: 'g2', name: 'game g2', ...g2 },
        { key: 'g3', name: 'game g3', ...g3 },
      ],
    });
    expect(await ask('--by', 'market')).toMatchObject({
      rows: [{ key: 'g1/moneyline', name: 'game g1 moneyline', ...g1 }, {}, {}],
    });
    expect(await ask('--by', 'strategy')).toEqual({
      rows: [
        { key: 'main', name: 'main', ...g1 },
        { key: 'not ours', name: 'not ours', ...g3 },
        { key: 'wide', name: 'wide', ...g2 },
      ],
    });
    expect(await ask('--since', '2026-11-24T08:00:03Z')).toMatchObject({ rows: [{ fills: 2, risk: 60 }] });
    expect(await ask('--since', '2027-01-01')).toEqual({ rows: [] });
    const { stdout } = await command(['pnl', config, '--by', 'strategy']);
    expect(stdout.split('\n').map((line) => line.replace(/ +/g, ' '))).toEqual([
      'strategy fills risk settled open pnl',
      'main 2 $200.00 $5.00 $0.00 $5.00',
      'not ours 1 $10.00 $0.00 -$10.00 -$10.00',
      'wide 1 $50.00 $0.00 $10.00 $10.00',
      'all 4 $260.00 $5.00 $0.00 $5.00',
      // not a loss yet, though it looks like one
      '1 open fill has no price and count as lost, $10.00 in all: they may be worth something.',
      '',
    ]);
  });

  it('has a row for each game, also for games of the same name', async () => {
    const home = folder();
    doubleheaderAt(join(home, 'ledger.db'));
    const config = configAt(home);
    const first = { fills: 1, risk: 50, pnl: 55, settled: 55, open: 0 };
    const second = { fills: 1, risk: 50, pnl: -50, settled: -50, open: 0 };
    const printed = async (...flags: readonly string[]): Promise<unknown> =>
      JSON.parse((await command(['pnl', config, '--json', ...flags])).stdout);
    expect(await printed('--by', 'game')).toEqual({
      rows: [
        { key: 'g1', name: 'Hawks @ Bulls', ...first },
        { key: 'g2', name: 'Hawks @ Bulls', ...second },
        { key: 'g3', name: 'Hawks @ Bulls', ...second },
      ],
    });
    expect(await printed('--by', 'market')).toEqual({
      rows: [
        { key: 'g1/spread/-1.5', name: 'Hawks @ Bulls spread -1.5', ...first },
        { key: 'g2/spread/-1.5', name: 'Hawks @ Bulls spread -1.5', ...second },
        { key: 'g3/spread/-1.5', name: 'Hawks @ Bulls spread -1.5', ...second },
      ],
    });
    expect(await printed('--attribution', 'game')).toMatchObject({
      rows: [
        { key: 'g1', name: 'Hawks @ Bulls' },
        { key: 'g2', name: 'Hawks @ Bulls' },
        { key: 'g3', name: 'Hawks @ Bulls' },
      ],
    });
    const shown = async (...flags: readonly string[]): Promise<readonly string[]> =>
      (await command(['pnl', config, ...flags])).stdout.split('\n').map((row) => row.split('  ')[0] ?? '');
    expect(await shown('--by', 'game')).toEqual([
      'game',
      'Hawks @ Bulls, 2026-11-24 17:00',
      'Hawks @ Bulls, 2026-11-24 21:00',
      'Hawks @ Bulls, 2026-11-25 17:00',
      ...['all', ''],
    ]);
    expect((await shown('--attribution', 'game')).slice(1, 4)).toEqual([
      'Hawks @ Bulls, 2026-11-24 17:00',
      'Hawks @ Bulls, 2026-11-24 21:00',
      'Hawks @ Bulls, 2026-11-25 17:00',
    ]);
    const { stdout } = await command(['pnl', config, '--fills']);
    expect(stdout).toContain('Hawks @ Bulls, 2026-11-24 21:00 spread -1.5');
  });

  it('refuses a missing ledger, an unknown grouping and an unreadable time', async () => {
    const home = folder();
    const config = configAt(home);
    expect(await command(['pnl', config])).toMatchObject({
      code: 65,
      stderr: expect.stringContaining('is not there') as string,
    });
    expect(await command(['pnl', config, '--by', 'moon'])).toMatchObject({ code: 2 });
    expect(await command(['pnl', config, '--since', 'soon'])).toMatchObject({ code: 2 });
  });

  it('shows the fills that a run reported, each with its fair prices and markouts', async () => {
    const home = folder();
    const config = writeConfig(
      [
        'exchange: { embedded: { traders: synthetic, games: 4 } }',
        'strategies:',
        `  - { use: ${TWO_SIDED}, id: main, params: { edge: 0.004, risk: 100 } }`,
        'journal: { dir: ./run }',
        'ledger: { file: ./run/ledger.db }',
        'ops: { port: 0 }',
        '',
      ].join('\n'),
      home,
    );
    const { code, stdout } = await run(['run', config, '--for', '12s', '--json']);
    expect(code).toBe(0);
    const result = JSON.parse(stdout) as { readonly fills: number; readonly riskFilled: number };
    expect(result.fills).toBeGreaterThan(3);
    const printed = await command(['pnl', config, '--by', 'strategy', '--json']);
    expect(JSON.parse(printed.stdout)).toMatchObject({
      rows: [{ key: 'main', fills: result.fills, settled: 0 }],
    });
    const db = new DatabaseSync(join(dirname(config), 'run', 'ledger.db'));
    const rows = db
      .prepare('SELECT tx_id, role, side, price, fair, f0, markouts, risk, win FROM fills ORDER BY at')
      .all();
    // the price right before a fill, which may have moved when the fill was known
    const events = await command(['events', join(dirname(config), 'run'), '--type', 'Fill', '--json']);
    expect(events.code, events.stderr).toBe(0);
    const reported = new Map(
      events.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as EventOf<'Fill'>)
        .map((fill) => [fill.txId, fill]),
    );
    for (const { tx_id: txId, role, side, fair, f0 } of rows) {
      expect(role).toBe('maker');
      const fill = reported.get(txId as TxId);
      expect(Number(fair)).toBeCloseTo(fill?.fair ?? Number.NaN, 9);
      const before = fill?.before?.consensus ?? Number.NaN;
      expect(Number(f0)).toBeCloseTo(side === 'home' || side === 'over' ? before : 1 - before, 9);
    }
    // the first fill is older than five seconds
    expect(Object.keys(JSON.parse(String(rows[0]?.['markouts'])) as object)).toEqual(
      expect.arrayContaining(['1', '5']),
    );
    db.close();
  });
});
