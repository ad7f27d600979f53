// Reads the state of the day from the ledger at the start of a run: P&L settled since the base, the base,
// fills whose games were not graded yet, and the last good prices of the positions.
import type { DatabaseSync } from 'node:sqlite';
import type {
  DayAtBoot,
  DayBase,
  FormerPlay,
  GameId,
  GameResult,
  MarketId,
  MarketType,
  Micros,
  OrderRef,
  SettledByHand,
  Side,
  TxId,
} from '../domain/index.ts';
import { market } from '../domain/index.ts';

/**
 * A fill that an operator settled is open again if the exchange still lists it; it lists nothing older than
 * this.
 */
const BY_HAND_MS = 14 * 24 * 3_600_000;

type Row = Readonly<Record<string, unknown>>;

export function readDay(db: DatabaseSync, account: number, startsAt: number, now: number): DayAtBoot {
  const day = db
    .prepare('SELECT base, stated, stated_at FROM days WHERE account_id = ? AND starts_at = ?')
    .get(account, startsAt);
  const settled = db
    .prepare(
      'SELECT coalesce(sum(profit - coalesce(commission, 0)), 0) AS sum FROM settlements WHERE account_id = ? AND day = ? AND at >= ?',
    )
    .get(account, startsAt, Number(day?.['stated_at'] ?? 0));
  const plays = db
    .prepare(
      `SELECT tx_id, game_id, type, line, side, risk, win, ref FROM fills
       WHERE account_id = :account AND market IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM settlements s WHERE s.account_id = :account AND s.tx_id = fills.tx_id)`,
    )
    .all({ account })
    .map(playOf);
  const byHand = db
    .prepare(
      `SELECT s.tx_id, s.profit - coalesce(s.commission, 0) AS profit, s.profit AS brought, s.day, s.home, s.away, s.result, f.game_id, f.market, f.type, f.line, f.side, f.risk, f.win, f.ref
       FROM settlements s LEFT JOIN fills f ON f.account_id = s.account_id AND f.tx_id = s.tx_id
       WHERE s.account_id = ? AND s.source = 'operator' AND s.at > ? ORDER BY s.at`,
    )
    .all(account, now - BY_HAND_MS);
  // also markets that an operator settled: their fills may be open again
  const waiting = new Set([
    ...plays.map((play): string => play.market.id),
    ...byHand.flatMap(({ market: id }) => (typeof id === 'string' ? [id] : [])),
  ]);
  const nets = db
    .prepare(
      `SELECT f.market, sum(s.profit) AS net FROM settlements s JOIN fills f ON f.account_id = s.account_id AND f.tx_id = s.tx_id
       WHERE s.account_id = ? AND f.market IN (SELECT value FROM json_each(?)) GROUP BY f.market`,
    )
    .all(account, JSON.stringify([...waiting]))
    .map((row) => ({ market: String(row['market']) as MarketId, net: Number(row['net']) as Micros }));
  const base = typeof day?.['base'] === 'string' ? (JSON.parse(day['base']) as DayBase) : undefined;
  const priceOf = db.prepare(
    'SELECT price FROM marks WHERE account_id = ? AND market = ? AND price IS NOT NULL ORDER BY minute DESC LIMIT 1',
  );
  const markets = new Set<MarketId>([
    ...plays.map((play) => play.market.id),
    ...(base?.entries ?? []).map((entry) => entry.market.id),
  ]);
  const prices = [...markets].flatMap((id) => {
    const price = priceOf.get(account, id)?.['price'];
    return typeof price === 'number' ? [{ market: id, price }] : [];
  });
  return {
    startsAt,
    settled: (Number(settled?.['sum'] ?? 0) + Number(day?.['stated'] ?? 0)) as Micros,
    ...(base === undefined ? {} : { base }),
    plays,
    ...(nets.length === 0 ? {} : { nets }),
    settledByHand: byHand.map((row) => ({
      txId: String(row['tx_id']) as TxId,
      profit: Number(row['profit']) as Micros,
      brought: Number(row['brought']) as Micros,
      day: Number(row['day'] ?? 0),
      ...settledOf(row),
    })),
    prices,
  };
}

/**
 * The settled fill and the result that the operator gave. Ledgers before version 5 have the two scores alone.
 */
function settledOf(row: Row): Pick<SettledByHand, 'settled'> {
  const { market: id, home, away, result } = row;
  if (id === null || (result === null && home === null)) return {};
  const given =
    typeof result === 'string' ? (JSON.parse(result) as GameResult) : { home: Number(home), away: Number(away) };
  return { settled: { play: playOf(row), result: given } };
}

function playOf(row: Row): FormerPlay {
  const { line, ref } = row;
  return {
    txId: String(row['tx_id']) as TxId,
    market: market(
      String(row['game_id']) as GameId,
      String(row['type']) as MarketType,
      typeof line === 'number' ? line : undefined,
    ),
    side: String(row['side']) as Side,
    risk: Number(row['risk']) as Micros,
    win: Number(row['win'] ?? 0) as Micros,
    ref: typeof ref === 'string' ? (ref as OrderRef) : undefined,
  };
}

/**
 * Records the P&L of the day so far as stated by an operator, when no ledger has it. The positions held now
 * become the base.
 */
export function stateDay(
  db: DatabaseSync,
  account: number,
  { startsAt, brought, now }: { readonly startsAt: number; readonly brought: Micros; readonly now: number },
): void {
  db.prepare(
    `INSERT INTO days (account_id, starts_at, stated, stated_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET stated = excluded.stated, stated_at = excluded.stated_at, base = NULL, base_at = NULL`,
  ).run(account, startsAt, brought, now);
}

/** P&L of all settled fills of the account, micro-dollars. */
export const settledIn = (db: DatabaseSync, account: number): number =>
  Number(
    db
      .prepare(
        'SELECT coalesce(sum(profit - coalesce(commission, 0)), 0) AS profit FROM settlements WHERE account_id = ?',
      )
      .get(account)?.['profit'],
  );
