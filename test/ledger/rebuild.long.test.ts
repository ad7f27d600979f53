// A ledger rebuilt from journals equals the ledger that the runs wrote, except for what no journal has.
import { readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { ROOT, run, start } from '../support/children.ts';
import { eventually } from '../guard/fixtures.ts';
import { kill, ledgerScene, stop } from './fixtures.ts';

const KEYS: Readonly<Record<string, string>> = {
  accounts: 'exchange',
  runs: 'run',
  orders: 'ref',
  fills: 'tx_id',
  settlements: 'tx_id',
  marks: 'market, minute',
  run_figures: 'run, turn',
  alerts: 'run, seq, code, fields',
  operator_actions: 'run, seq',
};
/** The columns that `pnl --rebuild` names as absent from journals. */
const NOT_IN_JOURNALS: Readonly<Record<string, readonly string[]>> = {
  runs: ['pid', 'host', 'ended_at', 'figures'],
  alerts: ['state', 'resolved_at'],
};

/** Rows of the ledger, read as any program may read them. */
function query(sql: string): readonly Readonly<Record<string, unknown>>[] {
  const db = new DatabaseSync(ledger, { readOnly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

type Rows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

function rowsOf(file: string, without = NOT_IN_JOURNALS): Rows {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return Object.fromEntries(
      Object.entries(KEYS).map(([table, key]) => [
        table,
        db
          .prepare(`SELECT * FROM ${table} ${table === 'alerts' ? 'WHERE seq > 0' : ''} ORDER BY ${key}`)
          .all()
          // a kill may cost the last record of a journal, and with it the newest mark of each market
          .filter(
            (row) => table !== 'marks' || Number(row['at']) > killedAt || Number(row['minute']) < killedAt - 60_000,
          )
          .map((row) => (table === 'fills' ? { ...row, markouts: certainMarkouts(row) } : row))
          .map((row) =>
            Object.fromEntries(
              Object.entries(row).filter(
                ([name]) => name !== 'id' && name !== 'account_id' && without[table]?.includes(name) !== true,
              ),
            ),
          ),
      ]),
    );
  } finally {
    db.close();
  }
}

/** The journal of the killed run may lack the markouts of its last second. */
const LAST_MS = 1000;
function certainMarkouts({ at: filledAt, markouts }: Readonly<Record<string, unknown>>): unknown {
  if (typeof markouts !== 'string') return markouts;
  const known = Object.entries(JSON.parse(markouts) as Readonly<Record<string, number>>);
  return known.filter(([seconds]) => {
    const t = Number(filledAt) + 1000 * Number(seconds);
    return t < killedAt - LAST_MS || t > killedAt;
  });
}

let config: string;
let ledger: string;
let killedAt: number;
let gate: string;
const GATE =
  'name: try\ngames: 1\npass: { "identity.fills": ">= 1", "run.runs": "== 2" }\nkill: { "run.openAtExit": "> 0" }\n';
let live: Rows;

beforeAll(async () => {
  const scene = await ledgerScene();
  ({ config, ledger } = scene);
  const { venue, admin, ctl, count, rows } = scene;
  // one run that is killed, with a graded game, and one run with commands of an operator
  gate = join(dirname(config), 'gate.yaml');
  writeFileSync(gate, GATE);
  const startBot = () => start(['run', config, '--gate', gate]);
  const first = startBot();
  await eventually('the ledger has fills', () => count('fills') >= 3, 60_000);
  const played = rows('SELECT game_id FROM fills WHERE market IS NOT NULL LIMIT 1')[0]?.['game_id'];
  const game = venue.games.find(({ id }) => id === played);
  if (game === undefined) throw new Error('the game of the fill is unknown');
  // the start of the game closes its prices
  await admin('POST', `/games/${game.id}`, { live: true });
  await sleep(1000);
  await admin('POST', `/games/${game.id}`, { ended: true });
  await admin('POST', `/games/${game.id}/grade`, { home: 100, away: 90 });
  await eventually('the game is settled', () => count('settlements') >= 1);
  // a journal may lack the last half second before a kill
  expect((await ctl('pause')).code).toBe(0);
  await sleep(1500);
  killedAt = Date.now();
  await kill(first);
  const second = startBot();
  await eventually('the bot takes commands', async () => (await ctl('pause')).code === 0);
  expect((await ctl('resume')).code).toBe(0);
  // by then the second run has adopted the state of the first
  await eventually('the second run places', () => rows('SELECT DISTINCT run FROM orders').length === 2);
  // the last price that the first run saw may be in no journal
  await eventually('the second run has priced all open fills', () => {
    const unpriced = rows(
      `SELECT f.market FROM fills f LEFT JOIN settlements s USING (account_id, tx_id)
       WHERE s.tx_id IS NULL AND f.market NOT IN (SELECT market FROM marks WHERE at > ${killedAt})`,
    );
    return unpriced.length === 0;
  });
  expect((await stop(second)).code).toBe(0);
  live = rowsOf(ledger);
}, 120_000);

describe('pnl --rebuild', () => {
  it('makes the ledger that the runs wrote from their journals alone', async () => {
    for (const table of ['orders', 'fills', 'settlements', 'run_figures', 'operator_actions'])
      expect(live[table]?.length, table).toBeGreaterThan(0);
    // marks of the minute of the kill are not compared, and there may be no others
    expect(query('SELECT * FROM marks').length).toBeGreaterThan(0);
    // each ended order has the reason of its end, and most have the money ahead of them when they were
    // accepted
    const orders = live['orders'] ?? [];
    expect(orders.filter((row) => row['ended_at'] === null)).toEqual([]);
    expect(new Set(orders.map((row) => row['ended_as']))).toContain('cancel');
    expect(orders.filter((row) => typeof row['queue_ahead'] === 'number').length).toBeGreaterThan(orders.length / 2);
    expect((live['settlements'] ?? []).every((row) => row['commission'] === 0)).toBe(true);
    const table = (await run(['pnl', config])).stdout;
    renameSync(ledger, `${ledger}.live`);
    for (const ending of ['-wal', '-shm']) rmSync(ledger + ending, { force: true });
    const { code, stdout, stderr } = await run(['pnl', config, '--rebuild']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: table });
    expect(stderr).toMatch(/2 journals taken in; added: runs 2, days 1, orders \d+/);
    expect(stderr).toContain('what no journal has');
    expect(rowsOf(ledger)).toEqual(live);
    expect(readdirSync(dirname(ledger)).filter((name) => name.includes('rebuild'))).toEqual([]);
  });

  it('gives the games and the profit that the gate of both runs passes with', async () => {
    const { code, stdout } = await run(['gate', gate, join(dirname(config), 'run'), '--json']);
    const outcome = JSON.parse(stdout) as {
      readonly verdict: string;
      readonly games: number;
      readonly figures: {
        readonly identity: Readonly<Record<'spread' | 'drift' | 'luck' | 'pnl' | 'unpriced', number>>;
      };
    };
    const settled = query(
      'SELECT sum(profit) / 1e6 AS profit, count(DISTINCT game_id) AS games FROM settlements JOIN fills USING (account_id, tx_id)',
    );
    const { spread, drift, luck, pnl, unpriced } = outcome.figures.identity;
    expect({ code, verdict: outcome.verdict, games: outcome.games, unpriced }).toEqual({
      code: 0,
      verdict: 'PASS',
      games: settled[0]?.['games'],
      unpriced: 0,
    });
    expect(pnl).toBeCloseTo(Number(settled[0]?.['profit']), 2);
    expect(spread + drift + luck).toBeCloseTo(pnl, 1);
  });

  it('makes a ledger that answers the twelve queries of docs/ledger.md', () => {
    const text = readFileSync(join(ROOT, 'docs/ledger.md'), 'utf8');
    const questions = [...text.matchAll(/```sql\n([^]*?)```/g)].map(([, sql = '']) => sql);
    expect(questions).toHaveLength(12);
    const answers = questions.map((sql) => query(sql).length);
    // no order was refused, and no fill has a closing price
    expect(answers.filter((rows) => rows === 0).length, String(answers)).toBeLessThanOrEqual(2);
  });

  it('adds missing rows and removes none', async () => {
    const db = new DatabaseSync(ledger);
    const [run1] = (live['runs'] ?? []).map((row) => String(row['run']));
    // removes what a kill may cost, and adds what no journal has any more
    db.prepare('UPDATE orders SET answered_at = NULL, order_id = NULL, ended_at = NULL WHERE run = ?').run(run1 ?? '');
    db.exec('DELETE FROM fills');
    db.exec(`INSERT INTO runs SELECT 'older', account_id, 7, 'elsewhere', version, instance, 1, 2, 0, 'stopped', 'gone.ndjson',
      config_file, strategies, figures, config_hash FROM runs LIMIT 1`);
    db.exec(`INSERT INTO alerts (account_id, run, at, seq, level, code, message, fields)
      SELECT account_id, run, 1, 0, 'warn', 'NO_GUARD', 'no guard', '{}' FROM runs LIMIT 1`);
    db.close();
    const { code, stderr } = await run(['pnl', config, '--rebuild']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/added: fills \d+\n/);
    expect(stderr).toContain('1 runs have no journal any more');
    const now = rowsOf(ledger);
    for (const table of ['orders', 'fills', 'settlements', 'marks', 'operator_actions'])
      expect(now[table]).toEqual(live[table]);
    expect(now['runs']?.filter((row) => row['run'] === 'older')).toHaveLength(1);
    expect(query("SELECT count(*) AS n FROM alerts WHERE code = 'NO_GUARD' AND at = 1")).toEqual([{ n: 1 }]);
  });

  it('names a torn journal, and leaves a ledger of a newer version as it is', async () => {
    const dir = join(dirname(config), 'run');
    const [first = ''] = readdirSync(dir).filter((name) => name.endsWith('.ndjson.zst'));
    const whole = readFileSync(join(dir, first));
    truncateSync(join(dir, first), Math.floor(whole.length * 0.7));
    const before = rowsOf(ledger, {});
    const ended = await run(['pnl', config, '--rebuild', '--json']);
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain(`${first}: it breaks off behind record`);
    const { rebuilt } = JSON.parse(ended.stdout) as {
      readonly rebuilt: { readonly journals: number; readonly incomplete: readonly unknown[] };
    };
    expect(rebuilt.journals).toBe(2);
    expect(rebuilt.incomplete).toHaveLength(1);
    for (const table of ['orders', 'fills', 'settlements', 'operator_actions'])
      expect(rowsOf(ledger, {})[table], table).toEqual(before[table]);
    writeFileSync(join(dir, first), whole);
    const newer = new DatabaseSync(ledger);
    newer.exec('PRAGMA user_version = 99');
    newer.close();
    const refused = await run(['pnl', config, '--rebuild']);
    expect(refused.code).toBe(65);
    expect(refused.stderr).toMatch(/version 99/);
    expect(rowsOf(ledger, {})).toEqual(before);
  });

  it('makes a ledger that the next run needs to start after the old one was lost', async () => {
    for (const ending of ['', '-wal', '-shm']) rmSync(ledger + ending, { force: true });
    const lost = await run(['run', config, '--for', '1s']);
    expect(lost.code).toBe(65);
    expect(lost.stderr).toMatch(/LEDGER_LOST|--rebuild|--day-loss/);
    const rebuilt = await run(['pnl', config, '--rebuild']);
    expect(rebuilt.stderr).toContain('the next run takes the loss of the day from it');
    expect((await run(['run', config, '--for', '3s'])).code).toBe(0);
  });
});
