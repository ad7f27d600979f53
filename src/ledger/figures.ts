// Reads the parts of a report that the ledger holds (docs/reference/ledger.md): attribution summed over runs,
// and single fills.
import type { DatabaseSync } from 'node:sqlite';
import type { AttributionName, AttributionRow } from '../run/index.ts';
import { attributionRows } from '../run/index.ts';

/** The rows to read: accounts, start (Unix ms), and one run only when it is named. */
export type LedgerScope = {
  readonly accounts: readonly number[];
  readonly since: number;
  readonly run: string | undefined;
};

/** Attribution of own fills with a known order, in the form of `report`. */
export function readAttribution(
  db: DatabaseSync,
  by: AttributionName,
  { accounts, since, run }: LedgerScope,
): readonly AttributionRow[] {
  const rows = db
    .prepare(
      `WITH attributed AS (
         SELECT a.*, iif(f.in_play, NULL, a.clv) AS early_clv,
           json_extract(f.markouts, '$."60"') AS markout_60s, json_extract(f.markouts, '$."300"') AS markout_300s
         FROM attributed_fills a JOIN fills f ON f.account_id = a.account_id AND f.tx_id = a.tx_id)
       SELECT key, count(*) AS fills, sum(risk) AS risk, sum(spread) AS spread, sum(drift) AS drift, sum(luck) AS luck,
         sum(commission) AS commission, sum(pnl) AS pnl, sum(captured) AS captured, sum(early_clv) AS clv,
         sum(markout_60s) AS markout_60s, sum(markout_300s) AS markout_300s,
         count(unpriced_pnl) AS unpriced, sum(unpriced_pnl) AS unpriced_pnl,
         count(luck) AS has_parts, count(captured) AS has_captured, count(early_clv) AS has_clv,
         count(markout_60s) AS has_60s, count(markout_300s) AS has_300s
       FROM attributed
       WHERE attribution = ? AND account_id IN (${accounts.map(() => '?').join(', ')}) AND at >= ? AND run = coalesce(?, run)
       GROUP BY key`,
    )
    .all(by, ...accounts, since, run ?? null);
  return attributionRows(
    rows.map((row) => {
      const column = (name: string): number => Number(row[name] ?? 0);
      const sums = {
        fills: column('fills'),
        risk: column('risk'),
        spread: column('spread'),
        drift: column('drift'),
        luck: column('luck'),
        commission: column('commission'),
        pnl: column('pnl'),
        captured: column('captured'),
        clv: column('clv'),
        unpriced: column('unpriced'),
        unpricedPnl: column('unpriced_pnl'),
        markout60s: column('markout_60s'),
        markout300s: column('markout_300s'),
        known: {
          parts: column('has_parts'),
          captured: column('has_captured'),
          clv: column('has_clv'),
          markout60s: column('has_60s'),
          markout300s: column('has_300s'),
        },
      };
      return [String(row['key']), sums] as const;
    }),
    by,
  );
}

export type GameName = { readonly name: string; readonly start: number | undefined };

/** Names and starts of games by id, taken from the newest fill. */
export function readGameNames(db: DatabaseSync, accounts: readonly number[]): Readonly<Record<string, GameName>> {
  const rows = db
    .prepare(
      `SELECT game_id, event, starts_at, max(at) FROM fills
       WHERE account_id IN (${accounts.map(() => '?').join(', ')}) AND event IS NOT NULL GROUP BY game_id`,
    )
    .all(...accounts);
  return Object.fromEntries(
    rows.map(({ game_id: id, event, starts_at: start }) => [
      String(id),
      { name: String(event), start: start === null ? undefined : Number(start) },
    ]),
  );
}

/**
 * Figures of one fill. Money is micro-dollars, prices are those of the backed side. Null: not known, or not
 * yet.
 */
export type FillFiguresRow = {
  readonly at: number;
  readonly event: string | null;
  readonly starts_at: number | null;
  readonly market: string | null;
  readonly side: string | null;
  readonly strategy: string | null;
  readonly role: string | null;
  readonly price: number | null;
  readonly risk: number;
  readonly f0: number | null;
  readonly fc: number | null;
  readonly age_ms: number | null;
  readonly queue_placed: number | null;
  readonly queue_filled: number | null;
  readonly reason: string | null;
  readonly before_first: number | null;
  readonly before_second: number | null;
  readonly position_first: number | null;
  readonly position_second: number | null;
  readonly picked_off: string | null;
  readonly spread: number | null;
  readonly drift: number | null;
  readonly clv: number | null;
  readonly profit: number | null;
  readonly commission: number | null;
};

/** The newest `most` fills, oldest first. */
export function readFills(
  db: DatabaseSync,
  { accounts, since, run }: LedgerScope,
  most: number,
): readonly FillFiguresRow[] {
  const rows = db
    .prepare(
      `SELECT f.at, f.event, f.starts_at, f.market, f.side, f.strategy, f.role, f.price, f.risk, f.f0, f.fc, f.age_ms, f.queue_placed,
         f.queue_filled, f.reason, f.before_first, f.before_second, f.position_first, f.position_second, f.picked_off, f.spread,
         f.drift, f.clv, s.profit, s.commission
       FROM fills f LEFT JOIN settled_fills s ON s.account_id = f.account_id AND s.tx_id = f.tx_id
       WHERE f.account_id IN (${accounts.map(() => '?').join(', ')}) AND f.at >= ?
         AND (? IS NULL OR f.order_run = ?)
       ORDER BY f.at DESC, f.tx_id DESC LIMIT ?`,
    )
    .all(...accounts, since, run ?? null, run ?? null, most);
  return (rows as unknown as FillFiguresRow[]).reverse();
}
