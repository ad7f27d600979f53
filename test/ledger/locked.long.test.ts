// Another program locks the ledger at the end of a run and at the start of the next one. The exchange's own
// figures are the reference for the rows that the ledger must have in the end.
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { eventually } from '../guard/fixtures.ts';
import { ledgerScene, stop } from './fixtures.ts';

const TABLES = ['runs', 'orders', 'fills', 'settlements', 'marks', 'alerts', 'operator_actions', 'run_figures'];

/** Locks the ledger as a program does that began a transaction and hangs. */
function lock(file: string): () => void {
  const db = new DatabaseSync(file, { timeout: 5000 });
  db.exec('BEGIN IMMEDIATE');
  return () => {
    db.exec('ROLLBACK');
    db.close();
  };
}

it('a bot that ends with a locked ledger names the missing rows, exits 76, and the next start adds them', async () => {
  const { startBot, ledger, admin, count, rows, ctl, config, quotes } = await ledgerScene();
  const filled = async (): Promise<number> => Number((await admin('GET', '/accounts/alice'))['fills']);

  const first = startBot();
  await eventually('a fill is in the ledger', () => count('fills') > 0, 60_000);
  const unlock = lock(ledger);
  const before = Object.fromEntries(TABLES.map((table) => [table, count(table)]));
  const known = await filled();
  await eventually('the exchange has more fills', async () => (await filled()) >= known + 5, 60_000);
  // commands of an operator are among the rows that wait
  expect((await ctl('pause')).code).toBe(0);
  expect((await ctl('resume')).code).toBe(0);
  const stoppedAt = performance.now();
  const ended = await stop(first);
  expect(ended.code, ended.stderr).toBe(76);
  expect(performance.now() - stoppedAt).toBeGreaterThan(10_000);
  expect(ended.stderr).toMatch(/LEDGER_UNWRITTEN/);
  expect(ended.stderr).toContain(`oddsmaker pnl ${config} --rebuild`);
  expect(ended.stderr).toMatch(/"exit":76,"reason":"stopped; the ledger is not written: \d+ rows/);
  const all = await filled();
  expect(count('fills')).toBeLessThan(all);

  // still locked: the bot does not start, and the ledger is not set aside
  const refused = await startBot().ended;
  expect(refused.code, refused.stderr).toBe(75);
  expect(refused.stderr).toMatch(/another program keeps the ledger locked/);
  expect(readdirSync(dirname(ledger)).filter((name) => name.includes('lost'))).toEqual([]);

  unlock();
  const second = startBot();
  await second.prints('stderr', /the ledger lacked rows of a former run: they are taken in from its journal/);
  await eventually('the ledger has all fills', () => count('fills') >= all);
  const after = Object.fromEntries(TABLES.map((table) => [table, count(table)]));
  for (const table of TABLES) expect(after[table], table).toBeGreaterThanOrEqual(before[table] ?? 0);
  const [run] = rows('SELECT ended_at, exit_code, pid FROM runs ORDER BY started_at LIMIT 1');
  expect(run).toMatchObject({ exit_code: 0, pid: first.child.pid });
  expect(rows('SELECT command FROM operator_actions ORDER BY at').map((row) => row['command'])).toEqual(
    expect.arrayContaining(['pause', 'resume', 'stop']),
  );
  // rows of the second run follow
  await quotes(1);
  expect((await stop(second)).code).toBe(0);
  expect(count('runs')).toBe(2);
  expect(count('fills')).toBe(await filled());
}, 240_000);
