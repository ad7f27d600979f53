// Reads the P&L of an account from the ledger, by day, game, market or strategy. Settled fills count as
// booked. Open fills count at the last price in the ledger, and as lost without one.
import type { DatabaseSync } from 'node:sqlite';
import { accountKey } from '../domain/index.ts';
import { namesOfUser } from './file.ts';

export const PNL_KEYS = ['day', 'game', 'market', 'strategy'] as const;
export type PnlKey = (typeof PNL_KEYS)[number];

/**
 * One row. Money is micro-dollars; `pnl` is settled plus open. Several games may share a name, but each has
 * its own id.
 */
export type PnlRow = {
  /** The id of a game or a market; otherwise the day or the strategy. */
  readonly key: string;
  /** Name for people: the teams, and for a market its type and line. Otherwise the key. */
  readonly name: string;
  /** Start of the game, Unix ms. Undefined: it is not known, or the row has no game. */
  readonly start: number | undefined;
  readonly fills: number;
  readonly risk: number;
  readonly pnl: number;
  readonly settled: number;
  readonly open: number;
};

/** SQL key of a fill. Its day is that of the account, or the UTC day of its time when that is not known. */
const KEYS: Readonly<Record<PnlKey, string>> = {
  day: "strftime('%Y-%m-%d', coalesce(f.day, f.at) / 1000, 'unixepoch')",
  game: 'f.game_id',
  market: 'coalesce(f.market, f.game_id)',
  strategy: "coalesce(f.strategy, 'not ours')",
};

/**
 * The rows, sorted by name, then by start.
 * @param accounts their ids
 * @param since Unix ms
 */
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

/** Columns that are not sums come from the newest fill that names its game. */
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

/** Number and risk of open fills whose market has no price in the ledger. */
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

/** Account ids of a configuration. An embedded exchange is a different one in every run. */
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

/** False for ledgers before version 6. */
const hasUserIds = (db: DatabaseSync): boolean =>
  db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'user_ids'").get() !== undefined;
