// A bot whose ledger can be looked into while it runs and between its lives.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Scene } from '../guard/fixtures.ts';
import { scene } from '../guard/fixtures.ts';
import type { Running } from '../support/children.ts';
import { TWO_SIDED } from '../support/children.ts';

/** Close to the others' price: it fills within seconds. */
const BUSY = `strategies:\n  - { use: ${TWO_SIDED}, id: main, params: { edge: 0.002, risk: 100 } }\n`;

export type Row = Readonly<Record<string, unknown>>;

export type LedgerScene = Scene & {
  readonly ledger: string;
  /** Rows as another program reads them. */
  readonly rows: (sql: string, ...values: readonly (string | number)[]) => readonly Row[];
  readonly count: (table: string) => number;
  /** Another configuration for the next life. */
  readonly change: (from: string | RegExp, to: string) => void;
  readonly admin: (method: string, path: string, body?: unknown) => Promise<Row>;
};

export async function ledgerScene(): Promise<LedgerScene> {
  const one = await scene(BUSY);
  const ledger = join(dirname(one.config), 'data/ledger.db');
  const rows: LedgerScene['rows'] = (sql, ...values) => {
    if (!existsSync(ledger)) return [];
    const db = new DatabaseSync(ledger, { readOnly: true, timeout: 5000 });
    try {
      return db.prepare(sql).all(...values);
    } catch (error) {
      // its tables are being made
      if (/no such table/.test(String(error))) return [];
      throw error;
    } finally {
      db.close();
    }
  };
  return {
    ...one,
    ledger,
    rows,
    count: (table) => Number(rows(`SELECT count(*) AS n FROM ${table}`)[0]?.['n'] ?? 0),
    change: (from, to) => {
      const text = readFileSync(one.config, 'utf8');
      const changed = text.replace(from, to);
      if (changed === text) throw new Error(`nothing to change: ${String(from)}`);
      writeFileSync(one.config, changed);
    },
    admin: async (method, path, body) => {
      const response = await fetch(one.venue.adminUrl + path, {
        method,
        ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as Row;
    },
  };
}

/** kill -9, and gone. */
export async function kill(bot: Running): Promise<void> {
  bot.child.kill('SIGKILL');
  await bot.ended;
}

/** Ctrl-C, and ended. */
export async function stop(bot: Running): Promise<Awaited<Running['ended']>> {
  bot.child.kill('SIGINT');
  return bot.ended;
}
