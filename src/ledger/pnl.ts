// What the fills of an account brought, out of the ledger: by day, game, market or strategy. What settled counts as it was
// booked; what is open counts at the last price that the ledger has, without one as if it were lost.
import type { DatabaseSync } from 'node:sqlite';
import { accountKey } from '../domain/index.ts';
import { namesOfUser } from './file.ts';

export const PNL_KEYS = ['day', 'game', 'market', 'strategy'] as const;
export type PnlKey = (typeof PNL_KEYS)[number];

/** Money in micro-dollars; `pnl` is settled and open together. Several games have one name, and each has an id of its own. */
export type PnlRow = {
  /** Of a game or a market its id. */
  readonly key: string;
  /** What people call it: teams, and of a market its type and line. Elsewhere the key. */
  readonly name: string;
  /** Of a game, Unix ms; undefined: it is not known, or the row is of something else. */
  readonly start: number | undefined;
  readonly fills: number;
  readonly risk: number;
  readonly pnl: number;
  readonly settled: number;
  readonly open: number;
};

/** Of a fill; days are of their time, UTC, where the day of the account is not known. */
const KEYS: Readonly<Record<PnlKey, string>> = {
  day: "strftime('%Y-%m-%d', coalesce(f.day, f.at) / 1000, 'unixepoch')",
  game: 'f.game_id',
  market: 'coalesce(f.market, f.game_id)',
  strategy: "coalesce(f.strategy, 'not ours')",
};

/** `accounts`: their ids; `since`: Unix ms. Rows by their names, those of one name by their starts. */
export function readPnl(db: DatabaseSync, accounts: readonly number[], by: PnlKey, since: number): readonly PnlRow[] {
  const among = accounts.map(() => '?').join(', ');
  const rows = db
    .prepare(
      `WITH last AS (
         SELECT account_id, market, price, max(minute) FROM marks WHERE price IS NOT NULL GROUP BY account_id, market
       )
       SELECT ${KEYS[by]} AS key, count(*) AS fills, sum(f.risk) AS risk, coalesce(sum(s.profit - coalesce(s.commission, 0)), 0) AS settled,
         coalesce(sum(CASE WHEN s.tx_id IS NULL THEN CASE
           WHEN last.price IS NULL OR f.win IS NULL THEN -f.risk
           WHEN f.side IN ('home', 'over') THEN round((f.risk + f.win) * last.price) - f.risk
           ELSE round((f.risk + f.win) * (1 - last.price)) - f.risk
         END END), 0) AS open,
         f.event, f.starts_at, f.type, f.line, max(iif(f.event IS NULL, NULL, f.at)) AS named_at
       FROM fills f
       LEFT JOIN settled_fills s ON s.account_id = f.account_id AND s.tx_id = f.tx_id
       LEFT JOIN last ON last.account_id = f.account_id AND last.market = f.market
       WHERE f.account_id IN (${among}) AND f.at >= ?
       GROUP BY key`,
    )
    .all(...accounts, since);
  return rows.map((row) => pnlRow(row, by)).sort(byName);
}

/** Columns that are no sums are those of the newest fill that names its game. */
function pnlRow(row: Readonly<Record<string, unknown>>, by: PnlKey): PnlRow {
  const [settled, open] = [Number(row['settled']), Number(row['open'])];
  const { key, event, type, line, starts_at: start } = row;
  const isNamed = (by === 'game' || by === 'market') && event !== null;
  const parts = (by === 'market' ? [event, type, line] : [event]).filter((part) => part !== null);
  return {
    key: String(key),
    name: isNamed ? parts.map(String).join(' ') : String(key),
    start: isNamed && start !== null ? Number(start) : undefined,
    fills: Number(row['fills']),
    risk: Number(row['risk']),
    pnl: settled + open,
    settled,
    open,
  };
}

function byName(a: PnlRow, b: PnlRow): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return (a.start ?? 0) - (b.start ?? 0) || (a.key < b.key ? -1 : 1);
}

/** Open fills whose market has no price in the ledger. */
export function readUnpriced(
  db: DatabaseSync,
  accounts: readonly number[],
  since: number,
): { readonly fills: number; readonly risk: number } {
  const row = db
    .prepare(
      `SELECT count(*) AS fills, coalesce(sum(f.risk), 0) AS risk FROM fills f
       WHERE f.account_id IN (${accounts.map(() => '?').join(', ')}) AND f.at >= ?
         AND NOT EXISTS (SELECT 1 FROM settlements s WHERE s.account_id = f.account_id AND s.tx_id = f.tx_id)
         AND (f.win IS NULL OR NOT EXISTS (SELECT 1 FROM marks m
           WHERE m.account_id = f.account_id AND m.market = f.market AND m.price IS NOT NULL))`,
    )
    .get(...accounts, since);
  return { fills: Number(row?.['fills']), risk: Number(row?.['risk']) };
}

/** Those of a configuration: an embedded exchange is another one at every run. */
export function accountsOf(
  db: DatabaseSync,
  {
    exchange,
    account,
    mode,
  }: { readonly exchange: string | undefined; readonly account: string; readonly mode: string },
): readonly number[] {
  const names =
    exchange === undefined || !hasUserIds(db) ? new Set([accountKey(account)]) : namesOfUser(db, exchange, account);
  const where = exchange === undefined ? "exchange LIKE 'embedded/%'" : 'exchange = :exchange';
  return db
    .prepare(`SELECT id, account FROM accounts WHERE ${where} AND mode = :mode`)
    .all({ ...(exchange === undefined ? {} : { exchange }), mode })
    .flatMap((row) => (names.has(accountKey(String(row['account']))) ? Number(row['id']) : []));
}

/** Ledgers of versions before 6 have none. */
const hasUserIds = (db: DatabaseSync): boolean =>
  db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'user_ids'").get() !== undefined;
