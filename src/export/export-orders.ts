// Exports the orders and quotes of a run from its journal: it rebuilds a temporary ledger from the journal
// and queries that.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { recordedConfig } from '../setup/index.ts';
import { headerOf } from '../journal/index.ts';
import { incompleteOf, replayInto, openLedger } from '../ledger/index.ts';
import type { Column, Row } from '../table/index.ts';
import { ORIGIN } from './export-books.ts';

const text = (...names: readonly string[]): Column[] => names.map((name) => ({ name, kind: 'text' }));
const number = (...names: readonly string[]): Column[] => names.map((name) => ({ name, kind: 'number' }));
const time = (...names: readonly string[]): Column[] => names.map((name) => ({ name, kind: 'time' }));
const integer = (...names: readonly string[]): Column[] => names.map((name) => ({ name, kind: 'integer' }));

type Table = { readonly columns: readonly Column[]; readonly sql: string };

/** SQL that converts a column from micro-dollars to dollars. */
const dollars = (column: string, as = column.replace(/^.*\./, '')): string => `${column} / 1e6 AS ${as}`;
/** SQL for the fair price of the row's own side: the ledger stores probabilities of the first side. */
const ofSide = (table: string): string =>
  `CASE WHEN ${table}.side IN ('home', 'over') THEN ${table}.fair ELSE 1 - ${table}.fair END`;
/** The exported tables. The columns after `scenario` are those of the SQL statement, in the same order. */
export const TABLES: Readonly<Record<'orders' | 'quotes', Table>> = {
  orders: {
    columns: [
      ...ORIGIN,
      ...time('time', 'answered_at', 'cancel_sent_at', 'ended_at'),
      ...text('game', 'market', 'type'),
      ...number('line'),
      ...text('side'),
      ...number('odds', 'risk', 'filled'),
      ...integer('fills'),
      ...number('fair', 'value', 'waited_ms', 'latency_ms', 'queue_ahead'),
      ...integer('http_status'),
      ...text('kind', 'fate', 'refusal', 'cause', 'said', 'cancel_cause', 'ended_as'),
      ...text('strategy', 'key', 'order', 'order_id', 'replaces'),
    ],
    sql: `SELECT o.run, o.sent_at, o.answered_at, o.cancel_sent_at, o.ended_at, o.game_id, o.market, o.type, o.line, o.side, o.odds,
        ${dollars('o.risk')}, coalesce(sum(f.risk), 0) / 1e6, count(f.tx_id),
        ${ofSide('o')}, ${dollars('o.value')}, o.waited_ms, o.latency_ms, ${dollars('o.queue_ahead')}, o.http_status, o.kind, o.fate,
        o.refusal, o.cause, o.said, o.cancel_cause, o.ended_as, o.strategy, o.slot_key, o.ref, o.order_id, o.replaces
      FROM orders o LEFT JOIN fills f ON f.account_id = o.account_id AND f.ref = o.ref
      GROUP BY o.account_id, o.ref ORDER BY o.sent_at, o.request, o.rowid`,
  },
  quotes: {
    columns: [
      ...ORIGIN,
      ...time('rested_from', 'rested_to'),
      ...text('game', 'market', 'type'),
      ...number('line'),
      ...text('side'),
      ...number('odds', 'probability', 'risk', 'filled', 'fair', 'queue_ahead'),
      ...text('ended_as', 'strategy', 'key', 'order'),
    ],
    sql: `SELECT o.run, o.answered_at, o.ended_at, o.game_id, o.market, o.type, o.line, o.side, o.odds,
        CASE WHEN o.odds > 0 THEN 100 / (100 + o.odds) ELSE o.odds / (o.odds - 100) END,
        ${dollars('o.risk')}, coalesce(sum(f.risk), 0) / 1e6, ${ofSide('o')}, ${dollars('o.queue_ahead')},
        o.ended_as, o.strategy, o.slot_key, o.ref
      FROM orders o LEFT JOIN fills f ON f.account_id = o.account_id AND f.ref = o.ref
      WHERE o.fate = 'accepted' GROUP BY o.account_id, o.ref ORDER BY o.answered_at, o.request, o.rowid`,
  },
};

/** The ledger rows of a run. Call `close` when they are no longer needed. */
export type RunLedger = {
  readonly rows: (table: Table, scenario: string) => Generator<Row, void, void>;
  /** Why rows are missing. Undefined when the ledger is complete. */
  readonly incomplete: string | undefined;
  readonly close: () => void;
};

/**
 * Rebuilds the ledger of a journal in a temporary folder.
 * @throws OddsmakerError JOURNAL_INVALID, STRATEGY_*
 */
export async function ledgerOf(journal: string): Promise<RunLedger> {
  const header = await headerOf(journal);
  const config = recordedConfig(journal, header);
  const folder = mkdtempSync(join(tmpdir(), 'oddsmaker-export-'));
  const file = join(folder, 'ledger.db');
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const incomplete = incompleteOf(await replayInto(file, journal, header, config));
    // a run that never began has no ledger file
    openLedger(file).close();
    const db = new DatabaseSync(file, { readOnly: true });
    return {
      incomplete: incomplete?.why,
      *rows({ sql, columns }, scenario) {
        for (const row of db.prepare(sql).iterate()) {
          const values = [scenario, ...Object.values(row)] as Row;
          yield values.map((cell, index) => (columns[index]?.kind === 'flag' && cell !== null ? cell === 1 : cell));
        }
      },
      close: () => {
        db.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}
