// The tables of the ledger database (docs/reference/ledger.md) and the named statements that fill them,
// prepared once. Times are Unix ms, money is integer micro-dollars, probabilities are of the market's first
// side unless the column says otherwise.

/** `PRAGMA user_version` of this program. */
export const LEDGER_VERSION = 6;

/** Columns with the report figures of a fill, written as they become known. Since version 3. */
const FIGURES_OF_FILL = [
  'order_run TEXT',
  'age_ms INTEGER',
  'queue_placed INTEGER',
  'queue_filled INTEGER',
  'reason TEXT',
  'before_first INTEGER',
  'before_second INTEGER',
  'picked_off TEXT',
  'spread INTEGER',
  'drift INTEGER',
  'clv INTEGER',
  'keys TEXT',
] as const;

export const SCHEMA = `
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS accounts (
  id INTEGER PRIMARY KEY, exchange TEXT NOT NULL, account TEXT NOT NULL, mode TEXT NOT NULL,
  UNIQUE (exchange, account, mode)
) STRICT;
CREATE TABLE IF NOT EXISTS days (
  account_id INTEGER NOT NULL REFERENCES accounts (id), starts_at INTEGER NOT NULL,
  base_at INTEGER, base TEXT, stated INTEGER, stated_at INTEGER,
  PRIMARY KEY (account_id, starts_at)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS user_ids (
  exchange TEXT NOT NULL, account TEXT NOT NULL, user_id TEXT NOT NULL, PRIMARY KEY (exchange, account)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS halts (
  account_id INTEGER NOT NULL REFERENCES accounts (id), instance TEXT NOT NULL, kind TEXT NOT NULL,
  at INTEGER NOT NULL, record TEXT,
  PRIMARY KEY (account_id, instance, kind)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS runs (
  run TEXT PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES accounts (id),
  pid INTEGER NOT NULL, host TEXT NOT NULL, version TEXT NOT NULL, instance TEXT NOT NULL,
  started_at INTEGER NOT NULL, ended_at INTEGER, exit_code INTEGER, reason TEXT,
  journal TEXT, config_file TEXT NOT NULL, strategies TEXT NOT NULL, figures TEXT, config_hash TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS runs_by_time ON runs (account_id, started_at);
CREATE TABLE IF NOT EXISTS orders (
  ref TEXT NOT NULL, account_id INTEGER NOT NULL REFERENCES accounts (id), run TEXT NOT NULL,
  request INTEGER NOT NULL, kind TEXT NOT NULL, replaces TEXT, order_id TEXT,
  strategy TEXT, slot_key TEXT, game_id TEXT NOT NULL, market TEXT NOT NULL, type TEXT NOT NULL, line REAL, side TEXT NOT NULL,
  odds REAL NOT NULL, risk INTEGER NOT NULL, fair REAL,
  cause TEXT, said TEXT, value INTEGER, waited_ms REAL,
  sent_at INTEGER NOT NULL, answered_at INTEGER, latency_ms REAL, http_status INTEGER, fate TEXT NOT NULL, refusal TEXT,
  cancel_sent_at INTEGER, cancel_cause TEXT,
  ended_at INTEGER, ended_as TEXT, queue_ahead INTEGER,
  PRIMARY KEY (account_id, ref)
) STRICT;
CREATE INDEX IF NOT EXISTS orders_by_time ON orders (account_id, sent_at);
CREATE INDEX IF NOT EXISTS orders_by_id ON orders (account_id, order_id);
CREATE TABLE IF NOT EXISTS fills (
  tx_id TEXT NOT NULL, account_id INTEGER NOT NULL REFERENCES accounts (id), run TEXT NOT NULL,
  at INTEGER NOT NULL, day INTEGER, source TEXT NOT NULL, own INTEGER NOT NULL, ref TEXT, strategy TEXT,
  game_id TEXT NOT NULL, league TEXT, sport TEXT, event TEXT, starts_at INTEGER, in_play INTEGER,
  market TEXT, type TEXT, line REAL, side TEXT, price REAL, risk INTEGER NOT NULL, win INTEGER,
  fair REAL, position_first INTEGER, position_second INTEGER,
  role TEXT, f0 REAL, fc REAL, markouts TEXT,
  ${FIGURES_OF_FILL.join(', ')},
  PRIMARY KEY (account_id, tx_id)
) STRICT;
CREATE INDEX IF NOT EXISTS fills_by_time ON fills (account_id, at);
CREATE INDEX IF NOT EXISTS fills_by_game ON fills (account_id, game_id);
CREATE TABLE IF NOT EXISTS settlements (
  tx_id TEXT NOT NULL, account_id INTEGER NOT NULL REFERENCES accounts (id), run TEXT NOT NULL,
  at INTEGER NOT NULL, day INTEGER, source TEXT NOT NULL, profit INTEGER NOT NULL, is_told INTEGER NOT NULL,
  home INTEGER, away INTEGER, commission INTEGER, result TEXT,
  PRIMARY KEY (account_id, tx_id)
) STRICT;
CREATE INDEX IF NOT EXISTS settlements_by_day ON settlements (account_id, day);
CREATE TABLE IF NOT EXISTS marks (
  account_id INTEGER NOT NULL REFERENCES accounts (id), market TEXT NOT NULL, minute INTEGER NOT NULL,
  run TEXT NOT NULL, at INTEGER NOT NULL, game_id TEXT NOT NULL, price REAL,
  position_first INTEGER NOT NULL, position_second INTEGER NOT NULL, staked INTEGER NOT NULL, marked INTEGER NOT NULL,
  PRIMARY KEY (account_id, market, minute)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS marks_by_time ON marks (account_id, minute);
CREATE TABLE IF NOT EXISTS alerts (
  id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES accounts (id), run TEXT NOT NULL,
  at INTEGER NOT NULL, seq INTEGER NOT NULL, level TEXT NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL, fields TEXT NOT NULL,
  state TEXT, resolved_at INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS alerts_by_time ON alerts (account_id, at);
CREATE TABLE IF NOT EXISTS operator_actions (
  id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES accounts (id), run TEXT NOT NULL,
  at INTEGER NOT NULL, seq INTEGER NOT NULL, command TEXT NOT NULL, reason TEXT, fields TEXT NOT NULL, who TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS operator_actions_by_time ON operator_actions (account_id, at);
CREATE TABLE IF NOT EXISTS run_figures (
  account_id INTEGER NOT NULL REFERENCES accounts (id), run TEXT NOT NULL, turn INTEGER NOT NULL,
  at INTEGER NOT NULL, fills INTEGER NOT NULL, risk INTEGER NOT NULL,
  spread INTEGER, drift INTEGER, luck INTEGER, commission INTEGER, pnl INTEGER, unpriced INTEGER NOT NULL,
  unpriced_pnl INTEGER NOT NULL, captured INTEGER, clv INTEGER,
  late INTEGER NOT NULL, mispriced INTEGER NOT NULL, lost INTEGER NOT NULL,
  two_sided REAL, at_best REAL, mean_distance REAL, quote_hours REAL NOT NULL,
  orders INTEGER NOT NULL, cancels_per_fill REAL, median_life_ms INTEGER,
  places INTEGER NOT NULL, cancels INTEGER NOT NULL, pnl_per_place INTEGER, spread_per_place INTEGER, clv_per_place INTEGER,
  mean_wait_ms INTEGER, staleness INTEGER NOT NULL, shadow_price INTEGER,
  inventory_most INTEGER NOT NULL, inventory_mean INTEGER NOT NULL, worst INTEGER NOT NULL, max_drawdown INTEGER NOT NULL,
  held_back TEXT NOT NULL, at_limits REAL,
  PRIMARY KEY (account_id, run, turn)
) STRICT, WITHOUT ROWID;
`;

/**
 * Views, created after the migrations, whose columns they read. A settlement row holds the commission that it
 * added to its market; `settled_fills` shares the commission of a market among its fills by what they won, as
 * a report does.
 */
export const VIEWS = `
CREATE VIEW IF NOT EXISTS settled_fills AS
SELECT s.account_id, s.tx_id, s.profit, CASE WHEN s.profit > 0 THEN
    CAST(round(1.0 * s.profit * sum(s.commission) OVER of_market / sum(max(s.profit, 0)) OVER of_market) AS INTEGER)
  ELSE 0 END AS commission
FROM settlements s JOIN fills f ON f.account_id = s.account_id AND f.tx_id = s.tx_id
WINDOW of_market AS (PARTITION BY s.account_id, f.market);
CREATE VIEW IF NOT EXISTS attributed_fills AS
SELECT f.account_id, f.order_run AS run, f.tx_id, f.at, k.key AS attribution, k.value AS key, f.risk, f.spread AS captured,
  iif(s.profit + f.spread + f.drift IS NULL, NULL, f.spread) AS spread,
  iif(s.profit + f.spread + f.drift IS NULL, NULL, f.drift) AS drift, s.profit - f.spread - f.drift AS luck,
  iif(s.profit + f.spread + f.drift IS NULL, NULL, -coalesce(s.commission, 0)) AS commission,
  iif(s.profit + f.spread + f.drift IS NULL, NULL, s.profit - coalesce(s.commission, 0)) AS pnl,
  iif(f.spread + f.drift IS NULL, s.profit - coalesce(s.commission, 0), NULL) AS unpriced_pnl, f.clv
FROM fills f, json_each(f.keys) k
LEFT JOIN settled_fills s ON s.account_id = f.account_id AND s.tx_id = f.tx_id
WHERE f.own = 1 AND f.order_run IS NOT NULL;
CREATE VIEW IF NOT EXISTS attribution AS
SELECT account_id, run, attribution, key, count(*) AS fills, sum(risk) AS risk, sum(spread) AS spread,
  sum(drift) AS drift, sum(luck) AS luck, sum(commission) AS commission, sum(pnl) AS pnl,
  count(unpriced_pnl) AS unpriced, sum(unpriced_pnl) AS unpriced_pnl, sum(captured) AS captured, sum(clv) AS clv
FROM attributed_fills GROUP BY account_id, run, attribution, key;
`;

/** Statements that upgrade a file of a former version, apart from missing tables. Version 0 is a new file. */
export function migrationOf(version: number): readonly string[] {
  if (version === 0) return [];
  return [
    ...(version < 2
      ? ['ALTER TABLE operator_actions ADD COLUMN who TEXT', 'ALTER TABLE runs ADD COLUMN config_hash TEXT']
      : []),
    ...(version < 3 ? FIGURES_OF_FILL.map((column) => `ALTER TABLE fills ADD COLUMN ${column}`) : []),
    ...(version < 5 ? ['ALTER TABLE settlements ADD COLUMN result TEXT'] : []),
    // in play the last price is nearly the outcome, not the value of the fill
    ...(version === 3 || version === 4 ? ['UPDATE fills SET clv = NULL WHERE in_play = 1 OR at >= starts_at'] : []),
    ...(version === 3
      ? [
          ...['DROP VIEW attribution', 'DROP VIEW attributed_fills'],
          'ALTER TABLE run_figures ADD COLUMN at_limits REAL',
        ]
      : []),
  ];
}

/** The statements by name. The writer binds the account and the run. */
export const STATEMENTS = {
  run: `INSERT INTO runs (run, account_id, pid, host, version, instance, started_at, journal, config_file, config_hash, strategies)
    VALUES (:run, :account, :pid, :host, :version, :instance, :at, :journal, :configFile, :configHash, :strategies) ON CONFLICT DO NOTHING`,
  ended: `UPDATE runs SET ended_at = :at, exit_code = :code, reason = :reason, figures = :figures WHERE run = :run`,
  figures: `UPDATE runs SET figures = :figures WHERE run = :run`,
  order: `INSERT INTO orders (ref, account_id, run, request, kind, replaces, strategy, slot_key, game_id, market, type, line,
      side, odds, risk, fair, cause, said, value, waited_ms, sent_at, fate)
    VALUES (:ref, :account, :run, :request, :kind, :replaces, :strategy, :slotKey, :gameId, :market, :type, :line,
      :side, :odds, :risk, :fair, :cause, :said, :value, :waitedMs, :at, 'sent') ON CONFLICT DO NOTHING`,
  answer: `UPDATE orders SET answered_at = :at, latency_ms = :latencyMs, http_status = :status, fate = :fate,
      order_id = coalesce(:orderId, order_id), refusal = :refusal
    WHERE account_id = :account AND ref = :ref`,
  cancel: `UPDATE orders SET cancel_sent_at = coalesce(cancel_sent_at, :at), cancel_cause = coalesce(cancel_cause, :cause)
    WHERE account_id = :account AND order_id = :orderId AND run = :run`,
  turn: `UPDATE orders SET queue_ahead = coalesce(queue_ahead, :ahead), ended_at = :endedAt, ended_as = :endedAs
    WHERE account_id = :account AND ref = :ref`,
  fill: `INSERT INTO fills (tx_id, account_id, run, at, day, source, own, ref, strategy, game_id, league, sport, event, starts_at,
      in_play, market, type, line, side, price, risk, win, fair, position_first, position_second, role)
    VALUES (:txId, :account, :run, :at, :day, :source, :own, :ref, :strategy, :gameId, :league, :sport, :event, :startsAt,
      :inPlay, :market, :type, :line, :side, :price, :risk, :win, :fair, :positionFirst, :positionSecond, :role)
    ON CONFLICT DO UPDATE SET own = max(own, excluded.own), ref = coalesce(ref, excluded.ref),
      strategy = coalesce(strategy, excluded.strategy), league = coalesce(league, excluded.league),
      sport = coalesce(sport, excluded.sport), event = coalesce(event, excluded.event),
      starts_at = coalesce(starts_at, excluded.starts_at), market = coalesce(excluded.market, market),
      type = coalesce(type, excluded.type), line = coalesce(excluded.line, line), side = coalesce(excluded.side, side),
      fair = CASE WHEN excluded.side <> side THEN 1 - fair ELSE fair END,
      position_first = CASE WHEN excluded.side <> side THEN position_second ELSE position_first END,
      position_second = CASE WHEN excluded.side <> side THEN position_first ELSE position_second END,
      price = coalesce(price, excluded.price), win = coalesce(win, excluded.win), role = coalesce(role, excluded.role)`,
  figuresOfFill: `UPDATE fills SET f0 = coalesce(:f0, f0), fc = coalesce(:fc, fc), markouts = :markouts, order_run = :orderRun,
      age_ms = :ageMs, queue_placed = :queuePlaced, queue_filled = :queueFilled, reason = :reason,
      before_first = :beforeFirst, before_second = :beforeSecond, picked_off = :pickedOff,
      spread = :spread, drift = :drift, clv = :clv, keys = :keys
    WHERE account_id = :account AND tx_id = :txId`,
  runFigures: `INSERT INTO run_figures (account_id, run, turn, at, fills, risk, spread, drift, luck, commission, pnl, unpriced,
      unpriced_pnl, captured, clv, late, mispriced, lost,
      two_sided, at_best, mean_distance, quote_hours, orders, cancels_per_fill, median_life_ms, places, cancels, pnl_per_place,
      spread_per_place, clv_per_place, mean_wait_ms, staleness, shadow_price, inventory_most, inventory_mean, worst, max_drawdown,
      held_back, at_limits)
    VALUES (:account, :run, :turn, :at, :fills, :risk, :spread, :drift, :luck, :commission, :pnl, :unpriced,
      :unpricedPnl, :captured, :clv, :late, :mispriced, :lost,
      :twoSided, :atBest, :meanDistance, :quoteHours, :orders, :cancelsPerFill, :medianLifeMs, :place, :cancel, :pnlPerPlace,
      :spreadPerPlace, :clvPerPlace, :meanWaitMs, :staleness, :shadowPrice, :inventoryMost, :inventoryMean, :worst, :maxDrawdown,
      :heldBack, :atLimits) ON CONFLICT DO NOTHING`,
  settlement: `INSERT INTO settlements (tx_id, account_id, run, at, day, source, profit, is_told, home, away, commission, result)
    VALUES (:txId, :account, :run, :at, :day, :source, :profit, :isReported, :home, :away, :commission, :result)
    ON CONFLICT DO UPDATE SET run = excluded.run, at = excluded.at, day = excluded.day, source = excluded.source,
      profit = excluded.profit, is_told = excluded.is_told, home = excluded.home, away = excluded.away,
      commission = excluded.commission, result = excluded.result`,
  orderMoved: `UPDATE orders SET market = :market, line = :line, side = :side, fair = 1 - fair
    WHERE account_id = :account AND ref = :ref`,
  moved: `UPDATE fills SET market = :market, line = :line, side = :side, fair = 1 - fair,
      position_first = position_second, position_second = position_first
    WHERE account_id = :account AND tx_id = :txId`,
  unsettlement: `DELETE FROM settlements WHERE account_id = :account AND tx_id = :txId AND source = 'operator'`,
  mark: `INSERT INTO marks (account_id, market, minute, run, at, game_id, price, position_first, position_second, staked, marked)
    VALUES (:account, :market, :minute, :run, :at, :gameId, :price, :positionFirst, :positionSecond, :staked, :marked)
    ON CONFLICT DO UPDATE SET run = excluded.run, at = excluded.at, price = excluded.price,
      position_first = excluded.position_first, position_second = excluded.position_second, staked = excluded.staked,
      marked = excluded.marked`,
  alert: `INSERT INTO alerts (account_id, run, at, seq, level, code, message, fields)
    VALUES (:account, :run, :at, :seq, :level, :code, :message, :fields)`,
  alertFires: `INSERT INTO alerts (account_id, run, at, seq, level, code, message, fields, state)
    SELECT :account, :run, :at, 0, :level, :code, :message, :fields, 'firing' WHERE NOT EXISTS
      (SELECT 1 FROM alerts WHERE run = :run AND code = :code AND resolved_at IS NULL AND at >= :at - 1000)`,
  alertStands: `UPDATE alerts SET state = 'firing' WHERE run = :run AND code = :code AND resolved_at IS NULL`,
  alertOver: `UPDATE alerts SET state = 'resolved', resolved_at = :at
    WHERE run = :run AND code = :code AND resolved_at IS NULL`,
  action: `INSERT INTO operator_actions (account_id, run, at, seq, command, reason, who, fields)
    VALUES (:account, :run, :at, :seq, :command, :reason, :who, :fields)`,
  userId: `INSERT INTO user_ids (exchange, account, user_id) VALUES (:exchange, :name, :userId)
    ON CONFLICT DO UPDATE SET user_id = excluded.user_id WHERE user_id <> excluded.user_id`,
  halt: `INSERT INTO halts (account_id, instance, kind, at, record) VALUES (:account, :instance, :kind, :at, :record)
    ON CONFLICT DO UPDATE SET at = excluded.at, record = excluded.record`,
  day: `INSERT INTO days (account_id, starts_at, base_at, base) VALUES (:account, :startsAt, :at, :base)
    ON CONFLICT DO UPDATE SET base_at = coalesce(base_at, excluded.base_at), base = excluded.base`,
} as const;

export type StatementName = keyof typeof STATEMENTS;
export type Value = string | number | null;
/** One row to write: the name of its statement, and the values by bind name. */
export type LedgerRow = { readonly name: StatementName; readonly values: Readonly<Record<string, Value>> };

/** The names that a statement binds. */
export const bindsOf = (name: StatementName): readonly string[] => [
  ...new Set([...STATEMENTS[name].matchAll(/:([a-zA-Z]\w*)/g)].map(([, bound]) => bound ?? '')),
];
