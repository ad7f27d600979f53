// A bot whose ledger a test can read during and between its runs.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Scene } from '../guard/fixtures.ts';
import { scene } from '../guard/fixtures.ts';
import type { Running } from '../support/children.ts';
import { TWO_SIDED } from '../support/children.ts';

/** Quotes close to the price of the others, so that orders fill within seconds. */
const BUSY = `strategies:\n  - { use: ${TWO_SIDED}, id: main, params: { edge: 0.002, risk: 100 } }\n`;

export type Row = Readonly<Record<string, unknown>>;

export type LedgerScene = Scene & {
  readonly ledger: string;
  /** Rows of the ledger, read as another program reads them. */
  readonly rows: (sql: string, ...values: readonly (string | number)[]) => readonly Row[];
  readonly count: (table: string) => number;
  /** Changes the configuration of the next run. */
  readonly change: (from: string | RegExp, to: string) => void;
  readonly admin: (method: string, path: string, body?: unknown) => Promise<Row>;
};

export async function ledgerScene(): Promise<LedgerScene> {
  const guarded = await scene(BUSY);
  const ledger = join(dirname(guarded.config), 'data/ledger.db');
  const rows: LedgerScene['rows'] = (sql, ...values) => {
    if (!existsSync(ledger)) return [];
    const db = new DatabaseSync(ledger, { readOnly: true, timeout: 5000 });
    try {
      return db.prepare(sql).all(...values);
    } catch (error) {
      // the bot is still creating the tables
      if (/no such table/.test(String(error))) return [];
      throw error;
    } finally {
      db.close();
    }
  };
  return {
    ...guarded,
    ledger,
    rows,
    count: (table) => Number(rows(`SELECT count(*) AS n FROM ${table}`)[0]?.['n'] ?? 0),
    change: (from, to) => {
      const text = readFileSync(guarded.config, 'utf8');
      const changed = text.replace(from, to);
      if (changed === text) throw new Error(`nothing to change: ${String(from)}`);
      writeFileSync(guarded.config, changed);
    },
    admin: async (method, path, body) => {
      const response = await fetch(guarded.venue.adminUrl + path, {
        method,
        ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as Row;
    },
  };
}

/** Ends the bot with kill -9. */
export async function kill(bot: Running): Promise<void> {
  bot.child.kill('SIGKILL');
  await bot.ended;
}

/** Ends the bot with Ctrl-C and waits for its end. */
export async function stop(bot: Running): Promise<Awaited<Running['ended']>> {
  bot.child.kill('SIGINT');
  return bot.ended;
}
